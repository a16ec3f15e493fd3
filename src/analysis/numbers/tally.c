/* How much time is there of each sort, on each device? */
#include "analysis/numbers/tally.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static void add_row(struct tally *t, uint32_t group, uint32_t name)
{
	MEM_GROW(t->rows, t->cap, t->count + 1);
	MEM_GROW(t->device_ns, t->device_cap, (t->count + 1) * t->devices);
	t->rows[t->count] = (struct tally_row){.group = group, .name = name};
	memset(t->device_ns + t->count * t->devices, 0, t->devices * sizeof(*t->device_ns));
	t->count++;
}

uint32_t tally_add(struct tally *t, uint32_t group, uint32_t name, uint32_t device, int64_t at_ns,
		   int64_t ns)
{
	/* What comes next is nearly always of one of the sorts that came before. */
	uint32_t *recent = &t->recent[(group * 31 + name) % TALLY_RECENT], number = *recent;
	struct tally_row *row;
	int64_t *device_ns;

	if (number >= t->count || t->rows[number].group != group || t->rows[number].name != name)
		number = idmap_number_pair(&t->numbers, group, name);
	if (number == t->count)
		add_row(t, group, name);
	*recent = number;
	row = &t->rows[number];
	device_ns = &t->device_ns[number * t->devices + device];
	row->count++;
	row->total_ns = sat_add(row->total_ns, ns);
	*device_ns = sat_add(*device_ns, ns);
	if (ns > row->longest_ns) {
		row->longest_ns = ns;
		row->longest_at_ns = at_ns;
		row->longest_device = device;
	}
	return number;
}

static void add_rows(struct tally *to, uint32_t number, const struct tally *from, size_t i)
{
	struct tally_row *row = &to->rows[number];
	const struct tally_row *more = &from->rows[i];

	row->count += more->count;
	row->total_ns = sat_add(row->total_ns, more->total_ns);
	for (size_t d = 0; d < to->devices; d++) {
		int64_t *ns = &to->device_ns[number * to->devices + d];

		*ns = sat_add(*ns, from->device_ns[i * from->devices + d]);
	}
	if (more->longest_ns > row->longest_ns) {
		row->longest_ns = more->longest_ns;
		row->longest_at_ns = more->longest_at_ns;
		row->longest_device = more->longest_device;
	}
}

void tally_add_row(struct tally *to, uint32_t group, uint32_t name, const struct tally *from,
		   size_t row)
{
	uint32_t number = idmap_number_pair(&to->numbers, group, name);

	if (number == to->count)
		add_row(to, group, name);
	add_rows(to, number, from, row);
}

void tally_add_all(struct tally *to, const struct tally *from, const uint32_t *names)
{
	for (size_t i = 0; i < from->count; i++) {
		uint32_t name = from->rows[i].name;

		tally_add_row(to, from->rows[i].group,
			      names && name != NAME_NONE ? names[name] : name, from, i);
	}
}

int64_t tally_worst(const struct tally *t, size_t row)
{
	int64_t worst = 0;

	for (size_t d = 0; d < t->devices; d++) {
		if (t->device_ns[row * t->devices + d] > worst)
			worst = t->device_ns[row * t->devices + d];
	}
	return worst;
}

int64_t tally_group(const struct tally *t, uint32_t group, size_t *ret_top)
{
	int64_t worst = 0, top_ns = -1;

	for (size_t d = 0; d < t->devices; d++) {
		int64_t sum = 0;

		for (size_t i = 0; i < t->count; i++) {
			if (t->rows[i].group == group)
				sum = sat_add(sum, t->device_ns[i * t->devices + d]);
		}
		if (sum > worst)
			worst = sum;
	}
	for (size_t i = 0; i < t->count; i++) {
		if (t->rows[i].group == group && t->rows[i].total_ns > top_ns) {
			top_ns = t->rows[i].total_ns;
			*ret_top = i;
		}
	}
	return worst;
}

void tally_free(struct tally *t)
{
	idmap_free(&t->numbers);
	free(t->rows);
	free(t->device_ns);
	*t = (struct tally){0};
}

void tally_sum_begin(struct tally_sum *s, const struct tally *t)
{
	*s = (struct tally_sum){.tally = t};
	s->device_ns = mem_zalloc(t->devices, sizeof(*s->device_ns));
}

size_t tally_sum_tops(const struct tally_sum *s)
{
	return s->rows < TALLY_TOPS ? s->rows : TALLY_TOPS;
}

/* Before those that have less. */
static void rank_row(struct tally_sum *s, size_t row)
{
	const struct tally_row *rows = s->tally->rows;

	for (size_t i = 0; i < TALLY_TOPS; i++) {
		size_t other = s->top[i];

		if (i < s->rows && rows[row].total_ns <= rows[other].total_ns)
			continue;
		s->top[i] = row;
		if (i >= s->rows)
			return;
		row = other;
	}
}

void tally_sum_add(struct tally_sum *s, size_t row)
{
	const struct tally *t = s->tally;
	const struct tally_row *r = &t->rows[row];

	for (size_t d = 0; d < t->devices; d++)
		s->device_ns[d] = sat_add(s->device_ns[d], t->device_ns[row * t->devices + d]);
	rank_row(s, row);
	if (!s->rows || r->longest_ns > t->rows[s->longest].longest_ns)
		s->longest = row;
	s->total_ns = sat_add(s->total_ns, r->total_ns);
	s->count += r->count;
	s->rows++;
}

void tally_sum_group(struct tally_sum *s, const struct tally *t, uint32_t group)
{
	tally_sum_begin(s, t);
	for (size_t i = 0; i < t->count; i++) {
		if (t->rows[i].group == group)
			tally_sum_add(s, i);
	}
}

int64_t tally_sum_worst(const struct tally_sum *s)
{
	int64_t worst = 0;

	for (size_t d = 0; d < s->tally->devices; d++)
		worst = s->device_ns[d] > worst ? s->device_ns[d] : worst;
	return worst;
}

void tally_sum_free(struct tally_sum *s)
{
	free(s->device_ns);
	*s = (struct tally_sum){0};
}
