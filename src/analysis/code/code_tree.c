/* Who called whom while the GPU was idle? */
#include "analysis/code/code_tree.h"

#include "analysis/cell_values.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { DEEPEST = 200, COLUMN_IDLE = 4, COLUMN_GPU = 10 };

/* Beside the stacks of a thread; there are never so many of these. */
#define STACK_UNSAMPLED (STACK_NONE - 1)

static const struct column columns[] = {
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"path", "Path", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"depth", "Depth", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"kind", "Kind", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"idle_ns", "GPU idle", UNIT_NS, 0, NULL, SHOW},
	{"idle_pct", "% of idle", UNIT_PERCENT, 0, NULL, SHOW},
	{"idle_self_ns", "Idle self", UNIT_NS, 0, NULL, SHOW},
	{"host_ns", "Host time", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"file", "File", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, NULL, MACHINE_ONLY},
	/* The last one: it is left out where no CUDA call has a backtrace. */
	[COLUMN_GPU] = {"gpu_ns", "GPU time launched", UNIT_NS, 0, NULL, SHOW},
};

static const char *const kinds[] = {
	[CODE_NODE_THREAD] = "thread",
	[CODE_NODE_FRAME] = "frame",
	[CODE_NODE_NO_SAMPLE] = "no_sample",
};

static enum code_node_kind kind_of(uint32_t stack)
{
	if (stack == STACK_UNSAMPLED)
		return CODE_NODE_NO_SAMPLE;
	return stack == STACK_NONE ? CODE_NODE_THREAD : CODE_NODE_FRAME;
}

/* Callers are met first: a node's number is larger than its parent's. */
static uint32_t node_of(struct code_tree *t, uint32_t thread, uint32_t stack, uint32_t parent)
{
	const size_t known = t->numbers.count;
	const uint32_t number = idmap_number_pair(&t->numbers, thread, stack);

	if (number == known) {
		MEM_GROW(t->nodes, t->cap, known + 1);
		t->nodes[number] = (struct code_node){
			.kind = kind_of(stack),
			.thread = thread,
			.stack = stack,
			.parent = parent,
			.depth = parent == NODE_NONE ? 0 : t->nodes[parent].depth + 1};
	}
	return number;
}

/* What is called from deeper than can be shown is the time of who calls it. */
static uint32_t node_of_stack(struct code_tree *t, uint32_t thread, uint32_t stack)
{
	uint32_t path[STACK_DEPTH];
	uint32_t node = node_of(t, thread, STACK_NONE, NODE_NONE);
	size_t depth = 0;

	for (; stack != STACK_NONE && depth < STACK_DEPTH; stack = t->stacks->caller[stack])
		path[depth++] = stack;
	for (size_t i = 0; depth-- && i < DEEPEST; i++)
		node = node_of(t, thread, path[depth], node);
	return node;
}

/* What is not known stands beside the stacks, so that all adds up. */
static void add_unsampled(struct code_tree *t, uint32_t thread, int64_t ns)
{
	uint32_t node;

	if (!ns)
		return;
	node = node_of(t, thread, STACK_NONE, NODE_NONE);
	node = node_of(t, thread, STACK_UNSAMPLED, node);
	t->nodes[node].self_ns += ns;
}

static void sum_up(struct code_tree *t)
{
	for (size_t i = t->numbers.count; i--;) {
		struct code_node *n = &t->nodes[i];

		n->idle_ns += n->self_ns;
		if (n->parent == NODE_NONE)
			continue;
		t->nodes[n->parent].idle_ns += n->idle_ns;
		t->nodes[n->parent].host_ns += n->host_ns;
		t->nodes[n->parent].gpu_ns = sat_add(t->nodes[n->parent].gpu_ns, n->gpu_ns);
	}
}

static void add_times(struct code_tree *t, const struct code_times *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct stack_time *s = &c->all[i];
		const uint32_t node = node_of_stack(t, s->thread, s->stack);

		t->nodes[node].self_ns += s->idle_ns;
		t->nodes[node].host_ns += s->host_ns;
		t->nodes[node].gpu_ns = sat_add(t->nodes[node].gpu_ns, s->gpu_ns);
	}
	for (uint32_t i = 0; i < c->thread_count; i++)
		add_unsampled(t, i, c->threads[i].idle_ns - c->threads[i].sampled_ns);
	if (c->unknown_ns) {
		const uint32_t unknown = node_of(t, ID_NONE, STACK_NONE, NODE_NONE);

		t->nodes[unknown].self_ns = c->unknown_ns;
	}
	sum_up(t);
}

static int compare_times(int64_t a_ns, int64_t b_ns)
{
	return (a_ns < b_ns) - (a_ns > b_ns);
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct code_tree *t = ctx;
	const struct code_node *n = &t->nodes[*(const uint32_t *)a];
	const struct code_node *m = &t->nodes[*(const uint32_t *)b];
	const int by_idle = compare_times(n->idle_ns, m->idle_ns);
	const int by_gpu = compare_times(n->gpu_ns, m->gpu_ns);

	if (n->parent != m->parent)
		return n->parent < m->parent ? -1 : 1;
	return t->by_gpu && by_gpu ? by_gpu : by_idle ? by_idle : by_gpu;
}

/* Siblings stand together: each node is put behind its parent, with all below it. */
static void order_nodes(struct code_tree *t)
{
	const size_t count = t->numbers.count;
	uint32_t *sorted = mem_alloc(count, sizeof(*sorted));
	uint32_t *first = mem_alloc(count, sizeof(*first)), *waiting, top = 0;

	waiting = mem_alloc(count, sizeof(*waiting));
	t->order = mem_alloc(count, sizeof(*t->order));
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = i;
		first[i] = NODE_NONE;
	}
	sort_stable(sorted, count, sizeof(*sorted), compare_nodes, t);
	for (uint32_t i = (uint32_t)count; i--;) {
		const uint32_t parent = t->nodes[sorted[i]].parent;

		if (parent == NODE_NONE)
			waiting[top++] = sorted[i];
		else
			first[parent] = i;
	}
	while (top) {
		const uint32_t node = waiting[--top];
		uint32_t end = first[node];

		if (t->nodes[node].idle_ns || t->nodes[node].gpu_ns)
			t->order[t->count++] = node;
		while (end < count && t->nodes[sorted[end]].parent == node)
			end++;
		for (; end > first[node]; end--)
			waiting[top++] = sorted[end - 1];
	}
	free(sorted);
	free(first);
	free(waiting);
}

static struct str thread_text(struct arena *a, const struct trace *t, uint32_t thread,
			      const struct host_names *names)
{
	const struct thread_name *name;
	struct str text;
	uint64_t key;

	if (thread == ID_NONE)
		return STR_LIT(CODE_UNKNOWN_THREAD);
	key = t->thread_keys.keys[thread];
	name = host_names_thread(names, key);
	text = name && name->name.len ? name->name : STR_LIT("thread");
	return str_of(arena_printf(a, "%.*s (pid %u, tid %u)", STR_FMT(text),
				   process_pid(key >> 24), thread_tid(key)));
}

static struct str node_text(const struct code_tree *t, struct arena *a, const struct code_node *n,
			    const struct host_names *names)
{
	switch (n->kind) {
	case CODE_NODE_THREAD:
		return thread_text(a, t->trace, n->thread, names);
	case CODE_NODE_NO_SAMPLE:
		return STR_LIT(CODE_NO_SAMPLE);
	default:
		return frame_text(a, t->trace, stacks_top(t->stacks, n->stack));
	}
}

/* Text of a trace may hold a zero: it ends a name here, as it does for those who print it. */
static void name_nodes(struct code_tree *t, struct arena *a, const struct host_names *names)
{
	t->names = arena_alloc(a, t->numbers.count, sizeof(*t->names));
	for (size_t i = 0; i < t->numbers.count; i++)
		t->names[i] = node_text(t, a, &t->nodes[i], names);
}

static void write_path(struct code_tree *t, uint32_t node)
{
	uint32_t chain[DEEPEST + 1];
	size_t depth = 0;

	buf_clear(&t->path);
	for (; node != NODE_NONE; node = t->nodes[node].parent)
		chain[depth++] = node;
	while (depth) {
		buf_addstr(&t->path, t->names[chain[--depth]]);
		buf_adds(&t->path, depth ? " / " : "");
	}
}

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct code_tree *t = (struct code_tree *)ctx;
	const struct code_node *n = &t->nodes[t->order[i]];
	const struct frame *f = n->kind == CODE_NODE_FRAME ? stacks_top(t->stacks, n->stack) : NULL;

	write_path(t, t->order[i]);
	*out = cell_str(t->names[t->order[i]]);
	out++->depth = (unsigned char)n->depth;
	*out++ = cell_str(buf_str(&t->path));
	*out++ = cell_int(n->depth);
	*out++ = cell_text(kinds[n->kind]);
	*out++ = cell_int(n->idle_ns);
	*out++ = pct_cell(n->idle_ns, t->idle_ns);
	*out++ = cell_int(n->self_ns);
	*out++ = cell_int(n->host_ns);
	*out++ = f && f->file != NAME_NONE ? cell_str(trace_name(t->trace, f->file)) : cell_null();
	*out++ = f && f->line && f->line != LINE_NATIVE ? cell_int(f->line) : cell_null();
	if (t->has_calls)
		*out = cell_int(n->gpu_ns);
}

static void free_tree(void *p)
{
	struct code_tree *t = p;

	idmap_free(&t->numbers);
	free(t->nodes);
	free(t->order);
	buf_free(&t->path);
}

struct code_tree *code_tree_make(struct report *r, const struct trace *trace,
				 const struct code_times *c, const struct host_names *names,
				 bool by_gpu)
{
	const bool has_calls = code_has_calls(&c->code);
	struct code_tree *t = arena_zalloc(&r->arena, 1, sizeof(*t));

	*t = (struct code_tree){.trace = trace,
				.stacks = &c->code.stacks,
				.idle_ns = c->idle_ns,
				.has_calls = has_calls,
				.by_gpu = has_calls && (by_gpu || !code_has_samples(&c->code))};
	report_on_free(r, free_tree, t);
	add_times(t, c);
	order_nodes(t);
	name_nodes(t, &r->arena, names);
	return t;
}

void code_tree_table(struct report *r, const struct code_tree *t, uint64_t limit)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = "code_tree",
		.kind = "node",
		.columns = columns,
		.column_count = ARRAY_LEN(columns) - !t->has_calls,
		.rows = limit && limit < t->count ? limit : t->count,
		.total_rows = t->count,
		.row = make_row,
		.ctx = t,
		.tree = true,
		.weight = t->by_gpu ? COLUMN_GPU : COLUMN_IDLE,
	};
	report_table(r, table);
}
