/* How long did each thread wait inside CUDA calls? */
#include "analysis/host/blocked.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"

#include <stdlib.h>

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
	const struct scope *p;
	struct calls calls;
	bool *counts;		 /* by origin: it blocks, and its process is asked for */
	struct wait_list *lists; /* one per worker */
};

static int choose_origins(struct reading *r, struct err *e)
{
	struct call_classes classes;

	if (call_classes_read(r->trace, &classes, e) < 0)
		return -1;
	r->counts = mem_alloc(r->calls.origin_count, sizeof(*r->counts));
	for (size_t i = 0; i < r->calls.origin_count; i++) {
		const struct call_origin *o = &r->calls.origins[i];

		r->counts[i] = o->thread != ID_NONE && call_blocks(&classes, o->name) &&
			       scope_has_thread(r->p, r->trace, o->thread);
	}
	call_classes_free(&classes);
	return 0;
}

static int take_calls(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct reading *r = ctx;
	struct wait_list *list = &r->lists[worker];

	(void)e;
	for (size_t i = begin; i < end; i++) {
		struct api_call call;
		struct wait wait;

		if (!r->counts[calls_origin(&r->calls, i)])
			continue;
		call = calls_at(&r->calls, i);
		if (call.duration_ns == DURATION_NONE ||
		    !window_part(r->p, call.start_ns, call.duration_ns, &wait.span))
			continue;
		wait.thread = r->trace->thread_keys.keys[r->calls.origins[call.origin].thread];
		MEM_GROW(list->items, list->cap, list->count + 1);
		list->items[list->count++] = wait;
	}
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

		if (!i || all->items[i - 1].thread != b->thread) {
			MEM_GROW(out->threads, cap, out->count + 1);
			out->threads[out->count++] = (struct blocked_thread){.key = b->thread};
			reached = INT64_MIN;
		}
		t = &out->threads[out->count - 1];
		/* A record inside another is the same call. */
		if (b->span.end_ns <= reached)
			continue;
		t->ns = sat_add(t->ns, span_beyond(b->span, &reached));
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

int blocked_read(struct trace *t, const struct scope *p, struct blocked *ret, struct err *e)
{
	struct reading r = {.trace = t, .p = p};
	int result;

	*ret = (struct blocked){0};
	if (calls_read(t, &r.calls, e) < 0)
		return -1;
	ret->known = r.calls.has_times && r.calls.has_threads && r.calls.has_names;
	r.lists = mem_zalloc(parallel_workers(), sizeof(*r.lists));
	result = choose_origins(&r, e);
	if (result == 0 && ret->known) {
		parallel_for(r.calls.count, PARALLEL_ROWS, take_calls, &r, e);
		gather(&r, ret);
	}
	for (unsigned w = 0; w < parallel_workers(); w++)
		free(r.lists[w].items);
	free(r.lists);
	free(r.counts);
	calls_free(&r.calls);
	return result;
}

void blocked_free(struct blocked *b)
{
	free(b->threads);
	*b = (struct blocked){0};
}
