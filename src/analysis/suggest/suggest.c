/* Where would NVTX ranges help, and which lines add them? */
#include "analysis/cell_values.h"
#include "analysis/suggest/coarse_ranges.h"
#include "analysis/suggest/likely.h"
#include "analysis/suggest/range_lines.h"
#include "analysis/suggest/row_code.h"
#include "analysis/suggest/row_work.h"
#include "analysis/suggest/stretches.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>

/* A range for less than this share of the GPU time is not worth its line. */
static const double WORTH = 0.01;
/* The same of what is left between ranges that name the rest of a coarse one. */
static const double LEFT_WORTH = 0.05;

/* A share that people would read as 0.0%. */
static const double LEAST_TOLD = 0.0005;

/* Of a coarse range's GPU time: a kernel with this much of it says all. */
static const double TOLD = 0.9;

struct suggest_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	bool all;
};

struct suggesting {
	struct trace *trace;
	const struct suggest_args *a;
	struct report *report;
	struct op_signs signs;
	struct launched l;
	struct user_ranges ranges;
	struct iterations steps;
	struct stretches stretches;
	struct row_work *work; /* by row */
	struct row_blocks *blocks;
	struct row_code code;
	struct gpu_sum shown, small; /* of rows outside any range */
	struct gpu_sum coarse;	     /* of rows in ranges that are too coarse */
	size_t shown_rows;
};

static const struct column columns[] = {
	{"name", "Name", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"summary", "Range", UNIT_NAME, 0, NULL, SHOW},
	{"place", "Place", UNIT_NAME, 0, NULL, SHOW},
	{"likely", "Most likely", UNIT_NAME, 0, NULL, SHOW},
	{"evidence", "Evidence", UNIT_NAME, 0, NULL, SHOW},
	{"source", "Around line", UNIT_NAME, 0, NULL, SHOW},
	{"add", "Add", UNIT_COMMAND, 0, NULL, SHOW},
	{"capture", "Or capture with", UNIT_COMMAND, 0, NULL, SHOW},
	{"reason", "Reason", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"count", "Count", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"host_ns", "Host time", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"start_ns", "First start", UNIT_TIME_NS, 0, "at:", MACHINE_ONLY},
	{"end_ns", "First end", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"inside", "Inside", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"after", "After", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"before", "Before", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"meanwhile", "Meanwhile", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"steps", "In steps", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"step_offset_ns", "After the step's start", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"thread", "Thread", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"pid", "PID", UNIT_ID, 0, "pid:", MACHINE_ONLY},
	{"tid", "TID", UNIT_ID, 0, "tid:", MACHINE_ONLY},
	{"threads", "Threads", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"autograd", "PyTorch's autograd", UNIT_BOOL, 0, NULL, MACHINE_ONLY},
	{"function", "Function", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"file", "File", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"line_from", "Line from", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"language", "Language", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"lines", "Lines", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column step_columns[] = {
	{"summary", "Range", UNIT_NAME, 0, NULL, SHOW},
	{"add", "Add", UNIT_COMMAND, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"language", "Language", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"lines", "Lines", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column coverage_columns[] = {
	{"part", "GPU time", UNIT_NAME, 0, "", SHOW},
	{"gpu_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW},
};

/* "in 'step N', after 'forward', before 'optimizer'" */
static void add_range(struct buf *b, const struct suggesting *g, const char *how, uint32_t path)
{
	if (path == RANGE_NONE)
		return;
	buf_addf(b, "%s%s '", b->len ? ", " : "", how);
	range_path_add(b, &g->ranges.paths, &g->ranges.folded.names, path);
	buf_addc(b, '\'');
}

static void add_thread(struct buf *b, const struct suggesting *g, const struct stretch_row *row)
{
	const struct launching_thread *th = &g->l.threads[row->thread];
	const uint64_t key = g->trace->thread_keys.keys[row->thread];

	buf_addf(b, "%sthread ", b->len ? "; " : "");
	if (th->name.len)
		buf_addstr(b, th->name);
	else
		buf_addf(b, "%u", thread_tid(key));
	if (row->thread_count > 1)
		buf_addf(b, " of %u processes", row->thread_count);
	else if (th->name.len)
		buf_addf(b, " (TID %u)", thread_tid(key));
}

static void add_step(struct buf *b, const struct stretch_row *row)
{
	static const char *const words[] = {
		[STEP_BEFORE_ALL] = "before the first step",
		[STEP_OUTSIDE] = "outside of steps",
	};

	if (row->place.step == STEP_INSIDE) {
		buf_adds(b, b->len ? ", " : "");
		if (row->offset_ns)
			units_add_ns(b, (double)row->offset_ns / (double)row->steps);
		buf_adds(b, row->offset_ns ? " into the step" : "from the start of the step");
	} else if (row->place.step != STEPS_UNKNOWN) {
		buf_addf(b, "%s%s", b->len ? ", " : "", words[row->place.step]);
	}
}

static struct cell place_cell(const struct suggesting *g, const struct stretch_row *row)
{
	struct buf b = {0};

	add_range(&b, g, row->place.coarse ? "in the coarse range" : "in", row->place.inside);
	add_range(&b, g, "after", row->place.after);
	add_range(&b, g, "before", row->place.before);
	add_range(&b, g, "while the main thread is in", row->place.beside);
	if (!b.len)
		buf_adds(&b, "outside any range");
	add_step(&b, row);
	buf_adds(&b, "; first at ");
	units_add_time(&b, row->first.start_ns);
	add_thread(&b, g, row);
	return report_take_cell(g->report, &b);
}

static void add_number(struct buf *b, uint64_t n, const char *one, const char *many)
{
	units_add_count(b, (int64_t)n);
	buf_addf(b, " %s", n == 1 ? one : many);
}

/* "backward: 132 ms of GPU time (60.2%), 1,650 kernels, 5 times" */
static struct cell summary_cell(const struct suggesting *g, const struct stretch_row *row,
				const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s: ", name);
	units_add_ns(&b, (double)row->gpu.ns);
	buf_addf(&b, " of GPU time (%.1f%%), ",
		 100 * (double)row->gpu.ns / (double)(g->l.all.ns ? g->l.all.ns : 1));
	if (row->gpu.kernels)
		add_number(&b, row->gpu.kernels, "kernel", "kernels");
	else
		add_number(&b, row->gpu.ops, "op", "ops");
	buf_adds(&b, ", ");
	add_number(&b, row->count, "time", "times");
	return report_take_cell(g->report, &b);
}

static struct cell range_cell(const struct suggesting *g, uint32_t path)
{
	return text_or_null(user_ranges_text(&g->ranges, &g->report->arena, path));
}

/* The line to go around: in a cell for people, and its parts in five for programs. */
static void add_source(const struct suggesting *g, const struct row_line *line, struct cell *text,
		       struct cell parts[4])
{
	static const char *const sources[] = {
		[LINE_BACKTRACES] = "backtraces of CUDA calls",
		[LINE_SAMPLES] = "samples",
		[LINE_SAMPLES_OF_MAIN] = "samples of the main thread",
	};
	const struct frame *f;

	*text = cell_null();
	for (size_t i = 0; i < 4; i++)
		parts[i] = cell_null();
	if (!line->source)
		return;
	f = &g->code.lines.code.stacks.frames[line->frame];
	*text = cell_str(frame_text(&g->report->arena, g->trace, f));
	if (f->function != NAME_NONE)
		parts[0] = cell_str(function_shown(trace_name(g->trace, f->function)));
	parts[1] = text_or_null(arena_str(&g->report->arena, frame_file(&g->code.lines.places, f)));
	if (f->line && f->line != LINE_NATIVE)
		parts[2] = cell_int(f->line);
	parts[3] = cell_text(sources[line->source]);
}

static void add_place_cells(struct rows *rows, const struct suggesting *g,
			    const struct stretch_row *row)
{
	ROWS_ADD(rows, cell_text(row->place.coarse ? "coarse" : "outside"), cell_int(row->gpu.ns),
		 pct_cell(row->gpu.ns, g->l.all.ns), cell_int((int64_t)row->gpu.ops),
		 cell_int((int64_t)row->gpu.kernels), cell_int((int64_t)row->count),
		 cell_int(row->host_ns), cell_int(row->first.start_ns), cell_int(row->first.end_ns),
		 range_cell(g, row->place.inside), range_cell(g, row->place.after),
		 range_cell(g, row->place.before), range_cell(g, row->place.beside));
	ROWS_ADD(rows, row->steps ? cell_int((int64_t)row->steps) : cell_null(),
		 row->steps ? cell_real((double)row->offset_ns / (double)row->steps) : cell_null());
}

static void add_thread_cells(struct rows *rows, const struct suggesting *g,
			     const struct stretch_row *row)
{
	const struct launching_thread *th = &g->l.threads[row->thread];

	ROWS_ADD(rows, text_or_null(arena_str(&g->report->arena, th->name)),
		 pid_cell(g->trace, row->thread), tid_cell(g->trace, row->thread),
		 cell_int(row->thread_count), cell_int(th->autograd));
}

static void add_row(struct rows *rows, const struct suggesting *g, size_t i)
{
	const struct stretch_row *row = &g->stretches.rows[i];
	const enum language language = language_of(&g->l, row->thread);
	const bool autograd = g->l.threads[row->thread].autograd;
	struct cell source, line[4];
	struct buf add = {0}, lines = {0};
	struct likely likely;

	add_source(g, &g->code.of_row[i], &source, line);
	likely_find(&g->l, row, &g->work[i], &g->blocks[i],
		    line[0].kind == CELL_TEXT ? line[0].s : STR_LIT(""), &g->report->arena,
		    &likely);
	buf_adds(&add, autograd ? autograd_lines_short() : "");
	buf_adds(&lines, autograd ? autograd_lines_all() : "");
	if (!autograd) {
		range_lines_short(&add, language, likely.name);
		range_lines_all(&lines, language, likely.name);
	}
	ROWS_ADD(rows, cell_text(likely.name), summary_cell(g, row, likely.name),
		 place_cell(g, row), cell_text(likely.what),
		 report_take_cell(g->report, &likely.why), source,
		 report_take_cell(g->report, &add),
		 autograd ? cell_text("nsys profile --pytorch=autograd-nvtx") : cell_null());
	add_place_cells(rows, g, row);
	add_thread_cells(rows, g, row);
	rows_add_cells(rows, line, 4);
	ROWS_ADD(rows, cell_text(language_name(language)), report_take_cell(g->report, &lines));
}

/* A coarse range around one kernel again and again, and no other range, is named by that. */
static bool is_told(const struct suggesting *g, size_t i)
{
	const struct stretch_row *row = &g->stretches.rows[i];

	return row->place.coarse && row->place.after == RANGE_NONE &&
	       row->place.before == RANGE_NONE &&
	       (double)g->work[i].kernel_ns >= TOLD * (double)row->gpu.ns;
}

/* Whoever named what is beside it chose not to name this. */
static bool is_left_over(const struct stretch_row *row)
{
	return row->place.coarse &&
	       (row->place.after != RANGE_NONE || row->place.before != RANGE_NONE);
}

static bool is_worth(const struct suggesting *g, size_t i)
{
	const struct stretch_row *row = &g->stretches.rows[i];

	if (is_told(g, i))
		return false;
	return g->a->all || (double)row->gpu.ns >=
				    (is_left_over(row) ? LEFT_WORTH : WORTH) * (double)g->l.all.ns;
}

static void add_sum(struct gpu_sum *to, const struct gpu_sum *s)
{
	to->ns = sat_add(to->ns, s->ns);
	to->kernel_ns = sat_add(to->kernel_ns, s->kernel_ns);
	to->ops += s->ops;
	to->kernels += s->kernels;
}

static void count_rows(struct suggesting *g)
{
	for (size_t i = 0; i < g->stretches.count; i++) {
		const struct stretch_row *row = &g->stretches.rows[i];
		const bool worth = is_worth(g, i);

		g->shown_rows += worth;
		if (is_told(g, i))
			continue;
		add_sum(row->place.coarse ? &g->coarse : worth ? &g->shown : &g->small, &row->gpu);
	}
}

static int add_rows(struct suggesting *g, struct err *e)
{
	struct rows *rows;

	if (!g->shown_rows)
		return 0;
	rows = REPORT_ROWS(g->report, "suggest", "Ranges to add", columns);
	rows->table.kind = "suggestion";
	rows->table.facts = true;
	for (size_t i = 0; i < g->stretches.count; i++) {
		if (is_worth(g, i))
			add_row(rows, g, i);
	}
	if (rows_arrange(rows, &g->a->rows, "gpu_ns", e) < 0)
		return -1;
	if (rows->table.rows < rows->table.total_rows)
		report_note(g->report, "%llu of %llu suggestions; --limit 0 shows all",
			    (unsigned long long)rows->table.rows,
			    (unsigned long long)rows->table.total_rows);
	return 0;
}

static void add_coverage_row(struct rows *rows, const struct suggesting *g, const char *part,
			     const struct gpu_sum *s)
{
	if (s->ops)
		ROWS_ADD(rows, cell_text(part), cell_int(s->ns), pct_cell(s->ns, g->l.all.ns),
			 cell_int((int64_t)s->ops), cell_int((int64_t)s->kernels));
}

/* Its rows are all of the GPU time, each once. */
static void add_coverage(const struct suggesting *g)
{
	struct rows *rows = REPORT_ROWS(g->report, "coverage", NULL, coverage_columns);
	const struct gpu_sum *coarse = &g->coarse;
	struct gpu_sum told = g->stretches.in_ranges;

	told.ns = sat_sub(told.ns, coarse->ns);
	told.ops -= coarse->ops;
	told.kernels -= coarse->kernels;
	add_coverage_row(rows, g, "in ranges that name it", &told);
	add_coverage_row(rows, g, "in coarse ranges", coarse);
	add_coverage_row(rows, g, "outside any NVTX range", &g->shown);
	add_coverage_row(rows, g, "outside, in stretches below 1%", &g->small);
	add_coverage_row(rows, g, "launch call not in the trace", &g->l.no_call);
}

/* Steps that only kernels tell deserve a range of their own, around what the rows say. */
static void add_steps(const struct suggesting *g)
{
	const struct iterations *it = &g->steps;
	uint32_t process, thread;
	enum language language;
	struct buf b = {0};
	struct rows *rows;

	if (!it->count || it->source != ITER_KERNELS)
		return;
	process = it->lanes[it->main_lane].process;
	thread = process == ID_NONE ? ID_NONE : g->stretches.main_thread[process];
	if (thread == ID_NONE)
		return;
	language = language_of(&g->l, thread);
	rows = REPORT_ROWS(g->report, "steps", "Steps to name first", step_columns);
	rows->table.facts = true;
	buf_addf(&b, "step: %s", it->how);
	ROWS_ADD(rows, report_take_cell(g->report, &b), cell_text(step_lines_short(language)),
		 cell_int((int64_t)it->count), cell_int(it->work_ns),
		 cell_text(language_name(language)), cell_text(step_lines_all(language)));
}

static void note_coverage(const struct suggesting *g)
{
	const double all = (double)(g->l.all.ns ? g->l.all.ns : 1);
	const double in_ranges = 100 * (double)g->stretches.in_ranges.ns / all;
	SCOPED_BUF b = {0};

	units_add_ns(&b, (double)g->l.all.ns);
	buf_adds(&b, " of GPU time");
	if (g->shown_rows && (double)g->coarse.ns >= LEAST_TOLD * all)
		buf_addf(&b, ", %.1f%% in ranges that are too coarse",
			 100 * (double)g->coarse.ns / all);
	if (g->shown.ops || g->small.ops)
		buf_addf(&b, "; %.1f%% is launched outside any",
			 100 * ((double)g->shown.ns + (double)g->small.ns) / all);
	if (g->l.no_call.ops)
		buf_addf(&b, "; the calls that launched %.1f%% are not in the trace",
			 100 * (double)g->l.no_call.ns / all);
	report_note(g->report, "%sNVTX ranges hold %.1f%% of %s",
		    g->shown_rows || g->l.no_call.ops == g->l.all.ops ? "" : "Nothing to add: ",
		    in_ranges, b.s);
	if (g->l.no_call.ops && g->l.no_call.ops == g->l.all.ops)
		report_warning(g->report,
			       "where ranges are missing is unknown; capture with: nsys profile "
			       "%s,nvtx …",
			       trace_kind_flag(TRACE_API));
}

/* Without steps, or where they cannot be known, there are none. */
static int find_steps(struct suggesting *g, struct err *e)
{
	struct err none = {0};

	if (iterations_read(g->trace, &g->a->scope, &g->steps, &none) == 0)
		return 0;
	g->steps = (struct iterations){0};
	if (none.absent)
		return 0;
	*e = none;
	return -1;
}

static int gather(struct suggesting *g, struct err *e)
{
	struct trace *t = g->trace;
	const struct scope *p = &g->a->scope;

	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_NAME), e) < 0 ||
	    trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_COPY_KIND), e) < 0 ||
	    op_signs_open(&g->signs, t, e) < 0 || launched_read(t, p, &g->signs, &g->l, e) < 0 ||
	    user_ranges_make(t, &g->l.at.forest, &g->ranges, e) < 0 || find_steps(g, e) < 0)
		return -1;
	coarse_ranges_find(&g->l, &g->ranges, &g->steps,
			   (struct span){g->report->window_start_ns, g->report->window_end_ns});
	stretches_find(&g->l, &g->ranges, &g->steps, &g->stretches);
	if (row_work_read(&g->l, &g->stretches, p, &g->signs, &g->work, e) < 0)
		return -1;
	g->blocks = row_blocks_find(&g->l, &g->stretches);
	return row_code_read(&g->l, &g->stretches, &g->code, e);
}

static int tell(struct suggesting *g, struct err *e)
{
	count_rows(g);
	note_coverage(g);
	if (g->shown_rows)
		add_steps(g);
	if (add_rows(g, e) < 0)
		return -1;
	add_coverage(g);
	return 0;
}

static void free_all(void *p)
{
	struct suggesting *g = p;

	row_code_free(&g->code);
	free(g->work);
	free(g->blocks);
	stretches_free(&g->stretches);
	iterations_free(&g->steps);
	user_ranges_free(&g->ranges);
	launched_free(&g->l);
	op_signs_close(&g->signs);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct suggest_args *a = args;
	struct suggesting *g = arena_zalloc(&r->arena, 1, sizeof(*g));

	*g = (struct suggesting){.trace = t, .a = a, .report = r};
	report_on_free(r, free_all, g);
	if (window_report(r, self, t, &a->scope, NULL, e) < 0 || gather(g, e) < 0)
		return -1;
	return tell(g, e);
}

static const struct option_group suggest_options = OPTIONS(
	struct suggest_args, OPT_INCLUDE(struct suggest_args, scope, struct scope, scope_options),
	OPT_FLAG("all", struct suggest_args, all, "also stretches of less than 1% of the GPU time"),
	OPT_INCLUDE(struct suggest_args, rows, struct row_choice, limit_options));

static const struct topic topics_suggest[] = {
	{.table = "suggest",
	 .subject = "annotate annotation instrument",
	 .words = "annotate annotation annotations instrument instrumentation suggest",
	 .questions = "where should I add NVTX ranges\n"
		      "what should I annotate\n"
		      "suggest NVTX annotations\n"
		      "where are annotations missing\n"
		      "how do I instrument this program\n",
	 .row = "{gpu_ns} of GPU time ({gpu_pct}) needs a range '{name}'|: {likely}|, in "
		"'{inside}'|, after '{after}'|, while '{meanwhile}' is open|; add {add}|, or "
		"capture "
		"with {capture}",
	 .by = "gpu_ns",
	 .needs = "code",
	 .none = "there is nothing to add: ranges name all of the GPU time that matters"},
	{0},
};

const struct analysis analysis_suggest = {
	.name = "suggest",
	.title = "NVTX ranges to add",
	.order = "GPU time",
	.summary = "where to add NVTX ranges, and the lines that do",
	.example = "gpuwhy suggest trace.sqlite --limit 3",
	.detail =
		"Stretches of each thread's time that launch GPU work outside any NVTX range, or "
		"in one that is too coarse, and none inside it: one that takes most of the window, "
		"is a whole step, or is around steps. Stretches at the same place (inside, after "
		"and before the "
		"same ranges, in the same part of a step) are one suggestion, with their number, "
		"what the work most likely is, and the line to add. Ranges that libraries open "
		"(CCCL, NCCL, cuBLAS) do not count as yours. Without any range steps and their "
		"parts are found from kernels. Stretches of less than 1% of the GPU time are "
		"left out unless --all is given.",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.options = &suggest_options,
	.human_rows = 4,
	.run = run,
	.topics = topics_suggest,
};
