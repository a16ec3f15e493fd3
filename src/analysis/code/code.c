/* Which source code keeps the GPU waiting? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/code/code_report.h"
#include "analysis/code/code_tree.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

struct code_args {
	struct scope scope;
	struct row_choice rows;
	enum code_by by;
	bool tree;
};

static const struct option_word by_words[] = {{"line", CODE_BY_LINE},
					      {"function", CODE_BY_FUNCTION},
					      {"file", CODE_BY_FILE},
					      {"module", CODE_BY_MODULE},
					      {NULL, 0}};

static const struct option options[] = {
	OPT_INCLUDE(struct code_args, scope, struct scope, scope_options),
	OPT_WORD("by", struct code_args, by, by_words, "what a row is about"),
	OPT_FLAG("tree", struct code_args, tree, "show stacks, outermost frame first"),
	OPT_INCLUDE(struct code_args, rows, struct row_choice, row_options),
	OPT_END(),
};

static int check_options(const void *args, const char *command, struct err *e)
{
	const struct code_args *a = args;

	(void)command;
	if (a->tree && a->by != CODE_BY_LINE)
		return err_set(e, ERR_USAGE, "--tree shows lines: leave out --tree or --by");
	return 0;
}

static const struct option_group code_options = {options, sizeof(struct code_args), check_options,
						 NULL};

static const struct column columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW_IF_ROOM},
	{"function", "Function", UNIT_NAME, 0, "", SHOW},
	{"place", "Place", UNIT_NAME, 0, NULL, SHOW},
	{"idle_ns", "GPU idle", UNIT_NS, 0, NULL, SHOW},
	{"idle_pct", "% of idle", UNIT_PERCENT, 0, NULL, SHOW},
	{"idle_self_ns", "Idle self", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"idle_total_ns", "Idle with callees", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"host_ns", "Host time", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"gpu_ns", "GPU time launched", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"down_to", "Mostly in", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"owner", "Code", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"file", "File", UNIT_NAME, 0, "file:", MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, "line:", MACHINE_ONLY},
};

static const struct column thread_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"thread", "Thread", UNIT_NAME, 0, NULL, SHOW},
	{"idle_ns", "GPU idle", UNIT_NS, 0, NULL, SHOW},
	{"sampled_ns", "Sampled", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"unsampled_ns", "Not sampled", UNIT_NS, 0, NULL, SHOW},
	{"source", "Samples of", UNIT_NAME, 0, NULL, SHOW},
	{"samples", "Samples", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"period_ns", "Period", UNIT_NS, 0, NULL, SHOW_PREFERRED},
};

/* What a place has; of each thread by itself. */
struct place_time {
	uint32_t thread, place;
	int64_t idle_ns;  /* in it or below, and nothing that is yours is below */
	int64_t self_ns;  /* it is the innermost */
	int64_t total_ns; /* in it or below */
	int64_t host_ns;  /* the same, whether a GPU was idle or not */
	int64_t gpu_ns;	  /* launched in it, and not in what is yours below */
	uint32_t mostly;  /* of what is below it: the innermost frame with the most idle time */
	int64_t mostly_ns;
};

struct place_sums {
	struct places places;
	struct idmap numbers; /* thread and place */
	struct place_time *all;
	size_t cap;
	struct idmap leaves; /* number of a place's sum, and innermost frame */
	int64_t *leaf_ns;
	size_t leaf_cap;
	uint32_t *met; /* by place: the round in which it was met last */
};

static struct place_time *sum_of(struct place_sums *s, uint32_t thread, uint32_t place)
{
	const size_t known = s->numbers.count;
	const uint32_t number = idmap_number_pair(&s->numbers, thread, place);

	if (number == known) {
		MEM_GROW(s->all, s->cap, known + 1);
		s->all[number] = (struct place_time){.thread = thread, .place = place};
	}
	return &s->all[number];
}

/* Which innermost frame has the most of a place's time is known once all were added. */
static void add_leaf(struct place_sums *s, struct place_time *to, uint32_t leaf, int64_t ns)
{
	const size_t known = s->leaves.count;
	const uint32_t number = idmap_number_pair(&s->leaves, (uint32_t)(to - s->all), leaf);

	if (number == known) {
		MEM_GROW(s->leaf_ns, s->leaf_cap, known + 1);
		s->leaf_ns[number] = 0;
	}
	s->leaf_ns[number] += ns;
	if (s->leaf_ns[number] > to->mostly_ns) {
		to->mostly_ns = s->leaf_ns[number];
		to->mostly = leaf;
	}
}

/* A function that calls itself has the time once. */
static bool is_first(struct place_sums *s, uint32_t place, uint32_t round)
{
	const bool first = s->met[place] != round;

	s->met[place] = round;
	return first;
}

static void add_stack(struct place_sums *s, const struct stack_time *time, uint32_t round)
{
	const struct stacks *stacks = s->places.stacks;
	const uint32_t leaf = stacks->frame[time->stack];
	struct place_time *yours =
		sum_of(s, time->thread, s->places.of_frame[places_yours(&s->places, time->stack)]);

	yours->idle_ns += time->idle_ns;
	yours->gpu_ns = sat_add(yours->gpu_ns, time->gpu_ns);
	if (time->idle_ns)
		add_leaf(s, yours, leaf, time->idle_ns);
	sum_of(s, time->thread, s->places.of_frame[leaf])->self_ns += time->idle_ns;
	for (uint32_t at = time->stack; at != STACK_NONE; at = stacks->caller[at]) {
		const uint32_t place = s->places.of_frame[stacks->frame[at]];
		struct place_time *to;

		if (!is_first(s, place, round))
			continue;
		to = sum_of(s, time->thread, place);
		to->total_ns += time->idle_ns;
		to->host_ns += time->host_ns;
	}
}

static void sum_places(struct place_sums *s, const struct trace *t, const struct code_times *c,
		       enum code_by by)
{
	*s = (struct place_sums){0};
	places_make(&s->places, t, &c->code.stacks, by);
	s->met = mem_zalloc(s->places.count, sizeof(*s->met));
	for (size_t i = 0; i < c->count; i++)
		add_stack(s, &c->all[i], (uint32_t)i + 1);
}

static void free_places(struct place_sums *s)
{
	places_free(&s->places);
	idmap_free(&s->numbers);
	idmap_free(&s->leaves);
	free(s->all);
	free(s->leaf_ns);
	free(s->met);
}

/* "metrics_log.py:8"; where lines are not asked for, the file alone. */
static struct str place_text(struct arena *a, const struct places *p, uint32_t place)
{
	return p->by == CODE_BY_LINE ? frame_place(a, p, &p->stacks->frames[p->example[place]])
				     : place_base_name(place_file(p, place));
}

static struct cell frame_cell(const struct places *p, uint32_t frame)
{
	const struct frame *f = &p->stacks->frames[frame];
	const struct str name = f->function == NAME_NONE ? place_base_name(frame_file(p, f))
							 : trace_name(p->trace, f->function);

	return name.len ? cell_str(function_shown(name)) : cell_null();
}

static void add_place(struct report *r, struct rows *rows, const struct place_sums *s,
		      const struct place_time *t, const struct code_times *c)
{
	const struct places *p = &s->places;
	const struct str function = place_function(p, t->place);
	const bool leads_down = t->mostly_ns && p->of_frame[t->mostly] != t->place;
	const uint32_t line = place_line(p, t->place);

	rows_add(rows, pid_cell(p->trace, t->thread));
	rows_add(rows, tid_cell(p->trace, t->thread));
	rows_add(rows, text_or_null(function_shown(function)));
	rows_add(rows, text_or_null(place_text(&r->arena, p, t->place)));
	rows_add(rows, cell_int(t->idle_ns));
	rows_add(rows, pct_cell(t->idle_ns, c->idle_ns));
	rows_add(rows, cell_int(t->self_ns));
	rows_add(rows, cell_int(t->total_ns));
	rows_add(rows, cell_int(t->host_ns));
	rows_add(rows, code_has_calls(&c->code) ? cell_int(t->gpu_ns) : cell_null());
	rows_add(rows, leads_down ? frame_cell(p, t->mostly) : cell_null());
	rows_add(rows, cell_text(code_owner_names[p->owner[p->example[t->place]]]));
	rows_add(rows, text_or_null(place_file(p, t->place)));
	rows_add(rows, line ? cell_int(line) : cell_null());
}

/* What no sample stands for is nobody's, and so are gaps of which nobody knows who was to end them.
 */
static void add_unknown(struct rows *rows, const struct trace *t, const struct code_times *c,
			uint32_t thread, int64_t ns)
{
	if (!ns)
		return;
	rows_add(rows, pid_cell(t, thread));
	rows_add(rows, tid_cell(t, thread));
	rows_add(rows, cell_text(thread == ID_NONE ? CODE_UNKNOWN_THREAD : CODE_NO_SAMPLE));
	rows_add(rows, cell_null());
	rows_add(rows, cell_int(ns));
	rows_add(rows, pct_cell(ns, c->idle_ns));
	for (size_t i = 6; i < ARRAY_LEN(columns); i++)
		rows_add(rows, cell_null());
}

static int add_code(struct report *r, struct trace *t, const struct code_times *c,
		    const struct code_args *a, const char *title, struct err *e)
{
	struct rows *rows = report_new_rows(r, "code", title, columns, ARRAY_LEN(columns));
	struct place_sums s;

	sum_places(&s, t, c, a->by);
	for (size_t i = 0; i < s.numbers.count; i++)
		add_place(r, rows, &s, &s.all[i], c);
	for (uint32_t i = 0; i < c->thread_count; i++)
		add_unknown(rows, t, c, i, c->threads[i].idle_ns - c->threads[i].sampled_ns);
	add_unknown(rows, t, c, ID_NONE, c->unknown_ns);
	free_places(&s);
	rows_hide_empty(rows);
	return rows_arrange(rows, &a->rows, code_has_samples(&c->code) ? "idle_ns" : "gpu_ns", e);
}

int code_top_report(struct report *r, struct trace *t, const struct scope *p, uint64_t lines,
		    struct err *e)
{
	const struct code_args a = {.rows = {.limit = lines}};
	const struct code_times *c;

	if (code_times_read(t, p, r, &c, e) < 0)
		return -1;
	return code_has_samples(&c->code)
		       ? add_code(r, t, c, &a, "Source lines that keep the GPU waiting", e)
		       : 0;
}

static void add_thread(struct rows *rows, const struct trace *t, uint32_t number,
		       const struct code_thread *thread, struct cell name, const char *source)
{
	const struct sampled_thread *of = thread->samples.of;

	if (!thread->idle_ns)
		return;
	rows_add(rows, pid_cell(t, number));
	rows_add(rows, tid_cell(t, number));
	rows_add(rows, name);
	rows_add(rows, cell_int(thread->idle_ns));
	rows_add(rows, cell_int(thread->sampled_ns));
	rows_add(rows, cell_int(thread->idle_ns - thread->sampled_ns));
	rows_add(rows, cell_text(source));
	rows_add(rows, cell_int(of ? (int64_t)(of->end - of->begin) : 0));
	rows_add(rows, of ? cell_int(of->period_ns) : cell_null());
}

static void add_threads(struct report *r, struct trace *t, const struct code_times *c,
			const struct host_names *names)
{
	struct rows *rows = report_new_rows(r, "code_threads", "Threads that launch",
					    thread_columns, ARRAY_LEN(thread_columns));
	const struct code_thread unknown = {.idle_ns = c->unknown_ns};

	for (uint32_t i = 0; i < c->thread_count; i++) {
		const struct code_thread *thread = &c->threads[i];
		const struct thread_name *name = host_names_thread(names, t->thread_keys.keys[i]);
		const struct samples *list = thread->samples.list;

		add_thread(rows, t, i, thread, name ? cell_str(name->name) : cell_null(),
			   !list		     ? "none"
			   : list == &c->code.native ? "cpu"
						     : "python");
	}
	add_thread(rows, t, ID_NONE, &unknown, cell_text(CODE_UNKNOWN_THREAD), "none");
	rows_hide_empty(rows);
}

/* Without samples nobody knows what a thread did; without backtraces, what a line launched. */
static int require_samples(const struct code *c, struct err *e)
{
	if (code_has_samples(c) || code_has_calls(c))
		return 0;
	if (c->python[PAYLOAD_SAMPLE].without_stack || c->native.without_stack)
		err_set(e, ERR_INPUT,
			"the samples of this export have no stacks: export it with nsys export "
			"--include-blobs=true, or capture with --backtrace=lbr or dwarf");
	else
		err_set(e, ERR_INPUT,
			"no samples of the host in this trace: capture with nsys profile "
			"--python-sampling=true (Python) or --sample=process-tree, and export with "
			"--include-blobs=true");
	e->absent = true;
	return -1;
}

/* The title, and the picture of the tree. */
static const struct code_tree *begin_answer(const struct analysis *self, struct trace *t,
					    const struct scope *p, const struct code_times *c,
					    const struct host_names *names, bool by_gpu,
					    struct report *r)
{
	const struct code_tree *tree = code_tree_make(r, t, c, names, by_gpu);

	time_window_report(r, self, &c->timeline, p);
	code_tree_chart(r, tree);
	return tree;
}

int code_tree_report(const struct analysis *self, struct trace *t, const struct scope *p,
		     uint64_t limit, struct report *r, bool *ret, struct err *e)
{
	struct host_names names = {0};
	const struct code_times *c;

	if (code_times_read(t, p, r, &c, e) < 0)
		return -1;
	*ret = code_has_samples(&c->code) || code_has_calls(&c->code);
	if (!*ret)
		return 0;
	if (host_names_read(t, &names, e) < 0)
		return -1;
	code_tree_table(r, begin_answer(self, t, p, c, &names, true, r), limit);
	host_names_free(&names);
	return 0;
}

/* What samples say nothing with, of those that are looked at. */
static void note_left_out(struct report *r, const struct code *c)
{
	const struct samples *python = &c->python[PAYLOAD_SAMPLE];
	const struct samples *s = python->count ? python : &c->native;

	if (s->count && s->without_stack)
		report_note(r,
			    "%zu of %zu samples are left out: their stacks were not recorded, or "
			    "are broken.",
			    s->without_stack, s->without_stack + s->count);
}

static int answer(const struct analysis *self, struct trace *t, const struct code_args *a,
		  const struct code_times *c, struct report *r, struct err *e)
{
	struct host_names names = {0};
	int result = require_samples(&c->code, e);

	if (result == 0)
		result = host_names_read(t, &names, e);
	if (result == 0) {
		const struct code_tree *tree =
			begin_answer(self, t, &a->scope, c, &names, false, r);

		if (a->tree || r->trees_only)
			code_tree_table(r, tree, a->rows.has_limit ? a->rows.limit : 0);
		else
			result = add_code(r, t, c, a, NULL, e);
	}
	if (result == 0 && !a->tree)
		add_threads(r, t, c, &names);
	if (result == 0)
		note_left_out(r, &c->code);
	if (c->code.python[PAYLOAD_SAMPLE].without_stack && !c->code.python[PAYLOAD_SAMPLE].count)
		report_warning(r, "Python was sampled, but this export has no stacks of these "
				  "samples: export it with nsys export --include-blobs=true");
	host_names_free(&names);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct code_args *a = args;
	const struct code_times *c;

	if (a->by != CODE_BY_LINE && r->trees_only)
		return err_set(e, ERR_USAGE, "--format folded writes lines: leave out --by");
	if (code_times_read(t, &a->scope, r, &c, e) < 0)
		return -1;
	return answer(self, t, a, c, r, e);
}

static const struct topic topics_code[] = {
	{.table = "code",
	 .subject = "line source code function",
	 .words = "code source line lines file function python script stack sample samples where "
		  "in my code program call site frame",
	 .questions = "which line of code keeps the GPU waiting\n"
		      "where in my code is the time lost\n"
		      "which Python line is slow\n"
		      "what source line causes the gaps\n"
		      "show me the code behind the idle time\n"
		      "which Python function takes the most host time\n",
	 .row = "{function}| ({place})| has {idle_ns} of idle GPU time|, {idle_pct} of it|, and "
		"{host_ns} of host time",
	 .by = "idle_ns",
	 .needs = "lines"},
	{0},
};

const struct analysis analysis_code = {
	.name = "code",
	.title = "Source code that keeps the GPU waiting",
	.order = "GPU idle time",
	.summary = "source lines by the GPU idle time that passes in them",
	.example = "gpuwhy code sampled.sqlite --by function",
	.detail =
		"Samples of the thread that launches the next op say where it was while the GPU "
		"was idle: Python's samples where it has any (nsys profile "
		"--python-sampling=true), else those of the CPU (--sample=process-tree). A sample "
		"stands for half of the way to those before and after it, on each side for one "
		"period at most. What no sample covers is a row of its own, and so are gaps of "
		"which the capture does not show who was to launch.\n\n"
		"GPU idle belongs to your code: the innermost frame that is outside the standard "
		"library, installed packages and native libraries, or the innermost of a package "
		"where none is. Mostly in names the innermost frame below it. Idle self is of "
		"the innermost frame, Idle with callees of every frame of the stack, and so is "
		"Host time, which counts whether a GPU was idle or not.\n\n"
		"--format folded writes the tree for flame graphs: the time off the GPU. "
		"--format html draws it.",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.options = &code_options,
	.is_tree = true,
	.run = run,
	.topics = topics_code,
};
