/* Which of the program's own phases did the GPU work for? */
#include "analysis/cell_values.h"
#include "analysis/numbers/summary.h"
#include "analysis/ranges/range_tree.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "report/chart.h"
#include "text/units.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* Of all GPU time: what is smaller is no more than a hair's breadth in the chart. */
static const double SMALLEST = 0.001;

enum { NODES_MAX = 400 };

static bool is_drawn(const struct range_tree *tree, const struct path *p)
{
	return (double)p->all.ns >= SMALLEST * (double)tree->gpu.ns && p->all.ns > 0;
}

/* A path's parents have at least its time: whoever is drawn stands on somebody who is. */
static void add_chart(struct report *r, const struct range_tree *tree)
{
	uint32_t *node = mem_alloc(tree->count, sizeof(*node));
	size_t count = 0;
	struct chart *c;

	for (size_t i = 0; i < tree->count; i++)
		count += is_drawn(tree, &tree->paths[i]) && count < NODES_MAX;
	if (!tree->has_gpu || !count) {
		free(node);
		return;
	}
	c = report_new_chart(r, CHART_ICICLE, "GPU time by NVTX range", UNIT_NS, count, NULL, 1);
	count = 0;
	for (size_t i = 0; i < tree->count && count < c->count; i++) {
		const struct path *p = &tree->paths[i];

		node[i] = CHART_ROOT;
		if (!is_drawn(tree, p))
			continue;
		node[i] = (uint32_t)count;
		c->labels[count] = range_tree_name(tree, p->name);
		c->parents[count] = p->parent == RANGE_NONE ? CHART_ROOT : node[p->parent];
		*chart_item(c, count) = (double)p->all.ns;
		count++;
	}
	free(node);
}

#define COST_COLUMNS                                                             \
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},                          \
		{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},     \
		{"gpu_self_ns", "GPU self", UNIT_NS, 0, NULL, SHOW},             \
		{"gpu_span_ns", "GPU span", UNIT_NS, 0, NULL, SHOW_IF_ROOM},     \
		{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},           \
		{"gpu_self_ops", "Ops self", UNIT_COUNT, 0, NULL, MACHINE_ONLY}, \
		{"kernel_ns", "Kernel time", UNIT_NS, 0, NULL, MACHINE_ONLY},    \
		{"kernels", "Kernels", UNIT_COUNT, 0, NULL, MACHINE_ONLY},       \
		{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},                   \
		{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},                     \
		{"wall_self_ns", "Wall self", UNIT_NS, 0, NULL, SHOW_PREFERRED}, \
		{"wall_p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_PREFERRED},        \
	{                                                                        \
		"wall_p90_ns", "p90", UNIT_NS, 0, NULL, SHOW_IF_ROOM             \
	}

enum { COSTS = 13 };

static const struct column flat_columns[] = {
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
	COST_COLUMNS,
};

static const struct column tree_columns[] = {
	{"range", "Range", UNIT_NAME, 0, NULL, SHOW},
	{"path", "Path", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"depth", "Depth", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	COST_COLUMNS,
};

static const struct column leftover_columns[] = {
	{"reason", "GPU time outside any NVTX range", UNIT_NAME, 0, "", SHOW},
	{"thread", "Thread", UNIT_NAME, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW_IF_ROOM},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, SHOW},
};

/* What the rows of the answer are made of. */
struct view {
	struct range_tree tree;
	struct summary *walls; /* by path */
	uint32_t *order;
	struct buf path; /* of the row made last */
};

/* Without GPU work or its calls nothing is known of it: that is no zero. */
static void add_costs(const struct range_tree *tree, const struct path *p, const struct summary *s,
		      struct cell *out)
{
	const bool gpu = tree->has_gpu;

	*out++ = gpu ? cell_int(p->all.ns) : cell_null();
	*out++ = gpu ? pct_cell(p->all.ns, tree->gpu.ns) : cell_null();
	*out++ = gpu ? cell_int(p->self.ns) : cell_null();
	*out++ = gpu ? cell_int(p->span_ns) : cell_null();
	*out++ = gpu ? cell_int((int64_t)p->all.ops) : cell_null();
	*out++ = gpu ? cell_int((int64_t)p->self.ops) : cell_null();
	*out++ = gpu ? cell_int(p->all.kernel_ns) : cell_null();
	*out++ = gpu ? cell_int((int64_t)p->all.kernels) : cell_null();
	*out++ = cell_int((int64_t)p->instances);
	*out++ = cell_int(p->wall_ns);
	*out++ = cell_int(p->self_wall_ns);
	*out++ = s->count ? cell_real(s->p50) : cell_null();
	*out++ = s->count ? cell_real(s->p90) : cell_null();
}

/* Paths that end in a name, as one. What a range does inside one of its own name counts once. */
static struct path *sum_by_name(const struct range_tree *tree)
{
	struct path *sums = mem_zalloc(tree->names.count, sizeof(*sums));

	for (size_t i = 0; i < tree->count; i++) {
		const struct path *p = &tree->paths[i];
		struct path *to = &sums[p->name];

		to->instances += p->instances;
		to->wall_ns = sat_add(to->wall_ns, p->wall_ns);
		to->self_wall_ns = sat_add(to->self_wall_ns, p->self_wall_ns);
		to->self.ns = sat_add(to->self.ns, p->self.ns);
		to->self.ops += p->self.ops;
		if (p->repeats)
			continue;
		to->span_ns = sat_add(to->span_ns, p->span_ns);
		to->all.ns = sat_add(to->all.ns, p->all.ns);
		to->all.ops += p->all.ops;
		to->all.kernel_ns = sat_add(to->all.kernel_ns, p->all.kernel_ns);
		to->all.kernels += p->all.kernels;
	}
	return sums;
}

/* Durations of ranges by path or, with by_name, by the name it ends in. */
static struct summary *summarize_walls(const struct range_tree *tree, bool by_name)
{
	size_t groups = by_name ? tree->names.count : tree->count;
	struct summary *sums = mem_alloc(groups, sizeof(*sums));
	uint32_t *group = mem_alloc(tree->range_count, sizeof(*group));

	for (size_t i = 0; i < tree->range_count; i++) {
		uint32_t path = tree->shape.of_range[i];

		group[i] = tree->walls.wall_ns[i] == DURATION_NONE ? GROUP_NONE
			   : by_name				   ? tree->paths[path].name
								   : path;
	}
	summarize(tree->walls.wall_ns, group, tree->range_count, groups, sums);
	free(group);
	return sums;
}

static int add_flat(struct report *r, const struct range_tree *tree, const struct row_choice *c,
		    struct err *e)
{
	struct rows *rows = report_new_rows(r, "nvtx", NULL, flat_columns, ARRAY_LEN(flat_columns));
	struct path *sums = sum_by_name(tree);
	struct summary *walls = summarize_walls(tree, true);
	struct cell costs[COSTS];

	rows->table.kind = "range";
	for (size_t i = 0; i < tree->names.count; i++) {
		if (!path_is_live(&sums[i]))
			continue;
		rows_add(rows, cell_str(range_tree_name(tree, (uint32_t)i)));
		add_costs(tree, &sums[i], &walls[i], costs);
		for (size_t c = 0; c < COSTS; c++)
			rows_add(rows, costs[c]);
	}
	free(walls);
	free(sums);
	return rows_arrange(rows, c, "gpu_ns", e);
}

static void make_tree_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct view *v = (struct view *)ctx;
	uint32_t at = v->order[i];
	const struct path *p = &v->tree.paths[at];

	buf_clear(&v->path);
	range_path_add(&v->path, &v->tree.shape, &v->tree.names, at);
	*out++ = cell_str_in_tree(range_tree_name(&v->tree, p->name), p->depth);
	*out++ = cell_str(buf_str(&v->path));
	*out++ = cell_int(p->depth);
	add_costs(&v->tree, p, &v->walls[at], out);
}

static int add_tree(struct report *r, struct view *v, const struct row_choice *c, struct err *e)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));
	size_t shown, live = 0;

	if (c->sort)
		return err_set(e, ERR_USAGE,
			       "--tree has its own order: depth-first, siblings by GPU time; it "
			       "does not take --sort");
	v->order = range_tree_order(&v->tree, c->limit, &shown);
	v->walls = summarize_walls(&v->tree, false);
	for (size_t i = 0; i < v->tree.count; i++)
		live += path_is_live(&v->tree.paths[i]);
	*table = (struct table){
		.name = "nvtx",
		.kind = "path",
		.columns = tree_columns,
		.column_count = ARRAY_LEN(tree_columns),
		.rows = shown,
		.total_rows = live,
		.row = make_tree_row,
		.ctx = v,
	};
	report_table(r, table);
	return 0;
}

static void add_leftover(struct rows *rows, const struct range_tree *tree, const char *reason,
			 const struct cell thread[3], const struct gpu_sum *sum)
{
	if (!sum->ops)
		return;
	rows_add(rows, cell_text(reason));
	for (int i = 0; i < 3; i++)
		rows_add(rows, thread[i]);
	rows_add(rows, cell_int(sum->ns));
	rows_add(rows, pct_cell(sum->ns, tree->gpu.ns));
	rows_add(rows, cell_int((int64_t)sum->ops));
}

/*
 * What belongs to no range, and why: with the ranges' own time it is all GPU time. The thread tells
 * most: PyTorch launches its backward pass from one of its own, whatever range waits for it.
 */
static int add_leftovers(struct report *r, struct trace *t, const struct range_tree *tree,
			 uint64_t limit, struct err *e)
{
	const struct cell nobody[3] = {cell_null(), cell_null(), cell_null()};
	/* --sort names columns of the other table. */
	const struct row_choice by_time = {.limit = limit};
	struct host_names host_names;
	struct rows *rows;

	if (!tree->has_gpu || tree->gpu.ops == tree->ops_in_ranges)
		return 0;
	if (host_names_read(t, &host_names, e) < 0)
		return -1;
	rows = report_new_rows(r, "unattributed", NULL, leftover_columns,
			       ARRAY_LEN(leftover_columns));
	for (size_t i = 0; i < tree->thread_count; i++) {
		uint64_t key = t->thread_keys.keys[i];
		const struct thread_name *name = host_names_thread(&host_names, key);
		const struct cell thread[3] = {name ? text_or_null(name->name) : cell_null(),
					       cell_int(process_pid(key >> 24)),
					       cell_int(thread_tid(key))};

		add_leftover(rows, tree, "launched outside any NVTX range", thread,
			     &tree->outside[i]);
	}
	add_leftover(rows, tree, "launch call not in the trace", nobody, &tree->no_call);
	host_names_free(&host_names);
	return rows_arrange(rows, &by_time, "gpu_ns", e);
}

static void report_coverage(struct report *r, const struct range_tree *tree, const struct scope *p)
{
	struct buf in = {0}, all = {0};

	if (!tree->has_gpu) {
		range_tree_warn_host_only(r, p);
		return;
	}
	if (!tree->gpu.ops)
		report_warning(r, "no GPU work matches --device, --pid and --trim; `gpuwhy info` "
				  "shows the processes, devices and span of the trace");
	if (tree->kernel_ns <= 0)
		return;
	r->has_coverage = true;
	r->coverage = (double)tree->kernel_in_ranges_ns / (double)tree->kernel_ns;
	units_add_ns(&in, (double)tree->kernel_in_ranges_ns);
	units_add_ns(&all, (double)tree->kernel_ns);
	report_note(r, "%.2f%% of kernel time, %s of %s, was launched inside these ranges",
		    r->coverage * 100, in.s, all.s);
	buf_free(&in);
	buf_free(&all);
}

struct nvtx_args {
	struct table_args table;
	struct fold_args fold;
	bool tree;
};

static void free_view(void *p)
{
	struct view *v = p;

	range_tree_free(&v->tree);
	free(v->walls);
	free(v->order);
	buf_free(&v->path);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct nvtx_args *a = args;
	const struct scope *p = &a->table.scope;
	struct view *v = arena_zalloc(&r->arena, 1, sizeof(*v));
	struct row_choice rows = a->table.rows;

	report_on_free(r, free_view, v);
	if (range_tree_make(t, p, a->fold.no_fold, r, &v->tree, e) < 0)
		return -1;
	if (!v->tree.has_gpu && !a->tree && !rows.sort)
		rows.sort = "wall_ns";
	if (window_report(r, self, t, p, &rows, e) < 0)
		return -1;
	report_coverage(r, &v->tree, p);
	add_chart(r, &v->tree);
	if ((a->tree ? add_tree(r, v, &rows, e) : add_flat(r, &v->tree, &rows, e)) < 0)
		return -1;
	return add_leftovers(r, t, &v->tree, rows.limit, e);
}

static const struct option_group nvtx_options = OPTIONS(
	struct nvtx_args, OPT_INCLUDE(struct nvtx_args, table, struct table_args, table_options),
	OPT_FLAG("tree", struct nvtx_args, tree, "one row per range path, indented"),
	OPT_INCLUDE(struct nvtx_args, fold, struct fold_args, fold_options));

static const struct topic topics_nvtx[] = {
	{.table = "nvtx",
	 .subject = "range forward backward optimizer nvtx",
	 .words = "range ranges nvtx forward backward optimizer attention mlp layer module gpu "
		  "time attributed attribution inside section region annotated",
	 .questions = "how much GPU time does the backward pass take\n"
		      "which range has the most GPU time\n"
		      "how long is the forward pass on the GPU\n"
		      "how much GPU time is in attention\n"
		      "GPU time by NVTX range\n"
		      "compare forward and backward\n"
		      "which layer takes longest on the GPU\n"
		      "how many kernels does the range launch\n"
		      "what share of GPU time is the optimizer\n"
		      "is forward or backward more expensive\n",
	 .row = "{range} has {gpu_ns} of GPU time|, {gpu_pct}|, {kernels} kernels|, in {count} "
		"instances|; {wall_ns} on the host",
	 .by = "gpu_ns",
	 .needs = "code",
	 .none = "there are no NVTX ranges: add them, or capture with --trace=nvtx"},
	{.table = "unattributed",
	 .subject = "outside unannotated coverage",
	 .words = "outside unattributed unannotated uncovered coverage without range",
	 .questions = "how much GPU work is outside of ranges\n"
		      "what share of GPU time is not in any NVTX range\n"
		      "how much is not annotated\n"
		      "how good is the NVTX coverage\n",
	 .row = "{gpu_ns} of GPU time ({gpu_pct}) is in no range|: {reason}|, launched by thread "
		"{thread}",
	 .by = "gpu_ns"},
	{0},
};

const struct analysis analysis_nvtx = {
	.name = "nvtx",
	.title = "NVTX ranges",
	.order = "GPU time",
	.summary = "GPU time attributed to NVTX ranges",
	.example = "gpuwhy nvtx trace.sqlite --tree --limit 20",
	.detail = "A GPU op is attributed to the innermost push/pop range that was open on the "
		  "launching thread when its launch call began. GPU time includes nested ranges, "
		  "GPU self excludes them. GPU span is from the first start to the last end, "
		  "summed over instances. Wall is host time. Counters in names are folded: 'iter "
		  "0' and 'iter 1' become 'iter N'.",
	.needs = NEEDS(TRACE_NVTX),
	.joins = true,
	.options = &nvtx_options,
	.run = run,
	.topics = topics_nvtx,
};
