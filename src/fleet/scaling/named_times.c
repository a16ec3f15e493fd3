/* Which kernels, and which places of the host, does a job's time go to? */
#include "fleet/scaling/named_times.h"

#include "analysis/kernel_alike.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/stragglers.h"

#include <stdlib.h>
#include <string.h>

void named_times_free(struct named_times *t)
{
	free(t->all);
	arena_free(&t->arena);
	*t = (struct named_times){0};
}

void named_times_add(struct named_times *t, const char *name, double ns)
{
	MEM_GROW(t->all, t->cap, t->count + 1);
	t->all[t->count++] = (struct named_time){name, name, ns, ns};
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct named_time *x = a, *y = b;

	(void)ctx;
	return strcmp(x->key, y->key);
}

void named_times_merge(struct named_times *t)
{
	size_t kept = 0;

	if (t->count)
		sort_stable(t->all, t->count, sizeof(*t->all), by_key, NULL);
	for (size_t i = 0; i < t->count; i++) {
		const struct named_time *x = &t->all[i];
		struct named_time *to = &t->all[kept ? kept - 1 : 0];

		if (!kept || strcmp(to->key, x->key) != 0) {
			t->all[kept++] = *x;
			continue;
		}
		to->ns += x->ns;
		if (to->shown == x->shown || strcmp(to->shown, x->shown) == 0) {
			to->shown_ns += x->shown_ns;
		} else if (x->shown_ns > to->shown_ns) {
			to->shown = x->shown;
			to->shown_ns = x->shown_ns;
		}
	}
	t->count = kept;
}

/* Names are made plain once each: ranks have the same ones. */
static void make_plain(struct named_times *t)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < t->count; i++) {
		buf_clear(&b);
		kernel_name_add_plain(&b, str_of(t->all[i].key));
		t->all[i].key = arena_str(&t->arena, buf_str(&b)).s;
	}
}

void named_times_of_kernels(struct named_times *t, const struct job *j)
{
	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;
		const double of = member_steps(m) * (double)j->member_count;

		for (size_t k = 0; k < m->kernel_count; k++) {
			if (!m->kernels[k].communicates)
				named_times_add(t, m->kernels[k].name,
						(double)m->kernels[k].total_ns / of);
		}
	}
	named_times_merge(t);
	make_plain(t);
	named_times_merge(t);
}

void named_times_of_idle(struct named_times *t, const struct job *j)
{
	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;
		const double of = member_steps(m) * (double)j->member_count;

		for (size_t k = 0; k < m->cause_count; k++)
			named_times_add(t, m->causes[k].path, (double)m->causes[k].ns / of);
	}
	named_times_merge(t);
}

static const struct named_time *find(const struct named_times *t, const char *key)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(t->all[middle].key, key);

		if (order == 0)
			return &t->all[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct named_time named_times_grown(const struct named_times *one, double scale,
				    const struct named_times *many)
{
	struct named_time most = {0};

	for (size_t i = 0; i < many->count; i++) {
		const struct named_time *was = find(one, many->all[i].key);
		const double ns = many->all[i].ns - (was ? scale * was->ns : 0);

		if (ns > most.ns)
			most = (struct named_time){many->all[i].key, many->all[i].shown, ns, ns};
	}
	return most;
}

double named_times_sum(const struct named_times *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		sum += t->all[i].ns;
	return sum;
}

double named_times_common(const struct named_times *of, const struct named_times *other)
{
	const double all_ns = named_times_sum(of);
	double common_ns = 0;

	for (size_t i = 0; i < of->count; i++)
		common_ns += find(other, of->all[i].key) ? of->all[i].ns : 0;
	return all_ns > 0 ? common_ns / all_ns : 1;
}
