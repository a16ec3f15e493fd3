/* Which kernels does the user say are the same? */
#include "base/mem.h"
#include "diff/matching/match.h"
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

bool match_map_is(const struct leaf *l, struct str name)
{
	SCOPED_BUF b = {0};

	for (int alias = 0; alias < OP_ALIASES; alias++) {
		buf_clear(&b);
		if (op_name_add_alias(&b, l, (enum op_alias)alias) && str_eq(buf_str(&b), name))
			return true;
	}
	return false;
}

static bool is_called(const struct side_runs *s, uint32_t leaf, struct str name)
{
	return match_map_is(s->leaves[leaf].key, name);
}

static bool is_among(const struct side_runs *s, const uint32_t *leaves, size_t count,
		     struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (is_called(s, leaves[i], name))
			return true;
	}
	return false;
}

static bool is_there(const struct side_runs *s, struct str name)
{
	for (uint32_t i = 0; i < s->leaf_count; i++) {
		if (is_called(s, i, name))
			return true;
	}
	return false;
}

const char *match_map_idle(const struct match_map *map, size_t pair, const struct matches *m,
			   const struct sides *s)
{
	const struct str before = map->names[BEFORE][pair], after = map->names[AFTER][pair];

	if (!is_there(&s->of[BEFORE], before))
		return "nothing before is called so";
	if (!is_there(&s->of[AFTER], after))
		return "nothing after is called so";
	for (size_t i = 0; i < m->count; i++) {
		const struct match *x = &m->all[i];

		if (x->how == MATCH_MAP &&
		    is_among(&s->of[BEFORE], x->leaves[BEFORE], x->count[BEFORE], before) &&
		    is_among(&s->of[AFTER], x->leaves[AFTER], x->count[AFTER], after))
			return NULL;
	}
	return "another line of the map has one of them";
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
