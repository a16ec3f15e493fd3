/* Can a check be called so? */
#include "gate/check_id.h"

#include "base/str.h"
#include "diff/account.h"
#include "report/finding.h"
#include "text/nearest.h"

static const char *const plain_ids[] = {
	"step",	       "memory_peak",  "kernels_per_step", "minimum:overlap",
	"minimum:mfu", "maximum:idle", "finding:new",
};
/* Of ids that go on with a name of a trace. */
static const char *const kinds[] = {"range", "kernel"};

/* All ids that are known before a trace is read, one after the other; NULL after the last. */
static const char *known_id(struct arena *arena, size_t i)
{
	const char *finding;

	if (i < ARRAY_LEN(plain_ids))
		return plain_ids[i];
	i -= ARRAY_LEN(plain_ids);
	if (i < LEAF_CLASSES)
		return arena_printf(arena, "class:%s", leaf_class_keys[i]);
	finding = finding_kind_at(i - LEAF_CLASSES);
	return finding ? arena_printf(arena, "finding:%s", finding) : NULL;
}

static bool has_kind(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const size_t len = strlen(kinds[i]);

		if (strncmp(id, kinds[i], len) == 0 && id[len] == ':' && id[len + 1])
			return true;
	}
	return false;
}

/* "ranges:forward" is meant to be "range:forward". */
static const char *nearest_kind(struct arena *arena, const char *id)
{
	const char *end = strchr(id, ':');
	struct nearest near = {NULL, NULL, 3};

	if (!end || !end[1])
		return NULL;
	near.word = arena_str(arena, (struct str){id, (size_t)(end - id)}).s;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		nearest_try(&near, kinds[i]);
	return near.found ? arena_printf(arena, "%s%s", near.found, end) : NULL;
}

int check_id_find(const struct rule_file *f, const struct yaml_node *n)
{
	const char *const id = n->text;
	struct nearest near = {id, NULL, 4};
	const char *known;

	if (has_kind(id))
		return 0;
	for (size_t i = 0; (known = known_id(f->arena, i)); i++) {
		if (strcmp(known, id) == 0)
			return 0;
		nearest_try(&near, known);
	}
	if (!near.found)
		near.found = nearest_kind(f->arena, id);
	rule_refuse(f, n->line, "no check is called '%.80s'", id);
	if (near.found)
		return err_hint(f->e, "did you mean '%.80s'?", near.found);
	return err_hint(f->e, "step, class:idle, range:PATH, kernel:NAME, kernels_per_step, "
			      "finding:ID, maximum:idle: docs/gate.md lists them");
}
