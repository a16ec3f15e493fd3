/* What did a stage take in all? */
#include "analysis/mfu/mfu_stage.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

void mfu_stage_free(struct mfu_stage *s)
{
	free(s->instances);
	free(s->devices);
	arena_free(&s->arena);
	*s = (struct mfu_stage){0};
}

struct mfu_place *mfu_place_of(struct mfu_places *p, uint32_t owner, uint32_t device)
{
	size_t n = idmap_number_pair(&p->numbers, owner, device);

	if (n == p->count) {
		MEM_GROW(p->all, p->cap, p->count + 1);
		p->all[p->count++] = (struct mfu_place){
			.owner = owner, .device = device, .reach_ns = INT64_MIN, .last = SIZE_MAX};
	}
	return &p->all[n];
}

bool mfu_place_take(struct mfu_place *p, int64_t start_ns, int64_t end_ns, int64_t *ret_from_ns)
{
	*ret_from_ns = start_ns > p->reach_ns ? start_ns : p->reach_ns;
	if (end_ns < *ret_from_ns)
		return false;
	p->reach_ns = end_ns;
	return true;
}

void mfu_places_free(struct mfu_places *p)
{
	idmap_free(&p->numbers);
	free(p->all);
	*p = (struct mfu_places){0};
}

static int compare_devices(const void *a, const void *b, void *ctx)
{
	const struct mfu_device *x = a, *y = b;

	(void)ctx;
	return (x->device > y->device) - (x->device < y->device);
}

static void take_devices(struct mfu_stage *s, const struct mfu_places *p)
{
	s->devices = mem_alloc(p->count, sizeof(*s->devices));
	for (size_t i = 0; i < p->count; i++) {
		s->devices[s->device_count++] =
			(struct mfu_device){p->all[i].device, p->all[i].busy_ns};
		s->busy_ns = sat_add(s->busy_ns, p->all[i].busy_ns);
	}
	sort_stable(s->devices, s->device_count, sizeof(*s->devices), compare_devices, NULL);
}

/* Processes go on at the same time: an instant counts once. */
static int64_t wall_of(const struct mfu_stage *s)
{
	int64_t *from = mem_alloc(s->count, sizeof(*from)), wall = 0, reach = INT64_MIN;
	uint32_t *order;

	for (size_t i = 0; i < s->count; i++)
		from[i] = s->instances[i].from_ns;
	order = sort_new_order(from, s->count);
	for (size_t i = 0; i < s->count; i++) {
		const struct mfu_instance *x = &s->instances[order[i]];
		int64_t begin = x->from_ns > reach ? x->from_ns : reach;

		if (x->to_ns <= begin)
			continue;
		wall = sat_add(wall, sat_sub(x->to_ns, begin));
		reach = x->to_ns;
	}
	free(order);
	free(from);
	return wall;
}

static void count_processes(struct mfu_stage *s)
{
	s->processes = 0;
	for (size_t i = 0; i < s->count; i++)
		s->processes += !i || s->instances[i - 1].process != s->instances[i].process;
}

void mfu_stage_sum(struct mfu_stage *s, const struct mfu_places *devices)
{
	s->wall_ns = wall_of(s);
	take_devices(s, devices);
	count_processes(s);
}

size_t mfu_stage_drop_timeless(struct mfu_stage *s)
{
	const size_t before = s->count;

	s->count = 0;
	for (size_t i = 0; i < before; i++) {
		if (s->instances[i].to_ns > s->instances[i].from_ns)
			s->instances[s->count++] = s->instances[i];
	}
	count_processes(s);
	return before - s->count;
}

void mfu_stage_keep_number(struct mfu_stage *s, uint64_t number)
{
	const size_t before = s->count;

	s->count = 0;
	for (size_t i = 0; i < before; i++) {
		if (s->instances[i].number == number)
			s->instances[s->count++] = s->instances[i];
	}
	count_processes(s);
}

static bool has_process(const struct mfu_stage *s, uint32_t process)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->instances[i].process == process)
			return true;
	}
	return false;
}

/* Instances of a process are next to one another: each is looked for once. */
uint32_t mfu_stage_most_devices(const struct mfu_stage *s, const struct mfu_stage *own)
{
	uint32_t most = 0;
	bool is_own = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct mfu_instance *x = &s->instances[i];

		if (!i || x->process != x[-1].process)
			is_own = has_process(own, x->process);
		if (is_own && x->devices > most)
			most = x->devices;
	}
	return most;
}
