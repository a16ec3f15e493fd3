/* Which instance is each kernel of, where the queue that others are held against lacks some? */
#include "fleet/job/queue_runs.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* What the first queue lacks before one of its kernels. */
struct insert {
	int64_t place;
	int64_t count;
	int64_t before; /* all that it lacks before these */
};

struct inserts {
	struct insert *all; /* by place */
	size_t count, cap;
};

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct insert *x = a, *y = b;

	(void)ctx;
	if (x->place != y->place)
		return x->place > y->place ? 1 : -1;
	return (x->count < y->count) - (x->count > y->count);
}

static uint32_t stretch_end(const struct instance_queue *q, const struct alignment *a, size_t i)
{
	return i + 1 < a->count ? a->stretches[i + 1].first : (uint32_t)q->count;
}

static void add_inserts(struct inserts *x, const struct instance_queue *q,
			const struct alignment *a)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i];

		if (!s->extra)
			continue;
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] =
			(struct insert){s->place, (int64_t)stretch_end(q, a, i) - s->first, 0};
	}
}

/* Of what several have at one place all have the same: as many as the one that has most. */
static void merge_inserts(struct inserts *x)
{
	size_t kept = 0;
	int64_t before = 0;

	sort_stable(x->all, x->count, sizeof(*x->all), by_place, NULL);
	for (size_t i = 0; i < x->count; i++) {
		if (kept && x->all[kept - 1].place == x->all[i].place)
			continue;
		x->all[kept] = x->all[i];
		x->all[kept].before = before;
		before += x->all[kept++].count;
	}
	x->count = kept;
}

/* The first insert behind a place; `at` as well: or there. */
static size_t find_insert(const struct inserts *x, int64_t place, bool at)
{
	size_t low = 0, high = x->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x->all[middle].place < place || (!at && x->all[middle].place == place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int64_t lacking_before(const struct inserts *x, size_t i)
{
	return i ? x->all[i - 1].before + x->all[i - 1].count : 0;
}

struct run_list {
	struct instance_run *all;
	size_t count, cap;
};

static void add_run(struct run_list *l, int64_t first, int64_t k)
{
	/* It goes on where the one before it ends. */
	if (l->count && k - l->all[l->count - 1].k == first - l->all[l->count - 1].first)
		return;
	MEM_GROW(l->all, l->cap, l->count + 1);
	l->all[l->count++] = (struct instance_run){(uint32_t)first, k};
}

static void set_runs(struct instance_queue *q, const struct alignment *a, const struct inserts *x)
{
	struct run_list runs = {0};

	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i];
		const int64_t end = s->place + (int64_t)stretch_end(q, a, i) - s->first;
		size_t n = find_insert(x, s->place, s->extra);

		add_run(&runs, s->first, s->place + lacking_before(x, n));
		for (; n < x->count && x->all[n].place < end && !s->extra; n++)
			add_run(&runs, s->first + x->all[n].place - s->place,
				x->all[n].place + lacking_before(x, n + 1));
	}
	q->runs = runs.all;
	q->run_count = runs.count;
}

void queue_runs_make(struct instance_queue *q, const struct alignment *aligned,
		     const uint32_t *group, size_t count, uint32_t g)
{
	struct inserts x = {0};

	for (size_t i = 0; i < count; i++) {
		if (group[i] == g && q[i].matched)
			add_inserts(&x, &q[i], &aligned[i]);
	}
	merge_inserts(&x);
	for (size_t i = 0; i < count; i++) {
		if (group[i] == g && q[i].matched)
			set_runs(&q[i], &aligned[i], &x);
	}
	free(x.all);
}
