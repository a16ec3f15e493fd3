/* What should the reader of a graph know about its runs? One line for all that have it in common.
 */
#include "commands/categories/graph.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"

enum { NAMED = 3, NAME_WIDTH = 60, LIST_WIDTH = 1000 };

typedef bool (*run_test)(const struct graph *g, size_t run);

/* The runs that something is said of. */
struct those {
	size_t count, first;
	struct buf names; /* "a, b, c and 7 others" */
};

static void add_label(struct buf *b, const struct graph *g, size_t run)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(g->runs[run].run->label));
	text_add_elided(b, buf_str(&safe), NAME_WIDTH);
	buf_free(&safe);
}

static struct those find_runs(const struct graph *g, run_test has)
{
	struct those t = {0};

	for (size_t i = 0; i < g->run_count; i++) {
		if (!has(g, i))
			continue;
		if (!t.count)
			t.first = i;
		if (t.count < NAMED) {
			buf_adds(&t.names, t.count ? ", " : "");
			add_label(&t.names, g, i);
		}
		t.count++;
	}
	if (t.count > NAMED)
		buf_addf(&t.names, " and %zu other%s", t.count - NAMED,
			 t.count - NAMED > 1 ? "s" : "");
	return t;
}

static bool lacks_model(const struct graph *g, size_t run)
{
	return g->runs[run].missing == MISSING_MODEL;
}

static bool lacks_engine(const struct graph *g, size_t run)
{
	return g->runs[run].missing == MISSING_ENGINE;
}

static void say_models(const struct graph *g, struct report *r)
{
	struct those t = find_runs(g, lacks_model);
	const struct graph_run *x = &g->runs[t.first];

	if (t.count == 1)
		report_note(r, "%s: %s has no map for '%s', so its map for '%s' was used",
			    t.names.s, graph_brief(r, str_of(x->run->engine)),
			    graph_brief(r, str_of(x->run->model)), graph_brief(r, x->map->model));
	else if (t.count)
		report_note(r,
			    "%s: their engine has no map for the model, so another map of that "
			    "engine was used: see Map",
			    t.names.s);
	buf_free(&t.names);
}

static void say_engines(const struct graph *g, struct report *r)
{
	struct those t = find_runs(g, lacks_engine);
	struct buf known = {0}, some = {0};

	if (t.count) {
		category_maps_list(&g->maps, &known);
		text_add_elided(&some, str_of(graph_text(r, buf_str(&known))), LIST_WIDTH);
		report_warning(r,
			       "%s: there is no map for the engine%s%s%s, so the default was used; "
			       "known engines: %s",
			       t.names.s, t.count == 1 ? " '" : "",
			       t.count == 1 ? graph_brief(r, str_of(g->runs[t.first].run->engine))
					    : "",
			       t.count == 1 ? "'" : "", some.s);
	}
	buf_free(&known);
	buf_free(&some);
	buf_free(&t.names);
}

/* The category's number; category_count: nothing is in it. */
static size_t misc(const struct graph *g)
{
	size_t i = 0;

	while (i < g->category_count && !str_eq(g->categories[i], CATEGORY_MISC))
		i++;
	return i;
}

static double misc_share(const struct graph *g, size_t run)
{
	const struct graph_cell *c = graph_cell(g, misc(g), run);
	double gpu_ns = mean_real(graph_gpu_time(g, run));

	return gpu_ns > 0 ? mean_real(graph_time(g, run, c->ns, c->merged_ns)) / gpu_ns : 0;
}

static const struct category_line *largest_misc(const struct graph *g, size_t run)
{
	const struct category_times *t = &g->runs[run].times;

	for (size_t i = 0; i < t->count; i++) {
		if (str_eq(t->lines[i].category, CATEGORY_MISC))
			return &t->lines[i];
	}
	return NULL;
}

/* Of the run that has most: it is the one whose map should say more. */
static void say_misc(const struct graph *g, struct report *r)
{
	struct buf share = {0}, name = {0}, label = {0};
	size_t worst = 0, others = 0;
	double most = 0;

	for (size_t i = 0; misc(g) < g->category_count && i < g->run_count; i++) {
		double x = misc_share(g, i);

		others += x > 0;
		worst = x > most ? i : worst;
		most = x > most ? x : most;
	}
	if (!others)
		return;
	add_label(&label, g, worst);
	units_add_fixed(&share, 100 * most, 1);
	text_add_elided(&name, str_of(graph_text(r, largest_misc(g, worst)->name)), NAME_WIDTH);
	report_note(
		r, "%s: %s%% of the GPU time is misc, mostly '%s'%s: use --engine-map to refine it",
		label.s, share.s, name.s,
		others > 1 ? arena_printf(&r->arena, ", and at most that in %zu other run%s",
					  others - 1, others > 2 ? "s" : "")
			   : "");
	buf_free(&share);
	buf_free(&name);
	buf_free(&label);
}

static bool is_too_short(const struct graph *g, size_t run)
{
	return mean_real(graph_gpu_time(g, run)) > (double)g->runs[run].elapsed_ns;
}

static void say_too_short(const struct graph *g, struct report *r)
{
	struct those t = find_runs(g, is_too_short);
	struct buf elapsed = {0}, gpu = {0};

	if (t.count == 1) {
		units_add_ns(&elapsed, (double)g->runs[t.first].elapsed_ns);
		units_add_ns(&gpu, mean_real(graph_gpu_time(g, t.first)));
		report_warning(r,
			       "%s: the elapsed time of %s is shorter than the GPU busy time of "
			       "%s: CPU(non-GPU) is shown as 0",
			       t.names.s, elapsed.s, gpu.s);
	} else if (t.count) {
		report_warning(r,
			       "%s: the elapsed time is shorter than the GPU busy time: "
			       "CPU(non-GPU) is shown as 0",
			       t.names.s);
	}
	buf_free(&elapsed);
	buf_free(&gpu);
	buf_free(&t.names);
}

static bool has_no_length(const struct graph *g, size_t run)
{
	return g->runs[run].times.span_of_ops && !g->runs[run].run->elapsed_ns;
}

static void say_no_length(const struct graph *g, struct report *r)
{
	struct those t = find_runs(g, has_no_length);

	if (t.count)
		report_note(r,
			    "%s: the export does not contain the length of the capture: elapsed "
			    "time runs from the first GPU work to the last",
			    t.names.s);
	buf_free(&t.names);
}

static bool has_graphs(const struct graph *g, size_t run)
{
	return g->runs[run].times.graphs > 0;
}

static bool has_unplaced(const struct graph *g, size_t run)
{
	return g->runs[run].times.faults.without_times > 0;
}

static bool has_backwards(const struct graph *g, size_t run)
{
	return g->runs[run].times.faults.backwards > 0;
}

static void say_oddities(const struct graph *g, struct report *r)
{
	static const struct {
		run_test has;
		const char *what;
	} oddities[] = {
		{has_graphs, "whole-graph launches are a separate category, because their kernels "
			     "were not recorded: capture with --cuda-graph-trace=node"},
		{has_unplaced, "GPU operations have no valid times and are left out"},
		{has_backwards,
		 "GPU operations end before they start and count with zero duration"},
	};
	uint64_t counts[ARRAY_LEN(oddities)] = {0};

	for (size_t i = 0; i < g->run_count; i++) {
		counts[0] += g->runs[i].times.graphs;
		counts[1] += g->runs[i].times.faults.without_times;
		counts[2] += g->runs[i].times.faults.backwards;
	}
	for (size_t i = 0; i < ARRAY_LEN(oddities); i++) {
		struct those t = find_runs(g, oddities[i].has);

		if (t.count)
			report_warning(r, "%s: %llu %s", t.names.s, (unsigned long long)counts[i],
				       oddities[i].what);
		buf_free(&t.names);
	}
}

void graph_add_remarks(const struct graph *g, struct report *r)
{
	say_models(g, r);
	say_engines(g, r);
	say_misc(g, r);
	say_too_short(g, r);
	say_no_length(g, r);
	say_oddities(g, r);
}
