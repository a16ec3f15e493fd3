/* What was each thread doing, and when? */
#include "trace/calls/thread_calls.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>

static uint32_t thread_of(const struct thread_calls *t, size_t call)
{
	uint32_t thread = t->calls->origins[calls_origin(t->calls, call)].thread;

	return t->calls->length[call] == LENGTH_NONE || thread >= t->threads ? ID_NONE : thread;
}

static int64_t last_ns(const struct calls *c, size_t call)
{
	const struct api_call at = calls_at(c, call);

	return api_call_last(&at);
}

/* Whether a call follows the one before on the same thread: none of it lies inside. */
static bool follows(const struct thread_calls *t, size_t i)
{
	const struct calls *c = t->calls;
	int64_t reached = sat_add(c->start_ns[i - 1], c->length[i - 1]);

	return ((c->origin[i] == c->origin[i - 1] && c->origin[i] < ORIGIN_FAR) ||
		thread_of(t, i) == thread_of(t, i - 1)) &&
	       c->length[i] < LENGTH_WIDE && c->start_ns[i] >= reached &&
	       sat_add(c->start_ns[i], c->length[i]) > reached;
}

static int check_order(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct thread_calls *t = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin ? begin : 1; i < end; i++) {
		if (!follows(t, i))
			return -1;
	}
	return 0;
}

bool thread_calls_lie_in_order(const struct calls *c, size_t threads)
{
	struct thread_calls t = {.calls = c, .threads = threads};
	struct err unsaid = {0};

	return c->count && c->length[0] < LENGTH_WIDE && thread_of(&t, 0) != ID_NONE &&
	       parallel_for(c->count, PARALLEL_ROWS, check_order, &t, &unsaid) == 0;
}

/* A counting sort, which keeps the order of rows. */
static void sort_by_thread(struct thread_calls *t)
{
	size_t count = t->calls->count, *next;

	for (size_t i = 0; i < count; i++) {
		if (thread_of(t, i) != ID_NONE)
			t->begin[thread_of(t, i) + 1]++;
	}
	for (size_t i = 0; i < t->threads; i++)
		t->begin[i + 1] += t->begin[i];
	t->order = mem_alloc(t->begin[t->threads], sizeof(*t->order));
	next = mem_alloc(t->threads, sizeof(*next));
	memcpy(next, t->begin, t->threads * sizeof(*next));
	for (size_t i = 0; i < count; i++) {
		if (thread_of(t, i) != ID_NONE)
			t->order[next[thread_of(t, i)]++] = (uint32_t)i;
	}
	free(next);
}

static bool is_sorted(const struct calls *c, const uint32_t *order, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (c->start_ns[order[i]] < c->start_ns[order[i - 1]])
			return false;
	}
	return true;
}

static void sort_by_start(const struct calls *c, uint32_t *order, size_t count)
{
	int64_t *start;
	uint32_t *by_start;

	if (is_sorted(c, order, count))
		return;
	start = mem_alloc(count, sizeof(*start));
	for (size_t i = 0; i < count; i++)
		start[i] = c->start_ns[order[i]];
	by_start = sort_new_order(start, count);
	free(start);
	for (size_t i = 0; i < count; i++)
		by_start[i] = order[by_start[i]];
	memcpy(order, by_start, count * sizeof(*order));
	free(by_start);
}

/* Leaves out what lies inside the call before; returns how many are left, from order[to] on. */
static size_t drop_nested(struct thread_calls *t, size_t begin, size_t end, size_t to)
{
	const struct calls *c = t->calls;
	size_t first = to;
	int64_t reached = 0;

	for (size_t i = begin; i < end; i++) {
		int64_t last = last_ns(c, t->order[i]);

		if (to > first && last <= reached)
			continue;
		reached = last;
		t->order[to++] = t->order[i];
	}
	return to - first;
}

static void settle_threads(struct thread_calls *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->threads; i++) {
		size_t begin = t->begin[i], end = t->begin[i + 1];

		sort_by_start(t->calls, t->order + begin, end - begin);
		t->begin[i] = kept;
		kept += drop_nested(t, begin, end, kept);
	}
	t->begin[t->threads] = kept;
}

void thread_calls_make(const struct calls *c, size_t threads, struct thread_calls *ret)
{
	*ret = (struct thread_calls){.calls = c, .threads = threads};
	ret->begin = mem_zalloc(threads + 1, sizeof(*ret->begin));
	if (c->in_order || thread_calls_lie_in_order(c, threads)) {
		for (size_t i = thread_of(ret, 0) + 1; i <= threads; i++)
			ret->begin[i] = c->count;
		return;
	}
	sort_by_thread(ret);
	settle_threads(ret);
}

void thread_calls_free(struct thread_calls *t)
{
	free(t->order);
	free(t->begin);
	*t = (struct thread_calls){0};
}

static bool begins_by(const struct thread_calls *t, size_t place, int64_t at_ns)
{
	return t->calls->start_ns[thread_calls_at(t, place)] <= at_ns;
}

size_t thread_calls_after(const struct thread_calls *t, uint32_t thread, int64_t at_ns,
			  size_t *near)
{
	size_t low = t->begin[thread], high = t->begin[thread + 1];

	if (*near > low && *near <= high) {
		if (begins_by(t, *near - 1, at_ns))
			low = *near;
		else
			high = *near - 1;
	}
	*near = GALLOP(low, high, at, begins_by(t, at, at_ns));
	return *near;
}
