/* Which part of the capture is the answer about? */
#include "analysis/window.h"

#include "base/buf.h"
#include "text/units.h"

static void add_filters(struct buf *heading, const struct scope *p)
{
	if (p->has_device)
		buf_addf(heading, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(heading, ", process %u", p->pid);
}

static void widen(struct span *s, bool *any, int64_t start_ns, int64_t end_ns)
{
	if (!*any || start_ns < s->start_ns)
		s->start_ns = start_ns;
	if (!*any || end_ns > s->end_ns)
		s->end_ns = end_ns;
	*any = true;
}

/* From the first event of a kind to the last; nobody else may need the columns meanwhile. */
static int find_extent(struct trace *t, enum trace_kind kind, struct span *s, bool *any,
		       struct err *e)
{
	const uint32_t columns = COLS_TIMES;
	const struct events *ev = &t->events[kind];
	const uint32_t before = ev->loaded;

	if (trace_load(t, kind, columns, e) < 0)
		return -1;
	for (uint64_t i = 0; ev->start_ns && i < ev->count; i++) {
		int64_t ns = ev->duration_ns ? ev->duration_ns[i] : DURATION_NONE;

		if (ev->start_ns[i] != INT_NONE)
			widen(s, any, ev->start_ns[i],
			      sat_add(ev->start_ns[i], ns == DURATION_NONE || ns < 0 ? 0 : ns));
	}
	trace_unload(t, kind, columns & ~before);
	return 0;
}

/* Of the events that the analysis needs; of all but the host's where it names none. */
static int find_extents(struct report *r, const struct analysis *a, struct trace *t, struct err *e)
{
	const unsigned any_kind = NEEDS(TRACE_OSRT) - 1, named = a->needs | a->needs_any;
	struct span s = {0};
	bool any = false;
	int result = 0;

	trace_lock(t);
	for (int kind = 0; kind < TRACE_KINDS && result == 0; kind++) {
		if ((named ? named : any_kind) & NEEDS(kind))
			result = find_extent(t, (enum trace_kind)kind, &s, &any, e);
	}
	trace_unlock(t);
	r->has_window = any;
	r->window_start_ns = s.start_ns;
	r->window_end_ns = s.end_ns;
	return result;
}

static int choose_window(struct report *r, const struct analysis *a, struct trace *t,
			 const struct scope *p, struct err *e)
{
	const bool bounded = p->has_trim || p->chosen == SPAN_GPU;

	if (!bounded && !(t->meta.has_span && t->meta.span_ns > 0))
		return find_extents(r, a, t, e);
	r->has_window = true;
	r->window_start_ns = bounded ? p->from_ns : 0;
	r->window_end_ns = bounded ? p->to_ns : t->meta.span_ns;
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

/* The same for people; of a trim its bounds say it all. */
static const char *words_of(const struct scope *p)
{
	if (p->chosen_words)
		return p->chosen_words;
	if (p->chosen == SPAN_GPU)
		return "first to last GPU work";
	return p->has_trim ? NULL : "whole capture";
}

/* The same for every answer: "all 15 steps 'step N': 298 ms from 1.2 s to 1.5 s". */
static void add_window(struct buf *heading, const struct report *r)
{
	if (r->window_words)
		buf_addf(heading, ", %s", r->window_words);
	if (!r->has_window)
		return;
	buf_adds(heading, r->window_words ? ": " : ", ");
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
	add_window(&heading, r);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
}

int window_report(struct report *r, const struct analysis *a, struct trace *t,
		  const struct scope *p, const struct row_choice *rows, struct err *e)
{
	if (choose_window(r, a, t, p, e) < 0)
		return -1;
	window_heading(r, a, p, rows);
	return 0;
}
