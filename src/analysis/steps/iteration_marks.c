/* Which NVTX marks are the beginnings of steps? */
#include "analysis/steps/iterations.h"

#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

struct marks {
	const struct trace *trace;
	const struct scope *p;
	const bool *matches; /* by name */
	size_t least;	     /* steps */
};

static bool is_step(const struct marks *s, uint64_t row)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	uint32_t thread = ev->thread ? ev->thread[row] : ID_NONE, name = ev->name[row];

	return ev->event_type[row] == NVTX_MARK && name != NAME_NONE && s->matches[name] &&
	       thread != ID_NONE &&
	       scope_has_process(s->p, s->trace, trace_thread_process(s->trace, thread));
}

/* Marks of one thread, by time: a step runs from each to the next. */
static void add_marks(const struct marks *s, const uint32_t *rows, size_t count,
		      struct iterations *it)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	int64_t *starts = mem_alloc(count, sizeof(*starts));
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	uint32_t thread = ev->thread[rows[0]];

	for (size_t i = 0; i < count; i++)
		starts[i] = ev->start_ns[rows[i]];
	sort_i64(starts, scratch, count);
	iterations_add_lane(it, trace_thread_process(s->trace, thread), thread);
	for (size_t i = 0; i + 1 < count; i++)
		iterations_add(it, starts[i], starts[i + 1]);
	free(starts);
	free(scratch);
}

/* Rows of matching marks, thread after thread, those of a process together. */
static uint32_t *list_marks(const struct marks *s, size_t *ret_count)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	uint32_t *rows = NULL, *order, *sorted;
	int64_t *threads = NULL;
	size_t count = 0, row_cap = 0, thread_cap = 0;

	for (uint64_t i = 0; i < ev->count; i++) {
		if (!is_step(s, i))
			continue;
		MEM_GROW(rows, row_cap, count + 1);
		MEM_GROW(threads, thread_cap, count + 1);
		threads[count] = (int64_t)trace_thread_process(s->trace, ev->thread[i]) << 32 |
				 ev->thread[i];
		rows[count++] = (uint32_t)i;
	}
	order = sort_new_order(threads, count);
	sorted = mem_alloc(count, sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		sorted[i] = rows[order[i]];
	free(order);
	free(rows);
	free(threads);
	*ret_count = count;
	return sorted;
}

/* Of each process the thread with the most marks. */
static void find(const struct marks *s, struct iterations *it)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	size_t count, best = 0, best_count = 0, begin = 0;
	uint32_t *rows = list_marks(s, &count);

	for (size_t i = 1; i <= count; i++) {
		uint32_t process = trace_thread_process(s->trace, ev->thread[rows[i - 1]]);

		if (i < count && ev->thread[rows[i]] == ev->thread[rows[i - 1]])
			continue;
		if (i - begin > s->least)
			iterations_add_thread(it, ev->thread[rows[begin]], i - begin - 1);
		if (i - begin > best_count) {
			best = begin;
			best_count = i - begin;
		}
		begin = i;
		if (i < count && trace_thread_process(s->trace, ev->thread[rows[i]]) == process)
			continue;
		if (best_count > s->least)
			add_marks(s, &rows[best], best_count, it);
		best_count = 0;
	}
	free(rows);
}

void iterations_find_marks(const struct trace *t, const struct scope *p, const bool *matches,
			   size_t least, struct iterations *ret)
{
	const struct marks s = {t, p, matches, least};

	find(&s, ret);
	if (!ret->count)
		return;
	ret->source = ITER_MARKER;
	ret->what = arena_printf(&ret->arena, "steps from one mark '%s' to the next", p->marker);
	iterations_describe(ret);
}
