/* What did hosts call last of CUDA, and of which launch did no kernel come? */
#include "fleet/part_making.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static uint32_t member_of(const struct part_making *x, const struct idmap *of_process,
			  uint32_t thread)
{
	return thread == ID_NONE ? IDMAP_NONE
				 : idmap_get(of_process, trace_thread_process(x->trace, thread));
}

/* Kernels of a graph may be told as one, and not among kernels. */
static bool is_launch(const struct part_making *x, const struct call_classes *classes,
		      uint32_t name)
{
	return call_class_of(classes, name) == CALL_LAUNCH &&
	       !call_launches_graph(trace_name(x->trace, name));
}

static void see_launch(struct part_launches *to, const struct api_call *call, uint32_t thread)
{
	to->count++;
	if (call->start_ns > to->last_ns) {
		to->last_ns = call->start_ns;
		to->thread = thread;
	}
	if (call->start_ns > to->ran_ns && call->start_ns < to->first_ns)
		to->first_ns = call->start_ns;
}

static void see_wait(struct part_launches *to, int64_t start_ns)
{
	if (start_ns > to->ran_ns && start_ns < to->wait_ns)
		to->wait_ns = start_ns;
}

int part_find_launches(struct part_making *x, const struct idmap *of_process,
		       struct part_launches *of, struct err *e)
{
	struct call_classes classes = {0};
	struct calls calls = {0};
	int result =
		calls_read(x->trace, &calls, e) < 0 || call_classes_read(x->trace, &classes, e) < 0
			? -1
			: 0;

	for (size_t i = 0; i < calls.count && result == 0; i++) {
		const struct api_call call = calls_at(&calls, i);
		const struct call_origin *o = &calls.origins[call.origin];
		const uint32_t member = member_of(x, of_process, o->thread);

		if (member == IDMAP_NONE || !of[member].is_asked)
			continue;
		if (is_launch(x, &classes, o->name))
			see_launch(&of[member], &call, o->thread);
		else if (call_makes_stream_wait(trace_name(x->trace, o->name)))
			see_wait(&of[member], call.start_ns);
	}
	call_classes_free(&classes);
	calls_free(&calls);
	return result;
}

static void tell_last(const struct part_making *x, const struct call_origin *o, int64_t start_ns,
		      struct part_end *end)
{
	end->last_call_ns = part_time(start_ns);
	end->last_call = part_text(&x->part->arena, label_api(trace_name(x->trace, o->name)));
}

/* By number of thread: its last call, or ID_NONE. */
static uint32_t *list_last(const struct calls *calls, const struct idmap *threads)
{
	uint32_t *last = mem_alloc(threads->count, sizeof(*last));

	memset(last, 0xff, threads->count * sizeof(*last));
	for (size_t i = 0; i < calls->count && i < ID_NONE; i++) {
		const struct call_origin *o = &calls->origins[calls_origin(calls, i)];
		const uint32_t number = idmap_get(threads, o->thread);

		if (number != IDMAP_NONE && o->name != NAME_NONE &&
		    (last[number] == ID_NONE || calls->start_ns[i] > calls->start_ns[last[number]]))
			last[number] = (uint32_t)i;
	}
	return last;
}

static void take_last(struct part_making *x, const uint32_t *threads, const struct idmap *numbers,
		      const struct calls *calls)
{
	uint32_t *last = list_last(calls, numbers);

	for (size_t i = 0; i < x->count; i++) {
		const uint32_t number = idmap_get(numbers, threads[i]);
		const uint32_t call = number == IDMAP_NONE ? ID_NONE : last[number];

		if (call != ID_NONE)
			tell_last(x, &calls->origins[calls_origin(calls, call)],
				  calls->start_ns[call], &x->part->members[i].end);
	}
	free(last);
}

int part_take_last_calls(struct part_making *x, const uint32_t *threads, struct err *e)
{
	struct idmap numbers = {0};
	struct calls calls = {0};
	int result = 0;

	for (size_t i = 0; i < x->count; i++) {
		if (threads[i] != ID_NONE)
			idmap_add(&numbers, threads[i], (uint32_t)numbers.count);
	}
	if (numbers.count)
		result = calls_read(x->trace, &calls, e);
	if (result == 0 && calls.count)
		take_last(x, threads, &numbers, &calls);
	calls_free(&calls);
	idmap_free(&numbers);
	return result;
}
