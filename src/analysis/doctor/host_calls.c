/* Which CUDA calls does a capture without GPU work hold, and what became of them? */
#include "analysis/doctor/host_calls.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/call_error.h"
#include "trace/calls/calls.h"

#include <stdlib.h>

bool host_is_asked(const struct scope *s, const struct trace *t, uint32_t thread, int64_t start_ns,
		   int64_t duration_ns)
{
	struct span part;

	return scope_has_thread(s, t, thread) && window_part(s, start_ns, duration_ns, &part);
}

static bool launches(const struct call_classes *c, uint32_t name)
{
	const enum call_class class = call_class_of(c, name);

	return class == CALL_LAUNCH || class == CALL_COPY_SYNC || class == CALL_COPY_ASYNC;
}

struct error_codes {
	int64_t *all;
	size_t count, cap;
};

static void add_code(struct error_codes *c, int64_t code)
{
	MEM_GROW(c->all, c->cap, c->count + 1);
	c->all[c->count++] = code;
}

/* Of several the lowest; 0: there is none. */
static int64_t most_frequent(struct error_codes *c)
{
	int64_t *scratch = mem_alloc(c->count, sizeof(*scratch)), found = 0;
	size_t most = 0, same = 0;

	sort_i64(c->all, scratch, c->count);
	for (size_t i = 0; i < c->count; i++) {
		same = i && c->all[i] == c->all[i - 1] ? same + 1 : 1;
		if (same > most) {
			most = same;
			found = c->all[i];
		}
	}
	free(scratch);
	return found;
}

static void count_call(struct host_calls *h, bool launch, bool failed)
{
	h->calls++;
	h->launches += launch && !failed;
	h->failed += failed;
	h->failed_launches += launch && failed;
}

/* By whether the call was to launch something. */
enum { OF_CALLS, OF_LAUNCHES, ERROR_SORTS };

static void count_all(struct trace *t, const struct scope *s, const struct calls *calls,
		      const struct call_classes *classes, struct host_calls_found *ret)
{
	const struct events *ev = &t->events[TRACE_API];
	const struct scope everything = {0};
	struct error_codes codes[ERROR_SORTS] = {0};

	for (size_t i = 0; i < calls->count; i++) {
		const struct api_call call = calls_at(calls, i);
		const struct call_origin *o = &calls->origins[call.origin];
		const int64_t code = ev->result && i < ev->count ? ev->result[i] : INT_NONE;
		const bool launch = launches(classes, o->name), failed = call_error_is(code);

		if (!host_is_asked(&everything, t, o->thread, call.start_ns, call.duration_ns))
			continue;
		count_call(&ret->all, launch, failed);
		if (host_is_asked(s, t, o->thread, call.start_ns, call.duration_ns))
			count_call(&ret->asked, launch, failed);
		if (failed)
			add_code(&codes[launch ? OF_LAUNCHES : OF_CALLS], code);
	}
	ret->error = most_frequent(&codes[codes[OF_LAUNCHES].count ? OF_LAUNCHES : OF_CALLS]);
	free(codes[OF_CALLS].all);
	free(codes[OF_LAUNCHES].all);
}

int host_calls_count(struct trace *t, const struct scope *s, struct host_calls_found *ret,
		     struct err *e)
{
	struct call_classes classes;
	struct calls calls;

	*ret = (struct host_calls_found){0};
	if (trace_load(t, TRACE_API, COL_BIT(COL_RESULT), e) < 0 || calls_read(t, &calls, e) < 0)
		return -1;
	if (call_classes_read(t, &classes, e) < 0) {
		calls_free(&calls);
		return -1;
	}
	count_all(t, s, &calls, &classes, ret);
	call_classes_free(&classes);
	calls_free(&calls);
	return 0;
}
