/* How long was the profiler itself at work, and in which thread? */
#include "trace/system/overhead.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/span.h"
#include "trace/small_table.h"
#include "trace/strings.h"

#include <stdlib.h>

struct spans {
	struct overhead_span *items;
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

/* Adds a row of start, end and globalTid; one that cannot be read took no time. */
static void add_span(const struct trace *t, struct spans *s, const struct small_table *rows,
		     size_t row)
{
	const struct value *start = small_value(rows, row, 0), *end = small_value(rows, row, 1);
	const struct value *tid = small_value(rows, row, 2);

	if (start->type != SQLITE_IS_INT || end->type != SQLITE_IS_INT || end->i <= start->i)
		return;
	s->items[s->count++] = (struct overhead_span){
		.start_ns = start->i,
		.end_ns = end->i,
		.thread = tid->type == SQLITE_IS_INT
				  ? idmap_get(&t->thread_keys.map, (uint64_t)tid->i)
				  : ID_NONE,
	};
}

/* Of ENUM_CUPTI_OVERHEAD_TYPE; the others are CUDA's own work. */
static bool is_cuptis(int64_t type)
{
	enum { BUFFER_FLUSH = 3, INSTRUMENTATION = 4, RESOURCE = 5 };

	return type >= BUFFER_FLUSH && type <= RESOURCE;
}

/* Each row says what it is: by a name where `named`, else by a type. */
static int read_rows(struct trace *t, const char *table, bool named, struct spans *s, struct err *e)
{
	const char *const columns[] = {"start", "end", "globalTid",
				       named ? "nameId" : "overheadType", NULL};
	struct small_table rows;

	if (trace_read_small(t, table, columns, &rows, e) < 0)
		return -1;
	s->items = mem_resize(s->items, s->count + rows.rows, sizeof(*s->items));
	for (size_t i = 0; i < rows.rows; i++) {
		const struct value *what = small_value(&rows, i, 3);

		if (what->type == SQLITE_IS_INT &&
		    (named ? is_profilers(trace_name(t, strings_number(t, what->i)))
			   : is_cuptis(what->i)))
			add_span(t, s, &rows, i);
	}
	return 0;
}

static int read_spans(struct trace *t, struct spans *s, struct err *e)
{
	TRACE_LOCK_SCOPE(t); /* others may be numbering threads meanwhile */

	*s = (struct spans){0};
	if (strings_load(t, e) == 0 && read_rows(t, "PROFILER_OVERHEAD", true, s, e) == 0 &&
	    read_rows(t, "CUPTI_ACTIVITY_KIND_OVERHEAD", false, s, e) == 0)
		return 0;
	free(s->items);
	return -1;
}

static int compare_starts(const void *a, const void *b)
{
	const struct overhead_span *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int compare_threads(const void *a, const void *b)
{
	const struct overhead_span *x = a, *y = b;

	return x->thread != y->thread ? (x->thread > y->thread) - (x->thread < y->thread)
				      : compare_starts(a, b);
}

static int64_t union_ns(struct spans *s, int64_t from_ns, int64_t to_ns)
{
	int64_t total_ns = 0, reached_ns = from_ns;

	if (s->count)
		qsort(s->items, s->count, sizeof(*s->items), compare_starts);
	for (size_t i = 0; i < s->count; i++) {
		struct span part = {s->items[i].start_ns, s->items[i].end_ns};

		part.end_ns = part.end_ns > to_ns ? to_ns : part.end_ns;
		total_ns = sat_add(total_ns, span_beyond(part, &reached_ns));
	}
	return total_ns;
}

int overhead_measure(struct trace *t, int64_t from_ns, int64_t to_ns, int64_t *ret_ns,
		     struct err *e)
{
	struct spans s;

	if (read_spans(t, &s, e) < 0)
		return -1;
	*ret_ns = union_ns(&s, from_ns, to_ns);
	free(s.items);
	return 0;
}

/* The profiler's work overlaps and nests: of each thread, what is covered, once. */
static void merge(struct spans *s)
{
	struct overhead_span *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct overhead_span next = s->items[i];
		bool follows = last && last->thread == next.thread;

		if (follows && next.start_ns <= last->end_ns) {
			last->end_ns = next.end_ns > last->end_ns ? next.end_ns : last->end_ns;
			continue;
		}
		if (follows)
			next.before_ns =
				sat_add(last->before_ns, sat_sub(last->end_ns, last->start_ns));
		last = &s->items[count++];
		*last = next;
	}
	s->count = count;
}

int overheads_read(struct trace *t, struct overheads *ret, struct err *e)
{
	struct spans s;
	size_t i = 0;

	*ret = (struct overheads){0};
	if (read_spans(t, &s, e) < 0)
		return -1;
	if (s.count)
		qsort(s.items, s.count, sizeof(*s.items), compare_threads);
	merge(&s);
	ret->threads = t->thread_keys.count;
	ret->begin = mem_zalloc(ret->threads + 1, sizeof(*ret->begin));
	for (size_t thread = 0; thread < ret->threads; thread++) {
		while (i < s.count && s.items[i].thread <= thread)
			i++;
		ret->begin[thread + 1] = i;
	}
	ret->spans = s.items;
	return 0;
}

void overheads_free(struct overheads *o)
{
	free(o->spans);
	free(o->begin);
	*o = (struct overheads){0};
}

/* How many of all spans come before those of the thread that begin at a time or later. */
static size_t place_of(const struct overheads *o, uint32_t thread, int64_t at_ns)
{
	return BISECT(o->begin[thread], o->begin[thread + 1], at, o->spans[at].start_ns < at_ns);
}

/* The last span of the thread that begins before a time, or NULL. */
static const struct overhead_span *last_before(const struct overheads *o, uint32_t thread,
					       int64_t at_ns)
{
	size_t place = thread < o->threads ? place_of(o, thread, at_ns) : 0;

	return thread < o->threads && place > o->begin[thread] ? &o->spans[place - 1] : NULL;
}

struct overhead_pause overheads_pause(const struct overheads *o, uint32_t thread, int64_t at_ns)
{
	struct overhead_pause p = {thread, INT64_MIN, INT64_MAX};
	size_t place;

	if (thread >= o->threads)
		return p;
	place = place_of(o, thread, at_ns);
	if (place > o->begin[thread])
		p.from_ns = o->spans[place - 1].end_ns;
	if (place < o->begin[thread + 1])
		p.to_ns = o->spans[place].start_ns;
	if (p.from_ns > at_ns)
		p.from_ns = p.to_ns = at_ns;
	return p;
}

/* All of the thread's up to a time. */
static int64_t until(const struct overheads *o, uint32_t thread, int64_t at_ns)
{
	const struct overhead_span *last = last_before(o, thread, at_ns);

	if (!last)
		return 0;
	return sat_add(last->before_ns,
		       sat_sub(at_ns < last->end_ns ? at_ns : last->end_ns, last->start_ns));
}

int64_t overheads_ns(const struct overheads *o, uint32_t thread, int64_t from_ns, int64_t to_ns)
{
	return from_ns < to_ns ? until(o, thread, to_ns) - until(o, thread, from_ns) : 0;
}

int64_t overheads_lasting_ns(const struct overheads *o, uint32_t thread, int64_t at_ns)
{
	const struct overhead_span *last = last_before(o, thread, at_ns);

	return last && last->end_ns > at_ns ? sat_sub(at_ns, last->start_ns) : 0;
}

int context_marks_read(struct trace *t, struct context_mark **ret, size_t *ret_count, struct err *e)
{
	static const char *const columns[] = {"start", "globalTid", "nameId", NULL};
	struct small_table rows;
	TRACE_LOCK_SCOPE(t);

	*ret = NULL;
	*ret_count = 0;
	if (strings_load(t, e) < 0 ||
	    trace_read_small(t, "PROFILER_OVERHEAD", columns, &rows, e) < 0)
		return -1;
	*ret = mem_alloc(rows.rows, sizeof(**ret));
	for (size_t i = 0; i < rows.rows; i++) {
		const struct value *at = small_value(&rows, i, 0), *tid = small_value(&rows, i, 1);
		const struct value *name = small_value(&rows, i, 2);
		uint32_t thread;

		if (at->type != SQLITE_IS_INT || tid->type != SQLITE_IS_INT ||
		    name->type != SQLITE_IS_INT ||
		    !str_holds(trace_name(t, strings_number(t, name->i)), "on context created"))
			continue;
		thread = idmap_get(&t->thread_keys.map, (uint64_t)tid->i);
		if (thread != IDMAP_NONE)
			(*ret)[(*ret_count)++] = (struct context_mark){at->i, thread};
	}
	return 0;
}
