/* What would the job's collectives have been without a rank's delays? */
#include "fleet/job/replay.h"

#include "base/mem.h"
#include "base/sort.h"
#include "fleet/job/roles.h"

#include <stdlib.h>

#define NO_STOP UINT32_MAX

static const double hidden = 0.5; /* of a collective, for compute to go on beside it */
/* What follows on a stream begins within this; on a GPU that others use, too, within so much of
 * what it follows. */
static const int64_t at_once_ns = 10000;
static const double at_once = 0.05;

static int64_t last_entry(const struct job *j, const struct instances *x, const struct instance *i)
{
	const struct instance_class *c = &x->classes[i->class];
	int64_t last_ns = INT64_MIN;

	for (size_t q = 0; q < c->queue_count; q++) {
		const struct part_collective *k = instance_kernel(j, x, i, q);
		const int64_t ns = job_time(
			j, j->members[x->queues[c->first_queue + q].member].part, k->start_ns);

		last_ns = ns > last_ns ? ns : last_ns;
	}
	return last_ns;
}

/*
 * Whether compute went on beside it, on any rank: all run the same program, and one that came last
 * may have had nothing to do meanwhile.
 */
static bool is_beside(const struct job *j, const struct instances *x, const struct instance *i)
{
	for (size_t q = 0; q < x->classes[i->class].queue_count; q++) {
		const struct part_collective *k = instance_kernel(j, x, i, q);
		const int64_t ns = sat_sub(k->end_ns, k->start_ns);

		if ((double)k->exposed_ns < (1 - hidden) * (double)ns)
			return true;
	}
	return false;
}

/* All members are in it, on clocks that are known. */
static bool is_whole(const struct job *j, const struct instances *x, const struct instance *i)
{
	const struct instance_class *c = &x->classes[i->class];

	if (i->present < c->queue_count || c->queue_count < 2)
		return false;
	for (size_t q = 0; q < c->queue_count; q++) {
		const uint32_t member = x->queues[c->first_queue + q].member;

		if (!j->parts[j->members[member].part].clock.known)
			return false;
	}
	return true;
}

static int by_last_entry(const void *a, const void *b, void *ctx)
{
	const struct replay_visit *x = a, *y = b;

	(void)ctx;
	return (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

static void list_visits(struct replay *r, struct span window)
{
	const struct instances *x = r->x;
	size_t cap = 0;

	for (size_t i = 0; i < x->count; i++) {
		struct replay_visit v = {.instance = (uint32_t)i};

		if (!is_whole(r->job, x, &x->all[i]))
			continue;
		v.last_ns = last_entry(r->job, x, &x->all[i]);
		v.is_beside = is_beside(r->job, x, &x->all[i]);
		v.count = (uint32_t)x->classes[x->all[i].class].queue_count;
		if (v.last_ns < window.start_ns || v.last_ns >= window.end_ns ||
		    r->stop_count + v.count >= NO_STOP)
			continue;
		r->stop_count += v.count;
		MEM_GROW(r->visits, cap, r->count + 1);
		r->visits[r->count++] = v;
	}
	sort_stable(r->visits, r->count, sizeof(*r->visits), by_last_entry, NULL);
}

/* While stops are filled in: the latest of each member, and of each of its streams. */
struct latest {
	uint32_t *of_member;
	uint32_t *stream;    /* by queue: its number */
	uint32_t *of_stream; /* by number */
};

static bool same_communicator(const struct instance_class *a, const struct instance_class *b)
{
	return a->is->has_communicator && b->is->has_communicator &&
	       a->is->communicator == b->is->communicator;
}

/* A communicator's collectives, of whatever type, share a stream on each member. */
static uint32_t *number_streams(const struct replay *r)
{
	const struct instances *x = r->x;
	uint32_t *stream = mem_alloc(x->queue_count, sizeof(*stream));
	uint32_t *own = mem_alloc(r->job->member_count, sizeof(*own)); /* of this communicator */

	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];

		/* Classes of a communicator come one after another. */
		if (!i || !same_communicator(c - 1, c))
			memset(own, 0xff, r->job->member_count * sizeof(*own));
		for (size_t q = c->first_queue; q < c->first_queue + c->queue_count; q++) {
			const uint32_t member = x->queues[q].member;

			own[member] = own[member] == UINT32_MAX ? (uint32_t)q : own[member];
			stream[q] = own[member];
		}
	}
	free(own);
	return stream;
}

static bool is_at_once(const struct replay_stop *follows, int64_t gap_ns)
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
	const struct part_collective *k = &r->job->members[s->member].is->collectives[s->kernel];
	const struct replay_stop *before = &r->stops[s->before];
	int64_t slack_ns = k->idle_ns;

	if (k->launched_ns == PART_UNKNOWN)
		return 0;
	if (sat_sub(k->start_ns, k->launched_ns) < slack_ns)
		slack_ns = sat_sub(k->start_ns, k->launched_ns);
	/* It may have needed what another communicator brought. */
	if (s->before != s->follows && before->leave_ns <= s->enter_ns &&
	    sat_sub(s->enter_ns, before->leave_ns) < slack_ns)
		slack_ns = sat_sub(s->enter_ns, before->leave_ns);
	return slack_ns > 0 ? slack_ns : 0;
}

/* What it came after, and how long after that. */
static void place_stop(const struct replay *r, struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before], *follows;
	int64_t gap_ns;

	s->from_entry = before->is_beside || before->leave_ns > s->enter_ns;
	s->lag_ns = sat_sub(s->enter_ns, s->from_entry ? before->enter_ns : before->leave_ns);
	if (s->follows == NO_STOP)
		return;
	follows = &r->stops[s->follows];
	if (follows->leave_ns > s->enter_ns) {
		s->follows = NO_STOP;
		return;
	}
	gap_ns = sat_sub(s->enter_ns, follows->leave_ns);
	s->waited = s->from_entry && is_at_once(follows, gap_ns);
	s->gap_ns = s->waited ? gap_ns : 0;
	s->slack_ns = s->waited ? slack_of(r, s) : 0;
}

static void fill_stop(struct replay *r, const struct replay_visit *v, size_t queue,
		      struct latest *latest, struct replay_stop *s)
{
	const uint32_t part = r->job->members[s->member].part, stream = latest->stream[queue];
	const struct part_collective *k = &r->job->members[s->member].is->collectives[s->kernel];
	const uint32_t number = (uint32_t)(s - r->stops);

	s->is_beside = v->is_beside;
	s->enter_ns = job_time(r->job, part, k->start_ns);
	s->leave_ns = job_time(r->job, part, k->end_ns);
	s->transfer_ns = sat_sub(s->leave_ns, v->last_ns);
	s->before = latest->of_member[s->member];
	s->follows = latest->of_stream[stream];
	if (s->before != NO_STOP)
		place_stop(r, s);
	latest->of_member[s->member] = latest->of_stream[stream] = number;
}

static void fill_stops(struct replay *r)
{
	struct latest latest = {
		.of_member = mem_alloc(r->job->member_count, sizeof(*latest.of_member)),
		.stream = number_streams(r),
		.of_stream = mem_alloc(r->x->queue_count, sizeof(*latest.of_stream)),
	};
	uint32_t at = 0;

	memset(latest.of_member, 0xff, r->job->member_count * sizeof(*latest.of_member));
	memset(latest.of_stream, 0xff, r->x->queue_count * sizeof(*latest.of_stream));
	r->stops = mem_zalloc(r->stop_count, sizeof(*r->stops));
	for (size_t i = 0; i < r->count; i++) {
		struct replay_visit *v = &r->visits[i];
		const struct instance *is = &r->x->all[v->instance];
		const size_t first_queue = r->x->classes[is->class].first_queue;

		v->first = at;
		for (uint32_t q = 0; q < v->count; q++, at++) {
			r->stops[at].member = r->x->queues[first_queue + q].member;
			r->stops[at].kernel = is->kernels[q];
			fill_stop(r, v, first_queue + q, &latest, &r->stops[at]);
		}
	}
	free(latest.of_stream);
	free(latest.stream);
	free(latest.of_member);
}

/*
 * Visits that are alike: of the same type and size, the same number in their class. Where tensor
 * and data parallel groups are as large, what they send tells them apart, and which comes first.
 */
struct peers {
	uint64_t kind;
	size_t visit;
};

static uint64_t kind_of(const struct replay *r, const struct replay_visit *v)
{
	const struct instance *i = &r->x->all[v->instance];
	const struct instance_class *c = &r->x->classes[i->class];
	const struct part_member *m = r->job->members[r->stops[v->first].member].is;
	const struct part_collective *k = &m->collectives[r->stops[v->first].kernel];
	uint64_t kind = (uint64_t)c->is->type;

	kind = kind * 1000003 + c->queue_count;
	kind = kind * 1000003 + c->count;
	kind = kind * 1000003 + (uint64_t)k->bytes;
	kind = kind * 1000003 + k->class;
	return kind * 1000003 + (v->instance - c->first);
}

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct peers *x = a, *y = b;

	(void)ctx;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The lower of two in the middle: what half of them are slower than is not usual. */
static int64_t lower_median(int64_t *values, int64_t *scratch, size_t n)
{
	sort_i64(values, scratch, n);
	return n ? values[(n - 1) / 2] : 0;
}

static void set_usual_transfer(struct replay *r, const struct peers *p, size_t count,
			       int64_t *values, int64_t *scratch)
{
	size_t n = 0;
	int64_t usual_ns;

	for (size_t i = 0; i < count; i++) {
		const struct replay_visit *v = &r->visits[p[i].visit];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			values[n++] = r->stops[k].transfer_ns;
	}
	usual_ns = lower_median(values, scratch, n);
	for (size_t i = 0; i < count; i++)
		r->visits[p[i].visit].usual_transfer_ns = usual_ns;
}

/* Stops of peers by role: `begin` by role is where its stops begin in `stops`. */
struct by_role {
	uint32_t *stops;
	size_t *begin;
};

static void sort_by_role(const struct replay *r, const struct peers *p, size_t count,
			 struct by_role *ret)
{
	memset(ret->begin, 0, (r->roles + 1) * sizeof(*ret->begin));
	/* How many each has, where the next role begins; then where each ends, filled backwards. */
	for (size_t i = 0; i < count; i++) {
		const struct replay_visit *v = &r->visits[p[i].visit];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			ret->begin[r->role[r->stops[k].member]] += r->stops[k].before != NO_STOP;
	}
	for (uint32_t i = 1; i <= r->roles; i++)
		ret->begin[i] += ret->begin[i - 1];
	for (size_t i = count; i-- > 0;) {
		const struct replay_visit *v = &r->visits[p[i].visit];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			if (r->stops[k].before != NO_STOP)
				ret->stops[--ret->begin[r->role[r->stops[k].member]]] = k;
		}
	}
}

/* When it was ready, at the latest. */
static int64_t latest_lag(const struct replay_stop *s)
{
	return sat_sub(s->lag_ns, s->slack_ns);
}

/*
 * Of ranks with one role. Of one that had to wait it is known by when it was ready, at the latest:
 * those that had not to wait say what is usual, unless half of all were ready before; and it is
 * taken to have been ready as soon as that. Beside a rank that is far behind, all others wait, and
 * it alone does not: what it takes is not usual. Where all had to wait, they were ready when the
 * first of them could go on, at the latest.
 */
static void set_usual_lag(struct replay *r, const uint32_t *stops, size_t count, int64_t *values,
			  int64_t *scratch)
{
	int64_t usual_ns = INT64_MAX, half_ns;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct replay_stop *s = &r->stops[stops[i]];

		if (!s->waited)
			values[n++] = s->lag_ns;
		usual_ns = s->lag_ns < usual_ns ? s->lag_ns : usual_ns;
	}
	if (n)
		usual_ns = lower_median(values, scratch, n);
	for (size_t i = 0; i < count; i++)
		values[i] = latest_lag(&r->stops[stops[i]]);
	half_ns = lower_median(values, scratch, count);
	usual_ns = half_ns < usual_ns ? half_ns : usual_ns;
	for (size_t i = 0; i < count; i++) {
		struct replay_stop *s = &r->stops[stops[i]];

		s->usual_lag_ns = usual_ns;
		if (s->waited)
			s->lag_ns = latest_lag(s) < usual_ns ? latest_lag(s) : usual_ns;
	}
}

static void set_all_usual(struct replay *r)
{
	struct peers *p = mem_alloc(r->count, sizeof(*p));
	int64_t *values = mem_alloc(r->stop_count, sizeof(*values));
	int64_t *scratch = mem_alloc(r->stop_count, sizeof(*scratch));
	struct by_role roles = {mem_alloc(r->stop_count, sizeof(*roles.stops)),
				mem_alloc(r->roles + 1, sizeof(*roles.begin))};

	for (size_t i = 0; i < r->count; i++)
		p[i] = (struct peers){kind_of(r, &r->visits[i]), i};
	sort_stable(p, r->count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < r->count; i = end) {
		for (end = i + 1; end < r->count && p[end].kind == p[i].kind;)
			end++;
		set_usual_transfer(r, &p[i], end - i, values, scratch);
		sort_by_role(r, &p[i], end - i, &roles);
		for (uint32_t k = 0; k < r->roles; k++)
			set_usual_lag(r, &roles.stops[roles.begin[k]],
				      roles.begin[k + 1] - roles.begin[k], values, scratch);
	}
	free(roles.begin);
	free(roles.stops);
	free(scratch);
	free(values);
	free(p);
}

void replay_make(const struct job *j, const struct instances *x, struct span window,
		 struct replay *ret)
{
	*ret = (struct replay){.job = j, .x = x};
	ret->role = roles_make(j, x, &ret->roles);
	list_visits(ret, window);
	fill_stops(ret);
	set_all_usual(ret);
}

void replay_free(struct replay *r)
{
	free(r->visits);
	free(r->stops);
	free(r->role);
	*r = (struct replay){0};
}

/* When a stop is entered and left in the replay. */
struct moment {
	int64_t enter_ns, leave_ns;
};

static int64_t enter(const struct replay_change *c, const struct replay_stop *s,
		     const struct moment *at)
{
	const bool usual = c->usual_lags && c->usual_lags[s->member];
	int64_t lag_ns = usual ? s->usual_lag_ns : s->lag_ns, ready_ns, free_ns;

	if (s->before == NO_STOP)
		return s->enter_ns;
	if (c->stretch && lag_ns > 0)
		lag_ns = sat_of_double((double)lag_ns * c->stretch[s->member]);
	ready_ns = sat_add(s->from_entry ? at[s->before].enter_ns : at[s->before].leave_ns, lag_ns);
	if (s->follows == NO_STOP)
		return ready_ns;
	free_ns = sat_add(at[s->follows].leave_ns, s->gap_ns);
	return ready_ns > free_ns ? ready_ns : free_ns;
}

static int64_t visit(const struct replay *r, const struct replay_change *c,
		     const struct replay_visit *v, struct moment *at)
{
	const bool usual = c->usual_transfers && c->usual_transfers[r->x->all[v->instance].class];
	int64_t last_ns = INT64_MIN, end_ns = INT64_MIN;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		at[i].enter_ns = enter(c, &r->stops[i], at);
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
			if (r->stops[k].leave_ns > was_ns)
				was_ns = r->stops[k].leave_ns;
		}
	}
	free(at);
	return r->count ? sat_sub(was_ns, end_ns) : 0;
}
