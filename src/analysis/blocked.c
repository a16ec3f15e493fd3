/* How long did each thread wait inside CUDA calls? */
#include "analysis/blocked.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/call_class.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_NAME, WANTED };

struct wait {
	uint64_t thread;
	struct span span;
};

struct wait_list {
	struct wait *items;
	size_t count, cap;
};

struct reading {
	struct trace *trace;
	const struct params *p;
	struct call_classes classes;
	struct wait_list *lists; /* one per worker */
};

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct reading *r = ctx;

	(void)e;
	for (unsigned w = 0; w < parallel_workers(); w++)
		r->lists[w].count = 0;
	progress_begin("reading calls", rows);
	return 0;
}

static bool read_wait(const struct reading *r, const struct sqlite_values *v, size_t i,
		      struct wait *ret)
{
	int64_t duration;

	for (int w = 0; w < WANTED; w++) {
		if (v[w].type[i] != SQLITE_IS_INT)
			return false;
	}
	ret->thread = (uint64_t)v[WANT_TID].num[i];
	return call_blocks(&r->classes, strings_number(r->trace, v[WANT_NAME].num[i])) &&
	       !__builtin_sub_overflow(v[WANT_END].num[i], v[WANT_START].num[i], &duration) &&
	       (!r->p->has_pid || process_pid(ret->thread >> 24) == r->p->pid) &&
	       window_part(r->p, v[WANT_START].num[i], duration, &ret->span);
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct reading *r = ctx;
	struct wait_list *list = &r->lists[worker];
	struct wait wait;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (!read_wait(r, b->values, i, &wait))
			continue;
		MEM_GROW(list->items, list->cap, list->count + 1);
		list->items[list->count++] = wait;
	}
	progress_add(b->rows);
	return 0;
}

/* Outer records before what they hold, so that the order is the same whoever read them. */
static int compare_waits(const void *a, const void *b, void *ctx)
{
	const struct wait *x = a, *y = b;

	(void)ctx;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->span.start_ns != y->span.start_ns)
		return x->span.start_ns < y->span.start_ns ? -1 : 1;
	return (x->span.end_ns < y->span.end_ns) - (x->span.end_ns > y->span.end_ns);
}

static void add_up(const struct wait_list *all, struct blocked *out)
{
	size_t cap = 0;
	int64_t reached = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct wait *b = &all->items[i];
		struct blocked_thread *t;
		int64_t from = b->span.start_ns;

		if (!i || all->items[i - 1].thread != b->thread) {
			MEM_GROW(out->threads, cap, out->count + 1);
			out->threads[out->count++] = (struct blocked_thread){.key = b->thread};
			reached = INT64_MIN;
		}
		t = &out->threads[out->count - 1];
		/* A record inside another is the same call. */
		if (b->span.end_ns <= reached)
			continue;
		if (from < reached)
			from = reached;
		reached = b->span.end_ns;
		t->ns = sat_add(t->ns, sat_sub(reached, from));
		t->calls++;
	}
}

static void gather(const struct reading *r, struct blocked *out)
{
	struct wait_list all = {0};

	for (unsigned w = 0; w < parallel_workers(); w++) {
		const struct wait_list *list = &r->lists[w];

		if (!list->count)
			continue;
		MEM_GROW(all.items, all.cap, all.count + list->count);
		memcpy(all.items + all.count, list->items, list->count * sizeof(*list->items));
		all.count += list->count;
	}
	sort_stable(all.items, all.count, sizeof(*all.items), compare_waits, NULL);
	add_up(&all, out);
	free(all.items);
}

static bool find_columns(const struct sqlite_table *table, int columns[WANTED])
{
	static const char *const names[WANTED] = {"start", "end", "globalTid", "nameId"};

	for (int i = 0; table && i < WANTED; i++) {
		columns[i] = sqlite_table_find_column(table, names[i]);
		if (columns[i] < 0)
			return false;
	}
	return table != NULL;
}

int blocked_read(struct trace *t, const struct params *p, struct blocked *ret, struct err *e)
{
	struct reading r = {.trace = t, .p = p};
	const struct sqlite_reader reader = {begin_calls, take_calls, &r};
	const struct sqlite_table *table = t->events[TRACE_API].table;
	int columns[WANTED], result;

	*ret = (struct blocked){0};
	if (!find_columns(table, columns))
		return 0;
	if (call_classes_read(t, &r.classes, e) < 0)
		return -1;
	r.lists = mem_zalloc(parallel_workers(), sizeof(*r.lists));
	result = sqlitefile_read(t->file, table, columns, WANTED, &reader, e);
	progress_end();
	if (result == 0) {
		gather(&r, ret);
		ret->known = true;
	}
	for (unsigned w = 0; w < parallel_workers(); w++)
		free(r.lists[w].items);
	free(r.lists);
	call_classes_free(&r.classes);
	return result;
}

void blocked_free(struct blocked *b)
{
	free(b->threads);
	*b = (struct blocked){0};
}
