/* Which values belong to each group? */
#include "analysis/by_group.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Rows are cut into parts, each of which counts for itself and so knows where its values go. */
enum { PARTS_PER_WORKER = 4 };

struct part {
	int64_t min, max;
	size_t *at; /* by group: how many; then where the next one goes */
};

struct maker {
	batch_read *read;
	const void *ctx;
	size_t n, groups;
	struct part *parts;
	size_t part_count;
	struct by_group *out;
};

/* Calls `take` for the rows of a part, a batch at a time. */
static void read_part(const struct maker *m, size_t part,
		      void (*take)(const struct maker *m, struct part *p, const struct batch *b,
				   size_t count))
{
	size_t each = (m->n + m->part_count - 1) / m->part_count;
	size_t begin = part * each < m->n ? part * each : m->n;
	size_t end = m->n - begin < each ? m->n : begin + each;
	struct batch b;

	for (size_t next; begin < end; begin = next) {
		next = end - begin < BATCH_ROWS ? end : begin + BATCH_ROWS;
		m->read(m->ctx, begin, next, &b);
		take(m, &m->parts[part], &b, next - begin);
	}
}

static void count_batch(const struct maker *m, struct part *p, const struct batch *b, size_t count)
{
	int64_t min = p->min, max = p->max;
	size_t *at = p->at;

	(void)m;
	for (size_t i = 0; i < count; i++) {
		if (b->group[i] == GROUP_NONE)
			continue;
		at[b->group[i]]++;
		min = b->value[i] < min ? b->value[i] : min;
		max = b->value[i] > max ? b->value[i] : max;
	}
	p->min = min;
	p->max = max;
}

static void place_narrow(const struct maker *m, struct part *p, const struct batch *b, size_t count)
{
	const uint64_t base = (uint64_t)m->out->base;
	uint32_t *offsets = m->out->offsets;
	size_t *at = p->at;

	for (size_t i = 0; i < count; i++) {
		if (b->group[i] != GROUP_NONE)
			offsets[at[b->group[i]]++] = (uint32_t)((uint64_t)b->value[i] - base);
	}
}

static void place_wide(const struct maker *m, struct part *p, const struct batch *b, size_t count)
{
	const uint64_t base = (uint64_t)m->out->base;
	uint64_t *offsets = m->out->offsets;
	size_t *at = p->at;

	for (size_t i = 0; i < count; i++) {
		if (b->group[i] != GROUP_NONE)
			offsets[at[b->group[i]]++] = (uint64_t)b->value[i] - base;
	}
}

static int count_parts(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		read_part(ctx, i, count_batch);
	return 0;
}

static int place_parts(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct maker *m = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		read_part(m, i, m->out->wide ? place_wide : place_narrow);
	return 0;
}

/* Few rows are not worth a thread, and counts must not take more room than values. */
static void new_parts(struct maker *m)
{
	size_t parts = (size_t)parallel_workers() * PARTS_PER_WORKER;
	size_t by_rows = m->n / PARALLEL_ROWS, by_groups = m->n / 4 / (m->groups + 1);

	parts = parts < by_rows ? parts : by_rows;
	parts = parts < by_groups ? parts : by_groups;
	m->part_count = parts ? parts : 1;
	m->parts = mem_alloc(m->part_count, sizeof(*m->parts));
	for (size_t i = 0; i < m->part_count; i++)
		m->parts[i] = (struct part){INT64_MAX, INT64_MIN,
					    mem_zalloc(m->groups, sizeof(*m->parts[i].at))};
}

/* From how many each part has of each group to where it puts them. */
static void lay_out(struct maker *m)
{
	size_t *begin = m->out->begin = mem_alloc(m->groups + 1, sizeof(*begin));
	size_t next = 0;

	for (size_t g = 0; g < m->groups; g++) {
		begin[g] = next;
		for (size_t i = 0; i < m->part_count; i++) {
			size_t count = m->parts[i].at[g];

			m->parts[i].at[g] = next;
			next += count;
		}
	}
	begin[m->groups] = next;
}

static void choose_width(struct maker *m)
{
	int64_t min = INT64_MAX, max = INT64_MIN;

	for (size_t i = 0; i < m->part_count; i++) {
		min = m->parts[i].min < min ? m->parts[i].min : min;
		max = m->parts[i].max > max ? m->parts[i].max : max;
	}
	m->out->base = min;
	m->out->wide = max >= min && (uint64_t)max - (uint64_t)min > UINT32_MAX;
	m->out->offsets = mem_alloc_large(m->out->begin[m->groups] *
					  (m->out->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

void by_group_make(struct by_group *x, batch_read *read, const void *ctx, size_t n, size_t groups)
{
	struct maker m = {.read = read, .ctx = ctx, .n = n, .groups = groups, .out = x};
	struct err never;

	*x = (struct by_group){0};
	new_parts(&m);
	parallel_for(m.part_count, 1, count_parts, &m, &never);
	lay_out(&m);
	choose_width(&m);
	parallel_for(m.part_count, 1, place_parts, &m, &never);
	for (size_t i = 0; i < m.part_count; i++)
		free(m.parts[i].at);
	free(m.parts);
}

void by_group_free(struct by_group *x)
{
	free(x->offsets);
	free(x->begin);
	*x = (struct by_group){0};
}
