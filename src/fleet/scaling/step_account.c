/* Where does the usual step of a job go? */
#include "fleet/scaling/step_account.h"

#include "base/mem.h"

#include <stdlib.h>

void shares_fit(const double shares[STEP_SHARES], int64_t total, int64_t ret[STEP_SHARES])
{
	int64_t rest_ns = total;
	int largest = SHARE_IDLE;
	double sum = 0;

	for (int i = 0; i < STEP_SHARES; i++) {
		sum += shares[i];
		largest = shares[i] > shares[largest] ? i : largest;
	}
	for (int i = 0; i < STEP_SHARES; i++) {
		ret[i] = sum > 0 ? sat_of_double(round(shares[i] / sum * (double)total)) : 0;
		rest_ns -= i == largest ? 0 : ret[i];
	}
	ret[largest] = rest_ns;
}

static double sum_types(const double ns[COLL_TYPES])
{
	double sum = 0;

	for (int i = 0; i < COLL_TYPES; i++)
		sum += ns[i];
	return sum;
}

/*
 * Of a member's step. Several collectives may be exposed at once: what the window has of them is
 * split as their sums are. What nobody knows more of counts as transferring.
 */
static void split_member(const struct part_member *m, const struct member_waits *w,
			 double ret[STEP_SHARES])
{
	const double steps = member_steps(m), comm_ns = (double)m->window_ns[MEMBER_COMM];
	const double wait_ns = sum_types(w->wait_ns);
	const double all_ns = wait_ns + sum_types(w->transfer_ns) + w->unknown_ns;
	const double waiting = all_ns > 0 ? fmin(1, wait_ns / all_ns) : 0;

	ret[SHARE_COMPUTE] = (double)m->window_ns[MEMBER_COMPUTE] / steps;
	ret[SHARE_TRANSFER] = comm_ns * (1 - waiting) / steps;
	ret[SHARE_STRAGGLERS] = 0;
	ret[SHARE_IMBALANCE] = comm_ns * waiting / steps;
	ret[SHARE_COPIES] = (double)m->window_ns[MEMBER_COPY] / steps;
	ret[SHARE_IDLE] = (double)m->window_ns[MEMBER_IDLE] / steps;
}

static void change_without(const struct straggler *g, const struct stragglers *s,
			   struct replay_change *c, bool *lags, bool *transfers)
{
	if (g->kind == STRAGGLER_COMMUNICATOR)
		transfers[g->number] = true;
	for (uint32_t i = 0; i < s->job->member_count; i++)
		lags[i] |= g->kind != STRAGGLER_COMMUNICATOR && g->kind != STRAGGLER_STAGE &&
			   straggler_has(g, i);
	*c = (struct replay_change){.usual_lags = lags,
				    .usual_transfers = transfers,
				    .lag_ns = g->lag_ns ? g->lag_ns : c->lag_ns,
				    .of_longest = g->lag_ns ? g->of_longest : c->of_longest};
}

/* What a replay without some of the stragglers saves, of the whole window. */
static double replay_without(const struct stragglers *s, const struct straggler *of, size_t count)
{
	bool *lags = mem_zalloc(s->job->member_count, sizeof(*lags));
	bool *transfers = mem_zalloc(s->x->class_count, sizeof(*transfers));
	struct replay_change change = {0};
	double saved_ns;

	for (size_t i = 0; i < count; i++)
		change_without(&of[i], s, &change, lags, transfers);
	saved_ns = (double)replay_saved_ns(&s->replay, &change, NULL);
	free(transfers);
	free(lags);
	return saved_ns;
}

/*
 * What a step would be shorter, were no straggler there. Two that are late at the same time do not
 * save twice: replays with one and with all of them tell the ratio.
 */
static double saved_without_all(const struct stragglers *s)
{
	double saved_ns = 0, alone_ns = 0;

	for (size_t i = 0; i < s->count; i++) {
		saved_ns += s->all[i].saved_ns;
		alone_ns += s->count > 1 ? replay_without(s, &s->all[i], 1) : 0;
	}
	if (alone_ns <= 0)
		return saved_ns;
	return saved_ns * fmax(0, replay_without(s, s->all, s->count)) / alone_ns;
}

/* What a straggler loses its own time to; of those that wait for it, that. */
static enum step_share share_of_cause(const struct stragglers *s, uint32_t member)
{
	static const enum step_share by_cause[STRAGGLER_CAUSES] = {
		[SLOW_BY_HOST] = SHARE_IDLE,	 [SLOW_BY_DATA] = SHARE_IDLE,
		[SLOW_BY_CLOCK] = SHARE_COMPUTE, [SLOW_BY_KERNELS] = SHARE_COMPUTE,
		[SLOW_BY_COPIES] = SHARE_COPIES, [SLOW_BY_NETWORK] = SHARE_TRANSFER,
		[SLOW_BY_MORE] = SHARE_COMPUTE,	 [SLOW_BY_WHAT] = SHARE_IDLE,
	};

	for (size_t i = 0; i < s->count; i++) {
		if (straggler_has(&s->all[i], member))
			return by_cause[s->all[i].cause];
	}
	return SHARE_IMBALANCE;
}

/*
 * Moves what stragglers cost out of where it shows on a member: who waits has computed meanwhile
 * what would have overlapped the transfer, which then is exposed.
 */
static void take_stragglers(double saved_ns, enum step_share first, double ns[STEP_SHARES])
{
	const enum step_share from[] = {first, SHARE_IMBALANCE, SHARE_TRANSFER, SHARE_IDLE};

	for (size_t i = 0; i < ARRAY_LEN(from); i++) {
		const double taken_ns = fmin(saved_ns, ns[from[i]]);

		ns[from[i]] -= taken_ns;
		ns[SHARE_STRAGGLERS] += taken_ns;
		saved_ns -= taken_ns;
	}
}

static double share_unknown(const struct job *j, const struct member_waits *w)
{
	double unknown_ns = 0, all_ns = 0;

	for (size_t i = 0; i < j->member_count; i++) {
		unknown_ns += w[i].unknown_ns;
		all_ns += w[i].unknown_ns + sum_types(w[i].wait_ns) + sum_types(w[i].transfer_ns);
	}
	return all_ns > 0 ? unknown_ns / all_ns : 0;
}

void step_account_make(const struct stragglers *s, const struct member_waits *w,
		       struct step_account *ret)
{
	const double saved_ns = saved_without_all(s);
	double sum[STEP_SHARES] = {0};
	int64_t stragglers_ns;

	for (uint32_t i = 0; i < s->job->member_count; i++) {
		double own[STEP_SHARES];

		split_member(s->job->members[i].is, &w[i], own);
		take_stragglers(saved_ns, share_of_cause(s, i), own);
		for (int k = 0; k < STEP_SHARES; k++)
			sum[k] += own[k];
	}
	*ret = (struct step_account){.step_ns = sat_of_double(s->step_ns),
				     .unknown = share_unknown(s->job, w)};
	/* What a replay saves is of the usual step already. */
	stragglers_ns = sat_of_double(
		fmin(round(sum[SHARE_STRAGGLERS] / (double)s->job->member_count), s->step_ns));
	sum[SHARE_STRAGGLERS] = 0;
	shares_fit(sum, ret->step_ns - stragglers_ns, ret->ns);
	ret->ns[SHARE_STRAGGLERS] += stragglers_ns;
}
