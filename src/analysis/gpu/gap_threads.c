/* How long did threads wait, whether a GPU was idle or not? */
#include "analysis/gpu/gaps.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

enum { FULL_QUEUE_NS = 100000 }; /* a launch that takes this long waits for room in the queue */

struct thread_times {
	const struct gap_judge *judge;
	int64_t from_ns, to_ns;
	__int128 (*ns)[WAITS]; /* of each worker */
};

/* What a thread does in the call, as far as anybody asks; WAITS: something else. */
static enum thread_wait wait_in(const struct gap_judge *j, size_t call)
{
	switch (j->blame_of_origin[calls_origin(&j->calls, call)]) {
	case BLAME_SYNC:
	case BLAME_COPY:
		return WAIT_GPU;
	case BLAME_ALLOC:
		return WAIT_ALLOC;
	case BLAME_LAUNCH:
		return j->calls.length[call] >= FULL_QUEUE_NS ? WAIT_GPU : WAITS;
	default:
		return WAITS;
	}
}

static void add_times(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct thread_times *t = ctx;
	const struct gap_judge *j = t->judge;
	__int128 ns[WAITS] = {0};

	for (size_t i = begin; i < end; i++) {
		size_t number = thread_calls_at(&j->threads, i);
		enum thread_wait wait = wait_in(j, number);
		struct api_call call;
		int64_t from, to;

		if (wait == WAITS)
			continue;
		call = calls_at(&j->calls, number);
		from = call.start_ns > t->from_ns ? call.start_ns : t->from_ns;
		to = api_call_end(&call) < t->to_ns ? api_call_end(&call) : t->to_ns;
		if (to <= from)
			continue;
		ns[wait] += to - from;
		if (wait == WAIT_ALLOC && j->call_blocks[calls_origin(&j->calls, number)])
			ns[WAIT_GPU] += to - from;
	}
	for (int wait = 0; wait < WAITS; wait++)
		t->ns[worker][wait] += ns[wait];
}

void gap_judge_threads(const struct gap_judge *j, int64_t from_ns, int64_t to_ns, int64_t ns[WAITS])
{
	struct thread_times t = {j, from_ns, to_ns, NULL};

	memset(ns, 0, WAITS * sizeof(*ns));
	if (!j->joined)
		return;
	t.ns = mem_zalloc(parallel_workers(), sizeof(*t.ns));
	parallel_each(j->threads.begin[j->threads.threads], PARALLEL_ROWS, add_times, &t);
	for (int wait = 0; wait < WAITS; wait++) {
		__int128 sum = 0;

		for (unsigned w = 0; w < parallel_workers(); w++)
			sum += t.ns[w][wait];
		ns[wait] = sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
	}
	free(t.ns);
}

int64_t gap_judge_tail(const struct gap_judge *j, int64_t from_ns, int64_t to_ns)
{
	const struct thread_calls *t = &j->threads;
	int64_t last_ns = from_ns;

	if (!j->joined)
		return 0;
	for (size_t i = 0; i < t->threads; i++) {
		size_t near = 0, place = thread_calls_after(t, (uint32_t)i, to_ns, &near);
		struct api_call call;

		if (place == t->begin[i])
			continue;
		call = calls_at(&j->calls, thread_calls_at(t, place - 1));
		if (api_call_last(&call) > last_ns)
			last_ns = api_call_last(&call);
	}
	return last_ns < to_ns ? sat_sub(to_ns, last_ns) : 0;
}
