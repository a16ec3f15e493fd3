/* timeline: what ran in a window of time, row by row? */
#include "base/mem.h"
#include "mcp/call.h"
#include "text/pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_LONGEST = 20, LONGEST_OTHERWISE = 3 };

static const struct column row_columns[] = {
	{"row", "Row", UNIT_NAME, 0, "", SHOW},
	{"events", "Events", UNIT_COUNT, 0, NULL, SHOW},
	{"busy_ns", "Busy", UNIT_NS, 0, NULL, SHOW},
	{"busy_pct", "Busy", UNIT_PERCENT, 0, NULL, SHOW},
	{"mostly", "Mostly", UNIT_NAME, 0, NULL, SHOW},
	{"mean", "Mean", UNIT_RATIO, 0, NULL, SHOW},
};
static const struct column event_columns_shown[] = {
	{"row", "Row", UNIT_NAME, 0, "", SHOW},
	{"event", "Event", UNIT_NAME, 0, "", SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, "at:", SHOW},
	{"duration_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	{"level", "Level", UNIT_ID, 0, NULL, SHOW},
};

struct window {
	struct call *call;
	struct scene *scene;
	struct span span;
	struct pattern *rows; /* of the rows that are asked for; NULL: all */
	size_t longest;	      /* events of a row that are shown */
	struct rows *row_table, *event_table;
};

/* Events of a lane: those that were found to be longest are cut out of it. */
struct stretch {
	size_t begin, end, longest;
	int64_t ns;
};

static int64_t duration(const struct lane *l, size_t at)
{
	const struct lane_event e = lane_event(l, at);

	return sat_sub(e.end_ns, e.start_ns);
}

static void add_stretch(struct stretch *all, size_t *count, const struct lane *l, size_t begin,
			size_t end)
{
	const size_t longest = begin < end ? lane_longest(l, begin, end) : end;

	if (begin < end)
		all[(*count)++] = (struct stretch){begin, end, longest, duration(l, longest)};
}

static void add_event(struct window *w, const struct track *t, const struct lane *l, size_t level,
		      size_t at, const char *row)
{
	const struct lane_event e = lane_event(l, at);
	struct buf name = {0};

	track_add_event_name(&name, t, &e, true);
	ROWS_ADD(w->event_table, cell_text(row), report_take_cell(&w->call->inv.report, &name),
		 cell_int(e.start_ns), cell_int(sat_sub(e.end_ns, e.start_ns)),
		 cell_int((int64_t)level));
}

/* The longest of a lane in the window, the longest first. */
static void add_longest(struct window *w, const struct track *t, const struct lane *l, size_t level,
			const char *row)
{
	struct stretch all[2 * MOST_LONGEST + 2];
	size_t count = 0;

	add_stretch(all, &count, l, lane_from(l, w->span.start_ns), lane_begun(l, w->span.end_ns));
	for (size_t i = 0; i < w->longest && count; i++) {
		size_t best = 0;
		struct stretch s;

		for (size_t k = 1; k < count; k++)
			best = all[k].ns > all[best].ns ? k : best;
		s = all[best];
		all[best] = all[--count];
		add_event(w, t, l, level, s.longest, row);
		add_stretch(all, &count, l, s.begin, s.longest);
		add_stretch(all, &count, l, s.longest + 1, s.end);
	}
}

/* Of lanes that nest the outermost has the time of all. */
static size_t lanes_that_count(const struct track *t, const struct lanes *lanes)
{
	return track_is_nested(t) && lanes->count ? 1 : lanes->count;
}

struct sums {
	int64_t ns[LANE_CLASSES], busy_ns;
	size_t events;
};

static void sum_lane(struct sums *s, const struct lane *l, struct span x, bool counts)
{
	struct lane_past from, to;
	const size_t begin = lane_from(l, x.start_ns), end = lane_begun(l, x.end_ns);

	s->events += end > begin ? end - begin : 0;
	lane_past(l, x.start_ns, &from);
	lane_past(l, x.end_ns, &to);
	for (int i = 0; counts && i < LANE_CLASSES; i++) {
		s->ns[i] = sat_add(s->ns[i], sat_sub(to.ns[i], from.ns[i]));
		s->busy_ns = sat_add(s->busy_ns, sat_sub(to.ns[i], from.ns[i]));
	}
}

static const char *mostly(const struct track *t, const struct sums *s)
{
	size_t most = 0;

	for (size_t i = 1; i < LANE_CLASSES; i++)
		most = s->ns[i] > s->ns[most] ? i : most;
	return s->busy_ns && !t->values ? track_class_name(t, (uint8_t)most) : NULL;
}

static void add_row(struct window *w, const struct track *t, const struct lanes *lanes,
		    const struct sums *s, const char *row)
{
	const int64_t all_ns = sat_sub(w->span.end_ns, w->span.start_ns);
	const char *class = mostly(t, s);
	const double mean =
		t->values && lanes->count ? values_mean(t->values, &lanes->all[0], w->span) : NAN;

	ROWS_ADD(w->row_table, cell_text(row), cell_int((int64_t)s->events),
		 t->values ? cell_null() : cell_int(s->busy_ns),
		 t->values || all_ns <= 0 ? cell_null()
					  : cell_real((double)s->busy_ns / (double)all_ns * 100),
		 class && *class ? cell_text(class) : cell_null(),
		 isfinite(mean) ? cell_real(mean) : cell_null());
}

static int add_track(struct window *w, size_t track, struct err *e)
{
	const struct lanes *lanes = track_set_lanes(w->scene->set, track);
	const struct track *t = &w->scene->set->all[track];
	struct sums s = {0};
	struct buf name = {0};
	const char *row;
	int match = 1;
	TRACE_LOCK_SCOPE(t->part->trace);

	for (size_t l = 0; l < lanes->count; l++)
		sum_lane(&s, &lanes->all[l], w->span, l < lanes_that_count(t, lanes));
	track_set_add_name(&name, w->scene->set, track);
	row = report_take_text(&w->call->inv.report, &name);
	if (w->rows)
		match = pattern_match(w->rows, str_of(row), e);
	if (match <= 0 || !s.events)
		return match < 0 ? -1 : 0;
	add_row(w, t, lanes, &s, row);
	/* Samples of counters are many and alike: their mean tells more. */
	for (size_t l = 0; !t->values && l < lanes->count; l++)
		add_longest(w, t, &lanes->all[l], l, row);
	return 0;
}

static int read_window(struct window *w, struct err *e)
{
	const struct json *a = w->call->arguments;
	const struct span all = w->scene->set->limits;
	const char *rows = argument_text(a, "rows");

	w->span = (struct span){argument_int(a, "start_ns", all.start_ns),
				argument_int(a, "end_ns", all.end_ns)};
	w->longest = (size_t)argument_int(a, "longest", LONGEST_OTHERWISE);
	if (w->span.start_ns > w->span.end_ns)
		return err_set(e, ERR_USAGE, "the window ends before it begins");
	return rows ? pattern_compile(&w->rows, str_of(rows), PATTERN_ANY_CASE, e) : 0;
}

static int tell(struct window *w, struct err *e)
{
	struct report *r = &w->call->inv.report;

	if (read_window(w, e) < 0)
		return -1;
	r->has_window = true;
	r->window_start_ns = w->span.start_ns;
	r->window_end_ns = w->span.end_ns;
	w->row_table = REPORT_ROWS(r, "rows", NULL, row_columns);
	w->event_table = REPORT_ROWS(r, "longest_events", NULL, event_columns_shown);
	for (size_t i = 0; i < w->scene->set->count; i++) {
		if (add_track(w, i, e) < 0)
			return -1;
	}
	if (!w->row_table->count)
		report_note(r,
			    "nothing there: the capture has events from %" PRId64 " to %" PRId64
			    " ns%s",
			    w->scene->set->limits.start_ns, w->scene->set->limits.end_ns,
			    w->rows ? ", and rows must match `rows`" : "");
	report_note(r, "busy_ns is the time in the window of all levels side by side, of ranges "
		       "that of the outermost; events that reach into the window count whole in "
		       "longest_events");
	return 0;
}

static int run(struct call *c, struct err *e)
{
	struct window w = {.call = c};
	struct open_trace *t;
	int result;

	if (call_open_trace(c, NULL, &t, e) < 0 || open_trace_read_scene(t, e) < 0)
		return -1;
	w.scene = &t->scene;
	result = tell(&w, e);
	call_reproduce_call(c);
	pattern_free(w.rows);
	return result;
}

static const struct tool_param params[] = {
	PARAM_TRACE,
	{.type = PARAM_INT,
	 .name = "start_ns",
	 .least = INT64_MIN / 2,
	 .most = INT64_MAX / 2,
	 .help = "Where the window begins, on the capture's clock; without it at the first "
		 "event."},
	{.type = PARAM_INT,
	 .name = "end_ns",
	 .least = INT64_MIN / 2,
	 .most = INT64_MAX / 2,
	 .help = "Where it ends; without it at the last event."},
	{.type = PARAM_TEXT,
	 .name = "rows",
	 .help = "A regular expression: only rows whose name matches, such as \"GPU 0\"."},
	{.type = PARAM_INT,
	 .name = "longest",
	 .least = 0,
	 .most = MOST_LONGEST,
	 .help = "How many of the longest events of each row to list; 3 unless said."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_timeline = {
	.name = "timeline",
	.title = "What ran in a window",
	.description = "What every row of the timeline did in a window of time: GPUs, streams, "
		       "threads with their ranges and CUDA calls, counters. How busy it was, with "
		       "what, and its longest events. Look at places of findings with it.",
	.params = params,
	.next = "call timeline with `trace`, `start_ns` and `end_ns`; trace_info with this trace "
		"tells its span",
	.run = run,
};
