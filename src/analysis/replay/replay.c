/* What would the collectives of ranks have been without a rank's delays? */
#include "analysis/replay/replay.h"

#include "analysis/replay/flow.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>
#include <string.h>

static const double hidden = 0.5; /* of a collective, for compute to go on beside it */
/* What follows on a stream begins within this; on a GPU that others use, too, within so much of
 * what it follows. */
static const int64_t at_once_ns = 10000;
static const double at_once = 0.05;

void replay_begin(struct replay *ret, const struct replay_class *classes, size_t class_count,
		  size_t member_count)
{
	*ret = (struct replay){
		.classes = classes, .class_count = class_count, .member_count = member_count};
}

/*
 * Whether compute went on beside it, on any rank: all run the same program, and one that came last
 * may have had nothing to do meanwhile.
 */
static bool went_on_beside(const struct replay_entry *k)
{
	const int64_t ns = sat_sub(k->leave_ns, k->enter_ns);

	return (double)k->exposed_ns < (1 - hidden) * (double)ns;
}

void replay_add(struct replay *r, const struct replay_visit *is, const struct replay_entry *entries,
		uint32_t count)
{
	struct replay_visit v = *is;

	if (r->stop_count + count >= REPLAY_NONE)
		return;
	v.first = (uint32_t)r->stop_count;
	v.count = count;
	v.lost = 0;
	v.last_ns = INT64_MIN;
	MEM_GROW(r->stops, r->stop_cap, r->stop_count + count);
	for (uint32_t i = 0; i < count; i++) {
		const struct replay_entry *k = &entries[i];

		r->stops[r->stop_count++] = (struct replay_stop){
			.is = *k, .before = REPLAY_NONE, .follows = REPLAY_NONE};
		if (k->kernel == REPLAY_NONE) {
			v.lost++;
			continue;
		}
		v.is_beside |= went_on_beside(k);
		v.last_ns = k->enter_ns > v.last_ns ? k->enter_ns : v.last_ns;
	}
	MEM_GROW(r->visits, r->cap, r->count + 1);
	r->visits[r->count++] = v;
}

static int by_last_entry(const void *a, const void *b, void *ctx)
{
	const struct replay_visit *x = a, *y = b;

	(void)ctx;
	return (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

/* While stops are placed: the latest of each member, and of each of its streams. */
struct latest {
	uint32_t *of_member; /* stops */
	uint32_t *visit_of;  /* by member: of that stop */
	struct idmap streams;
	uint32_t *of_stream; /* by number: stops */
	size_t stream_cap;
};

/* A communicator's collectives, of whatever type, share a stream on each member. */
static uint32_t *latest_of_stream(struct latest *l, uint32_t stream, uint32_t member)
{
	const size_t before = l->streams.count;
	const uint32_t number = idmap_number_pair(&l->streams, stream, member);

	MEM_GROW(l->of_stream, l->stream_cap, l->streams.count);
	if (l->streams.count > before)
		l->of_stream[number] = REPLAY_NONE;
	return &l->of_stream[number];
}

static bool is_at_once(const struct replay_entry *follows, int64_t gap_ns)
{
	const double stay_ns = (double)sat_sub(follows->leave_ns, follows->enter_ns);

	return gap_ns <= at_once_ns || (double)gap_ns <= at_once * stay_ns;
}

/*
 * What it waits for on the GPU had ended when nothing else ran there, and its host had launched it:
 * so long it had been waiting for its stream alone.
 */
static int64_t slack_of(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_entry *before = &r->stops[s->before].is;
	int64_t slack_ns = s->is.idle_ns < s->is.queued_ns ? s->is.idle_ns : s->is.queued_ns;

	/* It may have needed what another communicator brought. */
	if (s->before != s->follows && before->leave_ns <= s->is.enter_ns &&
	    sat_sub(s->is.enter_ns, before->leave_ns) < slack_ns)
		slack_ns = sat_sub(s->is.enter_ns, before->leave_ns);
	return slack_ns > 0 ? slack_ns : 0;
}

static bool is_lost(const struct replay_stop *s)
{
	return s->is.kernel == REPLAY_NONE;
}

/*
 * Whether what follows a stop did not wait for its end. What is sent to a rank it needs: once
 * nothing is left to compute beside it, what follows is held up by it.
 */
static bool goes_on_beside(const struct replay *r, const struct replay_visit *v,
			   const struct replay_stop *s)
{
	const int64_t ns = sat_sub(s->is.leave_ns, s->is.enter_ns);

	/* Of one that is lost when it began is not known, but when it ended. */
	if (is_lost(s))
		return false;
	if (r->classes[v->class].type != COLL_SEND_RECV)
		return v->is_beside;
	return v->is_beside && s->is.exposed_ns <= at_once_ns &&
	       (double)s->is.exposed_ns <= at_once * (double)ns;
}

/* What it came after, and how long after that. */
static void place_after(const struct replay *r, const struct replay_visit *before_visit,
			struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before], *follows;
	int64_t gap_ns;

	s->from_entry =
		before->is.leave_ns > s->is.enter_ns || goes_on_beside(r, before_visit, before);
	s->in_doubt |= s->from_entry && is_lost(before);
	s->lag_ns =
		sat_sub(s->is.enter_ns, s->from_entry ? before->is.enter_ns : before->is.leave_ns);
	if (s->follows == REPLAY_NONE)
		return;
	follows = &r->stops[s->follows];
	if (follows->is.leave_ns > s->is.enter_ns) {
		s->follows = REPLAY_NONE;
		return;
	}
	gap_ns = sat_sub(s->is.enter_ns, follows->is.leave_ns);
	s->waited = s->from_entry && is_at_once(&follows->is, gap_ns) && !is_lost(s);
	s->gap_ns = s->waited ? gap_ns : 0;
	s->slack_ns = s->waited ? slack_of(r, s) : 0;
}

static void place_visit(struct replay *r, const struct replay_visit *v, struct latest *l)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		struct replay_stop *s = &r->stops[i];
		uint32_t *of_stream =
			latest_of_stream(l, r->classes[v->class].stream, s->is.member);
		uint32_t *of_member = &l->of_member[s->is.member];

		s->transfer_ns = sat_sub(s->is.leave_ns, v->last_ns);
		s->before = *of_member;
		s->follows = *of_stream;
		if (s->before != REPLAY_NONE)
			place_after(r, &r->visits[l->visit_of[s->is.member]], s);
		*of_member = *of_stream = i;
		l->visit_of[s->is.member] = (uint32_t)(v - r->visits);
	}
}

static void place_stops(struct replay *r)
{
	struct latest l = {.of_member = mem_alloc(r->member_count, sizeof(*l.of_member)),
			   .visit_of = mem_zalloc(r->member_count, sizeof(*l.visit_of))};

	memset(l.of_member, 0xff, r->member_count * sizeof(*l.of_member));
	for (size_t i = 0; i < r->count; i++)
		place_visit(r, &r->visits[i], &l);
	idmap_free(&l.streams);
	free(l.of_stream);
	free(l.of_member);
	free(l.visit_of);
}

void replay_end(struct replay *r, const uint32_t *stage)
{
	enum replay_flow *flow = flow_find(r);

	roles_find(r->classes, r->class_count, r->member_count, stage, flow, &r->roles);
	free(flow);
	replay_place_lost(r);
	sort_stable(r->visits, r->count, sizeof(*r->visits), by_last_entry, NULL);
	place_stops(r);
	replay_set_usual(r);
}

void replay_free(struct replay *r)
{
	free(r->visits);
	free(r->stops);
	roles_free(&r->roles);
	*r = (struct replay){0};
}

/* When a stop is entered and left in the replay. */
struct moment {
	int64_t enter_ns, leave_ns;
};

static int64_t enter(const struct replay *r, const struct replay_change *c, uint32_t stop,
		     const struct moment *at)
{
	const struct replay_stop *s = &r->stops[stop];
	int64_t lag_ns = c->lag_ns ? c->lag_ns[stop] : s->lag_ns, ready_ns, free_ns;

	if (c->usual_lags && c->usual_lags[s->is.member])
		lag_ns = s->usual_lag_ns;
	if (s->before == REPLAY_NONE)
		return s->is.enter_ns;
	if (c->stretch && lag_ns > 0)
		lag_ns = sat_of_double((double)lag_ns * c->stretch[s->is.member]);
	ready_ns = sat_add(s->from_entry ? at[s->before].enter_ns : at[s->before].leave_ns, lag_ns);
	if (s->follows == REPLAY_NONE)
		return ready_ns;
	free_ns = sat_add(at[s->follows].leave_ns, s->gap_ns);
	return ready_ns > free_ns ? ready_ns : free_ns;
}

static int64_t visit(const struct replay *r, const struct replay_change *c,
		     const struct replay_visit *v, struct moment *at)
{
	const bool usual = c->usual_transfers && c->usual_transfers[v->class];
	int64_t last_ns = INT64_MIN, end_ns = INT64_MIN;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		at[i].enter_ns = enter(r, c, i, at);
		last_ns = at[i].enter_ns > last_ns ? at[i].enter_ns : last_ns;
	}
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		const int64_t own_ns = r->stops[i].transfer_ns;
		const int64_t transfer_ns =
			usual && own_ns > v->usual_transfer_ns ? v->usual_transfer_ns : own_ns;

		at[i].leave_ns = sat_add(last_ns, transfer_ns);
		end_ns = at[i].leave_ns > end_ns ? at[i].leave_ns : end_ns;
	}
	return end_ns;
}

int64_t replay_saved_ns(const struct replay *r, const struct replay_change *c, int64_t *ends)
{
	struct moment *at = mem_alloc(r->stop_count, sizeof(*at));
	int64_t end_ns = INT64_MIN, was_ns = INT64_MIN;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		const int64_t ns = visit(r, c, v, at);

		end_ns = ns > end_ns ? ns : end_ns;
		if (ends)
			ends[i] = end_ns;
		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			if (r->stops[k].is.leave_ns > was_ns)
				was_ns = r->stops[k].is.leave_ns;
		}
	}
	free(at);
	return r->count ? sat_sub(was_ns, end_ns) : 0;
}

double replay_saved_share(const struct replay *r, const struct replay_change *c)
{
	int64_t end_ns = INT64_MIN;

	for (size_t i = 0; i < r->stop_count; i++)
		end_ns = r->stops[i].is.leave_ns > end_ns ? r->stops[i].is.leave_ns : end_ns;
	if (!r->count || end_ns <= r->visits[0].last_ns)
		return 0;
	return (double)replay_saved_ns(r, c, NULL) / (double)sat_sub(end_ns, r->visits[0].last_ns);
}
