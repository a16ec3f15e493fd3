/* In which ranges was the host, which ranges kept the GPU busy, and why was it idle? */
#include "fleet/part_making.h"

#include "base/mem.h"
#include "base/sort.h"
#include "diff/leaf_source.h"

#include <stdlib.h>
#include <string.h>

/* What ops are told apart by here: their class alone. */
static void group_ops(struct op_groups *g, const struct ops *o)
{
	static const struct op_group classes[] = {
		[LEAF_COMPUTE] = {LEAF_COMPUTE, NAME_NONE, "", ""},
		[LEAF_COMM] = {LEAF_COMM, NAME_NONE, "", ""},
		[LEAF_COPY] = {LEAF_COPY, NAME_NONE, "", ""},
	};

	*g = (struct op_groups){.all = mem_copy(classes, ARRAY_LEN(classes), sizeof(*classes)),
				.count = ARRAY_LEN(classes),
				.cap = ARRAY_LEN(classes)};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;
		uint32_t *of = mem_alloc(ev->count, sizeof(*of));

		for (uint64_t i = 0; i < ev->count; i++)
			of[i] = kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS ? LEAF_COPY
				: kind == TRACE_KERNELS && ev->name && ev->name[i] != NAME_NONE &&
						o->class_of_name[ev->name[i]] == OP_COMM
					? LEAF_COMM
					: LEAF_COMPUTE;
		g->of_op[kind] = of;
	}
}

/* What the host does between two steps, a checkpoint say, is the first one's. */
static int64_t host_end(const struct part_member *m, size_t step)
{
	const int64_t end_ns = m->steps[step].to_ns;

	return step + 1 < m->step_count && m->steps[step + 1].start_ns > end_ns
		       ? m->steps[step + 1].start_ns
		       : end_ns;
}

/* The member's warm steps, or else its window as one. */
static void set_steps(struct compared_steps *c, const struct part_making *x, size_t member,
		      const struct gap_judge *judge)
{
	const struct making_member *of = &x->members[member];
	const struct part_member *m = &x->part->members[member];

	*c = (struct compared_steps){.place = of->place, .thread = ID_NONE};
	c->all = mem_alloc(m->warm_count + 1, sizeof(*c->all));
	for (size_t i = 0; i < m->warm_count; i++) {
		const size_t step = m->first_warm + i;
		const struct part_step *s = &m->steps[step];

		c->all[c->count++] = (struct compared_step){.from_ns = s->from_ns,
							    .own_end_ns = s->to_ns,
							    .to_ns = s->to_ns,
							    .host_from_ns = s->start_ns,
							    .host_to_ns = host_end(m, step),
							    .number = s->number};
	}
	if (!c->count)
		c->all[c->count++] = (struct compared_step){.from_ns = m->window.start_ns,
							    .own_end_ns = m->window.end_ns,
							    .to_ns = m->window.end_ns,
							    .host_from_ns = m->window.start_ns,
							    .host_to_ns = m->window.end_ns};
	if (of->lane)
		c->thread = of->lane->thread;
	if (c->thread == ID_NONE && judge->joined && of->process < x->trace->process_keys.count)
		c->thread = judge->main_thread[of->process];
}

static struct part_range *range_of(struct part_range *all, const struct leaf_source *s,
				   uint32_t path)
{
	all[path].path = s->paths.texts[path];
	return &all[path];
}

static void add_compute(struct part_range *all, const struct leaf_source *s,
			const struct leaf_table *leaves)
{
	for (size_t i = 0; i < leaves->count; i++) {
		struct part_range *r = range_of(all, s, leaf_key_path(leaves->keys[i]));

		if (leaf_key_what(leaves->keys[i]) != LEAF_COMPUTE)
			continue;
		r->compute_ns = sat_add(r->compute_ns, leaves->sums[i].work_ns);
		r->kernels += leaves->sums[i].calls;
	}
	for (size_t i = 0; i < s->host.count; i++) {
		struct part_range *r = range_of(all, s, s->host.all[i].path);

		r->host_ns = s->host.all[i].own_ns;
		r->wait_ns = s->host.all[i].wait_ns;
	}
}

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct part_range *)a)->path, ((const struct part_range *)b)->path);
}

static int64_t range_time(const struct part_range *r)
{
	return sat_add(r->host_ns, sat_add(r->wait_ns, r->compute_ns));
}

static int by_range_time(const void *a, const void *b, void *ctx)
{
	const int64_t x = range_time(a), y = range_time(b);

	(void)ctx;
	return x != y ? (x < y) - (x > y) : by_path(a, b, ctx);
}

/* Those that read the same are one; empty ones go. */
static size_t join_ranges(struct part_range *all, size_t count)
{
	size_t n = 0;

	sort_stable(all, count, sizeof(*all), by_path, NULL);
	for (size_t i = 0; i < count; i++) {
		struct part_range *last = n ? &all[n - 1] : NULL;

		if (!range_time(&all[i]))
			continue;
		if (!last || strcmp(last->path, all[i].path) != 0) {
			all[n++] = all[i];
			continue;
		}
		last->host_ns = sat_add(last->host_ns, all[i].host_ns);
		last->wait_ns = sat_add(last->wait_ns, all[i].wait_ns);
		last->compute_ns = sat_add(last->compute_ns, all[i].compute_ns);
		last->kernels += all[i].kernels;
	}
	return n;
}

static void take_ranges(struct part_member *m, const struct leaf_source *s,
			const struct leaf_table *leaves, struct arena *arena)
{
	const size_t paths = step_path_between(&s->paths) + 1;
	struct part_range *all = mem_zalloc(paths, sizeof(*all));
	size_t count;

	for (size_t i = 0; i < paths; i++)
		all[i].path = "";
	add_compute(all, s, leaves);
	count = join_ranges(all, paths);
	if (count > PART_RANGES_MAX) {
		sort_stable(all, count, sizeof(*all), by_range_time, NULL);
		count = PART_RANGES_MAX;
		sort_stable(all, count, sizeof(*all), by_path, NULL);
	}
	m->ranges = arena_alloc(arena, count, sizeof(*m->ranges));
	m->range_count = count;
	for (size_t i = 0; i < count; i++) {
		m->ranges[i] = all[i];
		m->ranges[i].path = part_text(arena, str_of(all[i].path));
		m->ranges[i].host_ns = part_time(all[i].host_ns);
		m->ranges[i].wait_ns = part_time(all[i].wait_ns);
		m->ranges[i].compute_ns = part_time(all[i].compute_ns);
	}
	free(all);
}

static int by_ns(const void *a, const void *b, void *ctx)
{
	const struct part_cause *x = a, *y = b;

	(void)ctx;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->path, y->path) ? strcmp(x->path, y->path)
					: strcmp(x->activity, y->activity);
}

static void take_blames(struct part_member *m, const struct leaf_source *s,
			const struct leaf_table *leaves, struct arena *arena)
{
	struct part_cause *all = mem_alloc(leaves->count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < leaves->count; i++) {
		const uint32_t what = leaf_key_what(leaves->keys[i]);

		if (what < s->groups.count || leaves->sums[i].ns <= 0)
			continue;
		all[count++] =
			(struct part_cause){.activity = blame_keys[what - s->groups.count],
					    .path = s->paths.texts[leaf_key_path(leaves->keys[i])],
					    .code = "",
					    .ns = part_time(leaves->sums[i].ns)};
	}
	if (count)
		sort_stable(all, count, sizeof(*all), by_ns, NULL);
	m->cause_count = count < PART_CAUSES_MAX ? count : PART_CAUSES_MAX;
	m->causes = arena_alloc(arena, m->cause_count, sizeof(*m->causes));
	for (size_t i = 0; i < m->cause_count; i++) {
		m->causes[i] = all[i];
		m->causes[i].path = part_text(arena, str_of(all[i].path));
	}
	free(all);
}

static int take_member(struct part_making *x, size_t member, struct leaf_source *s, struct err *e)
{
	struct part_member *m = &x->part->members[member];
	struct leaf_table leaves = {.kinds = 1};
	int result;

	set_steps(&s->steps, x, member, &s->judge);
	host_ranges_read(&s->host, &s->judge, &s->steps, &s->paths);
	result = leaf_walk_slices(s, &leaves, e);
	if (result == 0) {
		leaf_walk_ops(s, &leaves, NULL);
		take_ranges(m, s, &leaves, &x->part->arena);
		take_blames(m, s, &leaves, &x->part->arena);
	}
	leaf_table_free(&leaves);
	host_ranges_free(&s->host);
	free(s->steps.all);
	s->steps = (struct compared_steps){0};
	return result;
}

static int take_members(struct part_making *x, struct leaf_source *s, struct err *e)
{
	const struct ops all = s->ops;
	struct part_own_ops own;
	int result = 0;

	part_own_ops_find(x, &all, &own);
	for (size_t i = 0; result == 0 && i < x->count; i++) {
		s->ops = part_own_ops_of(&own, x, i, &all);
		result = take_member(x, i, s, e);
	}
	s->ops = all;
	part_own_ops_free(&own);
	return result;
}

int part_take_causes(struct part_making *x, struct err *e)
{
	const char *step = x->has_steps ? x->steps.name : NULL;
	struct leaf_source s = {.trace = x->trace, .kinds = 1};
	struct arena texts = {0};
	int result;

	if (ops_open(&s.ops, x->trace, e) < 0)
		return -1;
	result = gap_judge_open(&s.judge, x->trace, e);
	if (result == 0)
		result = step_paths_make(&s.paths, x->trace, &s.judge.attribution.forest, step,
					 &texts, e);
	if (result == 0)
		group_ops(&s.groups, &s.ops);
	if (result == 0)
		result = take_members(x, &s, e);
	step_paths_free(&s.paths);
	op_groups_free(&s.groups);
	gap_judge_close(&s.judge);
	ops_close(&s.ops);
	arena_free(&texts);
	return result;
}
