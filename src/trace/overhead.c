/* How long was the profiler itself at work? */
#include "trace/overhead.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "trace/rows.h"
#include "trace/strings.h"

#include <stdlib.h>

struct span {
	int64_t start_ns, end_ns;
};

struct spans {
	struct span *items;
	size_t count;
};

/* Older exports put CUDA's own work among the profiler's, and all of them dlopen(). */
static bool is_profilers(struct str name)
{
	static const char *const others[] = {"dlopen",
					     "dlclose",
					     "Runtime Triggered Module Loading",
					     "Lazy Function Loading",
					     "Command Buffer Full",
					     "Driver Compiler"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (str_starts(name, others[i]))
			return false;
	}
	return true;
}

static void add_span(struct spans *s, const struct value *start, const struct value *end,
		     struct span window)
{
	struct span x = {start->i, end->i};

	if (start->type != SQLITE_IS_INT || end->type != SQLITE_IS_INT)
		return;
	if (x.start_ns < window.start_ns)
		x.start_ns = window.start_ns;
	if (x.end_ns > window.end_ns)
		x.end_ns = window.end_ns;
	if (x.start_ns < x.end_ns)
		s->items[s->count++] = x;
}

static int read_profiler_rows(struct trace *t, struct span window, struct spans *s, struct err *e)
{
	static const char *const columns[] = {"start", "end", "nameId", NULL};
	struct small_table rows;

	if (strings_load(t, e) < 0 ||
	    trace_read_small(t, "PROFILER_OVERHEAD", columns, &rows, e) < 0)
		return -1;
	s->items = mem_resize(s->items, s->count + rows.rows, sizeof(*s->items));
	for (size_t i = 0; i < rows.rows; i++) {
		const struct value *id = small_value(&rows, i, 2);

		if (id->type == SQLITE_IS_INT &&
		    is_profilers(trace_name(t, strings_number(t, id->i))))
			add_span(s, small_value(&rows, i, 0), small_value(&rows, i, 1), window);
	}
	return 0;
}

static int read_cupti_rows(struct trace *t, struct span window, struct spans *s, struct err *e)
{
	/* Of ENUM_CUPTI_OVERHEAD_TYPE; the others are CUDA's own work. */
	enum { BUFFER_FLUSH = 3, INSTRUMENTATION = 4, RESOURCE = 5 };
	static const char *const columns[] = {"start", "end", "overheadType", NULL};
	struct small_table rows;

	if (trace_read_small(t, "CUPTI_ACTIVITY_KIND_OVERHEAD", columns, &rows, e) < 0)
		return -1;
	s->items = mem_resize(s->items, s->count + rows.rows, sizeof(*s->items));
	for (size_t i = 0; i < rows.rows; i++) {
		int64_t type = value_int(small_value(&rows, i, 2), 0);

		if (type >= BUFFER_FLUSH && type <= RESOURCE)
			add_span(s, small_value(&rows, i, 0), small_value(&rows, i, 1), window);
	}
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int64_t union_ns(struct spans *s)
{
	int64_t total_ns = 0, until_ns = INT64_MIN;

	if (s->count)
		qsort(s->items, s->count, sizeof(*s->items), compare_spans);
	for (size_t i = 0; i < s->count; i++) {
		struct span x = s->items[i];

		if (x.start_ns < until_ns)
			x.start_ns = until_ns;
		if (x.end_ns <= x.start_ns)
			continue;
		total_ns = sat_add(total_ns, sat_sub(x.end_ns, x.start_ns));
		until_ns = x.end_ns;
	}
	return total_ns;
}

int overhead_measure(struct trace *t, int64_t from_ns, int64_t to_ns, int64_t *ret_ns,
		     struct err *e)
{
	struct span window = {from_ns, to_ns};
	struct spans s = {0};
	int status = read_profiler_rows(t, window, &s, e);

	if (status == 0)
		status = read_cupti_rows(t, window, &s, e);
	*ret_ns = status == 0 ? union_ns(&s) : 0;
	free(s.items);
	return status;
}
