/* In which ranges was the host of each member when its capture ended? */
#include "fleet/part_making.h"

#include "base/buf.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

/* What a rank hangs in holds this time before the end; what it is about to finish does not. */
static const int64_t shortly_ns = PART_STUCK_NS / 2;

/* The program's ranges that a thread is in, the outermost first. */
struct thread_ranges {
	uint32_t *rows;
	size_t count, cap;
};

static int by_start(const void *a, const void *b, void *ctx)
{
	const int64_t *start_ns = ctx;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (start_ns[x] != start_ns[y])
		return start_ns[x] < start_ns[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static bool is_open_at(const struct trace *t, uint32_t row, int64_t at_ns)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	if (ev->start_ns[row] > at_ns || ev->duration_ns[row] == DURATION_NONE)
		return false;
	return range_never_closed(t, row) ||
	       sat_add(ev->start_ns[row], ev->duration_ns[row]) >= at_ns;
}

static bool is_wanted(const struct trace *t, uint64_t row, int64_t at_ns)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	return nvtx_is_push_pop(ev->event_type[row]) && is_open_at(t, (uint32_t)row, at_ns) &&
	       ev->name[row] != NAME_NONE && !str_starts(trace_name(t, ev->name[row]), "nccl");
}

/* By number of thread, in one pass. */
static void find_ranges(const struct trace *t, const struct idmap *threads, int64_t at_ns,
			struct thread_ranges *ret)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	for (uint64_t i = 0; i < ev->count && ev->thread && ev->event_type && ev->name; i++) {
		const uint32_t number = idmap_get(threads, ev->thread[i]);
		struct thread_ranges *to = &ret[number == IDMAP_NONE ? 0 : number];

		if (number == IDMAP_NONE || !is_wanted(t, i, at_ns))
			continue;
		MEM_GROW(to->rows, to->cap, to->count + 1);
		to->rows[to->count++] = (uint32_t)i;
	}
	for (size_t i = 0; i < threads->count; i++)
		sort_stable(ret[i].rows, ret[i].count, sizeof(*ret[i].rows), by_start,
			    ev->start_ns);
}

static void tell_place(const struct part_making *x, const struct thread_ranges *r,
		       struct part_end *end)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	SCOPED_BUF path = {0};

	for (size_t i = 0; i < r->count; i++) {
		const struct str name = trace_name(x->trace, ev->name[r->rows[i]]);

		buf_adds(&path, i ? " / " : "");
		buf_add(&path, name.s, name.len);
		end->path_ns = part_time(ev->start_ns[r->rows[i]]);
	}
	end->path = r->count ? part_text(&x->part->arena, buf_str(&path)) : "";
}

void part_take_places(struct part_making *x, const uint32_t *threads)
{
	struct thread_ranges *all = mem_zalloc(x->count, sizeof(*all));
	struct idmap numbers = {0};

	for (size_t i = 0; i < x->count; i++) {
		if (threads[i] != ID_NONE && x->part->members[i].end.seen_ns != PART_UNKNOWN)
			idmap_add(&numbers, threads[i], (uint32_t)numbers.count);
	}
	if (numbers.count)
		find_ranges(x->trace, &numbers,
			    sat_sub(x->part->members[0].end.seen_ns, shortly_ns), all);
	for (size_t i = 0; i < x->count; i++) {
		const uint32_t number = idmap_get(&numbers, threads[i]);

		if (number != IDMAP_NONE)
			tell_place(x, &all[number], &x->part->members[i].end);
	}
	for (size_t i = 0; i < numbers.count; i++)
		free(all[i].rows);
	idmap_free(&numbers);
	free(all);
}
