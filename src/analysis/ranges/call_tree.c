/* What did each thread's ranges do, and what did they launch? */
#include "analysis/ranges/call_tree.h"

#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

/* More ranges and ops than this are read as sums. */
enum { MANY_NODES = 500 };

struct maker {
	struct trace *trace;
	const struct tree_args *args;
	const struct scope *p;
	const bool *threads;
	struct call_tree *out;
	struct attribution at;
	struct range_walls walls;
	struct gpu_work work;
	uint32_t *node_of_range;
	uint32_t *node_of_thread, *outside_of_thread;
	uint32_t no_call;
	uint32_t *chain; /* of ranges that get their nodes, innermost first */
	size_t chain_cap;
	struct idmap ranges, ops; /* node << 32 | name → the node below of that name */
};

static uint32_t add_node(struct maker *m, enum call_node_kind kind, uint32_t parent, uint32_t name,
			 int64_t start_ns)
{
	struct call_tree *out = m->out;

	MEM_GROW(out->nodes, out->cap, out->count + 1);
	out->nodes[out->count] = (struct call_node){
		.kind = kind,
		.parent = parent,
		.name = name,
		.depth = parent == NODE_NONE ? 0 : out->nodes[parent].depth + 1,
		.start_ns = start_ns,
	};
	return (uint32_t)out->count++;
}

static bool is_wanted(const struct maker *m, uint32_t thread)
{
	if (thread == ID_NONE)
		return !m->threads && !m->p->has_pid;
	if (m->threads && !m->threads[thread])
		return false;
	return scope_has_thread(m->p, m->trace, thread);
}

/* What began before the window is shown from there on. */
static int64_t shown_start(const struct maker *m, int64_t start_ns)
{
	return m->p->has_trim && start_ns < m->p->from_ns ? m->p->from_ns : start_ns;
}

/* A thread has a node once it has something. */
static uint32_t thread_node(struct maker *m, uint32_t thread, int64_t start_ns)
{
	uint32_t *node =
		&m->node_of_thread[thread == ID_NONE ? m->trace->thread_keys.count : thread];

	if (*node == NODE_NONE)
		*node = add_node(m, CALL_NODE_THREAD, NODE_NONE, thread, start_ns);
	if (start_ns < m->out->nodes[*node].start_ns)
		m->out->nodes[*node].start_ns = start_ns;
	return *node;
}

static uint32_t range_name(const struct maker *m, const struct range *r)
{
	uint32_t name = m->out->range_names.of_row[r->row];

	return m->out->folded.of_name ? m->out->folded.of_name[name] : name;
}

static uint32_t range_node(struct maker *m, uint32_t parent, const struct range *r)
{
	uint32_t name = range_name(m, r), node = (uint32_t)m->out->count;
	const uint32_t whole = m->out->range_names.of_row[r->row];

	if (m->out->merged)
		node = idmap_add(&m->ranges, (uint64_t)parent << 32 | name, node);
	if (node == m->out->count) {
		add_node(m, CALL_NODE_RANGE, parent, name, shown_start(m, r->start_ns));
		m->out->nodes[node].whole = whole;
	} else if (m->out->nodes[node].whole != whole) {
		m->out->nodes[node].whole = NAME_NONE;
	}
	return node;
}

static void add_wall(struct maker *m, uint32_t node, size_t range)
{
	struct call_node *n = &m->out->nodes[node];
	int64_t start_ns = shown_start(m, m->at.forest.ranges[range].start_ns);

	n->instances++;
	n->wall_ns = sat_add(n->wall_ns, m->walls.wall_ns[range]);
	n->self_wall_ns = sat_add(n->self_wall_ns, m->walls.self_ns[range]);
	if (start_ns < n->start_ns)
		n->start_ns = start_ns;
}

/*
 * The node of a range and, before it, those of the ranges around it. A range may have none yet:
 * what it launched can run in the window though it was over before.
 */
static uint32_t node_of(struct maker *m, uint32_t range)
{
	const struct range *ranges = m->at.forest.ranges;
	uint32_t at = range, parent = NODE_NONE;
	size_t depth = 0;

	for (; at != RANGE_NONE && m->node_of_range[at] == NODE_NONE; at = ranges[at].parent) {
		MEM_GROW(m->chain, m->chain_cap, depth + 1);
		m->chain[depth++] = at;
	}
	if (at != RANGE_NONE)
		parent = m->node_of_range[at];
	while (depth) {
		at = m->chain[--depth];
		if (parent == NODE_NONE)
			parent = thread_node(m, ranges[at].thread,
					     shown_start(m, ranges[at].start_ns));
		parent = m->node_of_range[at] = range_node(m, parent, &ranges[at]);
	}
	return parent;
}

static void add_ranges(struct maker *m)
{
	const struct range_forest *f = &m->at.forest;

	m->node_of_range = new_ids(f->count);
	for (size_t i = 0; i < f->count; i++) {
		if (m->walls.wall_ns[i] != DURATION_NONE && is_wanted(m, f->ranges[i].thread))
			add_wall(m, node_of(m, (uint32_t)i), i);
	}
}

/* Where an op belongs; NODE_NONE: its thread is not asked for. */
static uint32_t owner_of(struct maker *m, enum trace_kind kind, uint64_t op, int64_t start_ns)
{
	struct api_call call;
	uint32_t range, thread, *outside;

	if (!attribution_call(&m->at, kind, op, &call)) {
		if (m->threads)
			return NODE_NONE;
		if (m->no_call == NODE_NONE)
			m->no_call = add_node(m, CALL_NODE_NO_CALL, NODE_NONE, 0, start_ns);
		return m->no_call;
	}
	thread = launches_origin(&m->at.launches, &call).thread;
	if (m->threads && (thread == ID_NONE || !m->threads[thread]))
		return NODE_NONE;
	range = attribution_range(&m->at, kind, op);
	if (range != RANGE_NONE)
		return node_of(m, range);
	outside = &m->outside_of_thread[thread == ID_NONE ? m->trace->thread_keys.count : thread];
	if (*outside == NODE_NONE)
		*outside = add_node(m, CALL_NODE_OUTSIDE, thread_node(m, thread, start_ns), 0,
				    start_ns);
	return *outside;
}

/* Kernels by their names' numbers, copies by direction beyond those. */
static uint32_t op_key(const struct trace *t, enum trace_kind kind, uint64_t op)
{
	const struct events *ev = &t->events[kind];

	if (kind == TRACE_KERNELS)
		return ev->name ? ev->name[op] : NAME_NONE;
	return UINT32_MAX / 2 + (uint32_t)kind * 1000 +
	       (kind == TRACE_MEMCPYS && ev->copy_kind && ev->copy_kind[op] < 999
			? ev->copy_kind[op]
			: 999);
}

static uint32_t leaf_of(struct maker *m, uint32_t owner, enum trace_kind kind, uint64_t op,
			int64_t start_ns)
{
	uint32_t leaf = (uint32_t)m->out->count;

	if (m->out->merged)
		leaf = idmap_add(&m->ops, (uint64_t)owner << 32 | op_key(m->trace, kind, op), leaf);
	if (leaf == m->out->count) {
		add_node(m, CALL_NODE_OP, owner, (uint32_t)op, start_ns);
		m->out->nodes[leaf].op_kind = (uint8_t)kind;
	}
	return leaf;
}

static void add_op(struct maker *m, enum trace_kind kind, uint64_t op)
{
	struct call_node *n;
	struct span part;
	uint32_t owner, leaf;
	int64_t ns;

	if (!gpu_work_part(&m->work, kind, op, &part))
		return;
	owner = owner_of(m, kind, op, part.start_ns);
	if (owner == NODE_NONE)
		return;
	ns = sat_sub(part.end_ns, part.start_ns);
	leaf = leaf_of(m, owner, kind, op, part.start_ns);
	n = &m->out->nodes[owner];
	n->self_ns = sat_add(n->self_ns, ns);
	n->self_ops++;
	if (n->kind != CALL_NODE_RANGE && part.start_ns < n->start_ns)
		n->start_ns = part.start_ns;
	n = &m->out->nodes[leaf];
	n->gpu_ns = sat_add(n->gpu_ns, ns);
	n->gpu_ops++;
	n->instances++;
	if (part.start_ns < n->start_ns)
		n->start_ns = part.start_ns;
	m->out->gpu_ns = sat_add(m->out->gpu_ns, ns);
}

static void add_ops(struct maker *m)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for (uint64_t i = 0; i < m->trace->events[kind].count; i++)
			add_op(m, (enum trace_kind)kind, i);
	}
}

/* Children lie after their parents. What a thread did is what its ranges did, and what none did. */
static void sum_up(struct call_tree *tree)
{
	for (size_t i = tree->count; i > 0; i--) {
		struct call_node *n = &tree->nodes[i - 1], *above;

		if (n->kind != CALL_NODE_OP) {
			n->gpu_ns = sat_add(n->gpu_ns, n->self_ns);
			n->gpu_ops += n->self_ops;
		}
		if (n->parent == NODE_NONE || n->kind == CALL_NODE_OP)
			continue;
		above = &tree->nodes[n->parent];
		above->gpu_ns = sat_add(above->gpu_ns, n->gpu_ns);
		above->gpu_ops += n->gpu_ops;
		if (above->kind == CALL_NODE_THREAD)
			above->wall_ns = sat_add(above->wall_ns, n->wall_ns);
		if (n->start_ns < above->start_ns && n->kind == CALL_NODE_OUTSIDE)
			above->start_ns = n->start_ns;
	}
}

static size_t count_ranges(const struct maker *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->at.forest.count; i++)
		count += m->walls.wall_ns[i] != DURATION_NONE &&
			 is_wanted(m, m->at.forest.ranges[i].thread);
	return count;
}

static size_t count_ops(const struct maker *m)
{
	struct span part;
	size_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS && !m->args->no_ops; kind++) {
		for (uint64_t i = 0; i < m->trace->events[kind].count; i++)
			count += gpu_work_part(&m->work, (enum trace_kind)kind, i, &part);
	}
	return count;
}

static bool is_merged(struct maker *m)
{
	m->out->range_count = count_ranges(m);
	m->out->op_count = count_ops(m);
	return m->args->merge ||
	       (!m->args->instances && m->out->range_count + m->out->op_count > MANY_NODES);
}

static int read_names(struct maker *m, struct err *e)
{
	struct call_tree *out = m->out;

	if (!m->trace->events[TRACE_NVTX].table)
		return 0;
	if (range_names_read(m->trace, &out->range_names, e) < 0)
		return -1;
	out->names = out->range_names.names;
	if (!out->merged || m->args->fold.no_fold)
		return 0;
	range_names_fold(m->trace, &out->range_names, &out->folded);
	out->names = out->folded.names;
	return 0;
}

static int load_names_of_ops(struct trace *t, struct err *e)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (trace_load(t, (enum trace_kind)kind, COL_BIT(COL_NAME) | COL_BIT(COL_COPY_KIND),
			       e) < 0)
			return -1;
	}
	return 0;
}

static int build(struct maker *m, struct report *r, struct err *e)
{
	const size_t threads = m->trace->thread_keys.count;

	range_walls_make(&m->at.forest, m->p, &m->walls);
	m->out->merged = is_merged(m);
	if (read_names(m, e) < 0)
		return -1;
	m->node_of_thread = new_ids(threads + 1);
	m->outside_of_thread = new_ids(threads + 1);
	m->out->has_gpu = m->work.any;
	gpu_work_warn(&m->work, ALL_GPU_KINDS, r);
	add_ranges(m);
	add_ops(m);
	sum_up(m->out);
	return 0;
}

int call_tree_make(struct trace *t, const struct tree_args *a, const bool *threads,
		   struct report *r, struct call_tree *ret, struct err *e)
{
	struct maker m = {.trace = t,
			  .args = a,
			  .p = &a->table.scope,
			  .threads = threads,
			  .out = ret,
			  .no_call = NODE_NONE};
	int result;

	*ret = (struct call_tree){.trace = t};
	if (attribution_make(t, joinable_kinds(t), &m.at, e) < 0)
		return -1;
	result = load_names_of_ops(t, e);
	if (result == 0)
		result = gpu_work_open(&m.work, t, ALL_GPU_KINDS, m.p, e);
	if (result == 0)
		result = build(&m, r, e);
	gpu_work_close(&m.work);
	range_walls_free(&m.walls);
	attribution_free(&m.at);
	idmap_free(&m.ranges);
	idmap_free(&m.ops);
	free(m.node_of_range);
	free(m.node_of_thread);
	free(m.chain);
	free(m.outside_of_thread);
	return result;
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->nodes);
	range_names_free(&tree->range_names);
	folded_names_free(&tree->folded);
	*tree = (struct call_tree){0};
}
