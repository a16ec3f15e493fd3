/* Which kernels does the user say are the same? */
#include "base/mem.h"
#include "diff/match.h"
#include "text/json_read.h"

static int refuse(const char *path, const char *what, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is no map of kernels: %s", path, what);
	return err_hint(e, "{\"name before\": \"name after\", …}, with names as gpuwhy kernels "
			   "--format json has them");
}

static int take(struct match_map *m, const struct json *document, const char *path, struct err *e)
{
	struct json_member member = {0};

	if (json_read_kind(document) != JSON_KIND_OBJECT)
		return refuse(path, "it is no object", e);
	while (json_read_next(document, &member)) {
		const struct str after = json_read_string(member.value);
		size_t cap = m->cap;

		if (!member.key.len || !after.len)
			return refuse(path, "a name is missing, or is no text", e);
		MEM_GROW(m->names[BEFORE], cap, m->count + 1);
		MEM_GROW(m->names[AFTER], m->cap, m->count + 1);
		m->names[BEFORE][m->count] = arena_str(&m->arena, member.key);
		m->names[AFTER][m->count++] = arena_str(&m->arena, after);
	}
	return 0;
}

int match_map_read(struct match_map *ret, const char *path, struct err *e)
{
	struct json *document;
	int result;

	*ret = (struct match_map){0};
	if (json_read_file(&document, path, e) < 0)
		return -1;
	result = take(ret, document, path, e);
	json_read_free(document);
	return result;
}

void match_map_flip(struct match_map *m)
{
	struct str *before = m->names[BEFORE];

	m->names[BEFORE] = m->names[AFTER];
	m->names[AFTER] = before;
}

void match_map_free(struct match_map *m)
{
	mem_free_scoped(&m->names[BEFORE]);
	mem_free_scoped(&m->names[AFTER]);
	arena_free(&m->arena);
	*m = (struct match_map){0};
}
