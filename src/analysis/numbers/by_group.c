/* Which values belong to each group? */
#include "analysis/numbers/by_group.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Rows are cut into parts, each of which counts for itself and so knows where its values go. */
enum { PARTS_PER_WORKER = 4 };

struct part {
	int64_t min, max;
	size_t *at;    /* by group: how many; then where the next one goes */
	size_t *begin; /* by group: where the first one went */
	bool beyond;   /* a value did not fit */
};

struct maker {
	batch_read *read;
	const void *ctx;
	size_t n;
	struct by_group *out;
	size_t columns;
	struct part *parts; /* by part and column */
	size_t part_count;
	bool knows_groups; /* all columns expect the same: values are not looked at beforehand */
};

static void find_rows(const struct maker *m, size_t part, size_t *ret_begin, size_t *ret_end)
{
	size_t each = (m->n + m->part_count - 1) / m->part_count;

	*ret_begin = part * each < m->n ? part * each : m->n;
	*ret_end = m->n - *ret_begin < each ? m->n : *ret_begin + each;
}

/* Calls `take` for the rows of a part, a batch at a time. */
static void read_part(const struct maker *m, size_t part,
		      void (*take)(const struct by_group *x, struct part *p, const struct batch *b,
				   size_t count))
{
	struct batch b[BATCH_COLUMNS];
	size_t begin, end;

	find_rows(m, part, &begin, &end);
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

/* At most so many values will come. */
static void count_expected(const struct maker *m, size_t part)
{
	const uint32_t *expected = m->out->expected;
	struct part *p = &m->parts[part * m->columns];
	size_t begin, end;

	find_rows(m, part, &begin, &end);
	for (size_t i = begin; i < end; i++) {
		if (expected[i] != GROUP_NONE)
			p->at[expected[i]]++;
	}
	for (size_t c = 1; c < m->columns; c++)
		memcpy(p[c].at, p->at, m->out->groups * sizeof(*p->at));
}

static void place_narrow(const struct by_group *x, struct part *p, const struct batch *b,
			 size_t count)
{
	const uint64_t base = (uint64_t)x->base;
	uint32_t *offsets = x->offsets;
	uint64_t beyond = 0;
	size_t *at = p->at;

	for (size_t i = 0; i < count; i++) {
		uint64_t offset = (uint64_t)b->value[i] - base;

		if (b->group[i] == GROUP_NONE)
			continue;
		beyond |= offset;
		offsets[at[b->group[i]]++] = (uint32_t)offset;
	}
	p->beyond |= beyond >> 32 != 0;
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

static bool are_groups_known(const struct maker *m)
{
	for (size_t c = 0; c < m->columns; c++) {
		if (!m->out[c].expected || m->out[c].expected != m->out->expected ||
		    m->out[c].groups != m->out->groups)
			return false;
	}
	return true;
}

static void count_parts(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct maker *m = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (m->knows_groups)
			count_expected(m, i);
		else
			read_part(m, i, count_batch);
	}
}

static void place_parts(void *ctx, size_t begin, size_t end, unsigned worker)
{
	(void)worker;
	for (size_t i = begin; i < end; i++)
		read_part(ctx, i, place_batch);
}

/* Few rows are not worth a thread, and counts must not take more room than values. */
static void new_parts(struct maker *m)
{
	size_t parts = (size_t)parallel_workers() * PARTS_PER_WORKER;

	parts = parts < m->n / PARALLEL_ROWS ? parts : m->n / PARALLEL_ROWS;
	for (size_t c = 0; c < m->columns; c++) {
		size_t room = m->n / 8 / (m->out[c].groups + 1);

		parts = parts < room ? parts : room;
	}
	m->part_count = parts ? parts : 1;
	m->parts = mem_alloc(m->part_count * m->columns, sizeof(*m->parts));
	for (size_t i = 0; i < m->part_count * m->columns; i++) {
		size_t groups = m->out[i % m->columns].groups;

		m->parts[i] = (struct part){.min = INT64_MAX, .max = INT64_MIN};
		m->parts[i].at = mem_zalloc(groups, sizeof(*m->parts[i].at));
		m->parts[i].begin = mem_alloc(groups, sizeof(*m->parts[i].begin));
	}
}

static void free_parts(struct maker *m)
{
	for (size_t i = 0; i < m->part_count * m->columns; i++) {
		free(m->parts[i].at);
		free(m->parts[i].begin);
	}
	free(m->parts);
}

/* From how many each part has of each group to where it puts them; returns how many there are. */
static size_t lay_out(const struct maker *m, size_t column)
{
	size_t next = 0;

	for (size_t g = 0; g < m->out[column].groups; g++) {
		for (size_t i = 0; i < m->part_count; i++) {
			struct part *p = &m->parts[i * m->columns + column];

			p->begin[g] = next;
			next += p->at[g];
			p->at[g] = p->begin[g];
		}
	}
	return next;
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
	/* Times nearly always fit; where they have not been looked at, it shows in place_narrow().
	 */
	x->base = m->knows_groups ? 0 : min;
	x->wide = !m->knows_groups && max >= min && (uint64_t)max - (uint64_t)min > UINT32_MAX;
}

static void place_all(struct maker *m)
{
	for (size_t c = 0; c < m->columns; c++) {
		struct by_group *x = &m->out[c];
		size_t count = lay_out(m, c);

		choose_width(m, c);
		x->offsets = mem_alloc(count, x->wide ? sizeof(uint64_t) : sizeof(uint32_t));
	}
	parallel_each(m->part_count, 1, place_parts, m);
}

/* Puts the values of each group together: fewer may have come than were expected. */
static void close_up(const struct maker *m, size_t column)
{
	struct by_group *x = &m->out[column];
	const size_t size = x->wide ? sizeof(uint64_t) : sizeof(uint32_t);
	size_t next = 0;

	x->begin = mem_alloc(x->groups + 1, sizeof(*x->begin));
	for (size_t g = 0; g < x->groups; g++) {
		x->begin[g] = next;
		for (size_t i = 0; i < m->part_count; i++) {
			const struct part *p = &m->parts[i * m->columns + column];
			size_t count = p->at[g] - p->begin[g];

			if (p->begin[g] != next)
				memmove((char *)x->offsets + next * size,
					(char *)x->offsets + p->begin[g] * size, count * size);
			next += count;
		}
	}
	x->begin[x->groups] = next;
}

static bool all_fit(const struct maker *m)
{
	for (size_t i = 0; i < m->part_count * m->columns; i++) {
		if (m->parts[i].beyond)
			return false;
	}
	return true;
}

/* False when a value turned out not to fit. */
static bool read_and_place(struct maker *m)
{
	bool fit;

	new_parts(m);
	parallel_each(m->part_count, 1, count_parts, m);
	place_all(m);
	fit = all_fit(m);
	for (size_t c = 0; c < m->columns; c++) {
		if (fit)
			close_up(m, c);
		else
			free(m->out[c].offsets);
	}
	free_parts(m);
	return fit;
}

void by_group_make(struct by_group *x, size_t columns, batch_read *read, const void *ctx, size_t n)
{
	struct maker m = {.read = read, .ctx = ctx, .n = n, .out = x, .columns = columns};

	m.knows_groups = are_groups_known(&m);
	if (read_and_place(&m))
		return;
	m.knows_groups = false;
	read_and_place(&m);
}

void by_group_free(struct by_group *x)
{
	free(x->offsets);
	free(x->begin);
	*x = (struct by_group){0};
}
