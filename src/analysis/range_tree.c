/* What did each path of NVTX ranges cost, on the host and on the GPU? */
#include "analysis/range_tree.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/fold.h"

#include <stdlib.h>

struct maker {
	struct trace *trace;
	const struct params *p;
	struct attribution at;
	struct gpu_work work;
	struct range_tree *out;
	struct span *spans; /* by range: of the ops launched inside */
};

static struct gpu_sum add_sums(struct gpu_sum a, struct gpu_sum b)
{
	return (struct gpu_sum){
		.ns = sat_add(a.ns, b.ns),
		.ops = a.ops + b.ops,
		.kernel_ns = sat_add(a.kernel_ns, b.kernel_ns),
		.kernels = a.kernels + b.kernels,
	};
}

/* The number of each NVTX row's name in tree->names, folded as asked. */
static int read_names(struct maker *m, uint32_t **ret, struct err *e)
{
	const struct events *ev = &m->trace->events[TRACE_NVTX];
	struct range_names names;
	uint32_t *folded;

	if (range_names_read(m->trace, &names, e) < 0)
		return -1;
	*ret = mem_alloc(ev->count, sizeof(**ret));
	if (m->p->no_fold) {
		memcpy(*ret, names.of_row, ev->count * sizeof(**ret));
		m->out->arena = names.arena;
		m->out->names = names.names;
		return 0;
	}
	folded = fold_names(&names.names, &m->out->arena, &m->out->names);
	for (uint64_t i = 0; i < ev->count; i++)
		(*ret)[i] = names.of_row[i] == NAME_NONE ? NAME_NONE : folded[names.of_row[i]];
	free(folded);
	range_names_free(&names);
	return 0;
}

static bool range_passes(const struct maker *m, const struct range *r)
{
	return !m->p->has_pid ||
	       (r->thread != ID_NONE &&
		process_pid(m->trace->thread_keys.keys[r->thread] >> 24) == m->p->pid);
}

/* Parents lie before their children, so that a path's parent is known when it is met. */
static void make_paths(struct maker *m, const uint32_t *name_of_row)
{
	const struct range_forest *f = &m->at.forest;
	struct range_tree *out = m->out;
	struct idmap known = {0}; /* parent's path << 32 | name */
	size_t cap = 0;

	out->path_of_range = mem_alloc(f->count, sizeof(*out->path_of_range));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		uint32_t parent =
			r->parent == RANGE_NONE ? RANGE_NONE : out->path_of_range[r->parent];
		uint32_t name = name_of_row[r->row], path;

		out->path_of_range[i] = RANGE_NONE;
		if (!range_passes(m, r))
			continue;
		path = idmap_number_pair(&known, parent, name);
		if (path == out->count) {
			MEM_GROW(out->paths, cap, out->count + 1);
			out->paths[out->count++] = (struct path){
				.parent = parent,
				.name = name,
				.depth = parent == RANGE_NONE ? 0 : out->paths[parent].depth + 1,
			};
		}
		out->path_of_range[i] = path;
	}
	idmap_free(&known);
}

/*
 * Children come in order of their start: how far the earlier ones reach tells what of the next is
 * new, so that children which overlap are taken off once.
 */
static void add_walls(struct maker *m)
{
	const struct range_forest *f = &m->at.forest;
	struct range_tree *out = m->out;
	int64_t *covered = mem_alloc(f->count, sizeof(*covered));

	out->wall_of_range = mem_alloc(f->count, sizeof(*out->wall_of_range));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		uint32_t path = out->path_of_range[i], parent = r->parent;
		struct span wall;
		int64_t length, fresh;

		covered[i] = INT64_MIN;
		out->wall_of_range[i] = DURATION_NONE;
		if (path == RANGE_NONE ||
		    !window_part(m->p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &wall))
			continue;
		length = sat_sub(wall.end_ns, wall.start_ns);
		out->wall_of_range[i] = length;
		out->paths[path].instances++;
		out->paths[path].wall_ns = sat_add(out->paths[path].wall_ns, length);
		out->paths[path].self_wall_ns = sat_add(out->paths[path].self_wall_ns, length);
		if (parent == RANGE_NONE)
			continue;
		fresh = wall.start_ns > covered[parent] ? wall.start_ns : covered[parent];
		if (wall.end_ns > fresh) {
			struct path *above = &out->paths[out->path_of_range[parent]];

			above->self_wall_ns =
				sat_sub(above->self_wall_ns, sat_sub(wall.end_ns, fresh));
			covered[parent] = wall.end_ns;
		}
	}
	free(covered);
}

static void widen(struct span *span, const struct span *by)
{
	if (by->start_ns < span->start_ns)
		span->start_ns = by->start_ns;
	if (by->end_ns > span->end_ns)
		span->end_ns = by->end_ns;
}

static void add_op(struct maker *m, enum trace_kind kind, uint64_t op)
{
	struct range_tree *out = m->out;
	struct gpu_sum *to = &out->no_call;
	struct api_call call;
	struct span part;
	uint32_t range;
	struct gpu_sum one;

	if (!gpu_work_part(&m->work, kind, op, &part))
		return;
	one = (struct gpu_sum){.ns = sat_sub(part.end_ns, part.start_ns), .ops = 1};
	if (kind == TRACE_KERNELS) {
		one.kernel_ns = one.ns;
		one.kernels = 1;
	}
	range = attribution_range(&m->at, kind, op);
	if (range != RANGE_NONE && out->path_of_range[range] != RANGE_NONE) {
		to = &out->paths[out->path_of_range[range]].self;
		widen(&m->spans[range], &part);
		out->ops_in_ranges++;
		if (kind == TRACE_KERNELS)
			out->kernel_in_ranges_ns = sat_add(out->kernel_in_ranges_ns, one.ns);
	} else if (attribution_call(&m->at, kind, op, &call)) {
		to = &out->outside[launches_origin(&m->at.launches, &call).thread];
	}
	*to = add_sums(*to, one);
	out->gpu = add_sums(out->gpu, one);
	if (kind == TRACE_KERNELS)
		out->kernel_ns = sat_add(out->kernel_ns, one.ns);
}

static void add_ops(struct maker *m)
{
	const struct range_forest *f = &m->at.forest;

	m->out->thread_count = m->trace->thread_keys.count;
	m->out->outside = mem_zalloc(m->out->thread_count, sizeof(*m->out->outside));
	m->spans = mem_alloc(f->count, sizeof(*m->spans));
	for (size_t i = 0; i < f->count; i++)
		m->spans[i] = (struct span){INT64_MAX, INT64_MIN};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for (uint64_t i = 0; i < m->trace->events[kind].count; i++)
			add_op(m, (enum trace_kind)kind, i);
	}
	/* Children lie after their parents. */
	for (size_t i = f->count; i > 0; i--) {
		const struct span *span = &m->spans[i - 1];
		uint32_t path = m->out->path_of_range[i - 1], parent = f->ranges[i - 1].parent;

		if (span->end_ns < span->start_ns)
			continue;
		m->out->paths[path].span_ns =
			sat_add(m->out->paths[path].span_ns, sat_sub(span->end_ns, span->start_ns));
		if (parent != RANGE_NONE)
			widen(&m->spans[parent], span);
	}
	free(m->spans);
}

static void sum_up(struct range_tree *tree)
{
	for (size_t i = tree->count; i > 0; i--) {
		struct path *p = &tree->paths[i - 1];

		p->all = add_sums(p->all, p->self);
		if (p->parent != RANGE_NONE)
			tree->paths[p->parent].all = add_sums(tree->paths[p->parent].all, p->all);
	}
}

/* A walk through the tree that counts how many paths to each name are open. */
static void find_repeats(struct range_tree *tree)
{
	uint32_t *open = mem_zalloc(tree->names.count, sizeof(*open));
	uint32_t *child = mem_alloc(tree->count + 1, sizeof(*child)); /* the last: of the root */
	uint32_t *sibling = mem_alloc(tree->count, sizeof(*sibling));
	uint32_t at;

	memset(child, 0xff, (tree->count + 1) * sizeof(*child));
	for (size_t i = tree->count; i > 0; i--) {
		uint32_t parent = tree->paths[i - 1].parent;
		uint32_t *first = &child[parent == RANGE_NONE ? tree->count : parent];

		sibling[i - 1] = *first;
		*first = (uint32_t)(i - 1);
	}
	for (at = child[tree->count]; at != RANGE_NONE;) {
		struct path *p = &tree->paths[at];

		p->repeats = open[p->name]++ > 0;
		if (child[at] != RANGE_NONE) {
			at = child[at];
			continue;
		}
		for (; at != RANGE_NONE; at = tree->paths[at].parent) {
			open[tree->paths[at].name]--;
			if (sibling[at] != RANGE_NONE)
				break;
		}
		at = at == RANGE_NONE ? RANGE_NONE : sibling[at];
	}
	free(sibling);
	free(child);
	free(open);
}

static int make(struct maker *m, struct report *r, struct err *e)
{
	uint32_t *name_of_row = NULL;

	if (read_names(m, &name_of_row, e) < 0)
		return -1;
	make_paths(m, name_of_row);
	free(name_of_row);
	m->out->range_count = m->at.forest.count;
	m->out->has_gpu = m->work.any && launches_found_any(&m->at.launches);
	add_walls(m);
	add_ops(m);
	sum_up(m->out);
	find_repeats(m->out);
	gpu_work_warn(&m->work, ALL_GPU_KINDS, r);
	return 0;
}

int range_tree_make(struct trace *t, const struct params *p, struct report *r,
		    struct range_tree *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .out = ret};
	int result = -1;

	*ret = (struct range_tree){0};
	if (attribution_make(t, ALL_GPU_KINDS, &m.at, e) < 0)
		return -1;
	if (gpu_work_open(&m.work, t, ALL_GPU_KINDS, p, e) == 0)
		result = make(&m, r, e);
	gpu_work_close(&m.work);
	attribution_free(&m.at);
	if (result < 0)
		range_tree_free(ret);
	return result;
}

void range_tree_free(struct range_tree *tree)
{
	strtab_free(&tree->names);
	arena_free(&tree->arena);
	free(tree->paths);
	free(tree->path_of_range);
	free(tree->wall_of_range);
	free(tree->outside);
	*tree = (struct range_tree){0};
}

struct str range_tree_name(const struct range_tree *tree, uint32_t name)
{
	struct str full = tree->names.items[name];

	if (full.len && full.s[0] == ':')
		full = (struct str){full.s + 1, full.len - 1};
	return full;
}
