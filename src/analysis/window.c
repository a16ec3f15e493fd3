/* Which part of the capture is the answer about? */
#include "analysis/window.h"

#include "base/buf.h"
#include "text/units.h"
#include "trace/calls/cpu_events.h"
#include "trace/ops/ops.h"

static void add_filters(struct buf *heading, const struct scope *p)
{
	if (p->has_device)
		buf_addf(heading, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(heading, ", process %u", p->pid);
}

/* From the first event of a kind to the last; nobody else may need the columns meanwhile. */
static int find_extent(struct trace *t, enum trace_kind kind, struct span *s, struct err *e)
{
	const uint32_t columns = COLS_TIMES;
	const struct events *ev = &t->events[kind];
	const uint32_t before = ev->loaded;

	if (trace_load(t, kind, columns, e) < 0)
		return -1;
	for (uint64_t i = 0; ev->start_ns && i < ev->count; i++) {
		int64_t ns = ev->duration_ns ? ev->duration_ns[i] : DURATION_NONE;
		int64_t end_ns = sat_add(ev->start_ns[i], ns == DURATION_NONE || ns < 0 ? 0 : ns);

		if (ev->start_ns[i] != INT_NONE)
			span_widen(s, (struct span){ev->start_ns[i], end_ns});
	}
	if (!t->uses_cache)
		trace_unload(t, kind, columns & ~before);
	return 0;
}

/* The same of context switches, or of samples. */
static int find_cpu_extent(struct trace *t, struct span *s,
			   int (*read)(struct trace *t, struct cpu_events *ret, struct err *e),
			   struct err *e)
{
	struct cpu_events c;

	if (read(t, &c, e) < 0)
		return -1;
	for (size_t i = 0; i < c.count; i++)
		span_widen(s, (struct span){c.start_ns[i], c.start_ns[i]});
	cpu_events_free(&c);
	return 0;
}

/* Of all events, whoever asks: one capture has one length. */
static int find_extents(struct trace *t, struct span *ret, struct err *e)
{
	int result = 0;

	*ret = SPAN_NONE;
	trace_lock(t);
	for (int kind = 0; kind < TRACE_KINDS && result == 0; kind++)
		result = find_extent(t, (enum trace_kind)kind, ret, e);
	trace_unlock(t);
	if (result < 0 || find_cpu_extent(t, ret, cpu_switches_read, e) < 0)
		return -1;
	return find_cpu_extent(t, ret, cpu_samples_read, e);
}

int window_of_gpu_work(struct trace *t, struct span *ret, struct err *e)
{
	*ret = SPAN_NONE;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &t->events[kind];

		if (trace_load(t, (enum trace_kind)kind, COLS_TIMES, e) < 0)
			return -1;
		for (uint64_t i = 0; ev->start_ns && ev->duration_ns && i < ev->count; i++) {
			if (ev->start_ns[i] != INT_NONE && ev->duration_ns[i] != DURATION_NONE)
				span_widen(ret, (struct span){ev->start_ns[i], op_end_ns(ev, i)});
		}
	}
	return 0;
}

static bool is_length_known(const struct trace *t)
{
	return t->meta.has_span && t->meta.span_ns > 0;
}

int window_of_capture(struct trace *t, struct span *ret, struct err *e)
{
	if (!is_length_known(t))
		return find_extents(t, ret, e);
	if (window_of_gpu_work(t, ret, e) < 0)
		return -1;
	span_widen(ret, (struct span){0, t->meta.span_ns});
	return 0;
}

static bool overlaps(const struct scope *p, const struct span *s)
{
	return p->from_ns < s->end_ns && p->to_ns > s->start_ns;
}

int window_check(struct trace *t, const struct scope *p, struct err *e)
{
	const struct span recorded = {0, t->meta.span_ns};
	struct span events;

	if (!scope_is_trimmed(p) || (is_length_known(t) && overlaps(p, &recorded)))
		return 0;
	/* What outlasted the capture can be asked about. */
	if (find_extents(t, &events, e) < 0)
		return -1;
	if (overlaps(p, &events))
		return 0;
	err_set(e, ERR_INPUT, "'%s': --trim %.6f %.6f lies outside the capture", t->path,
		(double)p->from_ns / 1e9, (double)p->to_ns / 1e9);
	return window_hint(t, e);
}

int window_refuse_empty(struct trace *t, const struct scope *p, enum trace_kind kind, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' has no %s%s between %.6f s and %.6f s", t->path,
		trace_kind_title(kind),
		p->has_device || p->has_pid ? " of that device or process" : "",
		(double)p->from_ns / 1e9, (double)p->to_ns / 1e9);
	e->absent = true;
	return window_hint(t, e);
}

int window_hint(struct trace *t, struct err *e)
{
	struct span capture;
	struct err ignored;

	if (window_of_capture(t, &capture, &ignored) < 0 || capture.end_ns < capture.start_ns)
		return -1;
	return err_hint(e, "the capture is from %.6f s to %.6f s; gpuwhy info describes it",
			(double)capture.start_ns / 1e9, (double)capture.end_ns / 1e9);
}

static int choose_window(struct report *r, struct trace *t, const struct scope *p, struct err *e)
{
	const bool bounded = p->has_trim || p->chosen == SPAN_GPU;
	struct span window = {p->from_ns, p->to_ns};

	if (!bounded && window_of_capture(t, &window, e) < 0)
		return -1;
	r->has_window = bounded || window.start_ns <= window.end_ns;
	r->window_start_ns = r->has_window ? window.start_ns : 0;
	r->window_end_ns = r->has_window ? window.end_ns : 0;
	return 0;
}

/* What chose the window. */
static const char *span_of(const struct scope *p)
{
	static const char *const names[] = {"trim", "warm", "gpu", "all"};

	if (p->in_iteration)
		return "step";
	return p->has_trim || p->chosen ? names[p->chosen] : "all";
}

/* The same for people. */
static const char *words_of(const struct scope *p)
{
	if (p->chosen_words)
		return p->chosen_words;
	if (p->chosen == SPAN_GPU)
		return "first to last GPU work";
	if (scope_is_trimmed(p))
		return "the window of --trim";
	return p->has_trim ? NULL : "whole capture";
}

/* The same for every answer: "all 15 steps 'step N': 298 ms from 1.2 s to 1.5 s". */
static void add_window(struct buf *heading, const struct report *r, const struct scope *p)
{
	/* Who gives the bounds knows that. */
	const char *words = scope_is_trimmed(p) ? p->chosen_words : r->window_words;

	if (words)
		buf_addf(heading, ", %s", words);
	if (!r->has_window)
		return;
	buf_adds(heading, words ? ": " : ", ");
	units_add_ns(heading, (double)window_length(r));
	buf_adds(heading, " from ");
	units_add_time(heading, r->window_start_ns);
	buf_adds(heading, " to ");
	units_add_time(heading, r->window_end_ns);
}

void window_heading(struct report *r, const struct analysis *a, const struct scope *p,
		    const struct row_choice *rows)
{
	const char *order = rows && rows->sort ? rows->sort : a->order;
	struct buf heading = {0};

	r->window_span = span_of(p);
	r->window_words = words_of(p);
	r->window_steps = p->warm.count;
	buf_addf(&heading, "%s%s%s", a->title, order ? " by " : "", order ? order : "");
	add_filters(&heading, p);
	add_window(&heading, r, p);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
}

int window_report(struct report *r, const struct analysis *a, struct trace *t,
		  const struct scope *p, const struct row_choice *rows, struct err *e)
{
	if (choose_window(r, t, p, e) < 0)
		return -1;
	window_heading(r, a, p, rows);
	return 0;
}
