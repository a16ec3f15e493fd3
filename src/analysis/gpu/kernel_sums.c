/* How much time did each kernel take, and on which device, where that was asked for? */
#include "analysis/gpu/kernel_sums.h"

#include "analysis/kept_answers.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"

#include <stdlib.h>

static int sum_up(struct trace *t, const struct scope *p, enum group_by by, struct kernel_sums *ret,
		  struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	*ret = (struct kernel_sums){0};
	if (kernel_names_read(t, NULL, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(t, TRACE_KERNELS, names.of_kernel, p, by, &g, e);
	kernel_names_free(&names);
	if (result < 0)
		return -1;
	ret->count = g.count;
	ret->without_times = g.without_times;
	ret->sums = mem_alloc(g.count, sizeof(*ret->sums));
	summarize(g.duration_ns, g.group, t->events[TRACE_KERNELS].count, g.count, ret->sums);
	ret->keys = g.keys;
	g.keys = NULL;
	grouping_free(&g);
	return 0;
}

/* What is kept is by device. With one device, sums by device are those over all. */
static bool is_of_one_device(const struct kernel_sums *s)
{
	for (size_t i = 1; i < s->count; i++) {
		if (s->keys[i].device != s->keys[0].device)
			return false;
	}
	return true;
}

static void free_answer(void *sums)
{
	kernel_sums_free(sums);
}

static const struct kept_answers kept = {sizeof(struct kernel_sums), NULL, free_answer};

int kernel_sums_read(struct trace *t, const struct scope *p, enum group_by by,
		     struct kernel_sums *ret, struct err *e)
{
	ret->shared = kept_answers_find(&kept, t, p, ret) &&
		      (by == BY_DEVICE || (!by && is_of_one_device(ret)));
	if (ret->shared)
		return 0;
	if (sum_up(t, p, by, ret, e) < 0)
		return -1;
	ret->shared = by == BY_DEVICE && kept_answers_add(&kept, t, p, ret);
	return 0;
}

void kernel_sums_free(struct kernel_sums *s)
{
	if (!s->shared) {
		free(s->keys);
		free(s->sums);
	}
	*s = (struct kernel_sums){0};
}

void kernel_sums_keep(struct trace *t, const struct scope *p, const struct grouping *by_name,
		      const struct summary *sums, uint32_t device)
{
	struct kernel_sums s = {.count = by_name->count, .without_times = by_name->without_times};

	if (!t->keeps_answers || kept_answers_any(&kept, t))
		return;
	s.keys = mem_alloc(s.count, sizeof(*s.keys));
	s.sums = mem_alloc(s.count, sizeof(*s.sums));
	for (size_t i = 0; i < s.count; i++) {
		s.keys[i] = by_name->keys[i];
		s.keys[i].device = device;
		s.sums[i] = sums[i];
	}
	s.shared = kept_answers_add(&kept, t, p, &s);
	kernel_sums_free(&s);
}
