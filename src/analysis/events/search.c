/* Where in the trace is something called so? */
#include "analysis/cell_values.h"
#include "analysis/events/best_hits.h"
#include "analysis/events/event_list.h"
#include "analysis/events/paths_under.h"
#include "analysis/events/search_backtrace.h"
#include "analysis/events/search_lanes.h"
#include "analysis/events/search_types.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "text/name_pattern.h"
#include "text/units.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* What a row says: fields of the event, then what is known once it is joined with its thread. */
enum {
	SHOWN_TYPE,
	SHOWN_NAME,
	SHOWN_START,
	SHOWN_DURATION,
	SHOWN_DEVICE,
	SHOWN_STREAM,
	SHOWN_PID,
	SHOWN_TID,
	SHOWN_FIELDS,
	SHOWN_THREAD = SHOWN_FIELDS,
	SHOWN_PATH,
	SHOWN_LINE, /* the last: only where the capture has backtraces */
	SHOWN_COLUMNS,
};

static const struct column columns[SHOWN_COLUMNS] = {
	[SHOWN_TYPE] = {"type", "Type", UNIT_NAME, 0, "", SHOW},
	[SHOWN_NAME] = {"name", "Name", UNIT_KERNEL, 0, "", SHOW},
	[SHOWN_START] = {"start_ns", "Start", UNIT_TIME_NS, 0, "at:", SHOW},
	[SHOWN_DURATION] = {"duration_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	[SHOWN_DEVICE] = {"device", "Device", UNIT_ID, 0, "dev:", SHOW_PREFERRED},
	[SHOWN_STREAM] = {"stream", "Stream", UNIT_ID, 0, "stream:", SHOW_PREFERRED},
	[SHOWN_PID] = {"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	[SHOWN_TID] = {"tid", "TID", UNIT_ID, 0, "tid:", SHOW_IF_ROOM},
	[SHOWN_THREAD] = {"thread", "Thread", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	[SHOWN_PATH] = {"nvtx_path", "Ranges", UNIT_NAME, 0, NULL, SHOW},
	[SHOWN_LINE] = {"line", "Line", UNIT_NAME, 0, NULL, SHOW},
};

static const enum event_field shown_fields[SHOWN_FIELDS] = {
	[SHOWN_TYPE] = EVENT_TYPE,	[SHOWN_NAME] = EVENT_NAME,
	[SHOWN_START] = EVENT_START_NS, [SHOWN_DURATION] = EVENT_DURATION_NS,
	[SHOWN_DEVICE] = EVENT_DEVICE,	[SHOWN_STREAM] = EVENT_STREAM,
	[SHOWN_PID] = EVENT_PID,	[SHOWN_TID] = EVENT_TID,
};

_Static_assert((int)SHOWN_FIELDS == (int)BEST_CELLS, "a hit that is kept has room for its fields");

/* So few are kept and looked up one by one; where more are shown all are listed and joined. */
enum { FEW = 10000 };

struct search_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	struct comm_args comm;
	struct filter_args filter;
	const char *pattern;
	const char *types;  /* of events, with commas; or NULL */
	const char *parent; /* a pattern of ranges that events are under, or NULL */
	enum { SEARCH_BY_DURATION, SEARCH_BY_START } order;
};

struct search {
	struct trace *trace;
	const struct search_args *args;
	const struct scope *p;
	unsigned types; /* bits, see search_types.h */
	unsigned kinds;
	unsigned lanes; /* of the types: threads and streams, where they are searched */
	bool wants_events;
	bool has_lines; /* the capture has backtraces: all hits are joined with their calls */
	struct pattern *pattern;
	struct event_filter *filter;
	struct event_fields finding;  /* what it takes to know the hits, or to show all of them */
	struct picked_calls launches; /* of kernels that may be shown, where already found */
	struct event_joins few;	      /* threads and ranges of the few that are shown */
	struct buf path;	      /* of the row made last */
	struct event_list hits;	      /* all of them, where all are shown */
	struct best_hits best;	      /* else these */
	uint64_t counts[SEARCH_TYPES];
	struct host_names host_names;
	struct lane_sums streams;
	uint8_t *answers[TRACE_KINDS]; /* by number of the name */
	struct paths_under under;      /* --parent */
};

static int compile(struct search *s, const struct search_args *a, struct err *e)
{
	if (!a->pattern) {
		err_set(e, ERR_USAGE, "search needs a pattern");
		return err_hint(e, "gpuwhy search trace.sqlite flash");
	}
	if (name_pattern_compile(&s->pattern, str_of(a->pattern), e) < 0 ||
	    (a->filter.expression && event_filter_parse(&s->filter, a->filter.expression, e) < 0))
		return -1;
	if (search_types_parse(a->types, &s->types, e) < 0)
		return -1;
	s->kinds = search_types_kinds(s->types);
	s->wants_events = s->kinds != 0;
	/* What is under a range, or like the filter, is an event. */
	if (!a->parent && !a->filter.expression)
		s->lanes = s->types & (1u << SEARCH_THREAD | 1u << SEARCH_STREAM);
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

/* A range is under those around it, not under itself. */
static bool is_under(const struct search *s, const struct event_fields *f, struct event_ref at)
{
	uint32_t path = event_joins_path(&f->joins, at.kind, at.row);

	if (path != RANGE_NONE && event_joins_is_push_pop(&f->joins, at.kind, at.row))
		path = f->joins.paths.all[path].parent;
	return path != RANGE_NONE && s->under.is[path];
}

/* Those that are shown are kept; of the others it is enough to know how many there are. */
static int keep_hit(struct search *s, struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &s->trace->events[at.kind];
	struct best_hit hit = {
		.at = at,
		.start_ns = ev->start_ns[at.row],
		.duration_ns = ev->duration_ns[at.row],
	};

	s->counts[event_type_of(s->trace, at)]++;
	if (!s->best.limit)
		return 1;
	if (!best_hits_may_take(&s->best, hit.start_ns, hit.duration_ns))
		return 0;
	for (size_t c = 0; c < SHOWN_FIELDS; c++)
		hit.cells[c] = event_field_get(f, at, shown_fields[c]);
	hit.start_ns = hit.cells[SHOWN_START].i;
	if (hit.duration_ns != DURATION_NONE)
		hit.duration_ns = hit.cells[SHOWN_DURATION].i;
	best_hits_offer(&s->best, &hit);
	return 0;
}

/* Of kernels and calls nearly all have names that were asked about before. */
static bool is_known_stranger(const struct search *s, struct event_ref at)
{
	const struct events *ev = &s->trace->events[at.kind];
	const uint8_t *answers = s->answers[at.kind];

	return (at.kind == TRACE_KERNELS || at.kind == TRACE_API) && answers && ev->name &&
	       ev->name[at.row] != NAME_NONE && answers[ev->name[at.row]] == NO;
}

static int is_hit(void *ctx, struct event_fields *f, struct event_ref at, struct err *e)
{
	struct search *s = ctx;
	bool meant = s->types >> event_type_of(s->trace, at) & 1;
	int found;

	if (is_known_stranger(s, at))
		return 0;
	found = meant ? has_name(s, f, at, e) : 0;

	if (found > 0 && s->under.is)
		found = is_under(s, f, at);
	if (found > 0 && s->filter)
		found = event_filter_matches(s->filter, f, at, e);
	return found > 0 ? keep_hit(s, f, at) : found;
}

/* What shows a hit, apart from what is known of GPU ops only once they are joined. */
static uint64_t shown_bits(const struct search *s, bool joined)
{
	uint64_t bits = joined ? EVENT_BIT(EVENT_NVTX_PATH) : 0;

	if (s->has_lines)
		bits |= EVENT_BIT(EVENT_LINE);

	for (size_t i = 0; i < SHOWN_FIELDS; i++)
		bits |= EVENT_BIT(shown_fields[i]);
	if (!joined)
		bits &= ~EVENT_BIT(EVENT_TID);
	return bits | event_filter_fields(s->filter) |
	       (s->args->parent ? EVENT_BIT(EVENT_NVTX_PATH) : 0);
}

static int find_among(struct search *s, unsigned kinds, struct err *e)
{
	const bool joined = !s->best.limit || s->args->parent;

	if (event_fields_open(&s->finding, s->trace, kinds, shown_bits(s, joined), s->p, e) < 0 ||
	    (s->args->parent &&
	     paths_under_range(&s->under, &s->finding.joins, s->args->parent, e) < 0))
		return -1;
	return event_list_make(&s->hits, &s->finding, is_hit, s, e);
}

static int find_streams(struct search *s, struct err *e)
{
	return s->lanes & 1u << SEARCH_STREAM ? search_find_streams(s->trace, s->p, &s->streams, e)
					      : 0;
}

/* Kernels are read once, with all that a hit may show. */
static int drop_kernels(struct search *s, struct err *e)
{
	const uint32_t shown = COL_BIT(COL_NAME) | COLS_TIMES | COLS_PROCESS_DEVICE |
			       COL_BIT(COL_STREAM) | COL_BIT(COL_CORRELATION);

	if (s->kinds & NEEDS(TRACE_KERNELS) && trace_load(s->trace, TRACE_KERNELS, shown, e) < 0)
		return -1;
	return search_drop_strangers(s->trace, TRACE_KERNELS, s->pattern, NULL, &s->kinds, e);
}

/* One pass over the calls finds those of the kernels that may be shown, and all their names. */
static int look_at_calls(struct search *s, struct err *e)
{
	uint32_t *rows = mem_alloc(s->best.count, sizeof(*rows));
	uint8_t *names = NULL;
	size_t count = 0;
	int result;

	for (size_t i = 0; i < s->best.count; i++) {
		if (s->best.all[i].at.kind == TRACE_KERNELS)
			rows[count++] = s->best.all[i].at.row;
	}
	result = picked_calls_find_named(s->trace, TRACE_KERNELS, rows, count, &s->launches, &names,
					 e);
	if (result < 0 && e->absent) {
		*e = (struct err){0};
		picked_calls_free(&s->launches);
		result = 0;
	}
	if (result == 0)
		result =
			search_drop_strangers(s->trace, TRACE_API, s->pattern, names, &s->kinds, e);
	free(names);
	free(rows);
	return result;
}

/*
 * Of kernels nothing is needed once their hits are known but what joins them, so that the calls,
 * which are many more, find room.
 */
static int find_ops_first(struct search *s, struct err *e)
{
	if (find_among(s, s->kinds & ALL_GPU_KINDS, e) < 0 || find_streams(s, e) < 0)
		return -1;
	event_fields_close(&s->finding);
	event_list_free(&s->hits);
	trace_unload(s->trace, TRACE_KERNELS,
		     COLS_ALL & ~(COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION)));
	/* Threads of ranges have their numbers before calls are looked for. */
	if (trace_load(s->trace, TRACE_NVTX, COL_BIT(COL_THREAD), e) < 0 ||
	    (s->kinds & NEEDS(TRACE_API) && look_at_calls(s, e) < 0))
		return -1;
	return find_among(s, s->kinds & ~(unsigned)ALL_GPU_KINDS, e);
}

static int find_hits(struct search *s, struct err *e)
{
	/* What needs a join needs both at once. */
	const bool joined = !s->best.limit || s->args->parent || s->filter;

	if (drop_kernels(s, e) < 0)
		return -1;
	if (!joined && s->kinds & ALL_GPU_KINDS && s->kinds & ~(unsigned)ALL_GPU_KINDS)
		return find_ops_first(s, e);
	if (search_drop_strangers(s->trace, TRACE_API, s->pattern, NULL, &s->kinds, e) < 0 ||
	    find_among(s, s->kinds, e) < 0)
		return -1;
	return find_streams(s, e);
}

static void choose_order(struct search *s)
{
	s->best.by_start = s->args->order == SEARCH_BY_START;
	s->best.limit = s->args->rows.limit <= FEW && !s->has_lines ? s->args->rows.limit : 0;
}

/* All of them: the longest first, or by start. */
static void sort_hits(struct search *s)
{
	int64_t *keys;

	event_list_sort(&s->hits, s->trace);
	if (s->best.by_start)
		return;
	keys = mem_alloc(s->hits.count, sizeof(*keys));
	for (size_t i = 0; i < s->hits.count; i++) {
		struct cell c =
			event_field_get(&s->finding, event_list_at(&s->hits, i), EVENT_DURATION_NS);

		keys[i] = c.kind == CELL_INT ? -c.i : 1;
	}
	event_list_arrange(&s->hits, keys);
	free(keys);
}

static int join_best(struct search *s, struct err *e)
{
	struct event_ref *events = mem_alloc(s->best.count, sizeof(*events));
	int result;

	best_hits_settle(&s->best);
	for (size_t i = 0; i < s->best.count; i++)
		events[i] = s->best.all[i].at;
	result = event_joins_make_few(&s->few, s->trace, events, s->best.count,
				      s->launches.trace ? &s->launches : NULL, e);
	free(events);
	return result;
}

static struct cell thread_cell(const struct search *s, uint32_t thread)
{
	const struct thread_name *name =
		thread == ID_NONE
			? NULL
			: host_names_thread(&s->host_names, s->trace->thread_keys.keys[thread]);

	return name && name->name.len ? cell_str(name->name) : cell_null();
}

static uint32_t thread_of(const struct search *s, const struct event_joins *j, struct event_ref at)
{
	const struct events *ev = &s->trace->events[at.kind];

	if (at.kind < TRACE_GPU_KINDS)
		return event_joins_thread(j, at.kind, at.row);
	return ev->thread ? ev->thread[at.row] : ID_NONE;
}

static void make_best_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct search *s = (struct search *)ctx;
	const struct best_hit *hit = &s->best.all[i];
	const uint32_t thread = thread_of(s, &s->few, hit->at);
	const uint32_t path = event_joins_path(&s->few, hit->at.kind, hit->at.row);

	memcpy(out, hit->cells, sizeof(hit->cells));
	out[SHOWN_TID] = tid_cell(s->trace, thread);
	out[SHOWN_THREAD] = thread_cell(s, thread);
	buf_clear(&s->path);
	if (path != RANGE_NONE)
		range_path_add(&s->path, &s->few.paths, &s->few.names.names, path);
	out[SHOWN_PATH] = path == RANGE_NONE ? cell_null() : cell_str(buf_str(&s->path));
}

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct search *s = (struct search *)ctx;
	struct event_ref at = event_list_at(&s->hits, i);

	for (size_t c = 0; c < SHOWN_FIELDS; c++)
		out[c] = event_field_get(&s->finding, at, shown_fields[c]);
	out[SHOWN_THREAD] = thread_cell(s, thread_of(s, &s->finding.joins, at));
	out[SHOWN_PATH] = event_field_get(&s->finding, at, EVENT_NVTX_PATH);
	if (s->has_lines)
		out[SHOWN_LINE] = event_field_get(&s->finding, at, EVENT_LINE);
}

static uint64_t count_all(const struct search *s)
{
	uint64_t all = 0;

	for (size_t t = 0; t < SEARCH_TYPES; t++)
		all += s->counts[t];
	return all;
}

static void add_hits(struct report *r, struct search *s)
{
	const uint64_t all = count_all(s);
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = "hits",
		.kind = "hit",
		.columns = columns,
		.column_count = s->has_lines ? SHOWN_COLUMNS : SHOWN_LINE,
		.rows = s->args->rows.limit && s->args->rows.limit < all ? s->args->rows.limit
									 : all,
		.total_rows = all,
		.row = s->best.limit ? make_best_row : make_row,
		.ctx = s,
		.drops_empty = true,
	};
	report_table(r, table);
	if (s->has_lines && table->rows == 1)
		search_backtrace_report(r, &s->finding, event_list_at(&s->hits, 0));
}

/* "1,536 hits: 1,500 kernel, 36 range". */
static void report_counts(struct report *r, const struct search *s)
{
	const uint64_t all = count_all(s);
	struct buf b = {0};

	units_add_count(&b, (int64_t)all);
	buf_adds(&b, all == 1 ? " hit" : " hits");
	if (!all)
		buf_adds(&b, " among events");
	for (unsigned t = 0, any = 0; t < SEARCH_TYPES; t++) {
		if (!s->counts[t])
			continue;
		buf_adds(&b, any++ ? ", " : ": ");
		units_add_count(&b, (int64_t)s->counts[t]);
		buf_addf(&b, " %s", search_type_word(t));
	}
	report_note(r, "%s", b.s);
	buf_free(&b);
}

static void free_search(void *p)
{
	struct search *s = p;

	event_list_free(&s->hits);
	best_hits_free(&s->best);
	event_fields_close(&s->finding);
	event_joins_free(&s->few);
	picked_calls_free(&s->launches);
	buf_free(&s->path);
	event_filter_free(s->filter);
	pattern_free(s->pattern);
	host_names_free(&s->host_names);
	lane_sums_free(&s->streams);
	for (int i = 0; i < TRACE_KINDS; i++)
		free(s->answers[i]);
	paths_under_free(&s->under);
}

static int report_lanes(struct search *s, struct report *r, struct err *e)
{
	return search_lanes_report(r, s->trace, s->p, s->args->rows.limit, s->lanes, s->pattern,
				   &s->host_names, &s->streams, e);
}

static int answer(struct search *s, struct report *r, struct err *e)
{
	if (call_lines_expected(s->trace, &s->has_lines, e) < 0)
		return -1;
	choose_order(s);
	if (find_hits(s, e) < 0 || host_names_read(s->trace, &s->host_names, e) < 0)
		return -1;
	s->has_lines = call_lines_any(&s->finding.lines);
	if (s->best.limit ? join_best(s, e) < 0 : (sort_hits(s), false))
		return -1;
	if (!s->wants_events)
		return report_lanes(s, r, e);
	report_counts(r, s);
	if (s->trace->never_closed_count && s->counts[EVENT_TYPE_RANGE])
		report_note(r,
			    "ranges that were never closed are assumed to end with the last closed "
			    "one: %zu",
			    s->trace->never_closed_count);
	if (s->finding.joins.why_not)
		report_warning(r, "no op has a thread or a range: %s", s->finding.joins.why_not);
	if (event_filter_fields(s->filter) & EVENT_LINES && !s->has_lines)
		report_warning(r, "no event has a line: %s", CALL_LINES_MISSING);
	add_hits(r, s);
	if (s->best.limit)
		trace_unload(s->trace, TRACE_API, COLS_ALL & ~COL_BIT(COL_THREAD));
	return s->lanes ? report_lanes(s, r, e) : 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct search_args *a = args;
	const struct row_choice by_start = {.sort = "start"};
	struct search *s = arena_zalloc(&r->arena, 1, sizeof(*s));

	*s = (struct search){.trace = t, .args = a, .p = &a->scope};
	report_on_free(r, free_search, s);
	if (compile(s, a, e) < 0 ||
	    window_report(r, self, t, &a->scope, a->order == SEARCH_BY_START ? &by_start : NULL,
			  e) < 0)
		return -1;
	return answer(s, r, e);
}

static const char *type_at(size_t i)
{
	return search_type_word((unsigned)i);
}

static const struct option_word orders[] = {{"duration", SEARCH_BY_DURATION},
					    {"start", SEARCH_BY_START},
					    {"duration_ns", SEARCH_BY_DURATION},
					    {"start_ns", SEARCH_BY_START},
					    {NULL, 0}};

static const struct option_group search_options =
	OPTIONS(struct search_args,
		{.type = OPTION_TEXT,
		 .name = "pattern",
		 .value = "PATTERN",
		 OPT_MEMBER(struct search_args, pattern, const char *),
		 .operand = true,
		 .help = "same as the second operand"},
		{.type = OPTION_TEXT,
		 .name = "type",
		 .value = "TYPE,…",
		 .wanted = "types of events",
		 OPT_MEMBER(struct search_args, types, const char *),
		 .word_at = type_at,
		 .help = "kernel, memcpy, memset, graph, api, range, mark, thread, stream"},
		OPT_TEXT("parent", struct search_args, parent, "RANGE", "the name of a range",
			 "only ops launched inside a range of this name"),
		OPT_INCLUDE(struct search_args, filter, struct filter_args, event_filter_options),
		OPT_INCLUDE(struct search_args, scope, struct scope, scope_options),
		OPT_INCLUDE(struct search_args, comm, struct comm_args, comm_options),
		{.type = OPTION_WORD,
		 .name = "sort",
		 .value = "KEY",
		 .at = offsetof(struct search_args, order),
		 .size = sizeof(int),
		 .given = OPTION_ALWAYS,
		 .words = orders,
		 .help = "by duration, longest first (default), or by start"},
		OPT_INCLUDE(struct search_args, rows, struct row_choice, limit_options));

static const struct topic topics_search[] = {
	{.table = "hits",
	 .subject = "find search",
	 .words = "find search locate occurrence occurrences named called matching contains where "
		  "is show me all",
	 .questions = "find events named sampling\n"
		      "where is the kernel called flash\n"
		      "search for allreduce\n"
		      "show me all events that contain optimizer\n"
		      "is there anything called sampling\n",
	 .row = "{type} {name} at {start_ns} for {duration_ns}|, on stream {stream} of GPU "
		"{device}|, in {nvtx_path}",
	 .sum = "{#} hits take {duration_ns}",
	 .by = "duration_ns",
	 .filters = true,
	 .none = "nothing has such a name"},
	{0},
};

const struct analysis analysis_search = {
	.name = "search",
	.span = SPAN_ALL,
	.title = "Search",
	.summary = "find kernels, copies, calls, ranges, threads, streams by name",
	.example = "gpuwhy search trace.sqlite flash --type kernel --limit 5",
	.detail = "PATTERN is text to find anywhere in the name, ignoring case; a name with the "
		  "wildcards * and ?; or a /regular expression/. --type kernel,range,… selects the "
		  "types to search, --parent RANGE only ops launched inside a range of that name, "
		  "--filter further conditions. --sort orders by duration (longest first) or by "
		  "start. Where the capture has backtraces of CUDA calls, Line is your code that "
		  "made "
		  "the call, and a single hit is followed by its backtrace.",
	.least = "-p pattern=gemm",
	.needs_any = ALL_GPU_KINDS | NEEDS(TRACE_API) | NEEDS(TRACE_NVTX),
	.options = &search_options,
	.run = run,
	.topics = topics_search,
};
