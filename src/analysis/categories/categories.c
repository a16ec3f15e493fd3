/* Which category of work does a kernel's name stand for? */
#include "analysis/categories/categories.h"

#include "analysis/categories/category_maps.h"
#include "base/mem.h"
#include "text/json_read.h"

#include <stdlib.h>
#include <strings.h>

/* Every name is tried with every pattern: nobody needs more by hand. */
enum {
	MOST_MAPS = 1000,
	MOST_RULES = 1000,
	LONGEST_NAME = 4096,	/* of longer ones the beginning counts */
	LONGEST_CATEGORY = 200, /* bytes */
	SHOWN = 100,		/* bytes of a name of the file's in a message */
};

static const struct own_map {
	const char *name, *text;
} own_maps[] = {
	{"default", map_default}, {"vllm", map_vllm},	      {"sglang", map_sglang},
	{"trtllm", map_trtllm},	  {"megatron", map_megatron}, {"torch", map_torch},
};

/* A document on its way into the maps. */
struct reading {
	struct category_maps *all;
	bool own; /* tests know that its patterns are right */
};

static int shown(struct str s)
{
	return (int)(s.len < SHOWN ? s.len : SHOWN);
}

static bool same_word(struct str a, struct str b)
{
	return a.len == b.len && strncasecmp(a.s, b.s, a.len) == 0;
}

/* A pattern is wrong in the file that it stands in, not on the command line. */
static int blame_map(struct err *e)
{
	if (e->code == ERR_USAGE)
		e->code = ERR_INPUT;
	return -1;
}

static int check_pattern(struct str text, struct err *e)
{
	struct pattern *compiled;

	if (!text.len)
		return err_set(e, ERR_INPUT, "an empty pattern would match every kernel");
	if (pattern_compile(&compiled, text, 0, e) < 0)
		return blame_map(e);
	pattern_free(compiled);
	return 0;
}

static int add_rule(const struct reading *r, struct category_map *map, const struct json_member *m,
		    struct err *e)
{
	struct str category = json_read_string(m->value);

	if (json_read_kind(m->value) != JSON_KIND_TEXT)
		return err_set(e, ERR_INPUT, "its category is %s, not a string",
			       json_read_kind_name(m->value));
	if (!category.len)
		return err_set(e, ERR_INPUT, "its category is empty");
	if (category.len > LONGEST_CATEGORY)
		return err_set(e, ERR_INPUT, "its category '%.*s…' has %zu bytes: at most %d",
			       shown(category), category.s, category.len, LONGEST_CATEGORY);
	if (str_eq(category, CATEGORY_CPU))
		return err_set(e, ERR_INPUT,
			       "the category 'CPU(non-GPU)' is reserved for time without GPU work");
	if (map->count == MOST_RULES)
		return err_set(e, ERR_INPUT, "the model has more than %d patterns", MOST_RULES);
	/* Wrong ones are found now, whichever map is asked for later. */
	if (!r->own && check_pattern(m->key, e) < 0)
		return -1;
	map->rules[map->count++] = (struct category_rule){
		.pattern = arena_str(&r->all->arena, m->key),
		.category = arena_str(&r->all->arena, category),
		.names_copies = memmem(m->key.s, m->key.len, "CUDA mem", 8) != NULL,
	};
	return 0;
}

static size_t count_members(const struct json *object)
{
	struct json_member m = {0};
	size_t n = 0;

	while (n < MOST_RULES && json_read_next(object, &m))
		n++;
	return n;
}

static struct category_map *find_map(const struct category_maps *m, struct str engine,
				     struct str model)
{
	for (size_t i = 0; i < m->count; i++) {
		if (same_word(m->maps[i].engine, engine) && same_word(m->maps[i].model, model))
			return &m->maps[i];
	}
	return NULL;
}

/* The map of that engine and model; a new one where there is none; NULL: there are too many. */
static struct category_map *take_map(struct category_maps *all, struct str engine, struct str model)
{
	struct category_map *known = find_map(all, engine, model);

	if (known)
		return known;
	if (all->count == MOST_MAPS)
		return NULL;
	MEM_GROW(all->maps, all->cap, all->count + 1);
	all->maps[all->count] = (struct category_map){.engine = arena_str(&all->arena, engine),
						      .model = arena_str(&all->arena, model)};
	return &all->maps[all->count++];
}

static int add_model(const struct reading *r, struct str engine, const struct json_member *model,
		     struct err *e)
{
	struct json_member rule = {0};
	struct category_map *map;

	if (json_read_kind(model->value) != JSON_KIND_OBJECT)
		return err_set(e, ERR_INPUT, "it is %s, not an object of patterns",
			       json_read_kind_name(model->value));
	map = take_map(r->all, engine, model->key);
	if (!map)
		return err_set(e, ERR_INPUT, "there are more than %d models", MOST_MAPS);
	map->count = 0;
	map->rules = arena_alloc(&r->all->arena, count_members(model->value), sizeof(*map->rules));
	while (json_read_next(model->value, &rule)) {
		if (add_rule(r, map, &rule, e) < 0)
			return err_wrap(e, "pattern '%.*s'", shown(rule.key), rule.key.s);
	}
	return map->count ? 0 : err_set(e, ERR_INPUT, "it has no pattern");
}

static int add_engine(const struct reading *r, const struct json_member *engine, struct err *e)
{
	struct json_member model = {0};
	bool any = false;

	if (json_read_kind(engine->value) != JSON_KIND_OBJECT)
		return err_set(e, ERR_INPUT, "it is %s, not an object of models",
			       json_read_kind_name(engine->value));
	while (json_read_next(engine->value, &model)) {
		if (add_model(r, engine->key, &model, e) < 0)
			return err_wrap(e, "model '%.*s'", shown(model.key), model.key.s);
		any = true;
	}
	return any ? 0 : err_set(e, ERR_INPUT, "it has no model");
}

static int add_document(const struct reading *r, const struct json *document, const char *path,
			struct err *e)
{
	struct json_member engine = {0};
	bool any = false;

	if (json_read_kind(document) != JSON_KIND_OBJECT) {
		err_set(e, ERR_INPUT, "'%s' is not a category map: it is %s, not an object", path,
			json_read_kind_name(document));
		return err_hint(e, "{\"engine\": {\"model\": {\"regex\": \"category\"}}}");
	}
	while (json_read_next(document, &engine)) {
		if (add_engine(r, &engine, e) < 0)
			return err_wrap(e, "'%s', engine '%.*s'", path, shown(engine.key),
					engine.key.s);
		any = true;
	}
	return any ? 0 : err_set(e, ERR_INPUT, "'%s' has no engine", path);
}

/* One of the program's own, or else a file. */
static int add_map(const struct reading *r, const struct own_map *own, const char *path,
		   struct err *e)
{
	struct json *document;
	int result;

	if ((own ? json_read_text(&document, str_of(own->text), path, e)
		 : json_read_file(&document, path, e)) < 0)
		return -1;
	result = add_document(r, document, path, e);
	json_read_free(document);
	return result;
}

int category_maps_read(struct category_maps *ret, const char *const *paths, size_t count,
		       struct err *e)
{
	int result = 0;

	*ret = (struct category_maps){0};
	for (size_t i = 0; result == 0 && i < ARRAY_LEN(own_maps) + count; i++) {
		const struct own_map *own = i < ARRAY_LEN(own_maps) ? &own_maps[i] : NULL;

		result = add_map(&(struct reading){ret, own != NULL}, own,
				 own ? own->name : paths[i - ARRAY_LEN(own_maps)], e);
	}
	if (result < 0)
		category_maps_free(ret);
	return result;
}

void category_maps_free(struct category_maps *m)
{
	free(m->maps);
	arena_free(&m->arena);
	*m = (struct category_maps){0};
}

static const struct category_map *first_of_engine(const struct category_maps *m, struct str engine)
{
	for (size_t i = 0; i < m->count; i++) {
		if (same_word(m->maps[i].engine, engine))
			return &m->maps[i];
	}
	return NULL;
}

const struct category_map *category_maps_find(const struct category_maps *m, struct str engine,
					      struct str model, enum category_missing *ret_missing)
{
	const struct category_map *found = find_map(m, engine, model);

	*ret_missing = MISSING_NOTHING;
	if (found)
		return found;
	*ret_missing = MISSING_MODEL;
	found = find_map(m, engine, STR_LIT("default"));
	if (!found)
		found = first_of_engine(m, engine);
	if (found)
		return found;
	*ret_missing = MISSING_ENGINE;
	return find_map(m, STR_LIT("default"), STR_LIT("default"));
}

void category_maps_list(const struct category_maps *m, struct buf *b)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct category_map *map = &m->maps[i];
		bool first = true;

		if (first_of_engine(m, map->engine) != map)
			continue;
		buf_addf(b, "%s%.*s (", b->len ? ", " : "", shown(map->engine), map->engine.s);
		for (size_t k = i; k < m->count; k++) {
			if (!same_word(m->maps[k].engine, map->engine))
				continue;
			buf_addf(b, "%s%.*s", first ? "" : ", ", shown(m->maps[k].model),
				 m->maps[k].model.s);
			first = false;
		}
		buf_addc(b, ')');
	}
}

int categories_compile(struct categories *ret, const struct category_map *map, struct err *e)
{
	*ret = (struct categories){.map = map};
	ret->patterns = mem_zalloc(map->count, sizeof(struct pattern *));
	for (size_t i = 0; i < map->count; i++) {
		if (pattern_compile(&ret->patterns[i], map->rules[i].pattern, 0, e) < 0) {
			categories_free(ret);
			return blame_map(e);
		}
	}
	return 0;
}

void categories_free(struct categories *c)
{
	for (size_t i = 0; c->patterns && i < c->map->count; i++)
		pattern_free(c->patterns[i]);
	free(c->patterns);
	*c = (struct categories){0};
}

int categories_find(const struct categories *c, struct str name, bool copy, struct str *ret,
		    struct err *e)
{
	*ret = copy ? CATEGORY_MEMORY : CATEGORY_MISC;
	if (name.len > LONGEST_NAME)
		name.len = LONGEST_NAME;
	for (size_t i = 0; i < c->map->count; i++) {
		int found;

		if (copy && !c->map->rules[i].names_copies)
			continue;
		found = pattern_match(c->patterns[i], name, e);
		if (found < 0)
			return blame_map(e);
		if (!found)
			continue;
		*ret = c->map->rules[i].category;
		return 0;
	}
	return 0;
}
