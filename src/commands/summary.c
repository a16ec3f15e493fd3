/* gpuwhy summary: the tables of the analysis, and what they come to in a few sentences. */
#include "analysis/code/code_report.h"
#include "analysis/metrics/metric_tables.h"
#include "cli/command.h"
#include "report/kernel_name.h"
#include "report/present.h"
#include "text/text.h"
#include "text/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARTS = 4, MOST_NAME = 60, TOP_LINES = 3 };

static double read_number(const struct table *t, uint64_t row, const char *key)
{
	const struct cell c = table_cell(t, row, key);

	return c.kind == CELL_INT ? (double)c.i : c.kind == CELL_REAL ? c.r : 0;
}

static void add_share(struct buf *b, double pct)
{
	units_add_fixed(b, pct, 1);
	buf_adds(b, " %");
}

struct time_part {
	const char *key, *name, *verb;
	double pct;
};

static int by_share(const void *a, const void *b)
{
	const struct time_part *x = a, *y = b;

	return (x->pct < y->pct) - (x->pct > y->pct);
}

/* "Exposed copies take 56.5 % of the window, compute 37.5 %, idle time 6.0 %." */
static void say_parts(struct report *r, const struct table *devices)
{
	struct time_part parts[PARTS] = {
		{"compute_pct", "compute", "takes", 0},
		{"exposed_comm_pct", "exposed communication", "takes", 0},
		{"exposed_copy_pct", "exposed copies", "take", 0},
		{"idle_pct", "idle time", "takes", 0},
	};
	SCOPED_BUF b = {0};

	for (size_t p = 0; p < PARTS; p++) {
		for (uint64_t i = 0; i < devices->rows; i++)
			parts[p].pct +=
				read_number(devices, i, parts[p].key) / (double)devices->rows;
	}
	qsort(parts, PARTS, sizeof(*parts), by_share);
	for (size_t p = 0; p < PARTS && parts[p].pct >= 0.05; p++) {
		buf_addf(&b, "%s%s ", p ? ", " : "", parts[p].name);
		if (!p)
			buf_addf(&b, "%s ", parts[p].verb);
		add_share(&b, parts[p].pct);
		if (!p)
			buf_adds(&b, " of the window");
	}
	if (!b.len)
		return;
	b.s[0] = (char)(b.s[0] - 'a' + 'A');
	if (devices->rows > 1)
		buf_addf(&b, ", on average over %" PRIu64 " GPUs", devices->rows);
	report_note(r, "%s.", b.s);
}

/* Which GPU is idle longest, and which least, where that differs. */
static void say_uneven(struct report *r, const struct table *devices)
{
	uint64_t most = 0, least = 0;
	SCOPED_BUF b = {0};

	for (uint64_t i = 1; i < devices->rows; i++) {
		double idle = read_number(devices, i, "idle_pct");

		if (idle > read_number(devices, most, "idle_pct"))
			most = i;
		if (idle < read_number(devices, least, "idle_pct"))
			least = i;
	}
	if (read_number(devices, most, "idle_pct") - read_number(devices, least, "idle_pct") < 1)
		return;
	buf_addf(&b, "GPU %.0f is idle longest, ", read_number(devices, most, "device"));
	add_share(&b, read_number(devices, most, "idle_pct"));
	buf_addf(&b, " of the window, GPU %.0f least, ", read_number(devices, least, "device"));
	add_share(&b, read_number(devices, least, "idle_pct"));
	report_note(r, "%s.", b.s);
}

/* How many of the kernels have half of the time; 0: more than are shown. */
static uint64_t count_half(const struct table *kernels)
{
	double sum = 0;

	for (uint64_t i = 0; i < kernels->rows; i++) {
		sum += read_number(kernels, i, "pct");
		if (sum >= 50)
			return i + 1;
	}
	return 0;
}

static void say_kernels(struct report *r, const struct table *kernels)
{
	const struct cell name = table_cell(kernels, 0, "kernel");
	const uint64_t half = count_half(kernels);
	SCOPED_BUF b = {0}, brief = {0}, safe = {0};

	if (name.kind != CELL_TEXT)
		return;
	kernel_name_add_short(&brief, name.s);
	text_add_safe(&safe, buf_str(&brief));
	buf_adds(&b, "The top kernel is ");
	text_add_elided(&b, buf_str(&safe), MOST_NAME);
	buf_adds(&b, ", with ");
	add_share(&b, read_number(kernels, 0, "pct"));
	buf_adds(&b, " of the kernel time");
	if (half > 1)
		buf_addf(&b, "; %" PRIu64 " of %" PRIu64 " kernels make up half of it", half,
			 kernels->total_rows);
	report_note(r, "%s.", b.s);
}

/* What findings has to say of the same window; nothing where it cannot be asked. */
static int say_verdict(struct invocation *inv, struct err *e)
{
	const struct analysis *findings = analysis_find("findings", false);
	struct report answer = {.command = findings->name};
	void *args = arena_zalloc(&answer.arena, 1, findings->options->size);
	int result;

	args_init(findings->options, args);
	args_copy_shared(findings->options, args, inv->analysis->options, inv->asked);
	result = analysis_run(findings, inv->trace, args, &answer, e);
	if (result == 0 && answer.verdict_text)
		report_note(&inv->report, "%s", answer.verdict_text);
	report_free(&answer);
	return result < 0 && !e->absent ? -1 : 0;
}

static int comment(struct invocation *inv, struct err *e)
{
	struct report *r = &inv->report;
	const struct table *devices = report_find_table(r, "gpu_partition");
	const struct table *kernels = report_find_table(r, "kernels");

	report_heading(r, "In short");
	if (devices && devices->rows) {
		say_parts(r, devices);
		say_uneven(r, devices);
	}
	if (kernels && kernels->rows)
		say_kernels(r, kernels);
	return say_verdict(inv, e);
}

/* Another analysis's answer below ours, asked for the same. */
static int add_answer(struct invocation *inv, const char *name, struct err *e)
{
	const struct analysis *a = analysis_find(name, false);
	void *args = arena_zalloc(&inv->report.arena, 1, a->options->size);

	args_init(a->options, args);
	args_copy_shared(a->options, args, inv->analysis->options, inv->asked);
	return analysis_run(a, inv->trace, args, &inv->report, e);
}

/*
 * Where no GPU work was recorded: that finding, and what the host did. Where that is no answer
 * either, `e` stays what it was.
 */
static int tell_host(struct invocation *inv, struct err *e)
{
	static const char *const names[] = {"ranges", "api"};
	struct err other = {0};

	if (!e->absent || inv->report.block_count || add_answer(inv, "findings", &other) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (add_answer(inv, names[i], &other) < 0 && !other.absent) {
			*e = other;
			return -1;
		}
	}
	return 0;
}

/* What only some captures have: samples of threads, counters of GPUs; of the window above. */
static int add_extras(struct invocation *inv, struct err *e)
{
	const struct activity_args *a = inv->asked;
	struct report *r = &inv->report;
	const struct span window = {r->window_start_ns, r->window_end_ns};
	struct scope p = a->scope;

	p.has_trim = true;
	p.from_ns = window.start_ns;
	p.to_ns = window.end_ns;
	if (code_top_report(r, inv->trace, &p, a->rows.limit ? TOP_LINES : 0, e) < 0 && !e->absent)
		return -1;
	return metrics_of_gpus_report(r, inv->trace, &p, window, e) < 0 && !e->absent ? -1 : 0;
}

/* 1: no GPU work was recorded, and the host's was told. */
static int tell(struct invocation *inv, struct err *e)
{
	if (analysis_run(inv->analysis, inv->trace, inv->asked, &inv->report, e) == 0)
		return add_extras(inv, e);
	return tell_host(inv, e) < 0 ? -1 : 1;
}

static int answer(struct invocation *inv, struct err *e)
{
	return tell(inv, e) < 0 ? -1 : 0;
}

/* Machines compute their own sentences, and of what is not there is nothing to say. */
static int run(struct invocation *inv, struct err *e)
{
	const bool comments = presenter_find(invocation_format(inv))->for_people;
	int result;

	invocation_default_limit(inv);
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	/* The commentary asks about the same steps; launches are too many to keep. */
	inv->trace->keeps_answers = comments;
	result = tell(inv, e);
	if (result == 0 && comments)
		result = comment(inv, e);
	return result < 0 ? -1 : invocation_present(inv, e);
}

const struct command command_summary = {
	.name = "summary",
	.operand = "TRACE…",
	.analysis = "summary",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_traces = true,
	.answer = answer,
	.run = run,
};
