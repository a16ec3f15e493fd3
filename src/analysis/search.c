/* Where in the trace is something called so? */
#include "analysis/event_list.h"
#include "analysis/gpu_work.h"
#include "analysis/search_places.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/name_pattern.h"
#include "base/sort.h"
#include "base/units.h"
#include "trace/machine.h"

#include <stdlib.h>

/* What --type may say. */
static const struct {
	const char *word;
	unsigned kinds;
	unsigned places;
	bool marks, ranges;
} types[] = {
	{"kernel", NEEDS(TRACE_KERNELS), 0, false, false},
	{"memcpy", NEEDS(TRACE_MEMCPYS), 0, false, false},
	{"memset", NEEDS(TRACE_MEMSETS), 0, false, false},
	{"graph", NEEDS(TRACE_GRAPHS), 0, false, false},
	{"api", NEEDS(TRACE_API), 0, false, false},
	{"range", NEEDS(TRACE_NVTX), 0, false, true},
	{"mark", NEEDS(TRACE_NVTX), 0, true, false},
	{"thread", 0, PLACE_THREADS, false, false},
	{"stream", 0, PLACE_STREAMS, false, false},
};

static const struct column columns[] = {
	{"type", "Type", UNIT_NAME, 0, "", SHOW},
	{"name", "Name", UNIT_KERNEL, 0, "", SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, "at:", SHOW},
	{"duration_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW_RATHER},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW_RATHER},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW_IF_ROOM},
	{"thread", "Thread", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"nvtx_path", "Ranges", UNIT_NAME, 0, NULL, SHOW},
};

static const enum event_field shown_fields[] = {
	EVENT_TYPE,   EVENT_NAME,   EVENT_START_NS, EVENT_DURATION_NS,
	EVENT_DEVICE, EVENT_STREAM, EVENT_PID,	    EVENT_TID,
};

/* So few are looked up one by one; of more all are joined. */
enum { FEW = 10000 };

struct search {
	struct trace *trace;
	const struct params *p;
	unsigned kinds, places;
	bool marks, ranges;
	struct pattern *pattern, *parent;
	struct event_filter *filter;
	struct event_fields finding; /* what it takes to know the hits */
	struct event_fields showing; /* what is said of those that are shown */
	struct event_list hits;
	struct people people;
	uint8_t *answers[TRACE_KINDS]; /* by number of the name */
	bool *under;		       /* by path: --parent is in it */
};

static int unknown_type(struct str word, struct err *e)
{
	err_set(e, ERR_USAGE, "there is no type '%.*s' to look for",
		(int)(word.len < 80 ? word.len : 80), word.s);
	return err_hint(e, "kernel, memcpy, memset, graph, api, range, mark, thread, stream");
}

static int add_type(struct search *s, struct str word, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (!str_eq(word, str_of(types[i].word)))
			continue;
		s->kinds |= types[i].kinds;
		s->places |= types[i].places;
		s->marks |= types[i].marks;
		s->ranges |= types[i].ranges;
		return 0;
	}
	return unknown_type(word, e);
}

static int choose_types(struct search *s, const char *text, struct err *e)
{
	for (size_t i = 0; !text && i < ARRAY_LEN(types); i++)
		add_type(s, str_of(types[i].word), e);
	while (text) {
		const char *comma = strchrnul(text, ',');

		if (add_type(s, (struct str){text, (size_t)(comma - text)}, e) < 0)
			return -1;
		text = *comma ? comma + 1 : NULL;
	}
	/* What is under a range, or like the filter, is an event. */
	if (s->p->parent || s->p->filter)
		s->places = 0;
	return 0;
}

static int compile(struct search *s, const struct params *p, struct err *e)
{
	if (!p->pattern) {
		err_set(e, ERR_USAGE, "search needs something to look for");
		return err_hint(e, "gpuwhy search trace.sqlite flash");
	}
	if (name_pattern_compile(&s->pattern, str_of(p->pattern), e) < 0 ||
	    (p->parent && name_pattern_compile(&s->parent, str_of(p->parent), e) < 0) ||
	    (p->filter && event_filter_parse(&s->filter, p->filter, e) < 0))
		return -1;
	return choose_types(s, p->types, e);
}

/* Names that rows of a kind have, by number; the last stands for none. */
static uint8_t *names_met(const struct trace *t, const struct events *ev)
{
	uint8_t *met = mem_zalloc(t->names.count + 1, 1);

	for (uint64_t i = 0; ev->name && i < ev->count; i++)
		met[ev->name[i] == NAME_NONE ? t->names.count : ev->name[i]] = 1;
	return met;
}

static int any_is_meant(const struct search *s, const uint8_t *met, struct err *e)
{
	const struct trace *t = s->trace;
	int found = 0;

	for (size_t i = 0; i <= t->names.count && found == 0; i++) {
		uint32_t name = i < t->names.count ? (uint32_t)i : NAME_NONE;

		if (met[i])
			found = pattern_match(s->pattern, trace_name(t, name), e);
	}
	return found;
}

/*
 * Kernels and calls are many, their names few: where none of them is meant no row is. A table is
 * read as seldom as can be: of kernels with all that may be shown, of calls only the names.
 */
static int drop_strangers(struct search *s, struct err *e)
{
	static const struct {
		enum trace_kind kind;
		uint32_t columns;
	} named[] = {
		{TRACE_KERNELS, COL_BIT(COL_NAME) | COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
					COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
					COL_BIT(COL_STREAM) | COL_BIT(COL_CORRELATION)},
		{TRACE_API, COL_BIT(COL_NAME)},
	};

	for (size_t k = 0; k < ARRAY_LEN(named); k++) {
		enum trace_kind kind = named[k].kind;
		uint8_t *met;
		int found;

		if (!(s->kinds & NEEDS(kind)))
			continue;
		if (trace_load(s->trace, kind, named[k].columns, e) < 0)
			return -1;
		met = names_met(s->trace, &s->trace->events[kind]);
		found = any_is_meant(s, met, e);
		free(met);
		if (found < 0)
			return -1;
		if (!found)
			s->kinds &= ~NEEDS(kind);
	}
	return 0;
}

enum { NOT_ASKED, NO, YES };

static int has_name(struct search *s, struct event_fields *f, struct event_ref at, struct err *e)
{
	uint8_t *answer = NULL;
	uint32_t number;
	int found;

	if (event_field_number(f, at, EVENT_NAME, &number)) {
		if (!s->answers[at.kind])
			s->answers[at.kind] =
				mem_zalloc(event_field_numbers(f, at.kind, EVENT_NAME), 1);
		answer = &s->answers[at.kind][number];
		if (*answer != NOT_ASKED)
			return *answer == YES;
	}
	found = pattern_match(s->pattern, event_field_get(f, at, EVENT_NAME).s, e);
	if (answer && found >= 0)
		*answer = found ? YES : NO;
	return found;
}

static bool is_wanted_type(const struct search *s, struct event_ref at)
{
	const struct events *ev = &s->trace->events[at.kind];

	if (at.kind != TRACE_NVTX)
		return true;
	return ev->event_type && ev->event_type[at.row] == NVTX_MARK ? s->marks : s->ranges;
}

/* A range is under those around it, not under itself. */
static bool is_under(const struct search *s, const struct event_fields *f, struct event_ref at)
{
	uint32_t path = event_joins_path(&f->joins, at.kind, at.row);

	if (path != RANGE_NONE && at.kind == TRACE_NVTX)
		path = f->joins.paths.all[path].parent;
	return path != RANGE_NONE && s->under[path];
}

static int is_hit(void *ctx, struct event_fields *f, struct event_ref at, struct err *e)
{
	struct search *s = ctx;
	int found = is_wanted_type(s, at) ? has_name(s, f, at, e) : 0;

	if (found <= 0 || (s->under && !is_under(s, f, at)))
		return found < 0 ? -1 : 0;
	return event_filter_matches(s->filter, f, at, e);
}

static int find_parents(struct search *s, struct err *e)
{
	const struct range_paths *paths = &s->finding.joins.paths;
	bool any = false;

	s->under = mem_zalloc(paths->count, sizeof(*s->under));
	for (size_t i = 0; i < paths->count; i++) {
		uint32_t above = paths->all[i].parent;
		int found = above != RANGE_NONE && s->under[above]
				    ? 1
				    : pattern_match(s->parent,
						    event_joins_range_name(&s->finding.joins,
									   (uint32_t)i),
						    e);

		if (found < 0)
			return -1;
		s->under[i] = found;
		any |= found;
	}
	if (any)
		return 0;
	return err_set(e, ERR_INPUT, "'%s' has no push/pop range called '%s'", s->trace->path,
		       s->p->parent);
}

static int find_hits(struct search *s, struct err *e)
{
	uint64_t wanted = EVENT_BIT(EVENT_NAME) | event_filter_fields(s->filter) |
			  (s->parent ? EVENT_BIT(EVENT_NVTX_PATH) : 0);

	if (event_fields_open(&s->finding, s->trace, s->kinds, wanted, s->p, e) < 0 ||
	    (s->parent && find_parents(s, e) < 0))
		return -1;
	return event_list_make(&s->hits, &s->finding, is_hit, s, e);
}

/* The longest first, or by start. */
static int sort_hits(struct search *s, struct err *e)
{
	const char *by = s->p->sort ? s->p->sort : "duration";
	uint32_t *order, *sorted;
	int64_t *keys;

	if (strcmp(by, "start") != 0 && strcmp(by, "start_ns") != 0 &&
	    strcmp(by, "duration") != 0 && strcmp(by, "duration_ns") != 0)
		return err_set(e, ERR_USAGE, "hits are sorted by duration or start, not '%s'", by);
	event_list_sort(&s->hits, s->trace);
	if (by[0] == 's')
		return 0;
	keys = mem_alloc(s->hits.count, sizeof(*keys));
	for (size_t i = 0; i < s->hits.count; i++) {
		struct cell c =
			event_field_get(&s->finding, event_list_at(&s->hits, i), EVENT_DURATION_NS);

		keys[i] = c.kind == CELL_INT ? -c.i : 1;
	}
	order = sort_new_order(keys, s->hits.count);
	sorted = mem_alloc(s->hits.count, sizeof(*sorted));
	for (size_t i = 0; i < s->hits.count; i++)
		sorted[i] = s->hits.items[order[i]];
	free(s->hits.items);
	free(order);
	free(keys);
	s->hits.items = sorted;
	return 0;
}

static int open_shown(struct search *s, size_t shown, struct err *e)
{
	uint64_t wanted = EVENT_BIT(EVENT_NVTX_PATH);
	struct event_ref *events;
	unsigned kinds = 0;
	int result;

	for (size_t i = 0; i < ARRAY_LEN(shown_fields); i++)
		wanted |= EVENT_BIT(shown_fields[i]);
	events = mem_alloc(shown, sizeof(*events));
	for (size_t i = 0; i < shown; i++) {
		events[i] = event_list_at(&s->hits, i);
		kinds |= NEEDS(events[i].kind);
	}
	result = shown <= FEW ? event_fields_open_few(&s->showing, s->trace, kinds, wanted, s->p,
						      events, shown, e)
			      : event_fields_open(&s->showing, s->trace, kinds, wanted, s->p, e);
	free(events);
	return result;
}

static struct cell thread_cell(const struct search *s, struct event_ref at)
{
	const struct events *ev = &s->trace->events[at.kind];
	uint32_t thread = at.kind < TRACE_GPU_KINDS
				  ? event_joins_thread(&s->showing.joins, at.kind, at.row)
			  : ev->thread ? ev->thread[at.row]
				       : ID_NONE;
	const struct thread_name *name =
		thread == ID_NONE ? NULL
				  : people_thread(&s->people, s->trace->thread_keys.keys[thread]);

	return name && name->name.len ? cell_str(name->name) : cell_null();
}

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct search *s = (struct search *)ctx;
	struct event_ref at = event_list_at(&s->hits, i);

	for (size_t c = 0; c < ARRAY_LEN(shown_fields); c++)
		*out++ = event_field_get(&s->showing, at, shown_fields[c]);
	*out++ = thread_cell(s, at);
	*out = event_field_get(&s->showing, at, EVENT_NVTX_PATH);
}

static void add_hits(struct report *r, struct search *s, size_t shown)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = "hits",
		.kind = "hit",
		.columns = columns,
		.column_count = ARRAY_LEN(columns),
		.rows = shown,
		.total_rows = s->hits.count,
		.row = make_row,
		.ctx = s,
	};
	report_table(r, table);
}

/* "1,536 hits: 1,500 kernel, 36 range". */
static void count_hits(struct report *r, const struct search *s)
{
	uint64_t by_type[ARRAY_LEN(types)] = {0};
	struct buf b = {0};

	for (size_t i = 0; i < s->hits.count; i++) {
		struct event_ref at = event_list_at(&s->hits, i);
		const struct events *ev = &s->trace->events[at.kind];
		bool mark = at.kind == TRACE_NVTX && ev->event_type[at.row] == NVTX_MARK;

		for (size_t t = 0; t < ARRAY_LEN(types); t++)
			by_type[t] += types[t].kinds == NEEDS(at.kind) && types[t].marks == mark;
	}
	units_add_count(&b, s->hits.count);
	buf_adds(&b, s->hits.count == 1 ? " hit" : " hits");
	for (size_t t = 0, any = 0; t < ARRAY_LEN(types); t++) {
		if (!by_type[t])
			continue;
		buf_adds(&b, any++ ? ", " : ": ");
		units_add_count(&b, by_type[t]);
		buf_addf(&b, " %s", types[t].word);
	}
	report_note(r, "%s", b.s);
	buf_free(&b);
}

static void free_search(void *p)
{
	struct search *s = p;

	event_list_free(&s->hits);
	event_fields_close(&s->finding);
	event_fields_close(&s->showing);
	event_filter_free(s->filter);
	pattern_free(s->pattern);
	pattern_free(s->parent);
	people_free(&s->people);
	for (int i = 0; i < TRACE_KINDS; i++)
		free(s->answers[i]);
	free(s->under);
}

static int answer(struct search *s, struct report *r, struct err *e)
{
	size_t shown;

	if (drop_strangers(s, e) < 0 || find_hits(s, e) < 0 || sort_hits(s, e) < 0 ||
	    people_read(s->trace, &s->people, e) < 0)
		return -1;
	shown = s->p->limit && s->p->limit < s->hits.count ? s->p->limit : s->hits.count;
	if (open_shown(s, shown, e) < 0)
		return -1;
	count_hits(r, s);
	if (s->showing.joins.why_not)
		report_warning(r, "no op has a thread or a range: %s", s->showing.joins.why_not);
	add_hits(r, s, shown);
	return s->places ? search_places_report(r, s->trace, s->p, s->places, s->pattern,
						&s->people, e)
			 : 0;
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct search *s = arena_zalloc(&r->arena, 1, sizeof(*s));
	struct params *asked = arena_alloc(&r->arena, 1, sizeof(*asked));

	/* Rows are made when they are printed. */
	*asked = *p;
	*s = (struct search){.trace = t, .p = asked};
	report_on_free(r, free_search, s);
	if (compile(s, asked, e) < 0 || window_report(r, self, t, p, e) < 0)
		return -1;
	return answer(s, r, e);
}

const struct analysis analysis_search = {
	.name = "search",
	.title = "Search",
	.summary = "kernels, copies, calls, ranges, marks, threads and streams by name",
	.detail =
		"PATTERN is text that is somewhere in the name, whatever its case; a name with * "
		"and ?\nfor any characters; or /a regular expression/. --type kernel,range,… says "
		"what to look\nfor, --parent RANGE only what was launched inside a range of that "
		"name, --filter what\nelse must hold; --sort duration (the longest first) or "
		"start.",
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | PARAM_SORT | PARAM_COMM |
		  PARAM_FILTER | PARAM_PATTERN | PARAM_SEARCH,
	.run = run,
};
