/* What are the columns of an answer called, and what do their numbers mean? */
#include "commands/query/query_columns.h"

#include "base/mem.h"
#include "text/strtab.h"
#include "text/text.h"

#include <stdlib.h>
#include <strings.h>

enum { LONGEST_KEY = 60 };

/* How names end whose numbers have a unit; the first that fits counts. */
static const struct {
	const char *ending; /* the whole name, or what follows a '_' */
	enum unit unit;
} endings[] = {
	{"start_ns", UNIT_TIME_NS}, {"end_ns", UNIT_TIME_NS}, {"time_ns", UNIT_TIME_NS},
	{"at_ns", UNIT_TIME_NS},    {"ns", UNIT_NS},	      {"bytes_per_s", UNIT_BYTES_PER_S},
	{"bytes", UNIT_BYTES},	    {"pct", UNIT_PERCENT},    {"percent", UNIT_PERCENT},
	{"ratio", UNIT_RATIO},	    {"us", UNIT_RATIO},	      {"ms", UNIT_RATIO},
	{"s", UNIT_RATIO},	    {"count", UNIT_COUNT},    {"count(*)", UNIT_COUNT},
	{"calls", UNIT_COUNT},	    {"rows", UNIT_COUNT},     {"instances", UNIT_COUNT},
	{"launches", UNIT_COUNT},   {"n", UNIT_COUNT},
};

static const char *ending_of(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	if (len < n || strcasecmp(name + len - n, ending) != 0)
		return NULL;
	return len == n || name[len - n - 1] == '_' ? name + len - n : NULL;
}

enum unit query_guess_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		if (ending_of(name, endings[i].ending))
			return endings[i].unit;
	}
	return UNIT_BOOL;
}

/* What its cells are, where its name does not tell. */
static enum unit unit_by_kinds(cell_kinds kinds)
{
	if (kinds & 1u << CELL_TEXT)
		return UNIT_NAME;
	return kinds & 1u << CELL_REAL ? UNIT_RATIO : kinds & 1u << CELL_INT ? UNIT_ID : UNIT_NAME;
}

static bool is_name(const char *name)
{
	return strcasecmp(name, "name") == 0 || strcasecmp(name, "kernel") == 0;
}

static enum unit unit_of(const char *name, cell_kinds kinds, const struct query_shape *shape)
{
	enum unit by_name = query_guess_unit(name), by_kinds = unit_by_kinds(kinds);

	if (by_kinds == UNIT_NAME)
		return shape->names_are_kernels && is_name(name) ? UNIT_KERNEL : UNIT_NAME;
	return by_name == UNIT_BOOL ? by_kinds : by_name;
}

static const struct column_said *find_said(const struct query_shape *shape, const char *name)
{
	for (size_t i = 0; i < shape->said_count; i++) {
		if (strcasecmp(shape->said[i].name, name) == 0)
			return &shape->said[i];
	}
	return NULL;
}

/* "Count(DISTINCT x)" → "count_distinct_x" */
static void add_key(struct buf *b, const char *name)
{
	size_t begin = b->len;

	for (; *name && b->len - begin < LONGEST_KEY; name++) {
		char c = (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (b->len == begin && !(c >= 'a' && c <= 'z'))
			continue;
		if (plain || (c == '_' && b->len > begin))
			buf_addc(b, c);
		else if (b->len > begin && b->s[b->len - 1] != '_')
			buf_addc(b, '_');
	}
	while (b->len > begin + 1 && b->s[b->len - 1] == '_')
		b->s[--b->len] = '\0';
	if (b->len == begin)
		buf_adds(b, "column");
}

/* Keys that are taken, and by which number each was told apart last. */
struct keys {
	struct arena *arena; /* of their bytes */
	struct strtab taken;
	size_t *last; /* by number in taken */
	size_t last_cap;
};

/* The number of the key; *ret_new: nobody had it. */
static uint32_t take_key(struct keys *k, struct str key, bool *ret_new)
{
	uint32_t before = (uint32_t)k->taken.count, number = strtab_add(&k->taken, key);

	*ret_new = number == before;
	if (*ret_new) {
		k->taken.items[number] = arena_str(k->arena, key);
		MEM_GROW(k->last, k->last_cap, k->taken.count);
		k->last[number] = 1;
	}
	return number;
}

static void keys_begin(struct keys *k, struct arena *a)
{
	bool is_new;

	*k = (struct keys){.arena = a};
	take_key(k, str_of("key"), &is_new); /* which each row of a JSON answer has */
}

static void keys_free(struct keys *k)
{
	strtab_free(&k->taken);
	free(k->last);
}

/* "a", "a_2", "a_3": thousands of columns may have one name, so no number is tried twice. */
static const char *new_key(struct keys *k, const char *name)
{
	struct buf key = {0};
	uint32_t first, number;
	bool is_new;
	size_t len;

	add_key(&key, name);
	len = key.len;
	first = number = take_key(k, buf_str(&key), &is_new);
	while (!is_new) {
		key.len = len;
		buf_addf(&key, "_%zu", ++k->last[first]);
		number = take_key(k, buf_str(&key), &is_new);
	}
	buf_free(&key);
	return k->taken.items[number].s;
}

/* People see "12.3 ms": a "_ns" in the title would be wrong. */
static const char *new_title(struct arena *a, const char *name, enum unit unit)
{
	const char *ending = NULL;
	struct buf title = {0};
	const char *safe;

	if (unit == UNIT_NS || unit == UNIT_TIME_NS)
		ending = ending_of(name, "ns");
	else if (unit == UNIT_PERCENT)
		ending = ending_of(name, "pct");
	if (ending && ending > name)
		text_add_safe(&title, (struct str){name, (size_t)(ending - name) - 1});
	else
		text_add_safe(&title, str_of(name));
	if (unit == UNIT_PERCENT && ending)
		buf_adds(&title, " %");
	safe = arena_strdup(a, title.len ? title.s : "");
	buf_free(&title);
	return safe;
}

struct column *query_columns_make(struct report *r, const struct sql_query *q,
				  const struct query_shape *shape, const cell_kinds *kinds)
{
	size_t count = sql_column_count(q);
	struct column *columns = arena_zalloc(&r->arena, count, sizeof(*columns));
	struct keys keys;

	keys_begin(&keys, &r->arena);
	for (size_t i = 0; i < count; i++) {
		const char *name = sql_column_name(q, i);
		const struct column_said *said = find_said(shape, name);
		enum unit unit = said ? said->unit : unit_of(name, kinds[i], shape);

		columns[i] = (struct column){
			.key = new_key(&keys, name),
			.title = said && said->title ? arena_strdup(&r->arena, said->title)
						     : new_title(&r->arena, name, unit),
			.unit = unit,
			/* A name that somebody said to be one tells rows apart. */
			.id = said && (unit == UNIT_NAME || unit == UNIT_KERNEL) ? "" : NULL,
			.show = SHOW,
		};
	}
	keys_free(&keys);
	return columns;
}
