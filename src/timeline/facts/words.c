/* What is known of an event, in words? */
#include "timeline/facts/words.h"

#include "report/kernel_name.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

static void begin_line(struct buf *b, const char *what)
{
	buf_addf(b, "%s\t", what);
}

static void end_line(struct buf *b)
{
	buf_addc(b, '\n');
}

static void add_ns(struct buf *b, const char *what, int64_t ns)
{
	begin_line(b, what);
	units_add_ns(b, (double)ns);
	end_line(b);
}

static void add_text(struct buf *b, const char *what, struct str text)
{
	if (!text.len)
		return;
	begin_line(b, what);
	text_add_safe(b, text);
	end_line(b);
}

/* A kernel's name first as people speak of it, then whole, where that says more. */
static void add_name(struct buf *b, const struct event_facts *x)
{
	SCOPED_BUF name = {0};

	if (x->track->values)
		track_add_value(&name, x->track, &x->event);
	else if (x->track->kind == TRACK_STREAM)
		kernel_name_add_short(&name, x->name);
	else
		buf_addstr(&name, x->name);
	text_add_safe(b, buf_str(&name));
	buf_adds(b, "\n\n");
	if (x->track->kind == TRACK_STREAM && !str_eq(buf_str(&name), x->name))
		add_text(b, "whole name", x->name);
}

static void add_place(struct buf *b, const struct event_facts *x)
{
	const struct track *t = x->track;

	begin_line(b, "row");
	if (t->kind == TRACK_STREAM && t->device != ID_NONE)
		buf_addf(b, "GPU %u, ", t->device);
	buf_adds(b, t->label);
	if (x->thread && strcmp(x->thread, t->label) != 0)
		buf_addf(b, " of %s", x->thread);
	end_line(b);
	begin_line(b, "class");
	buf_adds(b, x->class);
	if (x->category.len)
		buf_addf(b, ", category %.*s", STR_FMT(x->category));
	end_line(b);
}

static void add_times(struct buf *b, const struct event_facts *x, struct span window)
{
	const int64_t ns = sat_sub(x->event.end_ns, x->event.start_ns);
	const int64_t window_ns = sat_sub(window.end_ns, window.start_ns);

	begin_line(b, "start");
	units_add_time(b, sat_add(x->event.start_ns, x->track->part->shift_ns));
	end_line(b);
	begin_line(b, "duration");
	units_add_ns(b, (double)ns);
	if (window_ns > 0 && ns <= window_ns) {
		buf_adds(b, ", ");
		units_add_share(b, 100 * (double)ns / (double)window_ns, 1);
		buf_adds(b, " of the window");
	}
	end_line(b);
}

/* 1st, 2nd, 3rd, 4th, 11th, 12th, 21st. */
static const char *ordinal(size_t n)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};

	return n % 100 / 10 == 1 || n % 10 > 3 ? "th" : ends[n % 10];
}

/* A bar for each bin, as high as its share of the fullest, and below where this one is. */
static void add_histogram(struct buf *b, const struct durations *a, int64_t own_ns)
{
	size_t most = 0;

	if (a->max_ns == a->min_ns)
		return;
	for (int i = 0; i < DURATION_BINS; i++)
		most = a->bins[i] > most ? a->bins[i] : most;
	begin_line(b, "");
	for (int i = 0; i < DURATION_BINS; i++) {
		const size_t eighths = (a->bins[i] * 8 + most - 1) / most;

		if (eighths)
			buf_addf(b, "\xe2\x96%c", (char)(0x80 + (int)eighths)); /* ▁ to █ */
		else
			buf_addc(b, ' ');
	}
	end_line(b);
	begin_line(b, "");
	buf_addn(b, ' ', durations_bin(a, own_ns));
	buf_adds(b, "^ this one; log scale\n");
}

static void add_alike(struct buf *b, const struct event_facts *x, bool draws_histogram)
{
	const struct durations *a = x->alike;

	if (!a || a->count < 2)
		return;
	begin_line(b, x->track->kind == TRACK_STEPS ? "of all steps" : "of its name");
	if (x->longer) {
		units_add_count(b, (int64_t)x->longer + 1);
		buf_adds(b, ordinal(x->longer + 1));
		buf_addc(b, ' ');
	}
	buf_adds(b, "longest of ");
	units_add_count(b, (int64_t)a->count);
	buf_adds(b, ": min ");
	units_add_ns(b, (double)a->min_ns);
	buf_adds(b, ", median ");
	units_add_ns(b, a->median_ns);
	buf_adds(b, ", max ");
	units_add_ns(b, (double)a->max_ns);
	end_line(b);
	if (draws_histogram)
		add_histogram(b, a, sat_sub(x->event.end_ns, x->event.start_ns));
}

static void add_around(struct buf *b, const struct event_facts *x)
{
	if (x->step.is_known)
		buf_addf(b, "step\t%u, of %zu\n", x->step.number, x->step.of);
	add_text(b, "in ranges", x->path);
	if (!x->work)
		return;
	begin_line(b, "GPU work");
	units_add_ns(b, (double)x->work->gpu_ns);
	buf_adds(b, " in ");
	units_add_count(b, x->work->ops);
	buf_adds(b, " ops, of these ");
	units_add_count(b, x->work->kernels);
	buf_adds(b, " kernels\n");
}

static void add_queue(struct buf *b, int64_t ns)
{
	if (ns >= 0)
		add_ns(b, "queue time", ns);
	else
		buf_adds(b, "queue time\tnone: it began before the call returned\n");
}

static void add_launch(struct buf *b, const struct event_facts *x)
{
	const struct launch_fact *l = &x->launch;

	if (!l->is_known)
		return;
	begin_line(b, "launched by");
	text_add_safe(b, l->call.len ? l->call : STR_LIT("a call"));
	buf_adds(b, " at ");
	units_add_time(b, sat_add(l->span.start_ns, x->track->part->shift_ns));
	if (l->thread) {
		buf_adds(b, " on ");
		text_add_safe(b, str_of(l->thread));
	}
	end_line(b);
	add_queue(b, l->queue_ns);
}

static void add_launched(struct buf *b, const struct event_facts *x)
{
	SCOPED_BUF name = {0};

	if (!x->launched.count)
		return;
	begin_line(b, "launched");
	kernel_name_add_short(&name, x->launched_name);
	text_add_safe(b, buf_str(&name));
	if (x->launched.count > 1) {
		buf_adds(b, " and ");
		units_add_count(b, (int64_t)x->launched.count - 1);
		buf_adds(b, " more");
	}
	buf_adds(b, ", ");
	units_add_ns(b, (double)x->launched.gpu_ns);
	buf_adds(b, " on the GPU\n");
	add_queue(b, x->launched_queue_ns);
}

static void add_line_of_code(struct buf *b, const struct event_facts *x)
{
	if (!x->line.len)
		return;
	begin_line(b, "line of code");
	text_add_safe(b, x->line);
	buf_adds(b, x->line_is_sampled ? ", by a sample in the call\n" : "\n");
}

static void add_three(struct buf *b, const char *what, const int64_t sides[3])
{
	if (sides[0] != INT_NONE && sides[1] != INT_NONE && sides[2] != INT_NONE)
		buf_addf(b, "%s\t%lld × %lld × %lld\n", what, (long long)sides[0],
			 (long long)sides[1], (long long)sides[2]);
}

static void add_shape(struct buf *b, const struct launch_shape *s)
{
	add_three(b, "grid", s->grid);
	add_three(b, "block", s->block);
	if (s->registers != INT_NONE)
		buf_addf(b, "registers\t%lld a thread\n", (long long)s->registers);
	if (s->static_smem_bytes == INT_NONE || s->dynamic_smem_bytes == INT_NONE)
		return;
	begin_line(b, "shared memory");
	units_add_bytes(b, (double)s->static_smem_bytes + (double)s->dynamic_smem_bytes);
	buf_adds(b, " a block\n");
}

static void add_bytes(struct buf *b, const struct event_facts *x)
{
	const double ns = (double)sat_sub(x->event.end_ns, x->event.start_ns);

	if (x->bytes < 0)
		return;
	begin_line(b, "bytes");
	units_add_bytes(b, (double)x->bytes);
	if (ns > 0) {
		buf_adds(b, ", ");
		units_add_rate(b, (double)x->bytes / ns * 1e9);
	}
	end_line(b);
}

static void add_percent(struct buf *b, const char *what, double value)
{
	if (isnan(value))
		return;
	buf_addf(b, "%s ", what);
	units_add_fixed(b, value, 0);
	buf_adds(b, " %, ");
}

static void add_bound(struct buf *b, struct str bound)
{
	buf_adds(b, "bound by ");
	for (size_t i = 0; i < bound.len; i++)
		buf_addc(b, bound.s[i] == '_' ? ' ' : bound.s[i]);
	end_line(b);
}

static double number(const struct cell *c)
{
	return c->kind == CELL_REAL ? c->r : NAN;
}

/* Of this one where enough samples lie in it; else of all of its name. */
static void add_counters(struct buf *b, const struct event_facts *x)
{
	const struct metric_average *own = &x->counters.own;
	const struct cell *all = x->counters.all;

	if (own->samples >= METRIC_SAMPLES_MIN) {
		begin_line(b, "GPU counters");
		add_percent(b, "SMs active", own->value[METRIC_SMS_ACTIVE]);
		add_percent(b, "warps", own->value[METRIC_WARPS]);
		add_percent(b, "tensor", own->value[METRIC_TENSOR]);
		add_percent(b, "DRAM", metric_dram(own->value));
		add_bound(b, str_of(metric_bound_names[own->bound]));
	}
	if (!x->counters.has_all || all[0].kind != CELL_REAL)
		return;
	begin_line(b, "… of its name");
	add_percent(b, "SMs active", number(&all[0]));
	add_percent(b, "tensor", number(&all[1]));
	add_percent(b, "DRAM", number(&all[2]));
	add_bound(b, all[KERNEL_METRICS - 1].s);
}

/* Of its name, at grids that the run has. */
static void add_ncu(struct buf *b, const struct ncu_group *g)
{
	if (!g)
		return;
	begin_line(b, "ncu");
	add_percent(b, "SM", g->pct.sm);
	add_percent(b, "memory", g->pct.memory);
	add_percent(b, "DRAM", g->pct.dram);
	add_bound(b, str_of(ncu_bound_name(g->bound)));
}

/* What its blocks allow, and what ncu saw of its name. */
static void add_occupancy(struct buf *b, const struct event_facts *x)
{
	const bool is_measured = x->ncu && !isnan(x->ncu->occupancy_pct);

	if (!x->occupancy.is_known && !is_measured)
		return;
	begin_line(b, "occupancy");
	if (x->occupancy.is_known) {
		units_add_fixed(b, x->occupancy.pct, 0);
		buf_addf(b, " %% theoretical, limited by %s", x->occupancy.limited_by);
	}
	if (is_measured) {
		buf_adds(b, x->occupancy.is_known ? "; " : "");
		units_add_fixed(b, x->ncu->occupancy_pct, 0);
		buf_adds(b, " % achieved under ncu");
	}
	end_line(b);
}

void event_words_add(struct buf *b, const struct event_facts *x, struct span window,
		     bool draws_histogram)
{
	add_name(b, x);
	add_place(b, x);
	add_times(b, x, window);
	add_alike(b, x, draws_histogram);
	add_around(b, x);
	add_launch(b, x);
	add_launched(b, x);
	add_line_of_code(b, x);
	add_shape(b, &x->shape);
	add_occupancy(b, x);
	add_bytes(b, x);
	add_counters(b, x);
	add_ncu(b, x->ncu);
}
