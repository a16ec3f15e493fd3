/* What did each path of NVTX ranges cost, on the host and on the GPU? */
#include "analysis/ranges/range_tree.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

struct maker {
	struct trace *trace;
	const struct scope *p;
	bool no_fold;
	struct attribution at;
	struct range_work work;
	struct range_tree *out;
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

static int read_names(struct maker *m, struct err *e)
{
	struct range_tree *out = m->out;

	if (range_names_read(m->trace, &out->range_names, e) < 0)
		return -1;
	out->names = out->range_names.names;
	if (m->no_fold)
		return 0;
	range_names_fold(m->trace, &out->range_names, &out->folded_names);
	out->names = out->folded_names.names;
	return 0;
}

/* A name's number in tree->names. */
static uint32_t range_name(const struct maker *m, const struct range *r)
{
	uint32_t name = m->out->range_names.of_row[r->row];

	return m->no_fold ? name : m->out->folded_names.of_name[name];
}

static uint32_t name_if_wanted(const void *ctx, const struct range *r)
{
	const struct maker *m = ctx;

	return scope_has_thread(m->p, m->trace, r->thread) ? range_name(m, r) : NAME_NONE;
}

static void make_paths(struct maker *m)
{
	struct range_tree *out = m->out;

	range_paths_make(&m->at.forest, name_if_wanted, m, &out->shape);
	out->count = out->shape.count;
	out->paths = mem_zalloc(out->count, sizeof(*out->paths));
	for (size_t i = 0; i < out->count; i++) {
		const struct range_path *p = &out->shape.all[i];

		out->paths[i] =
			(struct path){.parent = p->parent, .name = p->name, .depth = p->depth};
	}
}

static void add_walls(struct maker *m)
{
	struct range_tree *out = m->out;

	range_walls_make(&m->at.forest, m->p, &out->walls);
	for (size_t i = 0; i < m->at.forest.count; i++) {
		uint32_t path = out->shape.of_range[i];

		if (path == RANGE_NONE)
			out->walls.wall_ns[i] = DURATION_NONE;
		if (out->walls.wall_ns[i] == DURATION_NONE)
			continue;
		out->paths[path].instances++;
		out->paths[path].wall_ns = sat_add(out->paths[path].wall_ns, out->walls.wall_ns[i]);
		out->paths[path].self_wall_ns =
			sat_add(out->paths[path].self_wall_ns, out->walls.self_ns[i]);
	}
}

static void add_outside(struct maker *m)
{
	struct range_tree *out = m->out;
	const struct range_work *w = &m->work;

	out->thread_count = w->thread_count;
	out->outside = mem_zalloc(w->thread_count, sizeof(*out->outside));
	for (size_t i = 0; i < w->thread_count; i++) {
		if (scope_has_thread(m->p, m->trace, (uint32_t)i))
			out->outside[i] = w->outside[i];
		out->gpu = add_sums(out->gpu, out->outside[i]);
	}
	for (size_t i = 0; i <= w->process_count; i++) {
		if (scope_has_process(m->p, m->trace, (uint32_t)i))
			out->no_call = add_sums(out->no_call, w->no_call[i]);
	}
	out->gpu = add_sums(out->gpu, out->no_call);
}

static void add_range(struct range_tree *out, struct path *path, const struct range_sum *s)
{
	const struct gpu_sum sum = {s->ns, s->ops, s->kernel_ns, s->kernels};

	path->self = add_sums(path->self, sum);
	out->gpu = add_sums(out->gpu, sum);
	out->ops_in_ranges += sum.ops;
	out->kernel_in_ranges_ns = sat_add(out->kernel_in_ranges_ns, sum.kernel_ns);
}

/* Children lie after their parents: when a range's turn comes, all inside it had theirs. */
static void add_ranges(struct maker *m)
{
	const struct range_forest *f = &m->at.forest;
	struct range_tree *out = m->out;
	struct span *spans = mem_alloc(f->count, sizeof(*spans));

	for (size_t i = 0; i < f->count; i++)
		spans[i] = m->work.of_range[i].span;
	for (size_t i = f->count; i-- > 0;) {
		uint32_t path = out->shape.of_range[i], parent = f->ranges[i].parent;

		if (path == RANGE_NONE || spans[i].end_ns < spans[i].start_ns)
			continue;
		add_range(out, &out->paths[path], &m->work.of_range[i]);
		out->paths[path].span_ns = sat_add(out->paths[path].span_ns,
						   sat_sub(spans[i].end_ns, spans[i].start_ns));
		if (parent != RANGE_NONE)
			span_widen(&spans[parent], spans[i]);
	}
	free(spans);
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

/* Puts some paths, which with each have those above it, into depth-first order, siblings as they
 * were. */
static void order_depth_first(const struct range_tree *tree, uint32_t *paths, size_t count)
{
	uint32_t *child = new_ids(tree->count + 1); /* the last: of the root */
	uint32_t *sibling = mem_alloc(tree->count, sizeof(*sibling));
	size_t ordered = 0;

	for (size_t i = count; i > 0; i--) {
		uint32_t parent = tree->paths[paths[i - 1]].parent;
		uint32_t *first = &child[parent == RANGE_NONE ? tree->count : parent];

		sibling[paths[i - 1]] = *first;
		*first = paths[i - 1];
	}
	for (uint32_t at = child[tree->count]; at != RANGE_NONE;) {
		paths[ordered++] = at;
		if (child[at] != RANGE_NONE) {
			at = child[at];
			continue;
		}
		while (at != RANGE_NONE && sibling[at] == RANGE_NONE)
			at = tree->paths[at].parent;
		at = at == RANGE_NONE ? RANGE_NONE : sibling[at];
	}
	free(sibling);
	free(child);
}

/* A walk through the tree that counts how many paths to each name are open. */
static void find_repeats(struct range_tree *tree)
{
	uint32_t *open = mem_zalloc(tree->names.count, sizeof(*open));
	uint32_t *above = mem_alloc(tree->count, sizeof(*above)); /* names, by depth */
	uint32_t *order = mem_alloc(tree->count, sizeof(*order));
	size_t depth = 0;

	for (size_t i = 0; i < tree->count; i++)
		order[i] = (uint32_t)i;
	order_depth_first(tree, order, tree->count);
	for (size_t i = 0; i < tree->count; i++) {
		struct path *p = &tree->paths[order[i]];

		while (depth > p->depth)
			open[above[--depth]]--;
		p->repeats = open[p->name]++ > 0;
		above[depth++] = p->name;
	}
	free(order);
	free(above);
	free(open);
}

static int gather(struct maker *m, struct report *r, struct err *e)
{
	struct gpu_work asked;
	int result;

	/* Refuses what the filters need and the trace has not. */
	result = gpu_work_open(&asked, m->trace, ALL_GPU_KINDS, m->p, e);
	if (result == 0)
		result = range_work_make(m->trace, &m->at, m->p, &m->work, e);
	if (result == 0)
		result = read_names(m, e);
	if (result == 0) {
		m->out->range_count = m->at.forest.count;
		m->out->has_gpu =
			!m->p->host_only && asked.any && launches_found_any(&m->at.launches);
		gpu_work_warn(&asked, ALL_GPU_KINDS, r);
	}
	gpu_work_close(&asked);
	return result;
}

static void build(struct maker *m)
{
	make_paths(m);
	add_walls(m);
	add_outside(m);
	add_ranges(m);
	m->out->kernel_ns = m->out->gpu.kernel_ns;
	sum_up(m->out);
	find_repeats(m->out);
}

int range_tree_make(struct trace *t, const struct scope *p, bool no_fold, struct report *r,
		    struct range_tree *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .no_fold = no_fold, .out = ret};
	int result;

	*ret = (struct range_tree){0};
	if (attribution_make(t, ALL_GPU_KINDS, &m.at, e) < 0)
		return -1;
	result = gather(&m, r, e);
	if (result == 0)
		build(&m);
	else
		range_tree_free(ret);
	range_work_free(&m.work);
	attribution_free(&m.at);
	return result;
}

void range_tree_free(struct range_tree *tree)
{
	range_names_free(&tree->range_names);
	folded_names_free(&tree->folded_names);
	free(tree->paths);
	range_paths_free(&tree->shape);
	range_walls_free(&tree->walls);
	free(tree->outside);
	*tree = (struct range_tree){0};
}

void range_tree_warn_host_only(struct report *r, const struct scope *p)
{
	if (p->host_only)
		report_note(r, "host times only, because of --no-nvtx-kernel-map");
	else
		report_warning(r,
			       "the trace has no GPU work with the CUDA calls that launched it: "
			       "host times only; capture with: nsys profile %s,nvtx …",
			       trace_kind_flag(TRACE_API));
}

struct str range_tree_name(const struct range_tree *tree, uint32_t name)
{
	return range_name_shown(tree->names.items[name]);
}

/* By GPU time, then the shallow ones: what lies above a path comes before it. */
static int compare_paths(const void *a, const void *b, void *ctx)
{
	const struct range_tree *tree = ctx;
	const struct path *x = &tree->paths[*(const uint32_t *)a];
	const struct path *y = &tree->paths[*(const uint32_t *)b];

	if (x->all.ns != y->all.ns)
		return x->all.ns > y->all.ns ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->wall_ns != y->wall_ns)
		return x->wall_ns > y->wall_ns ? -1 : 1;
	return str_cmp(tree->names.items[x->name], tree->names.items[y->name]);
}

static size_t rank_by_gpu_time(const struct range_tree *tree, uint32_t *ranked)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++) {
		if (path_is_live(&tree->paths[i]))
			ranked[count++] = (uint32_t)i;
	}
	sort_stable(ranked, count, sizeof(*ranked), compare_paths, (void *)tree);
	return count;
}

uint32_t *range_tree_order(const struct range_tree *tree, uint64_t limit, size_t *ret_count)
{
	uint32_t *ranked = mem_alloc(tree->count, sizeof(*ranked));
	size_t count = rank_by_gpu_time(tree, ranked);

	*ret_count = limit && limit < count ? (size_t)limit : count;
	order_depth_first(tree, ranked, *ret_count);
	return ranked;
}
