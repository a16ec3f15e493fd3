/* Which code did the launching thread run during a gap, and who makes the call it is blamed on? */
#include "analysis/findings/collect.h"

/* Of the thread that launches what ends the gap: that of the gap before, as a rule. */
struct thread_samples *collect_samples(struct collector *c)
{
	const uint64_t key = c->x->trace->thread_keys.keys[c->cursor->thread];

	if (!c->has_samples || c->samples_of != key) {
		c->samples = code_of_thread(&c->x->code, key);
		if (c->x->judge.joined)
			samples_bound(&c->samples, &c->x->long_calls, c->cursor->thread);
		c->samples_of = key;
		c->has_samples = true;
	}
	return &c->samples;
}

uint32_t collect_stack_in_call(struct collector *c, struct span call)
{
	const struct explain *x = c->x;

	return code_in_call(&x->code, collect_samples(c),
			    x->trace->thread_keys.keys[c->cursor->thread], call);
}

/* Who makes the call that the gap at hand is blamed on. */
uint32_t collect_blamed_stack(struct collector *c, enum gap_cause cause)
{
	struct span call;

	if (!c->x->code.stacks.count || !gap_judge_blamed(c->cursor, cause, &call))
		return STACK_NONE;
	return collect_stack_in_call(c, call);
}

struct code_taking {
	struct collector *to;
	uint32_t range; /* of the gap, folded */
	struct range_cursor at;
};

/*
 * A stall is charged to the ranges its thread was in, other gaps to one. The middle of a sample's
 * time is nearest to the sample: its beginning may lie before the range that it is in.
 */
static void take_code(void *ctx, uint32_t stack, struct span part)
{
	struct code_taking *t = ctx;
	const struct explain *x = t->to->x;
	const struct gap *gap = &t->to->cursor->gap;
	const int64_t ns = sat_sub(part.end_ns, part.start_ns);
	uint32_t range = t->range;

	if (collect_is_charged(gap->cause))
		range = collect_charged_range(x,
					      gap_range_at(&x->judge, t->to->cursor->thread,
							   sat_add(part.start_ns, ns / 2), &t->at));
	code_sums_add(&t->to->code, gap->cause, range, stack, ns);
}

void collect_add_code(struct collector *c, const struct gap *gap, uint32_t range)
{
	struct code_taking taking = {.to = c, .range = range};

	if (!c->x->code.stacks.count || gap->cause == CAUSE_UNKNOWN || gap->cause == CAUSE_END)
		return;
	samples_share(collect_samples(c), (struct span){gap->start_ns, gap->end_ns}, take_code,
		      &taking);
}

static void take_nothing(void *ctx, uint32_t stack, struct span part)
{
	(void)ctx;
	(void)stack;
	(void)part;
}

/*
 * After a wait nobody knows whether the thread had much to do, or launched as fast as it could.
 * Samples that lie in the gap do: they say what it did, and that is the cause.
 */
bool collect_is_sampled_host(struct collector *c, const struct gap *gap)
{
	const int64_t length = gap_ns(gap) - gap->profiler_ns;
	struct thread_samples *samples;

	if (gap->cause != CAUSE_SYNC || !c->x->code.stacks.count ||
	    gap->ns[BLAME_HOST] < length / 4 * 3)
		return false;
	samples = collect_samples(c);
	if (!samples->list || gap->ns[BLAME_HOST] / 2 < samples->of->period_ns)
		return false;
	return samples_share(samples, (struct span){gap->start_ns, gap->end_ns}, take_nothing,
			     NULL) >= length / 2;
}
