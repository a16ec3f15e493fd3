/* Which windows does an answer about ranks speak of? */
#include "analysis/cell_values.h"
#include "analysis/gpu/timeline.h"
#include "analysis/ranks/rank_window.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"

/* What windows are like together. */
struct hull {
	struct span all;
	int64_t shortest_ns, longest_ns;
	size_t count;
};

static struct hull hull_of(const struct rank_windows *w)
{
	struct hull h = {0};
	struct span s;

	for (size_t i = 0; i < w->count; i++) {
		int64_t ns;

		if (!rank_window_bounds(w, i, &s))
			continue;
		ns = sat_sub(s.end_ns, s.start_ns);
		if (!h.count++)
			h = (struct hull){s, ns, ns, 1};
		span_widen(&h.all, s);
		h.shortest_ns = ns < h.shortest_ns ? ns : h.shortest_ns;
		h.longest_ns = ns > h.longest_ns ? ns : h.longest_ns;
	}
	return h;
}

static void tell_lengths(struct buf *b, const struct hull *h)
{
	if (!h->count)
		return;
	buf_adds(b, h->count > 1 ? ", each of " : ", of ");
	units_add_ns(b, (double)h->shortest_ns);
	if (h->longest_ns > h->shortest_ns) {
		buf_adds(b, " to ");
		units_add_ns(b, (double)h->longest_ns);
	}
}

static void tell_source(const struct rank_windows *w, const struct hull *h, const struct scope *p,
			bool has_ranges, struct report *r)
{
	struct buf b = {0};

	if (w->source == WINDOW_ANCHOR) {
		buf_addf(&b, "the window of a rank is its median range '%s'", w->pattern);
		if (p->has_iteration)
			buf_addf(&b, " in its step %llu", (unsigned long long)p->iteration);
		tell_lengths(&b, h);
	} else if (w->source == WINDOW_STEP) {
		buf_adds(&b, "the window of a rank is its ");
		if (p->has_iteration)
			buf_addf(&b, "step %llu of %s", (unsigned long long)p->iteration, w->steps);
		else
			buf_addf(&b, "median step of %s", w->steps);
		tell_lengths(&b, h);
		if (p->has_iteration && !w->gpu)
			buf_adds(&b, " on the host");
	} else if (w->source == WINDOW_WHOLE) {
		buf_adds(&b, "the window is the whole capture: no steps found");
	}
	if (w->gpu && b.len && w->source != WINDOW_WHOLE)
		buf_adds(&b, " on the GPU, from the first to the last op that it launched");
	if (!p->has_iteration && has_ranges &&
	    (w->source == WINDOW_STEP || w->source == WINDOW_WHOLE))
		buf_adds(&b, "; use --anchor REGEX to select a range instead");
	if (b.len)
		report_note(r, "%s", b.s);
	buf_free(&b);
}

/* "ranks 1, 2, 5": nobody reads more than a few. */
struct named {
	struct buf text;
	size_t count;
};

enum { NAMED_MAX = 16 };

static void name_rank(struct named *n, const struct rank *rank)
{
	if (n->count < NAMED_MAX)
		buf_addf(&n->text, "%s%u", n->count ? ", " : "", rank->number);
	else if (n->count == NAMED_MAX)
		buf_adds(&n->text, ", …");
	n->count++;
}

/* Which ranks have no window, which none on the GPU, and which one of another kind. */
struct exceptions {
	struct named without, without_gpu, stepping;
};

static void find_exceptions(const struct rank_windows *w, const struct rank_map *m,
			    const struct trace *t, const struct scope *p, struct exceptions *x)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct rank_window *of = &w->of_rank[i];

		if (!rank_is_asked(t, p, &m->all[i]))
			continue;
		if (!of->found)
			name_rank(&x->without, &m->all[i]);
		else if (w->gpu && !of->has_gpu)
			name_rank(&x->without_gpu, &m->all[i]);
		if (of->is_step)
			name_rank(&x->stepping, &m->all[i]);
	}
}

/* "rank 3 has", "ranks 3, 4 have" */
static const char *subject(const struct named *n, const char *has, const char *have,
			   struct report *r)
{
	return arena_printf(&r->arena, "%s %s %s", n->count == 1 ? "rank" : "ranks", n->text.s,
			    n->count == 1 ? has : have);
}

static void tell_exceptions(const struct exceptions *x, const struct rank_windows *w,
			    struct report *r)
{
	if (x->stepping.count)
		report_note(r, "%s no such range: %s", subject(&x->stepping, "has", "have", r),
			    x->stepping.count == 1 ? "its window is its median step"
						   : "their windows are their median steps");
	if (x->without.count)
		report_warning(r, "%s no such %s, and %s left out",
			       subject(&x->without, "has", "have", r),
			       w->source == WINDOW_STEP ? "step" : "range",
			       x->without.count == 1 ? "is" : "are");
	if (x->without_gpu.count)
		report_warning(r, "%s left out: nothing was launched in the window",
			       subject(&x->without_gpu, "is", "are", r));
	if (w->open_anchors == 1)
		report_warning(r, "1 range that matches '%s' was never closed and is not used",
			       w->pattern);
	else if (w->open_anchors)
		report_warning(r, "%llu ranges that match '%s' were never closed and are not used",
			       (unsigned long long)w->open_anchors, w->pattern);
}

static void tell_all_exceptions(const struct rank_windows *w, const struct rank_map *m,
				struct report *r, const struct trace *t, const struct scope *p)
{
	struct exceptions x = {0};

	find_exceptions(w, m, t, p, &x);
	tell_exceptions(&x, w, r);
	buf_free(&x.without.text);
	buf_free(&x.without_gpu.text);
	buf_free(&x.stepping.text);
}

int rank_windows_report(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			const struct analysis *self, struct trace *t, const struct table_args *a,
			struct err *e)
{
	const struct scope *p = &a->scope;
	struct hull h = hull_of(w);
	struct scope shown = *p;

	shown.has_trim = h.count && (w->source != WINDOW_WHOLE || w->gpu);
	shown.from_ns = h.all.start_ns;
	shown.to_ns = h.all.end_ns;
	if (window_report(r, self, t, &shown, &a->rows, e) < 0)
		return -1;
	tell_source(w, &h, p, !m->no_ranges, r);
	tell_all_exceptions(w, m, r, t, p);
	return 0;
}

static int check_bounds(const void *args, const char *command, struct err *e)
{
	const struct rank_window_args *a = args;
	const struct scope *s = &a->table.scope;

	(void)command;
	if ((s->has_trim || s->has_iteration) && (a->has_start || a->has_end))
		return err_set(
			e, ERR_USAGE,
			"--%s already sets the window: do not combine it with --start or --end",
			s->has_trim ? "trim" : "iteration");
	if (a->has_start && a->has_end && a->end_ns <= a->start_ns)
		return err_set(e, ERR_USAGE,
			       "--start %lld --end %lld is an empty window: it must begin before "
			       "it ends",
			       (long long)a->start_ns, (long long)a->end_ns);
	return 0;
}

#define OPT_BOUND(n, has, member, h)                                                  \
	{                                                                             \
		.type = OPTION_NS, .name = (n), .value = "NS",                        \
		OPT_GIVEN(struct rank_window_args, member, has, int64_t), .help = (h) \
	}

static const struct option anchor_table[] = {
	OPT_INCLUDE(struct rank_window_args, table, struct table_args, table_options),
	OPT_INCLUDE(struct rank_window_args, table.scope, struct scope, rank_options),
	OPT_REGEX("anchor", struct rank_window_args, anchor,
		  "ranges whose median instance is each rank's window"),
	OPT_BOUND("start", has_start, start_ns,
		  "window start in nanoseconds; without --end, to the end of the capture"),
	OPT_BOUND("end", has_end, end_ns,
		  "window end; without --start, from the start of the capture"),
	{.type = OPTION_FILE,
	 .name = "preset",
	 .value = "NAME|FILE",
	 .wanted = "a name or a file",
	 OPT_MEMBER(struct rank_window_args, preset, const char *),
	 .access = ACCESS_READS,
	 .help = "meaning of range names: pithtrain, or your own file"},
	OPT_END(),
};
const struct option_group anchor_options = {anchor_table, sizeof(struct rank_window_args),
					    check_bounds, NULL};

static const struct option_word clocks[] = {{"cpu", false}, {"gpu", true}, {NULL, 0}};

const struct option_group rank_window_options =
	OPTIONS(struct rank_window_args, OPT_SAME(anchor_options),
		OPT_WORD("window", struct rank_window_args, gpu_window, clocks,
			 "bounds of the range on the host (cpu), or of the ops it launched (gpu)"),
		OPT_INCLUDE(struct rank_window_args, comm, struct comm_args, comm_options));

/* From when to when is the steady state of each rank, for the CPU and for the GPU? */

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"cpu_start_ns", "CPU from", UNIT_TIME_NS, 0, NULL, SHOW},
	{"cpu_end_ns", "CPU to", UNIT_TIME_NS, 0, NULL, SHOW},
	{"cpu_ns", "CPU", UNIT_NS, 0, NULL, SHOW},
	{"gpu_start_ns", "GPU from", UNIT_TIME_NS, 0, NULL, SHOW},
	{"gpu_end_ns", "GPU to", UNIT_TIME_NS, 0, NULL, SHOW},
	{"gpu_ns", "GPU", UNIT_NS, 0, NULL, SHOW},
	{"instance", "Instance", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"range", "Range", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
};

static void add_bounds(struct rows *rows, bool known, int64_t from_ns, int64_t to_ns)
{
	rows_add(rows, known ? cell_int(from_ns) : cell_null());
	rows_add(rows, known ? cell_int(to_ns) : cell_null());
	rows_add(rows, known ? cell_int(sat_sub(to_ns, from_ns)) : cell_null());
}

static void add_row(struct rows *rows, const struct trace *t, const struct rank *rank,
		    const struct rank_window *w)
{
	rows_add(rows, cell_int(rank->number));
	rows_add(rows, process_pid_cell(t, rank->process));
	add_bounds(rows, true, w->cpu_from_ns, w->cpu_to_ns);
	add_bounds(rows, w->has_gpu, w->gpu_from_ns, w->gpu_to_ns);
	rows_add(rows, w->instances ? cell_int((int64_t)w->index + 1) : cell_null());
	rows_add(rows, w->instances ? cell_int((int64_t)w->instances) : cell_null());
	/* The windows are gone when the table is printed. */
	rows_add(rows, text_or_null(arena_str(rows->arena, w->anchor)));
}

static int add_table(struct report *r, const struct trace *t, const struct table_args *a,
		     const struct rank_map *m, const struct rank_windows *w, struct err *e)
{
	struct rows *rows = report_new_rows(r, "windows", NULL, columns, ARRAY_LEN(columns));
	size_t without = 0;

	rows->table.kind = "window";
	for (size_t i = 0; i < m->count; i++) {
		if (w->of_rank[i].found)
			add_row(rows, t, &m->all[i], &w->of_rank[i]);
		without += w->of_rank[i].found && !w->of_rank[i].has_gpu;
	}
	if (without)
		report_warning(
			r, "%s no GPU bounds: no GPU work launched inside the window was recorded",
			rows->table.rows == 1
				? "the rank has"
				: arena_printf(&r->arena, "%zu of %llu ranks %s", without,
					       (unsigned long long)rows->table.rows,
					       without == 1 ? "has" : "have"));
	warn_filtered_out(r, rows->table.rows, &a->scope);
	rows_hide_empty(rows);
	return rows_arrange(rows, &a->rows, NULL, e);
}

static int find_windows(const struct analysis *self, struct ops *o,
			const struct rank_window_args *a, const struct preset *preset,
			struct report *r, struct err *e)
{
	struct rank_windows w = {0};
	struct trace *t = o->trace;
	struct rank_map m;
	int result;

	if (trace_require_column(t, TRACE_KERNELS, COL_PROCESS, e) < 0 ||
	    rank_map_read(t, &a->table.scope, &m, e) < 0)
		return -1;
	result = rank_windows_find(o, a, preset, &m, true, &w, e);
	if (result == 0)
		result = rank_windows_report(&w, &m, r, self, t, &a->table, e);
	if (result == 0) {
		rank_map_tell(&m, r);
		time_window_warn(r, &o->times.faults);
		result = add_table(r, t, &a->table, &m, &w, e);
	}
	rank_windows_free(&w);
	rank_map_free(&m);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct rank_window_args *a = args;
	struct preset preset;
	struct ops o;
	int result;

	if (preset_read(&preset, a->preset, e) < 0)
		return -1;
	result = ops_open(&o, t, e);
	if (result == 0) {
		result = find_windows(self, &o, a, &preset, r, e);
		ops_close(&o);
	}
	preset_free(&preset);
	return result;
}

static const struct topic topics_window[] = {
	{.table = "windows",
	 .subject = "representative steady",
	 .words = "representative steady state typical step window rank cpu gpu interval begin end",
	 .questions = "what is the representative step of each rank\n"
		      "when does the steady state step begin and end\n"
		      "which window is representative\n"
		      "how long is the steady state step on the GPU\n",
	 .row = "rank {rank}: {range} from {gpu_start_ns} to {gpu_end_ns} on the GPU ({gpu_ns})|, "
		"{cpu_ns} on the host",
	 .by = "gpu_ns"},
	{0},
};

const struct analysis analysis_window = {
	.name = "window",
	.span = SPAN_ALL,
	.title = "Steady windows",
	.order = "rank",
	.summary = "each rank's representative steady-state step, on CPU and GPU",
	.example = "gpuwhy window job.sqlite --anchor '^forward chunk'",
	.detail = "A rank's window is the median, by start, of the ranges that match --anchor and "
		  "begin at or after the start of the capture: number n/2, counted from 0. The "
		  "default anchor is the preset's, \"forward chunk … backward chunk …\". Without "
		  "such ranges the window is the median step (see `gpuwhy iters`), else the whole "
		  "capture. --trim, --start and --end set the window directly; with --anchor they "
		  "select which of its ranges count. --iteration N is each rank's own step N. The "
		  "GPU bounds are those of the ops launched inside the CPU bounds.",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &anchor_options,
	.steps_by_rank = true,
	.run = run,
	.topics = topics_window,
};
