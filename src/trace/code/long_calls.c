/* When is a thread in a CUDA call that takes long? */
#include "trace/code/long_calls.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>

enum { LONG_NS = 1000000 };

/* Nearly all calls are short: their length alone says so. */
static bool is_long(const struct calls *c, size_t row)
{
	return c->length[row] >= LONG_NS && c->length[row] != LENGTH_NONE &&
	       calls_duration(c, row) >= LONG_NS;
}

void long_calls_find(const struct thread_calls *t, struct long_calls *ret)
{
	size_t count = 0, cap = 0;

	*ret = (struct long_calls){.threads = t->threads};
	ret->begin = mem_zalloc(t->threads + 1, sizeof(*ret->begin));
	for (size_t thread = 0; thread < t->threads; thread++) {
		ret->begin[thread] = count;
		for (size_t i = t->begin[thread]; i < t->begin[thread + 1]; i++) {
			const size_t row = thread_calls_at(t, i);
			struct api_call call;

			if (!is_long(t->calls, row))
				continue;
			call = calls_at(t->calls, row);
			MEM_GROW(ret->all, cap, count + 1);
			ret->all[count++] = (struct span){call.start_ns, api_call_last(&call)};
		}
	}
	ret->begin[t->threads] = count;
}

void long_calls_free(struct long_calls *l)
{
	free(l->all);
	free(l->begin);
	*l = (struct long_calls){0};
}

/* Whether a call is the first of its thread that begins after a moment. */
static bool is_next(const struct long_calls *l, size_t begin, size_t end, size_t i, int64_t at_ns)
{
	return i >= begin && i <= end && (i == begin || l->all[i - 1].start_ns <= at_ns) &&
	       (i == end || l->all[i].start_ns > at_ns);
}

struct span long_calls_around(const struct long_calls *l, uint32_t thread, int64_t at_ns,
			      size_t *near)
{
	const size_t begin = l->begin[thread], end = l->begin[thread + 1];
	struct span around = {INT64_MIN, INT64_MAX};
	size_t next = *near;

	next += !is_next(l, begin, end, next, at_ns);
	if (!is_next(l, begin, end, next, at_ns))
		next = BISECT(begin, end, at, l->all[at].start_ns <= at_ns);
	*near = next;
	if (next < end)
		around.end_ns = l->all[next].start_ns;
	if (next == begin)
		return around;
	if (l->all[next - 1].end_ns > at_ns)
		return l->all[next - 1];
	around.start_ns = l->all[next - 1].end_ns;
	return around;
}
