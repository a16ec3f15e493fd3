/* Which CUDA calls did each thread make? */
#include "base/mem.h"
#include "base/sort.h"
#include "export/walk.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum { CALL_ARGS = 2 };

/* What is the same for all calls of a function by a thread. */
struct caller {
	uint32_t thread;
	uint32_t name; /* a text */
	bool wanted;
};

struct telling {
	struct walk *walk;
	const struct calls *calls;
	struct caller *callers; /* by origin */
	uint32_t category;
};

static void find_callers(struct telling *x)
{
	struct walk *w = x->walk;

	x->callers = mem_alloc(x->calls->origin_count, sizeof(*x->callers));
	for (size_t i = 0; i < x->calls->origin_count; i++) {
		struct call_origin o = x->calls->origins[i];

		x->callers[i] = (struct caller){
			.thread = o.thread,
			.name = texts_add(&w->texts, label_api(trace_name(w->trace, o.name))),
			.wanted = walk_wants_thread(w, o.thread),
		};
	}
}

/* A call around another may begin with it: the longer comes first. */
static bool is_in_order(const struct calls *c, size_t a, size_t b)
{
	if (c->start_ns[a] != c->start_ns[b])
		return c->start_ns[a] < c->start_ns[b];
	return calls_duration(c, a) >= calls_duration(c, b);
}

static int compare_durations(const void *a, const void *b, void *ctx)
{
	int64_t x = calls_duration(ctx, *(const uint32_t *)a);
	int64_t y = calls_duration(ctx, *(const uint32_t *)b);

	return (x < y) - (x > y);
}

/* Calls by start; NULL: as they lie. */
static uint32_t *order_calls(struct calls *c)
{
	size_t sorted = 1, end;
	uint32_t *order;

	while (sorted < c->count && is_in_order(c, sorted - 1, sorted))
		sorted++;
	if (sorted >= c->count)
		return NULL;
	order = sort_new_order(c->start_ns, c->count);
	for (size_t i = 0; i < c->count; i = end) {
		end = i + 1;
		while (end < c->count && c->start_ns[order[end]] == c->start_ns[order[i]])
			end++;
		if (end - i > 1)
			sort_stable(order + i, end - i, sizeof(*order), compare_durations, c);
	}
	return order;
}

static int tell_call(struct telling *x, size_t row, struct err *e)
{
	struct walk *w = x->walk;
	struct api_call call = calls_at(x->calls, row);
	const struct caller *by = &x->callers[call.origin];
	uint32_t launch = w->arrows.launch_of_call[row];
	struct timeline_slice s = {.name = by->name, .category = x->category, .block = BLOCK_NONE};
	struct timeline_arg args[CALL_ARGS];
	struct span part;

	if (!by->wanted)
		return 0;
	if (call.duration_ns == DURATION_NONE) {
		w->counts->calls_without_times++;
		return 0;
	}
	if (!window_part(w->p, call.start_ns, call.duration_ns, &part))
		return 0;
	if (tracks_thread(&w->tracks, by->thread, ROW_CALLS, part.start_ns, part.end_ns, &s.track,
			  e) < 0)
		return -1;
	s.args = args;
	if (launch && !w->o->no_args)
		slice_add_number(&s, args, KEY_CORRELATION, w->correlation_of_launch[launch - 1]);
	walk_add_line(w, &s, args, by->thread, &call);
	if (launch && w->arrows.flags[launch - 1] & LAUNCH_CALL_TOLD) {
		s.arrow_out = w->arrows.next[launch - 1];
		s.arrows_out = w->arrows.next[launch] - w->arrows.next[launch - 1];
	}
	return walk_slice(w, &s, part, e);
}

int walk_calls(struct walk *w, struct err *e)
{
	struct calls *c = &w->joined.launches.calls;
	struct telling x = {.walk = w, .calls = c};
	uint32_t *order;
	int result = 0;

	if (!c->count || !c->has_times)
		return 0;
	x.category = texts_add(&w->texts, STR_LIT("cuda_api"));
	find_callers(&x);
	arrows_find_calls(w);
	order = order_calls(c);
	for (size_t i = 0; i < c->count && result == 0; i++)
		result = tell_call(&x, order ? order[i] : i, e);
	free(order);
	free(x.callers);
	return result;
}
