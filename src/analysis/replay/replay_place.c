/* What does a rank's collective come after, what does it wait for, and when was the rank ready? */
#include "analysis/replay/replay.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>

/* What follows on a stream begins within this; on a GPU that others use, too, within so much of
 * what it follows. */
static const int64_t at_once_ns = 10000;
static const double at_once = 0.05;

/* While stops are placed: the latest of each stream of each member. */
struct latest {
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

bool replay_goes_on_beside(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_visit *v = &r->visits[s->visit];
	const int64_t ns = sat_sub(s->is.leave_ns, s->is.enter_ns);

	/* Of one that is lost when it began is not known, but when it ended. */
	if (is_lost(s))
		return false;
	if (r->classes[v->class].type != COLL_SEND_RECV)
		return v->is_beside;
	return v->is_beside && s->is.exposed_ns <= at_once_ns &&
	       (double)s->is.exposed_ns <= at_once * (double)ns;
}

/* Whether what comes after its last anchor did not wait for the end of that. */
static bool goes_on_after(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before];

	return before->is.leave_ns > s->is.enter_ns ||
	       r->visits[before->visit].last_ns >= s->due_ns || replay_goes_on_beside(r, before);
}

/* What it came after, and whether it waited for its stream, as far as that is seen. */
static void place_after(const struct replay *r, struct replay_stop *s)
{
	const struct replay_stop *follows;

	s->from_entry = !s->is_ahead && goes_on_after(r, s);
	s->in_doubt |= s->from_entry && is_lost(&r->stops[s->before]);
	if (s->follows == REPLAY_NONE)
		return;
	follows = &r->stops[s->follows];
	s->waited = (s->from_entry || s->before != s->follows) &&
		    is_at_once(&follows->is, s->gap_ns) && !is_lost(s);
	s->gap_ns = s->waited ? s->gap_ns : 0;
	s->ready_ns = sat_sub(s->is.enter_ns, s->waited ? slack_of(r, s) : 0);
}

/* On its stream, one that is lost had ended when the next began. */
static void end_lost(struct replay_stop *lost, const struct replay_stop *next)
{
	const int64_t late_ns = sat_sub(lost->is.leave_ns, next->is.enter_ns);

	if (!is_lost(lost) || late_ns <= 0 || next->is.enter_ns < lost->is.enter_ns)
		return;
	lost->is.leave_ns = next->is.enter_ns;
	lost->transfer_ns = sat_sub(lost->transfer_ns, late_ns);
}

static void follow_visit(struct replay *r, const struct replay_visit *v, struct latest *l)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		struct replay_stop *s = &r->stops[i];
		uint32_t *of_stream =
			latest_of_stream(l, r->classes[v->class].stream, s->is.member);

		s->transfer_ns = sat_sub(s->is.leave_ns, v->last_ns);
		s->ready_ns = s->is.enter_ns;
		s->follows = *of_stream;
		*of_stream = i;
		if (s->follows == REPLAY_NONE)
			continue;
		end_lost(&r->stops[s->follows], s);
		s->gap_ns = sat_sub(s->is.enter_ns, r->stops[s->follows].is.leave_ns);
		if (s->gap_ns >= 0)
			continue;
		s->follows = REPLAY_NONE;
		s->gap_ns = 0;
	}
}

void replay_find_follows(struct replay *r)
{
	struct latest l = {0};

	for (size_t i = 0; i < r->count; i++)
		follow_visit(r, &r->visits[i], &l);
	idmap_free(&l.streams);
	free(l.of_stream);
}

/* A rank is ready for what shares a stream in the order of that. */
static void bound_ready(struct replay *r)
{
	for (size_t i = r->count; i-- > 0;) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			const struct replay_stop *s = &r->stops[k];
			struct replay_stop *before;

			if (!s->from_entry || s->before != s->follows)
				continue;
			before = &r->stops[s->before];
			if (before->waited && s->ready_ns < before->ready_ns)
				before->ready_ns = s->ready_ns;
		}
	}
}

void replay_place_stops(struct replay *r)
{
	for (size_t i = 0; i < r->stop_count; i++) {
		if (r->stops[i].before != REPLAY_NONE)
			place_after(r, &r->stops[i]);
	}
	bound_ready(r);
}
