/* Which runs are to be compared? */
#include "commands/categories/categories.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "input/input.h"
#include "text/decimal.h"
#include "text/strtab.h"

#include <math.h>
#include <stdlib.h>

enum { TUPLE_WORDS = 4 };

/* Ten years: what nobody waits for is a mistake. */
#define MOST_SECONDS 3.2e8

void runs_add(struct runs *r, const char *text, bool tuple)
{
	MEM_GROW(r->all, r->cap, r->count + 1);
	r->all[r->count++] = (struct run){.trace = text, .tuple = tuple};
	r->list = tuple ? LIST_TUPLES : LIST_NONE;
}

void runs_add_operand(struct runs *r, const char *text)
{
	if (r->list == LIST_TUPLES) {
		runs_add(r, text, true);
	} else if (r->list == LIST_MAPS && !input_may_be_trace(text)) {
		runs_add_map(r, text);
	} else {
		runs_add(r, text, false);
		r->all[r->count - 1].operand = true;
	}
}

void runs_add_map(struct runs *r, const char *path)
{
	MEM_GROW(r->maps, r->map_cap, r->map_count + 1);
	r->maps[r->map_count++] = path;
	r->list = LIST_MAPS;
}

void runs_end_list(struct runs *r)
{
	r->list = LIST_NONE;
}

static const char **member(struct run *run, const char *what)
{
	if (strcmp(what, "engine") == 0)
		return &run->engine;
	return strcmp(what, "model") == 0 ? &run->model : &run->elapsed;
}

int runs_set(struct runs *r, const char *what, const char *value, struct err *e)
{
	struct run *run = r->count ? &r->all[r->count - 1] : &r->first;
	const char **where = member(run, what);

	if (!*value)
		return err_set(e, ERR_USAGE, "--%s is empty", what);
	if (run->tuple)
		return err_set(e, ERR_USAGE, "--%s is given, but '%s' already has it", what,
			       run->trace);
	if (*where)
		return err_set(e, ERR_USAGE, "--%s is given twice for one run: '%s' and '%s'", what,
			       *where, value);
	*where = value;
	return 0;
}

static int bad_tuple(const char *text, const char *why, struct err *e)
{
	err_set(e, ERR_USAGE, "--in_file takes FILE,ENGINE,MODEL,SECONDS, but '%s' %s", text, why);
	return err_hint(e, "--in_file run1.nsys-rep,vllm,llama,0; or --trace FILE --engine E "
			   "--model M --elapsed S");
}

/* What stands between quotes at the beginning of *text, which moves behind it; "" is a quote. */
static char *take_quoted(struct runs *r, const char **text)
{
	char *out = arena_alloc(&r->arena, strlen(*text) + 1, 1);
	const char *at = *text + 1;
	size_t len = 0;

	while (*at && (*at != '"' || at[1] == '"')) {
		at += *at == '"';
		out[len++] = *at++;
	}
	out[len] = '\0';
	*text = *at ? at + 1 : at;
	return out;
}

/* A path may have commas in it: the last three are those that count. */
static int split_tuple(struct runs *r, struct run *run, struct err *e)
{
	const char *text = run->trace, *rest = text;
	char *words[TUPLE_WORDS] = {NULL}, *path = NULL, *copy;

	if (*rest == '"') {
		path = take_quoted(r, &rest);
		if (*rest != ',')
			return bad_tuple(text, "has no comma after its quotes", e);
	}
	copy = arena_strdup(&r->arena, rest);
	for (int i = TUPLE_WORDS - 1; i > 0; i--) {
		char *comma = strrchr(copy, ',');

		if (!comma)
			return bad_tuple(text, "has fewer fields", e);
		*comma = '\0';
		words[i] = comma + 1;
	}
	words[0] = path ? path : copy;
	if (path && *copy)
		return bad_tuple(text, "has more fields", e);
	for (int i = 0; i < TUPLE_WORDS; i++) {
		if (!*words[i])
			return bad_tuple(text, "has an empty field", e);
	}
	run->trace = words[0];
	run->engine = words[1];
	run->model = words[2];
	run->elapsed = words[3];
	return 0;
}

static int read_elapsed(struct run *run, struct err *e)
{
	double s;

	if (!run->elapsed)
		return 0;
	s = strtod(run->elapsed, NULL);
	if (!decimal_is_plain(run->elapsed) || !(s >= 0 && s <= MOST_SECONDS)) {
		err_set(e, ERR_USAGE, "the time of '%s' is '%s', which is not a number of seconds",
			run->trace, run->elapsed);
		return err_hint(e, "a number from 0; 0 means the length of the trace");
	}
	run->elapsed_ns = llround(s * 1e9);
	return 0;
}

/* "dir/run2.sqlite.zst" is run2. */
static const char *stem(struct runs *r, const char *path)
{
	static const char *const endings[] = {".gz", ".zst", ".sqlite", ".nsys-rep", ".db"};
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(&r->arena, slash && slash[1] ? slash + 1 : path);

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		size_t len = strlen(name), ending = strlen(endings[i]);

		if (len > ending && strcmp(name + len - ending, endings[i]) == 0)
			name[len - ending] = '\0';
	}
	return name;
}

static void fill_in(struct runs *r, struct run *run)
{
	bool named = run->engine || run->model || r->first.engine || r->first.model;

	if (!run->engine)
		run->engine = r->first.engine ? r->first.engine : "default";
	if (!run->model)
		run->model = r->first.model ? r->first.model : "default";
	if (!run->elapsed)
		run->elapsed = r->first.elapsed;
	run->label = named ? arena_printf(&r->arena, "%s_%s", run->model, run->engine)
			   : stem(r, run->trace);
}

/* What is done about a label that several runs have; `labels` are all there are. */
typedef void (*rename_run)(struct runs *r, struct run *run, struct strtab *labels,
			   uint32_t *number);

static void tell_apart(struct runs *r, rename_run rename)
{
	uint32_t *times = mem_zalloc(2 * r->count, sizeof(*times)), *numbers = times + r->count;
	uint32_t *label = mem_alloc(r->count, sizeof(*label));
	struct strtab labels = {0};

	for (size_t i = 0; i < r->count; i++) {
		label[i] = strtab_add(&labels, str_of(r->all[i].label));
		times[label[i]]++;
	}
	for (size_t i = 0; i < r->count; i++) {
		if (times[label[i]] > 1)
			rename(r, &r->all[i], &labels, &numbers[label[i]]);
	}
	strtab_free(&labels);
	free(label);
	free(times);
}

/* Plain traces are known by their files. */
static void add_stem(struct runs *r, struct run *run, struct strtab *labels, uint32_t *number)
{
	(void)labels;
	(void)number;
	if (run->operand && strcmp(run->label, stem(r, run->trace)) != 0)
		run->label = arena_printf(&r->arena, "%s_%s", run->label, stem(r, run->trace));
}

/* The next number that makes a label of its own: there may be a file called run_1. */
static void add_number(struct runs *r, struct run *run, struct strtab *labels, uint32_t *number)
{
	const char *label;
	size_t known;

	do {
		label = arena_printf(&r->arena, "%s_%u", run->label, ++*number);
		known = labels->count;
	} while (strtab_add(labels, str_of(label)) < known);
	run->label = label;
}

static const char *skip_zeros(const char *s)
{
	while (*s == '0')
		s++;
	return s;
}

/* As people count: run2 before run10. */
static int compare_naturally(const char *a, const char *b)
{
	while (*a && *b) {
		size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");

		if (x && y) {
			const char *p = skip_zeros(a), *q = skip_zeros(b);
			size_t m = x - (size_t)(p - a), n = y - (size_t)(q - b);
			int c = m != n ? (m < n ? -1 : 1) : strncmp(p, q, m);

			if (c)
				return c;
			a += x;
			b += y;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static int compare_runs(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return compare_naturally(((const struct run *)a)->trace, ((const struct run *)b)->trace);
}

/* run1 run10 run2 is how a shell lists files; any other order is somebody's wish. */
static void sort_as_counted(struct runs *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (!r->all[i].operand || (i && strcmp(r->all[i - 1].trace, r->all[i].trace) > 0))
			return;
	}
	sort_stable(r->all, r->count, sizeof(*r->all), compare_runs, NULL);
}

int runs_settle(struct runs *r, struct err *e)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i].tuple && split_tuple(r, &r->all[i], e) < 0)
			return -1;
	}
	sort_as_counted(r);
	for (size_t i = 0; i < r->count; i++) {
		fill_in(r, &r->all[i]);
		if (read_elapsed(&r->all[i], e) < 0)
			return -1;
	}
	tell_apart(r, add_stem);
	tell_apart(r, add_number);
	return 0;
}

void runs_free(struct runs *r)
{
	free(r->all);
	free(r->maps);
	arena_free(&r->arena);
	*r = (struct runs){0};
}
