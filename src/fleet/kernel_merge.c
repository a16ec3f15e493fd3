/* How long did each kernel take on all ranks together? */
#include "fleet/kernel_merge.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void part_kernel_sum(struct part_kernel *k)
{
	k->count = 0;
	k->total_ns = 0;
	k->squares = 0;
	for (size_t i = 0; i < k->value_count; i++) {
		const __int128 ns = k->values[i].value;

		k->count += k->values[i].count;
		k->total_ns += ns * (__int128)k->values[i].count;
		k->squares += (unsigned __int128)(ns * ns) * k->values[i].count;
	}
}

/* Durations, ascending, each once; a list of one kernel is the part's own. */
struct list {
	const struct counted_value *values;
	struct counted_value *owned; /* NULL: it is the part's */
	size_t count;
};

static struct list merge_two(const struct list *a, const struct list *b)
{
	struct counted_value *out = mem_alloc(a->count + b->count, sizeof(*out));
	size_t i = 0, k = 0, n = 0;

	while (i < a->count && k < b->count) {
		const struct counted_value x = a->values[i], y = b->values[k];

		out[n] = x.value <= y.value ? x : y;
		out[n++].count += x.value == y.value ? y.count : 0;
		i += x.value <= y.value;
		k += y.value <= x.value;
	}
	for (; i < a->count; i++)
		out[n++] = a->values[i];
	for (; k < b->count; k++)
		out[n++] = b->values[k];
	return (struct list){out, out, n};
}

/* Two and two, until one is left: what ranks have in common shrinks on the way. */
static struct list merge_all(struct list *lists, size_t count)
{
	for (; count > 1; count = (count + 1) / 2) {
		for (size_t i = 0; i < count / 2; i++) {
			const struct list merged = merge_two(&lists[2 * i], &lists[2 * i + 1]);

			free(lists[2 * i].owned);
			free(lists[2 * i + 1].owned);
			lists[i] = merged;
		}
		if (count % 2)
			lists[count / 2] = lists[count - 1];
	}
	return lists[0];
}

/* A kernel of one member. */
struct kernel_ref {
	const struct part_kernel *of;
};

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct kernel_ref *x = a, *y = b;

	(void)ctx;
	return strcmp(x->of->name, y->of->name);
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct merged_kernel *x = a, *y = b;

	(void)ctx;
	return (x->summary.total < y->summary.total) - (x->summary.total > y->summary.total);
}

static struct kernel_ref *list_kernels(const struct part *const *parts, size_t count,
				       size_t *ret_count)
{
	struct kernel_ref *all = NULL;
	size_t cap = 0, n = 0;

	for (size_t p = 0; p < count; p++) {
		for (size_t m = 0; m < parts[p]->member_count; m++) {
			const struct part_member *of = &parts[p]->members[m];

			MEM_GROW(all, cap, n + of->kernel_count);
			for (size_t k = 0; k < of->kernel_count; k++)
				all[n++].of = &of->kernels[k];
		}
	}
	if (n)
		sort_stable(all, n, sizeof(*all), by_name, NULL);
	*ret_count = n;
	return all;
}

struct merging {
	struct kernel_ref *kernels; /* of all members, by name */
	const size_t *begin;	    /* of each name; one more ends them */
	struct kernel_merge *out;
};

static void merge_name(const struct merging *x, size_t name)
{
	const struct kernel_ref *own = &x->kernels[x->begin[name]];
	const size_t count = x->begin[name + 1] - x->begin[name];
	struct list *lists = mem_alloc(count, sizeof(*lists)), all;
	struct merged_kernel *out = &x->out->all[name];

	for (size_t i = 0; i < count; i++)
		lists[i] = (struct list){own[i].of->values, NULL, own[i].of->value_count};
	all = merge_all(lists, count);
	*out = (struct merged_kernel){.name = own[0].of->name, .members = (uint32_t)count};
	for (size_t i = 0; i < count; i++)
		out->communicates |= own[i].of->communicates;
	out->summary = summarize_counted(all.values, all.count);
	free(all.owned);
	free(lists);
}

static void merge_names(void *ctx, size_t begin, size_t end, unsigned worker)
{
	(void)worker;
	for (size_t i = begin; i < end; i++)
		merge_name(ctx, i);
}

void kernel_merge_make(struct kernel_merge *ret, const struct part *const *parts, size_t count)
{
	size_t kernels, *begin;
	struct merging x = {.out = ret};

	*ret = (struct kernel_merge){0};
	x.kernels = list_kernels(parts, count, &kernels);
	begin = mem_alloc(kernels + 1, sizeof(*begin));
	for (size_t i = 0; i < kernels; i++) {
		if (!i || strcmp(x.kernels[i - 1].of->name, x.kernels[i].of->name) != 0)
			begin[ret->count++] = i;
	}
	begin[ret->count] = kernels;
	x.begin = begin;
	ret->all = mem_alloc(ret->count, sizeof(*ret->all));
	parallel_each(ret->count, 1, merge_names, &x);
	if (ret->count)
		sort_stable(ret->all, ret->count, sizeof(*ret->all), by_time, NULL);
	free(begin);
	free(x.kernels);
}

void kernel_merge_free(struct kernel_merge *m)
{
	free(m->all);
	*m = (struct kernel_merge){0};
}
