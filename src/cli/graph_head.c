/* What is a graph about, and what should its reader know first? */
#include "cli/graph.h"

#include "base/text.h"
#include "base/units.h"

static void add_window(struct buf *b, const struct graph *g)
{
	const struct params *p = g->params;
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

static void say_map(const struct graph *g, struct report *r, const struct graph_run *run)
{
	const struct category_map *map = run->map;
	struct buf known = {0};

	if (run->missing == MISSING_MODEL)
		report_note(r, "%s: %s has no map for '%s', so its '%s' was taken", run->run->label,
			    run->run->engine, run->run->model, graph_text(r, map->model));
	if (run->missing != MISSING_ENGINE)
		return;
	category_maps_list(&g->maps, &known);
	report_warning(
		r,
		"%s: there is no map for the engine '%s', so the default was taken; there are %s",
		run->run->label, run->run->engine, graph_text(r, buf_str(&known)));
	buf_free(&known);
}

static void say_misc(const struct graph *g, struct report *r, size_t run)
{
	const struct category_times *t = &g->runs[run].times;
	const struct category_line *largest = NULL;
	struct buf share = {0}, name = {0};
	int64_t ns = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!str_eq(t->lines[i].category, CATEGORY_MISC))
			continue;
		largest = largest ? largest : &t->lines[i];
		ns = sat_add(ns, t->lines[i].ns);
	}
	if (!largest || !t->busy_ns)
		return;
	units_add_fixed(&share, 100 * (double)ns / (double)t->busy_ns, 1);
	text_add_elided(&name, str_of(graph_text(r, largest->name)), 60);
	report_note(r,
		    "%s: %s%% of the GPU time is misc, most of it '%s': --engine-map can say more",
		    g->runs[run].run->label, share.s, name.s);
	buf_free(&share);
	buf_free(&name);
}

static void say_elapsed(const struct graph *g, struct report *r, size_t run)
{
	const struct graph_run *x = &g->runs[run];
	double gpu_ns = mean_real(graph_gpu_time(g, run));
	struct buf elapsed = {0}, gpu = {0};

	units_add_ns(&elapsed, (double)x->elapsed_ns);
	units_add_ns(&gpu, gpu_ns);
	if (gpu_ns > (double)x->elapsed_ns)
		report_warning(
			r,
			"%s: the elapsed time of %s is shorter than the %s that the GPU was busy: "
			"CPU(non-GPU) is shown as 0",
			x->run->label, elapsed.s, gpu.s);
	if (x->times.span_of_ops && !x->run->elapsed_ns)
		report_note(r,
			    "%s: the export does not say how long the capture was: elapsed is "
			    "from the first GPU work to the last",
			    x->run->label);
	buf_free(&elapsed);
	buf_free(&gpu);
}

static void say_oddities(const struct graph *g, struct report *r, size_t run)
{
	const struct graph_run *x = &g->runs[run];

	if (x->times.graphs)
		report_warning(
			r,
			"%s: %llu launches of whole CUDA graphs are a category of their own, for "
			"their kernels were not recorded: capture with --cuda-graph-trace=node",
			x->run->label, (unsigned long long)x->times.graphs);
	if (x->times.faults.without_times)
		report_warning(r, "%s: %llu ops have no readable start or end and are left out",
			       x->run->label, (unsigned long long)x->times.faults.without_times);
	if (x->times.faults.backwards)
		report_warning(
			r,
			"%s: %llu GPU operations end before they begin and count as taking no time",
			x->run->label, (unsigned long long)x->times.faults.backwards);
}

static void say_devices(const struct graph *g, struct report *r)
{
	bool part = g->params->has_trim || g->params->has_iteration;

	if (g->devices < 2)
		return;
	if (g->merge)
		report_note(r, "all GPUs of a run are taken for one: an instant counts once, "
			       "however many are busy");
	else
		report_note(r,
			    "time is the mean over the GPUs of a run%s; --merge-devices takes them "
			    "for one",
			    part ? ", busy or at rest in the window" : "");
}

void graph_add_head(const struct graph *g, struct report *r)
{
	struct buf heading = {0};

	/* Captures that are compared have each its own, which the table of runs tells. */
	r->has_window = g->params->has_trim || g->run_count == 1;
	r->window_start_ns = g->runs[0].times.window.start_ns;
	r->window_end_ns = g->runs[0].times.window.end_ns;
	buf_adds(&heading, "GPU time by category");
	add_window(&heading, g);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
	say_devices(g, r);
	for (size_t i = 0; i < g->run_count; i++) {
		say_map(g, r, &g->runs[i]);
		say_misc(g, r, i);
		say_elapsed(g, r, i);
		say_oddities(g, r, i);
	}
}
