/* What does a CUDA call look like on a timeline, and whose is it? */
#include "timeline/call_source.h"

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

static bool thread_of(const void *calls, size_t row, uint32_t *thread)
{
	const struct calls *c = calls;

	*thread = c->origins[calls_origin(c, row)].thread;
	return calls_duration(c, row) != DURATION_NONE;
}

int call_source_begin(struct call_source *s, struct trace *t, struct err *e)
{
	*s = (struct call_source){.base = {.read = read_calls}};
	if (!t->events[TRACE_API].table)
		return 0;
	if (calls_read(t, &s->calls, e) < 0 || call_classes_read(t, &s->classes, e) < 0)
		return -1;
	if (s->calls.has_times)
		rows_by_thread_list(&s->threads, s->calls.count, t->thread_keys.count, thread_of,
				    &s->calls);
	return 0;
}

void call_source_free(struct call_source *s)
{
	rows_by_thread_free(&s->threads);
	calls_free(&s->calls);
	call_classes_free(&s->classes);
	*s = (struct call_source){0};
}
