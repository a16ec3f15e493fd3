/* Which line of code was each sampled thread in? */
#include "timeline/sampled_code.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "timeline/track_set.h"
#include "trace/code/places.h"

#include <stdlib.h>

struct sharing {
	struct sampled_code *to;
	struct places places;
	uint32_t *yours; /* by stack: the frame to tell of */
	struct long_calls long_calls;
	const struct trace *trace;
};

struct thread_sharing {
	const struct sharing *of;
	struct span_source *to;
};

/* What goes on in one line is one stretch. Half of an odd time is rounded down on both sides. */
static void take_sample(void *ctx, uint32_t stack, struct span part)
{
	const struct thread_sharing *s = ctx;
	const uint32_t frame = s->of->yours[stack];
	const bool any = s->to->count > 0;
	const struct derived_span last =
		any ? span_source_at(s->to, s->to->count - 1) : (struct derived_span){0};

	/* A thread is in one line at a time: what an earlier sample stands for is that one's. */
	if (any && part.start_ns < last.end_ns)
		part.start_ns = last.end_ns;
	if (part.end_ns <= part.start_ns)
		return;
	if (any && last.of == frame && sat_sub(part.start_ns, last.end_ns) <= 1)
		span_source_extend(s->to, part.end_ns);
	else
		span_source_add(s->to, (struct derived_span){part.start_ns, part.end_ns, frame,
							     s->of->to->classes[frame]});
}

static void share_threads(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct sharing *s = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct thread_samples samples =
			code_of_thread(&s->to->code, s->trace->thread_keys.keys[i]);
		struct thread_sharing one = {s, &s->to->of_thread[i]};

		span_source_begin(one.to);
		samples_bound(&samples, &s->long_calls, (uint32_t)i);
		samples_share(&samples, (struct span){INT64_MIN, INT64_MAX}, take_sample, &one);
	}
}

static void find_yours(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct sharing *s = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		s->yours[i] = places_yours(&s->places, (uint32_t)i);
}

static void name_frames(struct sampled_code *c, const struct trace *t)
{
	c->names = mem_alloc(c->code.stacks.frame_count, sizeof(*c->names));
	c->classes = mem_alloc(c->code.stacks.frame_count, sizeof(*c->classes));
	for (size_t i = 0; i < c->code.stacks.frame_count; i++) {
		const struct str name = frame_text(&c->arena, t, &c->code.stacks.frames[i]);

		c->names[i] = arena_printf(&c->arena, "%.*s", STR_FMT(name));
		c->classes[i] = lane_name_class(name);
	}
}

static void find_long_calls(const struct calls *calls, size_t threads, struct long_calls *ret)
{
	struct thread_calls of_threads;

	thread_calls_make(calls, threads, &of_threads);
	long_calls_find(&of_threads, ret);
	thread_calls_free(&of_threads);
}

static void share(struct sampled_code *c, struct trace *t, const struct calls *calls)
{
	struct sharing s = {.to = c, .trace = t};

	code_number_threads(t, &c->code);
	find_long_calls(calls, t->thread_keys.count, &s.long_calls);
	name_frames(c, t);
	places_make(&s.places, t, &c->code.stacks, CODE_BY_LINE);
	s.yours = mem_alloc(c->code.stacks.count, sizeof(*s.yours));
	parallel_each(c->code.stacks.count, PARALLEL_ROWS, find_yours, &s);
	c->thread_count = t->thread_keys.count;
	c->of_thread = mem_zalloc(c->thread_count, sizeof(*c->of_thread));
	parallel_each(c->thread_count, 1, share_threads, &s);
	free(s.yours);
	long_calls_free(&s.long_calls);
	places_free(&s.places);
}

int sampled_code_read(struct trace *t, const struct calls *calls, struct sampled_code **ret,
		      struct err *e)
{
	struct sampled_code *c = mem_zalloc(1, sizeof(*c));

	*ret = NULL;
	if (code_read(t, &c->code, e) < 0) {
		free(c);
		return err_forgive_absent(e);
	}
	if (!code_has_samples(&c->code)) {
		sampled_code_free(c);
		return 0;
	}
	share(c, t, calls);
	*ret = c;
	return 0;
}

void sampled_code_free(struct sampled_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->thread_count; i++)
		span_source_free(&c->of_thread[i]);
	free(c->of_thread);
	free(c->names);
	free(c->classes);
	arena_free(&c->arena);
	code_free(&c->code);
	free(c);
}
