/*
 * What did a rank have to wait for between two of its collectives?
 *
 * Compute that goes on beside a collective may need what it brings before the next one begins, and
 * one collective may need what another communicator brings. That time is none that the rank takes
 * itself.
 */
#include "analysis/replay/replay_left.h"

#include "base/mem.h"

static int64_t begins(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before];

	return s->from_entry ? before->ready_ns : before->is.leave_ns;
}

/* Stops that are looked at for each, on average: no hostile part takes hours, or fills memory. */
enum { LOOKED_AT = 64 };

/* While the waits of a stop are found. */
struct search {
	struct replay *r;
	const struct replay_left *left;
	uint32_t stop;
	int64_t from_ns; /* what it does itself goes on from here */
	int64_t own_ns;
	size_t *tries; /* that are left, for all */
};

static void add_wait(struct search *x, uint32_t of, int64_t since_ns)
{
	struct replay *r = x->r;
	struct replay_stop *s = &r->stops[x->stop];
	const int64_t own_ns = since_ns > x->from_ns ? sat_sub(since_ns, x->from_ns) : 0;

	if (s->waits)
		r->waits[r->wait_count - 1].after_ns = own_ns;
	x->own_ns = sat_add(x->own_ns, own_ns);
	x->from_ns = r->stops[of].is.leave_ns;
	MEM_GROW(r->waits, r->wait_cap, r->wait_count + 1);
	r->waits[r->wait_count++] = (struct replay_wait){.stop = of};
	s->waits++;
}

/* Whether it began as soon as the rank had left that one, on another stream. */
static bool needs(const struct replay *r, const struct replay_stop *s, uint32_t of)
{
	return of != s->follows && !s->waited && !r->stops[of].is_ahead &&
	       sat_sub(s->is.enter_ns, r->stops[of].is.leave_ns) <= REPLAY_AT_ONCE_NS;
}

static void find_waits(struct search *x)
{
	struct replay *r = x->r;
	struct replay_stop *s = &r->stops[x->stop];
	const uint32_t *stops = x->left->stops;
	const size_t end = x->left->first[s->is.member + 1];
	size_t i = replay_left_by(r, x->left, s->is.member, x->from_ns);

	for (; i < end && r->stops[stops[i]].is.leave_ns <= s->ready_ns && *x->tries; i++) {
		const struct replay_entry *of = &r->stops[stops[i]].is;

		--*x->tries;
		/* What comes later in the order of the replay is not known by then. */
		if (r->visits[r->stops[stops[i]].visit].last_ns >= s->due_ns ||
		    of->kernel == REPLAY_NONE)
			continue;
		if (needs(r, s, stops[i]))
			add_wait(x, stops[i], x->from_ns);
		else if (of->stall_ns > 0)
			add_wait(x, stops[i], sat_sub(of->leave_ns, of->stall_ns));
	}
	if (!s->waits)
		return;
	r->waits[r->wait_count - 1].after_ns = sat_sub(s->ready_ns, x->from_ns);
	x->own_ns = sat_add(x->own_ns, sat_sub(s->ready_ns, x->from_ns));
	s->waited_ns = sat_sub(sat_sub(s->ready_ns, begins(r, s)), x->own_ns);
}

void replay_find_waits(struct replay *r)
{
	struct replay_left left;
	size_t tries =
		r->stop_count < REPLAY_NONE / LOOKED_AT ? LOOKED_AT * r->stop_count : REPLAY_NONE;

	replay_left_make(r, &left);
	for (uint32_t i = 0; i < r->stop_count; i++) {
		struct replay_stop *s = &r->stops[i];
		struct search x = {.r = r, .left = &left, .stop = i, .tries = &tries};

		s->first_wait = (uint32_t)r->wait_count;
		if (s->before == REPLAY_NONE || s->is_ahead)
			continue;
		x.from_ns = begins(r, s);
		find_waits(&x);
	}
	replay_left_free(&left);
}
