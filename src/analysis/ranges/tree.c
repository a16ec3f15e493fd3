/* Which ranges did each thread go through, and what did they launch? */
#include "analysis/cell_values.h"
#include "analysis/code/code_report.h"
#include "analysis/ranges/call_tree.h"
#include "analysis/ranges/call_tree_text.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/name_pattern.h"
#include "text/units.h"
#include "trace/system/machine.h"

#include <stdio.h>
#include <stdlib.h>

static const struct column columns[] = {
	{"name", "Name", UNIT_KERNEL, 0, NULL, SHOW},
	{"path", "Path", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"depth", "Depth", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"kind", "Kind", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"wall_self_ns", "Wall self", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu_self_ns", "GPU self", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"gpu_ops", "Ops", UNIT_COUNT, 0, NULL, SHOW},
};

enum { COLUMN_WALL = 6, COLUMN_GPU = 8 };

struct view {
	struct call_tree tree;
	struct call_tree_text text;
	uint32_t *order;
	struct call_tree_shown shown;
	struct buf path; /* of the row made last */
};

static const char *const kinds[] = {
	[CALL_NODE_THREAD] = "thread",	 [CALL_NODE_RANGE] = "range",
	[CALL_NODE_OUTSIDE] = "outside", [CALL_NODE_NO_CALL] = "no_call",
	[CALL_NODE_OP] = "op",
};

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct view *v = (struct view *)ctx;
	const struct call_node *n = &v->tree.nodes[v->order[i]];
	const bool gpu = v->tree.has_gpu, op = n->kind == CALL_NODE_OP;
	const bool wall = n->kind == CALL_NODE_RANGE || n->kind == CALL_NODE_THREAD;

	buf_clear(&v->path);
	call_tree_text_add_path(&v->text, &v->path, v->order[i]);
	*out = op && n->op_kind == TRACE_KERNELS ? cell_str(call_tree_text(&v->text, n))
						 : cell_literal(call_tree_text(&v->text, n));
	out->depth = (unsigned char)n->depth;
	out++->more = v->shown.more[i];
	*out++ = cell_str(buf_str(&v->path));
	*out++ = cell_int(n->depth);
	*out++ = cell_text(kinds[n->kind]);
	*out++ = n->instances ? cell_int((int64_t)n->instances) : cell_null();
	*out++ = cell_int(n->start_ns);
	*out++ = wall ? cell_int(n->wall_ns) : cell_null();
	*out++ = n->kind == CALL_NODE_RANGE ? cell_int(n->self_wall_ns) : cell_null();
	*out++ = gpu ? cell_int(n->gpu_ns) : cell_null();
	*out++ = gpu ? pct_cell(n->gpu_ns, v->tree.gpu_ns) : cell_null();
	*out++ = gpu ? cell_int(op ? n->gpu_ns : n->self_ns) : cell_null();
	*out++ = gpu ? cell_int((int64_t)n->gpu_ops) : cell_null();
}

/* A thread by its number, or by its name. */
static int choose_threads(struct view *v, struct trace *t, const char *wanted, bool **ret,
			  struct err *e)
{
	struct pattern *pattern;
	bool any = false;
	int found = 0;

	*ret = NULL;
	if (!wanted)
		return 0;
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_THREAD), e) < 0 ||
	    trace_load(t, TRACE_API, COL_BIT(COL_THREAD), e) < 0 ||
	    name_pattern_compile(&pattern, str_of(wanted), e) < 0)
		return -1;
	*ret = mem_zalloc(t->thread_keys.count, sizeof(**ret));
	for (size_t i = 0; i < t->thread_keys.count && found >= 0; i++) {
		const uint64_t key = t->thread_keys.keys[i];
		const struct thread_name *name = host_names_thread(&v->text.host_names, key);
		char tid[16];

		snprintf(tid, sizeof(tid), "%u", thread_tid(key));
		found = strcmp(tid, wanted) == 0 ? 1
			: name			 ? pattern_match(pattern, name->name, e)
						 : 0;
		(*ret)[i] = found > 0;
		any |= found > 0;
	}
	pattern_free(pattern);
	if (found < 0)
		return -1;
	if (any)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has no thread '%s' that called CUDA or opened ranges", t->path,
		wanted);
	return err_hint(e, "gpuwhy tree without --thread lists them");
}

static void add_count(struct buf *b, size_t n, const char *what)
{
	units_add_count(b, (int64_t)n);
	buf_addf(b, " %s%s", what, n == 1 ? "" : "s");
}

static void remark_merged(struct report *r, const struct call_tree *tree)
{
	struct buf b = {0};

	if (tree->range_count)
		add_count(&b, tree->range_count, "range");
	if (tree->op_count) {
		buf_adds(&b, b.len ? " and " : "");
		add_count(&b, tree->op_count, "op");
	}
	report_note(r, "%s, so ranges with the same path are merged; --instances shows each", b.s);
	buf_free(&b);
}

static void remark_hidden(struct report *r, const struct tree_args *a,
			  const struct call_tree_shown *shown)
{
	struct buf b = {0};

	if (shown->small) {
		add_count(&b, shown->small, "node");
		report_note(r,
			    "%s below %g ms on the host and on the GPU %s not shown, but counted "
			    "in the sums",
			    b.s, (double)a->min_ns / 1e6, shown->small == 1 ? "is" : "are");
		buf_clear(&b);
	}
	if (shown->deep) {
		add_count(&b, shown->deep, "node");
		report_warning(r,
			       "%s more than %d ranges deep %s not shown, but counted in the sums",
			       b.s, CALL_TREE_DEEPEST, shown->deep == 1 ? "is" : "are");
	}
	buf_free(&b);
}

static void add_remarks(struct report *r, const struct view *v, const struct tree_args *a)
{
	const size_t open = v->tree.trace->never_closed_count;

	if (v->tree.merged && !a->merge)
		remark_merged(r, &v->tree);
	remark_hidden(r, a, &v->shown);
	if (open)
		report_warning(r,
			       "%zu range%s never closed: assumed to end with the last closed one",
			       open, open == 1 ? " was" : "s were");
	if (!v->tree.has_gpu)
		report_warning(r, "the trace has no GPU work: host times only");
}

static void add_tree(struct report *r, const struct view *v)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = "tree",
		.kind = "node",
		.columns = columns,
		.column_count = ARRAY_LEN(columns),
		.rows = v->shown.count,
		.total_rows = v->shown.all,
		.row = make_row,
		.ctx = v,
		.tree = true,
		.weight = v->tree.has_gpu ? COLUMN_GPU : COLUMN_WALL,
	};
	report_table(r, table);
}

static void free_view(void *p)
{
	struct view *v = p;

	call_tree_free(&v->tree);
	call_tree_text_free(&v->text);
	free(v->order);
	free(v->shown.more);
	buf_free(&v->path);
}

static int check_options(const void *args, const char *command, struct err *e)
{
	const struct tree_args *a = args;

	(void)command;
	if (a->merge && a->instances)
		return err_set(e, ERR_USAGE,
			       "--merge and --instances contradict each other: give one");
	if (a->kernels && a->no_ops)
		return err_set(e, ERR_USAGE,
			       "--kernels and --no-kernels contradict each other: give one");
	return 0;
}

static const struct option_word orders[] = {
	{"time", TREE_BY_TIME}, {"start", TREE_BY_START}, {NULL, 0}};

static const struct option options[] = {
	OPT_INCLUDE(struct tree_args, table.scope, struct scope, scope_options),
	OPT_COUNT("depth", struct tree_args, depth, 1, UINT32_MAX, "1 or more",
		  "maximum nesting depth"),
	{.type = OPTION_MILLISECONDS,
	 .name = "min-ms",
	 .value = "X",
	 OPT_MEMBER(struct tree_args, min_ns, int64_t),
	 .help = "only ranges with at least this host or GPU time"},
	OPT_TEXT("thread", struct tree_args, thread, "T", "a thread's number or name",
		 "only this thread: tid, or a pattern for its name"),
	OPT_FLAG("merge", struct tree_args, merge, "merge ranges with the same path"),
	OPT_FLAG("instances", struct tree_args, instances, "show every range separately"),
	OPT_FLAG("kernels", struct tree_args, kernels, "show GPU ops as leaves (default)"),
	OPT_FLAG("no-kernels", struct tree_args, no_ops, "show ranges only"),
	OPT_INCLUDE(struct tree_args, fold, struct fold_args, fold_options),
	OPT_WORD("sort", struct tree_args, order, orders,
		 "order of siblings: by time (default) or by start"),
	OPT_INCLUDE(struct tree_args, table.rows, struct row_choice, limit_options),
	OPT_END(),
};
static const struct option_group tree_options = {options, sizeof(struct tree_args), check_options,
						 NULL};

static int look_for_ranges(struct trace *t, bool *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	*ret = false;
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_EVENT_TYPE), e) < 0)
		return -1;
	for (uint64_t i = 0; ev->event_type && i < ev->count && !*ret; i++)
		*ret = nvtx_is_range(ev->event_type[i]);
	return 0;
}

/* What only a tree of ranges has. */
static bool asks_for_ranges(const struct tree_args *a)
{
	return a->depth || a->min_ns || a->thread || a->merge || a->instances || a->kernels ||
	       a->no_ops || a->order == TREE_BY_START;
}

/* Without ranges the source code says where work came from, where the capture shows it. */
static int run_by_source(const struct analysis *self, struct trace *t, const struct tree_args *a,
			 struct report *r, bool *ret, struct err *e)
{
	struct analysis by_source = *self;

	by_source.title = "Source code by stack (no NVTX ranges in this trace)";
	if (code_tree_report(&by_source, t, &a->table.scope, a->table.rows.limit, r, ret, e) < 0) {
		/* No GPU work, or none that is asked for: the tree of ranges says so. */
		if (e->code != ERR_INPUT)
			return -1;
		*e = (struct err){0};
		*ret = false;
	}
	if (*ret)
		report_note(r, "--kernels shows the GPU ops of each thread by name instead");
	return 0;
}

static int run_by_range(const struct analysis *self, struct trace *t, const struct tree_args *a,
			struct report *r, struct err *e)
{
	const struct scope *p = &a->table.scope;
	struct view *v = arena_zalloc(&r->arena, 1, sizeof(*v));
	const struct row_choice by_start = {.sort = "start"};
	SCOPED bool *threads = NULL;

	report_on_free(r, free_view, v);
	if (window_report(r, self, t, p, a->order == TREE_BY_START ? &by_start : NULL, e) < 0 ||
	    call_tree_text_make(&v->text, &v->tree, t, e) < 0 ||
	    choose_threads(v, t, a->thread, &threads, e) < 0 ||
	    call_tree_make(t, a, threads, r, &v->tree, e) < 0)
		return -1;
	v->order = call_tree_order(&v->tree, a, &v->shown);
	add_remarks(r, v, a);
	add_tree(r, v);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct tree_args *a = args;
	bool has_ranges, is_known = false;

	if (look_for_ranges(t, &has_ranges, e) < 0)
		return -1;
	if (!has_ranges && !asks_for_ranges(a) && run_by_source(self, t, a, r, &is_known, e) < 0)
		return -1;
	if (is_known)
		return 0;
	if (run_by_range(self, t, a, r, e) < 0)
		return -1;
	if (!has_ranges)
		report_note(r, "no NVTX ranges in this trace: add some, or record where the host "
			       "is, with nsys profile --python-sampling=true (Python) or "
			       "--sample=process-tree, and nsys export --include-blobs=true");
	return 0;
}

static const struct topic topics_tree[] = {
	{.subject = "tree hierarchy",
	 .words =
		 "tree hierarchy nested nesting structure parents children call stack inside under",
	 .questions = "show the hierarchy of ranges\n"
		      "what is the structure of the NVTX ranges\n"
		      "which ranges are inside forward\n"
		      "show the tree of ranges with their kernels\n"
		      "how are the ranges nested\n"},
	{0},
};

const struct analysis analysis_tree = {
	.name = "tree",
	.span = SPAN_ALL,
	.title = "NVTX ranges and the GPU ops they launched",
	.summary = "each thread's NVTX ranges as a tree, with their GPU ops as leaves",
	.example = "gpuwhy tree trace.sqlite --depth 4 -o stacks.folded",
	.detail = "GPU time includes ops of nested ranges, GPU self excludes them; Wall is host "
		  "time. With --merge, or if there are many ranges, ranges with the same path are "
		  "merged and counters in names folded ('iter 0' and 'iter 1' become 'iter N'). "
		  "--format folded writes collapsed stacks for speedscope and flamegraph.pl.\n\n"
		  "A trace without NVTX ranges has a tree of its source code instead, as `gpuwhy "
		  "code --tree` has, where threads were sampled or CUDA calls have backtraces; "
		  "options about ranges ask for the tree of ranges.",
	.needs_any = NEEDS(TRACE_NVTX) | NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) |
		     NEEDS(TRACE_MEMSETS) | NEEDS(TRACE_GRAPHS),
	.options = &tree_options,
	.human_rows = 60,
	.is_tree = true,
	.run = run,
	.topics = topics_tree,
};
