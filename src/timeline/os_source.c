/* What did threads wait for in the operating system? */
#include "timeline/os_source.h"

_Static_assert((int)OS_WAITS < (int)LANE_CLASSES, "what a call waits for is a class of a lane");

static void read_calls(const struct lane_source *self, const uint32_t *ids, size_t count,
		       struct lane_event *ret)
{
	const struct os_source *s = (const struct os_source *)self;
	const struct events *ev = s->events;

	for (size_t i = 0; i < count; i++) {
		const uint32_t row = ids[i], name = ev->name[row];
		const int64_t ns = ev->duration_ns[row];

		ret[i] = (struct lane_event){ev->start_ns[row],
					     sat_add(ev->start_ns[row], ns > 0 ? ns : 0), row,
					     name == NAME_NONE ? OS_WAITS : s->wait_of_name[name]};
	}
}

static bool thread_of(const void *events, size_t row, uint32_t *thread)
{
	const struct events *ev = events;

	*thread = ev->thread[row];
	return ev->duration_ns[row] != DURATION_NONE;
}

int os_source_begin(struct os_source *s, struct trace *t, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME);
	const struct events *ev = &t->events[TRACE_OSRT];

	*s = (struct os_source){.base = {.read = read_calls}, .events = ev};
	if (!ev->table)
		return 0;
	/* Others who are done with a column must leave it. */
	t->keeps_columns[TRACE_OSRT] |= columns;
	if (trace_load(t, TRACE_OSRT, columns, e) < 0)
		return -1;
	if (!ev->start_ns || !ev->duration_ns || !ev->thread || !ev->name || ev->count > UINT32_MAX)
		return 0;
	s->wait_of_name = mem_alloc(t->names.count, sizeof(*s->wait_of_name));
	for (size_t i = 0; i < t->names.count; i++)
		s->wait_of_name[i] = (uint8_t)os_wait_of(t->names.items[i]);
	rows_by_thread_list(&s->threads, ev->count, t->thread_keys.count, thread_of, ev);
	return 0;
}

void os_source_free(struct os_source *s)
{
	free(s->wait_of_name);
	rows_by_thread_free(&s->threads);
	*s = (struct os_source){0};
}
