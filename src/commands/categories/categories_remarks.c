/* What is compared, and what should the reader know of the runs? Said once for all it is true of.
 */
#include "commands/categories/categories.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"

enum { NAMED = 3, NAME_WIDTH = 60, LIST_WIDTH = 1000 };

/* Whether something is true of a run, or how often. */
typedef uint64_t (*run_test)(const struct comparison *cmp, size_t run);

/* The runs that something is said of. */
struct those {
	size_t count, first;
	uint64_t sum;	   /* of what the test counts */
	const char *names; /* "a, b, c and 7 others", in the report's arena */
};

static void add_label(struct buf *b, const struct comparison *cmp, size_t run)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(cmp->runs[run].run->label));
	text_add_elided(b, buf_str(&safe), NAME_WIDTH);
	buf_free(&safe);
}

static struct those find_runs(const struct comparison *cmp, struct report *r, run_test has)
{
	struct buf names = {0};
	struct those t = {0};

	for (size_t i = 0; i < cmp->run_count; i++) {
		uint64_t times = has(cmp, i);

		if (!times)
			continue;
		t.sum += times;
		if (!t.count)
			t.first = i;
		if (t.count < NAMED) {
			buf_adds(&names, t.count ? ", " : "");
			add_label(&names, cmp, i);
		}
		t.count++;
	}
	if (t.count > NAMED)
		buf_addf(&names, " and %zu other%s", t.count - NAMED,
			 t.count - NAMED > 1 ? "s" : "");
	t.names = report_take_text(r, &names);
	return t;
}

static uint64_t lacks_model(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].missing == MISSING_MODEL;
}

static uint64_t lacks_engine(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].missing == MISSING_ENGINE;
}

static void say_models(const struct comparison *cmp, struct report *r)
{
	struct those t = find_runs(cmp, r, lacks_model);
	const struct category_run *x = &cmp->runs[t.first];

	if (t.count == 1)
		report_note(r, "%s: %s has no map for '%s', so its map for '%s' was used", t.names,
			    brief_text(r, str_of(x->run->engine)),
			    brief_text(r, str_of(x->run->model)), brief_text(r, x->map->model));
	else if (t.count)
		report_note(r,
			    "%s: their engine has no map for the model, so another map of that "
			    "engine was used: see Map",
			    t.names);
}

static void say_engines(const struct comparison *cmp, struct report *r)
{
	struct those t = find_runs(cmp, r, lacks_engine);
	struct buf known = {0}, some = {0};

	if (t.count) {
		category_maps_list(&cmp->maps, &known);
		text_add_elided(&some, str_of(safe_text(r, buf_str(&known))), LIST_WIDTH);
		report_warning(r,
			       "%s: there is no map for the engine%s%s%s, so the default was used; "
			       "known engines: %s",
			       t.names, t.count == 1 ? " '" : "",
			       t.count == 1 ? brief_text(r, str_of(cmp->runs[t.first].run->engine))
					    : "",
			       t.count == 1 ? "'" : "", some.s);
	}
	buf_free(&known);
	buf_free(&some);
}

/* The category's number; category_count: nothing is in it. */
static size_t misc(const struct comparison *cmp)
{
	size_t i = 0;

	while (i < cmp->category_count && !str_eq(cmp->categories[i], CATEGORY_MISC))
		i++;
	return i;
}

static double misc_share(const struct comparison *cmp, size_t run)
{
	double gpu_ns = mean_real(comparison_gpu_time(cmp, run));

	return gpu_ns > 0 ? mean_real(category_time(cmp, misc(cmp), run)) / gpu_ns : 0;
}

static const struct category_line *largest_misc(const struct comparison *cmp, size_t run)
{
	const struct category_times *t = &cmp->runs[run].times;

	for (size_t i = 0; i < t->count; i++) {
		if (str_eq(t->lines[i].category, CATEGORY_MISC))
			return &t->lines[i];
	}
	return NULL;
}

/* Of the run that has most: it is the one whose map should say more. */
static void say_misc(const struct comparison *cmp, struct report *r)
{
	struct buf share = {0}, name = {0}, label = {0};
	size_t worst = 0, others = 0;
	double most = 0;

	for (size_t i = 0; misc(cmp) < cmp->category_count && i < cmp->run_count; i++) {
		double x = misc_share(cmp, i);

		others += x > 0;
		worst = x > most ? i : worst;
		most = x > most ? x : most;
	}
	if (!others)
		return;
	add_label(&label, cmp, worst);
	units_add_fixed(&share, 100 * most, 1);
	text_add_elided(&name, str_of(safe_text(r, largest_misc(cmp, worst)->name)), NAME_WIDTH);
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

static uint64_t is_too_short(const struct comparison *cmp, size_t run)
{
	return mean_real(comparison_gpu_time(cmp, run)) > (double)cmp->runs[run].elapsed_ns;
}

static void say_too_short(const struct comparison *cmp, struct report *r)
{
	struct those t = find_runs(cmp, r, is_too_short);
	struct buf elapsed = {0}, gpu = {0};

	if (t.count == 1) {
		units_add_ns(&elapsed, (double)cmp->runs[t.first].elapsed_ns);
		units_add_ns(&gpu, mean_real(comparison_gpu_time(cmp, t.first)));
		report_warning(r,
			       "%s: the elapsed time of %s is shorter than the GPU busy time of "
			       "%s: CPU(non-GPU) is shown as 0",
			       t.names, elapsed.s, gpu.s);
	} else if (t.count) {
		report_warning(r,
			       "%s: the elapsed time is shorter than the GPU busy time: "
			       "CPU(non-GPU) is shown as 0",
			       t.names);
	}
	buf_free(&elapsed);
	buf_free(&gpu);
}

static uint64_t has_no_length(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].times.span_of_ops && !cmp->runs[run].run->elapsed_ns;
}

static void say_no_length(const struct comparison *cmp, struct report *r)
{
	struct those t = find_runs(cmp, r, has_no_length);

	if (t.count)
		report_note(r,
			    "%s: the export does not contain the length of the capture: elapsed "
			    "time runs from the first GPU work to the last",
			    t.names);
}

static uint64_t whole_graphs(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].times.graphs;
}

static uint64_t without_times(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].times.faults.without_times;
}

static uint64_t backwards(const struct comparison *cmp, size_t run)
{
	return cmp->runs[run].times.faults.backwards;
}

static void say_oddities(const struct comparison *cmp, struct report *r)
{
	static const struct {
		run_test count;
		const char *what;
	} oddities[] = {
		{whole_graphs,
		 "whole-graph launches are a separate category, because their kernels "
		 "were not recorded: capture with --cuda-graph-trace=node"},
		{without_times, "GPU ops have no valid times and are left out"},
		{backwards, "GPU ops end before they start and count with zero duration"},
	};

	for (size_t i = 0; i < ARRAY_LEN(oddities); i++) {
		struct those t = find_runs(cmp, r, oddities[i].count);

		if (t.count)
			report_warning(r, "%s: %llu %s", t.names, (unsigned long long)t.sum,
				       oddities[i].what);
	}
}

static void add_remarks(const struct comparison *cmp, struct report *r)
{
	say_models(cmp, r);
	say_engines(cmp, r);
	say_misc(cmp, r);
	say_too_short(cmp, r);
	say_no_length(cmp, r);
	say_oddities(cmp, r);
}

static void add_window(struct buf *b, const struct comparison *cmp)
{
	const struct scope *p = cmp->scope;
	const struct span *window = &cmp->runs[0].times.window;
	bool trimmed = scope_is_part(p);

	if (p->has_device)
		buf_addf(b, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(b, ", process %u", p->pid);
	if (p->has_iteration)
		buf_addf(b, ", step %llu", (unsigned long long)p->iteration);
	if (p->span == SPAN_WARM || p->span == SPAN_GPU)
		buf_adds(b, p->span == SPAN_WARM ? ", warm steps" : ", first to last GPU work");
	buf_adds(b, trimmed ? "" : cmp->run_count > 1 ? ", whole captures" : ", whole capture");
	if (cmp->run_count > 1 && !p->has_trim)
		return;
	if (!trimmed && !cmp->runs[0].times.span_of_ops) {
		buf_adds(b, " of ");
		units_add_ns(b, (double)window->end_ns);
		return;
	}
	buf_adds(b, ", from ");
	units_add_time(b, window->start_ns);
	buf_adds(b, " to ");
	units_add_time(b, window->end_ns);
}

static void say_devices(const struct comparison *cmp, struct report *r)
{
	bool part = scope_is_part(cmp->scope);

	if (cmp->devices < 2)
		return;
	if (cmp->merge)
		report_note(r, "all GPUs of a run are merged: busy time counts once, no matter how "
			       "many GPUs are busy");
	else
		report_note(r,
			    "time is the mean over the GPUs of a run%s; --merge-devices merges "
			    "them into one",
			    part ? ", busy or idle in the window" : "");
}

void comparison_add_head(const struct comparison *cmp, struct report *r)
{
	struct buf heading = {0};

	/* Captures that are compared have each its own, which the table of runs tells. */
	r->has_window = cmp->scope->has_trim || cmp->run_count == 1;
	r->window_start_ns = cmp->runs[0].times.window.start_ns;
	r->window_end_ns = cmp->runs[0].times.window.end_ns;
	buf_adds(&heading, "GPU time by category");
	add_window(&heading, cmp);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
	say_devices(cmp, r);
	add_remarks(cmp, r);
}
