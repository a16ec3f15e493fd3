/* How much time is there of each sort, on each device? */
#include "analysis/numbers/time_sums.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static void add_row(struct time_sums *t, uint32_t group, uint32_t name)
{
	MEM_GROW(t->rows, t->cap, t->count + 1);
	MEM_GROW(t->device_ns, t->device_cap, (t->count + 1) * t->devices);
	MEM_GROW(t->list_of, t->list_of_cap, (t->count + 1) * t->devices);
	t->rows[t->count] = (struct time_sum){.group = group, .name = name};
	memset(t->device_ns + t->count * t->devices, 0, t->devices * sizeof(*t->device_ns));
	memset(t->list_of + t->count * t->devices, 0, t->devices * sizeof(*t->list_of));
	t->count++;
}

uint32_t time_sums_add(struct time_sums *t, uint32_t group, uint32_t name, uint32_t device,
		       int64_t ns)
{
	/* What comes next is nearly always of one of the sorts that came before. */
	uint32_t *recent = &t->recent[(group * 31 + name) % TIME_SUMS_RECENT], number = *recent;
	struct time_sum *row;
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
	return number;
}

uint32_t time_sums_new_list(struct time_sums *t)
{
	MEM_GROW(t->lists, t->list_cap, t->list_count + 1);
	t->lists[t->list_count++] = (struct longest_parts){0};
	return (uint32_t)t->list_count;
}

/* NULL: nobody said where. */
static const struct longest_parts *list_at(const struct time_sums *t, size_t at)
{
	return t->list_of[at] ? &t->lists[t->list_of[at] - 1] : NULL;
}

static void add_rows(struct time_sums *to, uint32_t number, const struct time_sums *from, size_t i)
{
	struct time_sum *row = &to->rows[number];
	const struct time_sum *more = &from->rows[i];

	row->count += more->count;
	row->total_ns = sat_add(row->total_ns, more->total_ns);
	for (size_t d = 0; d < to->devices; d++) {
		const size_t at = number * to->devices + d, other = i * from->devices + d;

		to->device_ns[at] = sat_add(to->device_ns[at], from->device_ns[other]);
		if (list_at(from, other))
			longest_parts_add_all(time_sums_list(to, at), list_at(from, other));
	}
}

void time_sums_add_row(struct time_sums *to, uint32_t group, uint32_t name,
		       const struct time_sums *from, size_t row)
{
	uint32_t number = idmap_number_pair(&to->numbers, group, name);

	if (number == to->count)
		add_row(to, group, name);
	add_rows(to, number, from, row);
}

void time_sums_add_all(struct time_sums *to, const struct time_sums *from, const uint32_t *names)
{
	for (size_t i = 0; i < from->count; i++) {
		uint32_t name = from->rows[i].name;

		time_sums_add_row(to, from->rows[i].group,
				  names && name != NAME_NONE ? names[name] : name, from, i);
	}
}

/* The device that has most. */
static size_t worst_of(const int64_t *device_ns, size_t devices)
{
	size_t worst = 0;

	for (size_t d = 1; d < devices; d++)
		worst = device_ns[d] > device_ns[worst] ? d : worst;
	return worst;
}

static int64_t most_of(const int64_t *device_ns, size_t devices)
{
	const int64_t ns = devices ? device_ns[worst_of(device_ns, devices)] : 0;

	return ns > 0 ? ns : 0;
}

int64_t time_sums_worst(const struct time_sums *t, size_t row)
{
	return most_of(&t->device_ns[row * t->devices], t->devices);
}

struct part_list time_sums_places(const struct time_sums *t, size_t row)
{
	const size_t first = row * t->devices;
	const size_t at = first + worst_of(&t->device_ns[first], t->devices);

	return list_at(t, at) ? longest_parts_list(list_at(t, at)) : (struct part_list){0};
}

void time_sums_free(struct time_sums *t)
{
	for (size_t i = 0; i < t->list_count; i++)
		longest_parts_free(&t->lists[i]);
	free(t->lists);
	free(t->list_of);
	idmap_free(&t->numbers);
	free(t->rows);
	free(t->device_ns);
	*t = (struct time_sums){0};
}

void time_total_begin(struct time_total *s, const struct time_sums *t)
{
	*s = (struct time_total){.sums = t};
	s->device_ns = mem_zalloc(t->devices, sizeof(*s->device_ns));
	s->has = mem_zalloc(t->count, sizeof(*s->has));
}

size_t time_total_tops(const struct time_total *s)
{
	return s->rows < TIME_TOTAL_TOPS ? s->rows : TIME_TOTAL_TOPS;
}

/* Before those that have less. */
static void rank_row(struct time_total *s, size_t row)
{
	const struct time_sum *rows = s->sums->rows;

	for (size_t i = 0; i < TIME_TOTAL_TOPS; i++) {
		size_t other = s->top[i];

		if (i < s->rows && rows[row].total_ns <= rows[other].total_ns)
			continue;
		s->top[i] = row;
		if (i >= s->rows)
			return;
		row = other;
	}
}

void time_total_add(struct time_total *s, size_t row)
{
	const struct time_sums *t = s->sums;
	const struct time_sum *r = &t->rows[row];

	for (size_t d = 0; d < t->devices; d++)
		s->device_ns[d] = sat_add(s->device_ns[d], t->device_ns[row * t->devices + d]);
	rank_row(s, row);
	s->total_ns = sat_add(s->total_ns, r->total_ns);
	s->count += r->count;
	s->rows++;
	s->has[row] = true;
}

void time_total_of_group(struct time_total *s, const struct time_sums *t, uint32_t group)
{
	time_total_begin(s, t);
	for (size_t i = 0; i < t->count; i++) {
		if (t->rows[i].group == group)
			time_total_add(s, i);
	}
}

int64_t time_total_worst(const struct time_total *s)
{
	return most_of(s->device_ns, s->sums->devices);
}

void time_total_places(const struct time_total *s, struct longest_parts *to)
{
	const struct time_sums *t = s->sums;
	const size_t worst = worst_of(s->device_ns, t->devices);

	for (size_t i = 0; i < t->count; i++) {
		const struct longest_parts *list =
			s->has[i] ? list_at(t, i * t->devices + worst) : NULL;

		if (list)
			longest_parts_add_all(to, list);
	}
}

void time_total_free(struct time_total *s)
{
	free(s->device_ns);
	free(s->has);
	*s = (struct time_total){0};
}

int64_t time_sums_group(const struct time_sums *t, uint32_t group, size_t *ret_top)
{
	struct time_total s;
	int64_t worst;

	time_total_of_group(&s, t, group);
	worst = time_total_worst(&s);
	if (s.rows && ret_top)
		*ret_top = s.top[0];
	time_total_free(&s);
	return worst;
}
