/* What is a graph about? */
#include "commands/categories/graph.h"

#include "text/units.h"

static void add_window(struct buf *b, const struct graph *g)
{
	const struct scope *p = g->scope;
	const struct span *window = &g->runs[0].times.window;
	bool trimmed = p->has_trim || p->has_iteration;

	if (p->has_device)
		buf_addf(b, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(b, ", process %u", p->pid);
	if (p->has_iteration)
		buf_addf(b, ", step %llu", (unsigned long long)p->iteration);
	buf_adds(b, trimmed ? "" : g->run_count > 1 ? ", whole captures" : ", whole capture");
	if (g->run_count > 1 && !p->has_trim)
		return;
	if (!trimmed && !g->runs[0].times.span_of_ops) {
		buf_adds(b, " of ");
		units_add_ns(b, (double)window->end_ns);
		return;
	}
	buf_adds(b, ", from ");
	units_add_time(b, window->start_ns);
	buf_adds(b, " to ");
	units_add_time(b, window->end_ns);
}

static void say_devices(const struct graph *g, struct report *r)
{
	bool part = g->scope->has_trim || g->scope->has_iteration;

	if (g->devices < 2)
		return;
	if (g->merge)
		report_note(r, "all GPUs of a run are merged: busy time counts once, no matter how "
			       "many GPUs are busy");
	else
		report_note(r,
			    "time is the mean over the GPUs of a run%s; --merge-devices merges "
			    "them into one",
			    part ? ", busy or idle in the window" : "");
}

void graph_add_head(const struct graph *g, struct report *r)
{
	struct buf heading = {0};

	/* Captures that are compared have each its own, which the table of runs tells. */
	r->has_window = g->scope->has_trim || g->run_count == 1;
	r->window_start_ns = g->runs[0].times.window.start_ns;
	r->window_end_ns = g->runs[0].times.window.end_ns;
	buf_adds(&heading, "GPU time by category");
	add_window(&heading, g);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
	say_devices(g, r);
	graph_add_remarks(g, r);
}
