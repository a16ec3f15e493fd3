/* Of which steps has a capture the launches, but not what they launched? */
#include "diff/partial_steps.h"

#include "base/mem.h"

#include <stdlib.h>

/* Of its launch calls a step lacks so much more work than those before it. */
static const double lacking_share = 0.01;

struct step_launches {
	uint64_t calls; /* that launch kernels or graphs */
	uint64_t done;	/* of these, those of which the capture has the work */
};

struct counting {
	const struct compared_steps *steps;
	const struct trace *trace;
	uint32_t process;
	struct step_launches *of_step;
};

static struct step_launches *step_of(const struct counting *x, const struct call_origin *origin,
				     int64_t start_ns)
{
	const uint32_t process = trace_thread_process(x->trace, origin->thread);
	size_t step;

	if (x->process != ID_NONE && process != x->process)
		return NULL;
	step = compared_steps_host_at(x->steps, start_ns);
	return step < x->steps->count ? &x->of_step[step] : NULL;
}

static void count_calls(struct counting *x, const struct gap_judge *judge)
{
	const struct calls *calls = &judge->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const uint32_t origin = calls_origin(calls, i);
		struct step_launches *s;

		if (judge->blame_of_origin[origin] != BLAME_LAUNCH)
			continue;
		s = step_of(x, &calls->origins[origin], calls->start_ns[i]);
		if (s)
			s->calls++;
	}
}

static void count_done(struct counting *x, const struct gap_judge *judge)
{
	const struct launches *l = &judge->attribution.launches;

	for (size_t launch = 0; launch < l->launch_count; launch++) {
		struct api_call call;
		struct step_launches *s;

		if (!launches_earliest_call(l, launch, &call) ||
		    judge->blame_of_launch[call.origin] != BLAME_LAUNCH)
			continue;
		s = step_of(x, &l->calls.origins[call.origin], call.start_ns);
		if (s)
			s->done++;
	}
}

static double lacking(const struct step_launches *s)
{
	return s->calls > s->done ? (double)(s->calls - s->done) / (double)s->calls : 0;
}

static size_t count_last(const struct step_launches *of_step, size_t count)
{
	double usual = 0;
	size_t partial = 0;

	for (size_t i = 0; i < (count + 1) / 2; i++)
		usual = lacking(&of_step[i]) > usual ? lacking(&of_step[i]) : usual;
	while (partial + 1 < count &&
	       lacking(&of_step[count - 1 - partial]) > usual + lacking_share)
		partial++;
	return partial;
}

size_t partial_steps_count(const struct compared_steps *c, const struct gap_judge *judge,
			   uint32_t process)
{
	struct counting x = {.steps = c, .trace = judge->trace, .process = process};
	size_t partial;

	if (!judge->joined || c->count < 2)
		return 0;
	x.of_step = mem_zalloc(c->count, sizeof(*x.of_step));
	count_calls(&x, judge);
	count_done(&x, judge);
	partial = count_last(x.of_step, c->count);
	free(x.of_step);
	return partial;
}
