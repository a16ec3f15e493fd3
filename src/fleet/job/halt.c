/* Which ranks wait in collectives that never ended, and for whom? */
#include "fleet/job/halt.h"

#include "base/mem.h"

#include <stdlib.h>

static const int64_t first_long_ns = 1000000000; /* nothing is usual yet */

int64_t halt_goes_on(const struct job *j, uint32_t member, int64_t own_ns)
{
	const int64_t seen_ns = j->members[member].is->end.seen_ns;

	return own_ns == PART_UNKNOWN || seen_ns == PART_UNKNOWN ? 0 : sat_sub(seen_ns, own_ns);
}

/* A GPU at work until the end is not held up: its host may well have called far ahead. */
static bool is_quiet(const struct job *j, uint32_t member)
{
	const int64_t gpu_ns = j->members[member].is->end.gpu_ns;

	return halt_goes_on(j, member, gpu_ns) >= PART_STUCK_NS;
}

/*
 * How long a call may take until its kernel has ended: twice as long as any of this member has, but
 * for the first, which waits for a job's start.
 */
static int64_t usual_limit(const struct part_member *m)
{
	int64_t longest_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < m->collective_count; i++) {
		const struct part_collective *c = &m->collectives[i];
		const int64_t ns =
			c->launched_ns == PART_UNKNOWN ? 0 : sat_sub(c->end_ns, c->launched_ns);

		count += c->launched_ns != PART_UNKNOWN;
		longest_ns = count > 1 && ns > longest_ns ? ns : longest_ns;
	}
	if (count < 2)
		return first_long_ns;
	longest_ns = sat_add(longest_ns, longest_ns);
	return longest_ns > PART_STUCK_NS ? longest_ns : PART_STUCK_NS;
}

static bool does_wait(const struct job *j, uint32_t member)
{
	const struct part_member *m = j->members[member].is;

	return m->end.is_pending && is_quiet(j, member) &&
	       halt_goes_on(j, member, m->end.called_ns) >= usual_limit(m);
}

/* Collectives of a member, and those of them that its pending call may be of. */
struct candidates {
	uint32_t all_behind;	/* others have finished what would be its next */
	uint32_t count, behind; /* the same of those that may be pending */
	int64_t k;		/* what it would be; -1: not known */
};

static bool may_be(const struct part_end *end, const struct part_collective_class *c)
{
	return end->is_pending && !end->by_launches && end->type == c->type &&
	       (!end->has_communicator || !c->has_communicator ||
		end->communicator == c->communicator);
}

static int64_t furthest(const struct instances *x, const struct instance_class *c)
{
	int64_t k = -1;

	for (size_t i = 0; i < c->queue_count; i++) {
		const struct instance_queue *q = &x->queues[c->first_queue + i];

		if (q->run_count && queue_end_k(q) > k)
			k = queue_end_k(q);
	}
	return k;
}

static void find_candidates(const struct job *j, const struct instances *x,
			    const struct instance_class *c, struct candidates *of)
{
	const bool all_come = !c->leaves_early && !c->is_group;
	const int64_t last = furthest(x, c);

	for (size_t i = 0; i < c->queue_count; i++) {
		const struct instance_queue *q = &x->queues[c->first_queue + i];
		struct candidates *to = &of[q->member];
		const bool behind = all_come && q->run_count && queue_end_k(q) < last;

		to->all_behind += behind;
		if (!may_be(&j->members[q->member].is->end, c->is))
			continue;
		to->count++;
		to->k = q->run_count ? queue_end_k(q) : -1;
		to->behind += behind;
	}
}

/*
 * What others have finished did not hang on this rank either, as nobody leaves before all have
 * come: its capture is cut. Of a call that is known, who waits in it may be behind elsewhere.
 */
static bool is_cut(const struct part_end *end, const struct candidates *c)
{
	if (!end->is_pending || end->by_launches)
		return c->all_behind > 0;
	return end->lacks_kernels || (c->count && c->behind == c->count);
}

static int64_t number_of(const struct part_member *m, const struct candidates *c)
{
	if (m->end.by_launches || c->count > 1)
		return -1;
	if (!c->count)
		return m->end.has_communicator && !m->collectives_before ? 0 : -1;
	return c->k;
}

/* Who does nothing from some moment on, and called something or not. */
static bool may_be_idle(const struct job *j, uint32_t member)
{
	const struct part_end *end = &j->members[member].is->end;

	return !end->is_pending && end->calls && is_quiet(j, member);
}

static void find_quiet(const struct job *j, const struct instances *x, struct halt *h)
{
	struct candidates *of = mem_zalloc(j->member_count, sizeof(*of));

	for (size_t i = 0; i < x->class_count; i++)
		find_candidates(j, x, &x->classes[i], of);
	for (uint32_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;
		const bool waits = does_wait(j, i);

		h->number[i] = waits ? number_of(m, &of[i]) : -1;
		if ((waits || may_be_idle(j, i)) && is_cut(&m->end, &of[i]))
			h->state[i] = HALT_CUT;
		else if (waits)
			h->state[i] = HALT_WAITS;
	}
	free(of);
}

/* Times of clocks that are not known say nothing about who was first. */
static void find_first(const struct job *j, struct halt *h)
{
	for (uint32_t i = (uint32_t)j->member_count; i-- > 0;) {
		const uint32_t part = j->members[i].part;
		const int64_t ns = job_time(j, part, j->members[i].is->end.called_ns);

		if (h->state[i] != HALT_WAITS)
			continue;
		if (!j->parts[part].clock.known) {
			h->first = h->has_since ? h->first : i;
		} else if (!h->has_since || ns <= h->since_ns) {
			h->has_since = true;
			h->since_ns = ns;
			h->first = i;
		}
	}
}

/* How long a member's capture goes on after the first began to wait, as far as clocks tell. */
static bool stays_for(const struct job *j, const struct halt *h, uint32_t member, double *ret_ns,
		      double *ret_doubt_ns)
{
	const uint32_t part = j->members[member].part;
	const int64_t seen_ns = j->members[member].is->end.seen_ns;

	if (!h->has_since || seen_ns == PART_UNKNOWN || !j->parts[part].clock.known)
		return false;
	*ret_ns = (double)sat_sub(job_time(j, part, seen_ns), h->since_ns);
	*ret_doubt_ns = job_doubt_ns(j, part, j->members[h->first].part);
	return true;
}

/* Of a member that does not wait. */
static enum halt_state state_of(const struct job *j, const struct halt *h, uint32_t member)
{
	double ns, doubt_ns;

	if (!stays_for(j, h, member, &ns, &doubt_ns))
		return HALT_OTHER;
	if (ns + doubt_ns < (double)PART_STUCK_NS)
		return HALT_GONE;
	return may_be_idle(j, member) && ns - doubt_ns >= (double)PART_STUCK_NS ? HALT_IDLE
										: HALT_OTHER;
}

void halt_find(const struct job *j, const struct instances *x, struct halt *ret)
{
	*ret = (struct halt){.state = mem_zalloc(j->member_count, sizeof(*ret->state)),
			     .number = mem_alloc(j->member_count, sizeof(*ret->number))};
	find_quiet(j, x, ret);
	find_first(j, ret);
	for (uint32_t i = 0; i < j->member_count; i++) {
		if (ret->state[i] == HALT_OTHER)
			ret->state[i] = state_of(j, ret, i);
		ret->count[ret->state[i]]++;
	}
}

void halt_free(struct halt *h)
{
	free(h->state);
	free(h->number);
	*h = (struct halt){0};
}
