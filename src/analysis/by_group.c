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
	size_t n;
	struct by_group *out;
	size_t columns;
	struct part *parts; /* by part and column */
	size_t part_count;
};

/* Calls `take` for the rows of a part, a batch at a time. */
static void read_part(const struct maker *m, size_t part,
		      void (*take)(const struct by_group *x, struct part *p, const struct batch *b,
				   size_t count))
{
	size_t each = (m->n + m->part_count - 1) / m->part_count;
	size_t begin = part * each < m->n ? part * each : m->n;
	size_t end = m->n - begin < each ? m->n : begin + each;
	struct batch b[BATCH_COLUMNS];

	for (size_t next; begin < end; begin = next) {
		next = end - begin < BATCH_ROWS ? end : begin + BATCH_ROWS;
		m->read(m->ctx, begin, next, b);
		for (size_t c = 0; c < m->columns; c++)
			take(&m->out[c], &m->parts[part * m->columns + c], &b[c], next - begin);
	}
}

static void count_batch(const struct by_group *x, struct part *p, const struct batch *b,
			size_t count)
{
	int64_t min = p->min, max = p->max;
	size_t *at = p->at;

	(void)x;
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

static void place_narrow(const struct by_group *x, struct part *p, const struct batch *b,
			 size_t count)
{
	const uint64_t base = (uint64_t)x->base;
	uint32_t *offsets = x->offsets;
	size_t *at = p->at;

	for (size_t i = 0; i < count; i++) {
		if (b->group[i] != GROUP_NONE)
			offsets[at[b->group[i]]++] = (uint32_t)((uint64_t)b->value[i] - base);
	}
}

static void place_wide(const struct by_group *x, struct part *p, const struct batch *b,
		       size_t count)
{
	const uint64_t base = (uint64_t)x->base;
	uint64_t *offsets = x->offsets;
	size_t *at = p->at;

	for (size_t i = 0; i < count; i++) {
		if (b->group[i] != GROUP_NONE)
			offsets[at[b->group[i]]++] = (uint64_t)b->value[i] - base;
	}
}

static void place_batch(const struct by_group *x, struct part *p, const struct batch *b,
			size_t count)
{
	if (x->wide)
		place_wide(x, p, b, count);
	else
		place_narrow(x, p, b, count);
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
	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		read_part(ctx, i, place_batch);
	return 0;
}

/* Few rows are not worth a thread, and counts must not take more room than values. */
static void new_parts(struct maker *m)
{
	size_t parts = (size_t)parallel_workers() * PARTS_PER_WORKER;

	parts = parts < m->n / PARALLEL_ROWS ? parts : m->n / PARALLEL_ROWS;
	for (size_t c = 0; c < m->columns; c++) {
		size_t room = m->n / 4 / (m->out[c].groups + 1);

		parts = parts < room ? parts : room;
	}
	m->part_count = parts ? parts : 1;
	m->parts = mem_alloc(m->part_count * m->columns, sizeof(*m->parts));
	for (size_t i = 0; i < m->part_count * m->columns; i++)
		m->parts[i] = (struct part){
			INT64_MAX, INT64_MIN,
			mem_zalloc(m->out[i % m->columns].groups, sizeof(*m->parts[i].at))};
}

/* From how many each part has of each group to where it puts them. */
static void lay_out(const struct maker *m, size_t column)
{
	struct by_group *x = &m->out[column];
	size_t next = 0;

	x->begin = mem_alloc(x->groups + 1, sizeof(*x->begin));
	for (size_t g = 0; g < x->groups; g++) {
		x->begin[g] = next;
		for (size_t i = 0; i < m->part_count; i++) {
			size_t *at = &m->parts[i * m->columns + column].at[g], count = *at;

			*at = next;
			next += count;
		}
	}
	x->begin[x->groups] = next;
}

static void choose_width(const struct maker *m, size_t column)
{
	struct by_group *x = &m->out[column];
	int64_t min = INT64_MAX, max = INT64_MIN;

	for (size_t i = 0; i < m->part_count; i++) {
		const struct part *p = &m->parts[i * m->columns + column];

		min = p->min < min ? p->min : min;
		max = p->max > max ? p->max : max;
	}
	x->base = min;
	x->wide = max >= min && (uint64_t)max - (uint64_t)min > UINT32_MAX;
	x->offsets = mem_alloc_large(x->begin[x->groups] *
				     (x->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

void by_group_make(struct by_group *x, size_t columns, batch_read *read, const void *ctx, size_t n)
{
	struct maker m = {.read = read, .ctx = ctx, .n = n, .out = x, .columns = columns};
	struct err never;

	new_parts(&m);
	parallel_for(m.part_count, 1, count_parts, &m, &never);
	for (size_t c = 0; c < columns; c++) {
		lay_out(&m, c);
		choose_width(&m, c);
	}
	parallel_for(m.part_count, 1, place_parts, &m, &never);
	for (size_t i = 0; i < m.part_count * columns; i++)
		free(m.parts[i].at);
	free(m.parts);
}

void by_group_free(struct by_group *x)
{
	free(x->offsets);
	free(x->begin);
	*x = (struct by_group){0};
}
