/* How much of each stage's communication is exposed? */
#include "analysis/ranks/stage_times.h"

#include "base/mem.h"

#include <stdlib.h>

/* The communication of a stage on one device, or of all stages. */
struct group {
	uint32_t place;
	struct cover comm;
	struct stage_time time;
};

struct maker {
	const struct rank_study *study;
	struct group *groups; /* of a stage each */
	size_t count, cap;
	struct group *totals; /* one for each place */
};

static struct stage_time empty_time(uint32_t rank, uint32_t label)
{
	return (struct stage_time){
		.rank = rank, .label = label, .overlap_min = -1, .overlap_max = -1};
}

static void widen(struct stage_time *t, double min, double max)
{
	if (min < 0)
		return;
	if (t->overlap_min < 0 || min < t->overlap_min)
		t->overlap_min = min;
	if (max > t->overlap_max)
		t->overlap_max = max;
}

static void add_kernel(struct group *g, const struct cover *compute, const struct rank_comm *k)
{
	int64_t ns = sat_sub(k->end_ns, k->start_ns);
	int64_t hidden_ns = cover_between(compute, k->start_ns, k->end_ns);
	struct stage_time *t = &g->time;

	t->kernels++;
	t->comm_sum_ns = sat_add(t->comm_sum_ns, ns);
	t->exposed_sum_ns = sat_add(t->exposed_sum_ns, sat_sub(ns, hidden_ns));
	if (ns > 0) {
		double overlap = 100.0 * (double)hidden_ns / (double)ns;

		widen(t, overlap, overlap);
	}
	cover_add(&g->comm, k->start_ns, k->end_ns);
}

static void add_barrier(struct group *g, const struct rank_comm *k)
{
	g->time.barriers++;
	g->time.barrier_ns = sat_add(g->time.barrier_ns, sat_sub(k->end_ns, k->start_ns));
}

static struct group *group_of(struct maker *m, struct idmap *numbers, uint32_t place,
			      uint32_t label)
{
	uint32_t number = idmap_number_pair(numbers, place, label);

	if (number == m->count) {
		uint32_t rank = m->study->activity.places[place].rank;

		MEM_GROW(m->groups, m->cap, m->count + 1);
		m->groups[m->count++] = (struct group){place, {0}, empty_time(rank, label)};
	}
	return &m->groups[number];
}

static void add_all(struct maker *m)
{
	const struct rank_activity *a = &m->study->activity;
	struct idmap numbers = {0};

	m->totals = mem_zalloc(a->place_count, sizeof(*m->totals));
	for (size_t i = 0; i < a->place_count; i++)
		m->totals[i] =
			(struct group){(uint32_t)i, {0}, empty_time(a->places[i].rank, LABEL_NONE)};
	for (size_t i = 0; i < a->comm_count; i++) {
		const struct rank_comm *k = &a->comm[i];
		uint32_t place = a->streams[k->stream].place;
		struct group *g = group_of(m, &numbers, place, m->study->label[i]);

		if (comm_is_barrier(a, k)) {
			add_barrier(g, k);
			add_barrier(&m->totals[place], k);
		} else {
			add_kernel(g, &a->places[place].compute, k);
			add_kernel(&m->totals[place], &a->places[place].compute, k);
		}
	}
	idmap_free(&numbers);
}

/* What the union of a group's kernels comes to. */
static void measure(const struct rank_activity *a, struct group *g)
{
	const struct cover *compute = &a->places[g->place].compute;

	for (size_t i = 0; i < g->comm.count; i++) {
		const struct cover_piece *p = &g->comm.pieces[i];
		int64_t ns = sat_sub(p->end_ns, p->start_ns);
		int64_t hidden_ns = cover_between(compute, p->start_ns, p->end_ns);

		g->time.comm_ns = sat_add(g->time.comm_ns, ns);
		g->time.exposed_ns = sat_add(g->time.exposed_ns, sat_sub(ns, hidden_ns));
	}
	cover_free(&g->comm);
}

static void add_time(struct stage_time *to, const struct stage_time *t)
{
	to->kernels += t->kernels;
	to->barriers += t->barriers;
	to->comm_ns = sat_add(to->comm_ns, t->comm_ns);
	to->exposed_ns = sat_add(to->exposed_ns, t->exposed_ns);
	to->comm_sum_ns = sat_add(to->comm_sum_ns, t->comm_sum_ns);
	to->exposed_sum_ns = sat_add(to->exposed_sum_ns, t->exposed_sum_ns);
	to->barrier_ns = sat_add(to->barrier_ns, t->barrier_ns);
	widen(to, t->overlap_min, t->overlap_max);
}

static int compare_times(const void *a, const void *b)
{
	const struct stage_time *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Adds groups up by label, and by rank where `by_rank` says so. */
static size_t add_up(const struct maker *m, bool by_rank, struct stage_time **ret)
{
	struct stage_time *items = mem_alloc(m->count, sizeof(*items));
	struct idmap numbers = {0};
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct stage_time *t = &m->groups[i].time;
		uint32_t rank = by_rank ? t->rank : ID_NONE;
		uint32_t number = idmap_number_pair(&numbers, rank, t->label);

		if (number == count)
			items[count++] = empty_time(rank, t->label);
		add_time(&items[number], t);
	}
	idmap_free(&numbers);
	if (count)
		qsort(items, count, sizeof(*items), compare_times);
	*ret = items;
	return count;
}

void stage_times_make(const struct rank_study *s, struct stage_times *ret)
{
	const struct rank_activity *a = &s->activity;
	struct maker m = {.study = s};

	*ret = (struct stage_times){.all = empty_time(ID_NONE, LABEL_NONE)};
	add_all(&m);
	for (size_t i = 0; i < m.count; i++)
		measure(a, &m.groups[i]);
	ret->count = add_up(&m, true, &ret->items);
	ret->stage_count = add_up(&m, false, &ret->stages);
	ret->ranks = mem_alloc(s->map.count, sizeof(*ret->ranks));
	for (size_t i = 0; i < s->map.count; i++)
		ret->ranks[i] = empty_time((uint32_t)i, LABEL_NONE);
	for (size_t i = 0; i < a->place_count; i++) {
		measure(a, &m.totals[i]);
		add_time(&ret->ranks[a->places[i].rank], &m.totals[i].time);
		add_time(&ret->all, &m.totals[i].time);
	}
	free(m.groups);
	free(m.totals);
}

void stage_times_free(struct stage_times *st)
{
	free(st->items);
	free(st->ranks);
	free(st->stages);
	*st = (struct stage_times){0};
}
