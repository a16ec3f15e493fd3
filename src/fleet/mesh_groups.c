/* Which axes of a mesh do ranks share collectives along? */
#include "fleet/mesh_groups.h"

#include "analysis/processes/rank_label.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/time_groups.h"

#include <math.h>
#include <stdlib.h>

enum {
	SAMPLED = 512, /* kernels of a queue that are asked */
	LEAST = 8,     /* that a queue has, to be asked */
	CHOICES = 1 << MESH_AXES,
};

static const double uneven = 0.1;    /* of a queue's kernels another may have more or less */
static const double apart = 2;	     /* times as far apart as in the best groups is not together */
static const double little_ns = 1e3; /* is no difference */

struct mesh {
	const struct mesh_queue *q;
	size_t count;
	struct rank_setup *place; /* by queue */
	uint32_t axes;		  /* that ranks differ in */
	uint32_t *group, *first;  /* by queue; by group its first queue */
	uint32_t groups;
};

static const struct part_collective *kernel_at(const struct mesh *m, size_t queue, size_t i)
{
	return &m->q[queue].member->collectives[m->q[queue].kernels[i]];
}

/* Whether all ranks have a place on the same axes; false: labels do not say. */
static bool read_places(struct mesh *m)
{
	uint32_t known = 0;

	for (size_t i = 0; i < m->count; i++) {
		uint32_t own = 0;

		rank_setup_parse(str_of(m->q[i].member->label), &m->place[i]);
		for (uint32_t a = 0; a < MESH_AXES; a++) {
			own |= m->place[i].mesh[a].known ? 1u << a : 0;
			if (m->place[i].mesh[a].rank != m->place[0].mesh[a].rank)
				m->axes |= 1u << a;
		}
		if (i && own != known)
			return false;
		known = own;
	}
	return m->axes && (m->axes & (m->axes - 1)) && (m->axes & ~known) == 0;
}

/* The same of ranks that differ in these axes alone. */
static uint64_t key_of(const struct rank_setup *place, uint32_t axes)
{
	uint64_t key = 0;

	for (uint32_t x = 0; x < MESH_AXES; x++) {
		if (!(axes & 1u << x))
			key = (key ^ place->mesh[x].rank) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return key;
}

/* False: some rank would be alone, or in a smaller group than others. */
static bool make_groups(struct mesh *m, uint32_t axes)
{
	uint32_t *members = mem_zalloc(m->count, sizeof(*members));
	struct idmap numbers = {0};
	bool even = true;

	m->groups = 0;
	for (uint32_t i = 0; i < m->count; i++) {
		uint32_t *g = &m->group[i];

		*g = idmap_add(&numbers, key_of(&m->place[i], axes), m->groups);
		if (*g == m->groups)
			m->first[m->groups++] = i;
		members[*g]++;
	}
	for (uint32_t g = 0; g < m->groups; g++)
		even &= members[g] > 1 && members[g] == members[0];
	idmap_free(&numbers);
	free(members);
	return even;
}

static double median(const double *values, size_t n)
{
	int64_t *keys = mem_alloc(n, sizeof(*keys)), *scratch = mem_alloc(n, sizeof(*scratch));
	double result;

	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key_of_double(values[i]);
	sort_i64(keys, scratch, n);
	result = n ? sort_double_of_key(keys[n / 2]) : 0;
	free(scratch);
	free(keys);
	return result;
}

/* What is left of differences that drift in time: clocks are apart, at a rate of their own. */
static void take_drift(double *apart_ns, const double *at_ns, size_t n)
{
	const size_t half = n / 2;
	double early, late, rate;

	if (!half)
		return;
	early = median(apart_ns, half);
	late = median(apart_ns + n - half, half);
	rate = (late - early) / (at_ns[n - half + half / 2] - at_ns[half / 2]);
	for (size_t i = 0; i < n && isfinite(rate); i++)
		apart_ns[i] -= rate * (at_ns[i] - at_ns[0]);
}

/* By how much the times at which two leave their kernels come and go; INFINITY: not the same. */
static double spread_of(const struct mesh *m, size_t a, size_t b)
{
	const size_t p = m->q[a].count, q = m->q[b].count, both = p < q ? p : q;
	const size_t step = both / SAMPLED + 1, n = both / step;
	double apart_ns[SAMPLED] = {0}, at_ns[SAMPLED] = {0}, middle;

	if (both < LEAST || (double)both < (1 - uneven) * (double)(p > q ? p : q))
		return INFINITY;
	for (size_t i = 0; i < n; i++) {
		at_ns[i] = (double)kernel_at(m, a, i * step)->end_ns;
		apart_ns[i] = (double)kernel_at(m, b, i * step)->end_ns - at_ns[i];
	}
	take_drift(apart_ns, at_ns, n);
	middle = median(apart_ns, n);
	for (size_t i = 0; i < n; i++)
		apart_ns[i] = fabs(apart_ns[i] - middle);
	return median(apart_ns, n);
}

/* Of all groups, between each first and its others; in most of them, as a capture may lack some. */
static double spread_of_groups(const struct mesh *m)
{
	double *all = mem_alloc(m->count, sizeof(*all)), result;
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->first[m->group[i]] != i)
			all[n++] = spread_of(m, m->first[m->group[i]], i);
	}
	result = median(all, n);
	free(all);
	return result;
}

/* By axes how far apart their groups leave; INFINITY: they are none. Returns the least. */
static double measure(struct mesh *m, double *spread)
{
	double least = INFINITY;

	for (uint32_t axes = 1; axes < CHOICES; axes++) {
		spread[axes] = INFINITY;
		if ((axes & ~m->axes) == 0 && make_groups(m, axes))
			spread[axes] = spread_of_groups(m);
		least = fmin(least, spread[axes]);
	}
	return least;
}

/* The axes whose groups are the largest of those that leave together; all: nothing tells. */
static uint32_t choose(struct mesh *m)
{
	double spread[CHOICES];
	const double least = measure(m, spread);
	uint32_t chosen = m->axes, groups = UINT32_MAX;

	for (uint32_t axes = CHOICES - 1; axes && isfinite(least); axes--) {
		if (spread[axes] > apart * least + little_ns)
			continue;
		make_groups(m, axes);
		if (m->groups < groups) {
			chosen = axes;
			groups = m->groups;
		}
	}
	return chosen;
}

uint32_t mesh_groups_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group)
{
	struct mesh m = {.q = q, .count = count, .group = ret_group};
	uint32_t axes = 0;

	m.place = mem_zalloc(count, sizeof(*m.place));
	m.first = mem_zalloc(count, sizeof(*m.first));
	if (count && read_places(&m)) {
		axes = choose(&m);
		make_groups(&m, axes);
		axes = axes == m.axes ? 0 : axes;
	} else if (time_groups_find(q, count, ret_group) > 1) {
		axes = MESH_BY_TIME;
	}
	if (!axes)
		memset(ret_group, 0, count * sizeof(*ret_group));
	free(m.first);
	free(m.place);
	return axes;
}

static bool are_two_stages(const struct mesh *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->place[i].mesh[MESH_PP].size != 2)
			return false;
	}
	return true;
}

bool mesh_pairs_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group)
{
	const uint32_t stages = UINT32_C(1) << MESH_PP;
	struct mesh m = {.q = q, .count = count, .group = ret_group};
	double spread[CHOICES];
	bool found = false;

	m.place = mem_zalloc(count, sizeof(*m.place));
	m.first = mem_zalloc(count, sizeof(*m.first));
	if (count > 2 && read_places(&m) && (m.axes & stages) && are_two_stages(&m)) {
		const double least = measure(&m, spread);

		/* Ranks that share a layer send at the same time, too: these are not asked. */
		found = isfinite(least) && spread[stages] <= apart * least + little_ns &&
			make_groups(&m, stages) && 2 * m.groups == count;
	}
	if (!found)
		memset(ret_group, 0, count * sizeof(*ret_group));
	free(m.first);
	free(m.place);
	return found;
}

void mesh_axes_add(struct buf *b, uint32_t axes)
{
	for (uint32_t x = 0; x < MESH_AXES; x++) {
		if (axes & 1u << x)
			buf_addf(b, " %s", mesh_axis_names[x]);
	}
}
