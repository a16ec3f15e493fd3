/* Which phases did the program go through, as a table? */
#include "analysis/cell_values.h"
#include "analysis/ranges/range_tree.h"
#include "analysis/steps/launches_outside.h"
#include "analysis/steps/phases.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"

static const struct column columns[] = {
	{"phase", "Phase", UNIT_NAME, 0, "", SHOW},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"ranges", "Ranges", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"names", "Names", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
};

static int refuse(const struct trace *t, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' has no NVTX ranges named like a phase", t->path);
	e->absent = true;
	return err_hint(e,
			"map ranges to phases with --phase-map FILE, where FILE contains "
			"{\"prefill\": [\"text\", \"re:^regex$\"], …}; `gpuwhy ranges` lists them");
}

static void add_row(struct rows *rows, const struct phases *ph, const struct phase *p)
{
	bool gpu = ph->has_gpu;

	rows_add(rows, cell_str(p->name));
	rows_add(rows, gpu ? cell_int(p->gpu_ns) : cell_null());
	rows_add(rows, gpu ? pct_cell(p->gpu_ns, ph->gpu_ns) : cell_null());
	rows_add(rows, gpu ? cell_int((int64_t)p->gpu_ops) : cell_null());
	rows_add(rows, cell_int(p->wall_ns));
	rows_add(rows, cell_int((int64_t)p->ranges));
	rows_add(rows, text_or_null(p->examples));
}

static int add_table(struct report *r, const struct phases *ph, const struct row_choice *c,
		     struct err *e)
{
	struct rows *rows = report_new_rows(r, "phases", NULL, columns, ARRAY_LEN(columns));

	rows->table.kind = "phase";
	for (size_t i = 0; i < ph->count; i++) {
		const struct phase *phase = &ph->items[i];

		/* A guess that nothing came of is no phase of this program. */
		if (ph->guessed && i + 1 < ph->count && !phase->examples.len)
			continue;
		add_row(rows, ph, phase);
	}
	return rows_arrange(rows, c, ph->has_gpu ? "gpu_ns" : "wall_ns", e);
}

static void report_doubts(struct report *r, const struct phases *ph, const struct scope *p)
{
	const struct launches_outside outside = {ph->outside_ns, ph->gpu_ns};
	int64_t rest_ns = ph->items[ph->count - 1].gpu_ns;

	if (ph->guessed)
		report_note(
			r, "phases are guessed from range names; use --phase-map FILE to set them");
	for (size_t i = 0; !ph->guessed && i + 1 < ph->count; i++) {
		if (!ph->items[i].examples.len)
			report_warning(
				r, "no range matches the phase '%.*s'",
				(int)(ph->items[i].name.len < 100 ? ph->items[i].name.len : 100),
				ph->items[i].name.s);
	}
	if (!ph->has_gpu)
		range_tree_warn_host_only(r, p);
	if (ph->has_gpu)
		launches_outside_note(r, &outside, "a range of any phase", "unmapped");
	r->has_coverage = ph->has_gpu && ph->gpu_ns > 0;
	if (r->has_coverage)
		r->coverage = (double)(ph->gpu_ns - rest_ns) / (double)ph->gpu_ns;
}

static void free_phases(void *p)
{
	phases_free(p);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	struct phases *ph = arena_zalloc(&r->arena, 1, sizeof(*ph));

	report_on_free(r, free_phases, ph);
	if (window_report(r, self, t, p, &a->rows, e) < 0 || phases_read(t, p, ph, e) < 0)
		return -1;
	if (ph->guessed && !ph->found)
		return refuse(t, e);
	report_doubts(r, ph, p);
	return add_table(r, ph, &a->rows, e);
}

static const struct option_group phases_options =
	OPTIONS(struct table_args, OPT_SAME(table_options),
		OPT_INCLUDE(struct table_args, scope, struct scope, phase_options));

static const struct topic topics_phases[] = {
	{.table = "phases",
	 .subject = "phase",
	 .words = "phase phases prefill decode forward backward optimizer part stage share",
	 .questions = "how much GPU time is prefill and how much decode\n"
		      "which phase takes the most time\n"
		      "split of prefill and decode\n"
		      "how long is the optimizer phase\n"
		      "what share is the backward phase\n"
		      "GPU time per phase\n",
	 .row = "{phase}: {gpu_ns} of GPU time|, {gpu_pct}|, {gpu_ops} ops|, {wall_ns} on the "
		"clock",
	 .by = "gpu_ns"},
	{0},
};

const struct analysis analysis_phases = {
	.name = "phases",
	.span = SPAN_GPU,
	.title = "Phases",
	.order = "GPU time",
	.summary = "GPU and wall time of prefill, decode, forward, backward, …",
	.example = "gpuwhy phases trace.sqlite --span all",
	.detail =
		"A phase is a set of NVTX ranges, found by name. --phase-map FILE defines phases:\n"
		"  {\"prefill\": [\"prefill\", \"re:^ctx \\\\d+$\"], \"decode\": \"decode\"}\n\n"
		"A pattern is text to find anywhere in the name, ignoring case, or re: and a "
		"regular expression; the first match wins. Wall time is the union of the ranges "
		"on each thread. A GPU op is attributed to the innermost range with a phase around "
		"its launch call.",
	.needs = NEEDS(TRACE_NVTX),
	.options = &phases_options,
	.run = run,
	.topics = topics_phases,
};
