/* In which range of its step is something? */
#include "diff/step_paths.h"

#include "base/mem.h"
#include "diff/account.h"

#include <stdlib.h>

struct naming {
	const struct range_names *names;
	const struct folded_names *folded;
};

static uint32_t name_of(const void *ctx, const struct range *r)
{
	const struct naming *n = ctx;
	const uint32_t name = n->names->of_row[r->row];

	return name == NAME_NONE ? NAME_NONE : n->folded->of_name[name];
}

static const char *describe(const struct range_paths *p, const struct strtab *names,
			    const char *step, uint32_t path, struct arena *arena)
{
	uint32_t parts[STEP_PATH_RANGES];
	size_t count = 0;
	struct buf b = {0};
	const char *text = "";

	for (; path != RANGE_NONE && count < STEP_PATH_RANGES; path = p->all[path].parent) {
		const struct str name = range_name_shown(names->items[p->all[path].name]);

		if (step && str_eq(name, str_of(step)))
			break;
		parts[count++] = path;
	}
	while (count) {
		if (b.len)
			buf_adds(&b, " / ");
		buf_addstr(&b, range_name_shown(names->items[p->all[parts[--count]].name]));
	}
	if (b.len)
		text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

static void make_texts(struct step_paths *p, const struct strtab *names, const char *step,
		       struct arena *arena)
{
	p->texts = mem_alloc(p->paths.count + 2, sizeof(*p->texts));
	for (uint32_t i = 0; i < p->paths.count; i++)
		p->texts[i] = describe(&p->paths, names, step, i, arena);
	p->texts[step_path_none(p)] = "";
	p->texts[step_path_between(p)] = LEAF_BETWEEN;
}

int step_paths_make(struct step_paths *ret, struct trace *t, const struct range_forest *f,
		    const char *step, struct arena *arena, struct err *e)
{
	struct range_names names;
	struct folded_names folded;
	struct naming naming = {&names, &folded};

	*ret = (struct step_paths){0};
	if (!f->count) {
		make_texts(ret, &(struct strtab){0}, NULL, arena);
		return 0;
	}
	if (range_names_read(t, &names, e) < 0)
		return -1;
	range_names_fold(t, &names, &folded);
	range_paths_make(f, name_of, &naming, &ret->paths);
	make_texts(ret, &folded.names, step, arena);
	folded_names_free(&folded);
	range_names_free(&names);
	return 0;
}

void step_paths_free(struct step_paths *p)
{
	range_paths_free(&p->paths);
	free(p->texts);
	*p = (struct step_paths){0};
}

bool step_path_is_in(const char *path, const char *around)
{
	const size_t len = strlen(around);

	return strncmp(path, around, len) == 0 &&
	       (!path[len] || strncmp(path + len, " / ", 3) == 0);
}
