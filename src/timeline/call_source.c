/* What does a CUDA call look like on a timeline, and whose is it? */
#include "timeline/call_source.h"

#include "base/mem.h"

#include <stdlib.h>

_Static_assert((int)CALL_CLASSES <= (int)LANE_CLASSES, "a class of calls is a class of a lane");

static void read_calls(const struct lane_source *self, const uint32_t *ids, size_t count,
		       struct lane_event *ret)
{
	const struct call_source *s = (const struct call_source *)self;

	for (size_t i = 0; i < count; i++) {
		const struct api_call call = calls_at(&s->calls, ids[i]);
		const uint32_t name = s->calls.origins[call.origin].name;

		ret[i] = (struct lane_event){call.start_ns, api_call_last(&call), ids[i],
					     (uint8_t)call_class_of(&s->classes, name)};
	}
}

static uint32_t thread_of(const struct calls *c, size_t row)
{
	return c->origins[calls_origin(c, row)].thread;
}

static bool has_times(const struct calls *c, size_t row)
{
	return calls_duration(c, row) != DURATION_NONE;
}

/* By thread, the last being that of calls of nobody. */
static size_t *count_by_thread(const struct calls *c, size_t threads)
{
	size_t *counts = mem_zalloc(threads + 1, sizeof(*counts));

	for (size_t i = 0; i < c->count; i++) {
		const uint32_t thread = thread_of(c, i);

		counts[thread < threads ? thread : threads] += has_times(c, i);
	}
	return counts;
}

static void list_rows(struct call_source *s, size_t threads, const size_t *number_of)
{
	const struct calls *c = &s->calls;

	for (size_t i = 0; i < s->thread_count; i++) {
		struct thread_rows *t = &s->threads[i];

		t->ids = mem_alloc(t->count, sizeof(*t->ids));
		t->count = 0;
	}
	for (size_t i = 0; i < c->count; i++) {
		const uint32_t thread = thread_of(c, i);
		struct thread_rows *t = &s->threads[number_of[thread < threads ? thread : threads]];

		if (has_times(c, i))
			t->ids[t->count++] = (uint32_t)i;
	}
}

/* Where all are one thread's, none is listed. */
static void list_threads(struct call_source *s, size_t threads)
{
	size_t *counts = count_by_thread(&s->calls, threads);

	s->threads = mem_alloc(threads + 1, sizeof(*s->threads));
	for (size_t i = 0; i <= threads; i++) {
		const size_t count = counts[i];

		counts[i] = s->thread_count; /* its number from here on */
		if (count)
			s->threads[s->thread_count++] = (struct thread_rows){
				i < threads ? (uint32_t)i : ID_NONE, NULL, count};
	}
	if (s->thread_count && s->threads[0].count < s->calls.count)
		list_rows(s, threads, counts);
	free(counts);
}

int call_source_begin(struct call_source *s, struct trace *t, struct err *e)
{
	*s = (struct call_source){.base = {read_calls}};
	if (!t->events[TRACE_API].table)
		return 0;
	if (calls_read(t, &s->calls, e) < 0 || call_classes_read(t, &s->classes, e) < 0)
		return -1;
	if (s->calls.has_times)
		list_threads(s, t->thread_keys.count);
	return 0;
}

void call_source_free(struct call_source *s)
{
	for (size_t i = 0; i < s->thread_count; i++)
		free(s->threads[i].ids);
	free(s->threads);
	calls_free(&s->calls);
	call_classes_free(&s->classes);
	*s = (struct call_source){0};
}
