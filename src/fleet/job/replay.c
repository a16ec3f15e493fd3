/* What would the job's collectives have been without a rank's delays? */
#include "fleet/job/replay.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

#define NO_STOP UINT32_MAX

static const double exposed =
	0.5; /* of a collective, in which nothing is computed: it is waited for */
static const double at_once = 0.05; /* of a collective's time after it */

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

/*
 * Whether a member could go on only when it had left a collective: it computed little beside it, or
 * entered the next one at once, which had to wait for it on its stream.
 */
static bool is_held_by(const struct replay *r, const struct replay_stop *b,
		       const struct replay_stop *next)
{
	const struct part_collective *k = &r->job->members[b->member].is->collectives[b->kernel];
	const double ns = (double)sat_sub(b->leave_ns, b->enter_ns);

	return (double)k->exposed_ns >= exposed * ns ||
	       (double)sat_sub(next->enter_ns, b->leave_ns) <= at_once * ns;
}

static void fill_stop(const struct replay *r, const struct replay_visit *v, uint32_t *latest,
		      struct replay_stop *s)
{
	const uint32_t part = r->job->members[s->member].part;
	const struct part_collective *k = &r->job->members[s->member].is->collectives[s->kernel];

	s->enter_ns = job_time(r->job, part, k->start_ns);
	s->leave_ns = job_time(r->job, part, k->end_ns);
	s->transfer_ns = sat_sub(s->leave_ns, v->last_ns);
	s->before = latest[s->member];
	if (s->before != NO_STOP) {
		const struct replay_stop *b = &r->stops[s->before];

		s->after_exit = b->leave_ns <= s->enter_ns;
		s->from_entry = !s->after_exit || !is_held_by(r, b, s);
		s->lag_ns = sat_sub(s->enter_ns, s->from_entry ? b->enter_ns : b->leave_ns);
	}
	latest[s->member] = (uint32_t)(s - r->stops);
}

static void fill_stops(struct replay *r)
{
	uint32_t *latest = mem_alloc(r->job->member_count, sizeof(*latest));
	uint32_t at = 0;

	memset(latest, 0xff, r->job->member_count * sizeof(*latest));
	r->stops = mem_zalloc(r->stop_count, sizeof(*r->stops));
	for (size_t i = 0; i < r->count; i++) {
		struct replay_visit *v = &r->visits[i];
		const struct instance *is = &r->x->all[v->instance];
		const struct instance_class *c = &r->x->classes[is->class];

		v->first = at;
		for (uint32_t q = 0; q < v->count; q++, at++) {
			r->stops[at].member = r->x->queues[c->first_queue + q].member;
			r->stops[at].kernel = is->kernels[q];
			fill_stop(r, v, latest, &r->stops[at]);
		}
	}
	free(latest);
}

/* What is alike: visits of the same type, size and number in their class, stops in the same role.
 */
struct alike {
	uint64_t kind;
	size_t number;
};

static uint64_t kind_of(const struct replay *r, const struct replay_visit *v)
{
	const struct instance *i = &r->x->all[v->instance];
	const struct instance_class *c = &r->x->classes[i->class];
	uint64_t kind = (uint64_t)c->is->type;

	kind = kind * 1000003 + c->queue_count;
	kind = kind * 1000003 + c->count;
	return kind * 1000003 + (v->instance - c->first);
}

/* Of two that send and receive, who is at the same end does the same. */
static uint64_t end_of(const struct instance_class *c, const struct replay_visit *v, uint32_t stop)
{
	return c->is->type == COLL_SEND_RECV ? stop - v->first : 0;
}

/*
 * Delays can be compared where ranks do the same: they come from the same collective, by its type,
 * size and number, and are at the same end of it. Stages of a pipeline are not alike.
 */
static uint64_t role_of(const struct replay *r, const struct replay_visit *v, uint32_t stop,
			const uint32_t *visit_of)
{
	const struct replay_stop *s = &r->stops[stop];
	const struct replay_visit *before = &r->visits[visit_of[s->before]];
	const struct instance_class *of = &r->x->classes[r->x->all[before->instance].class];
	const struct instance_class *own = &r->x->classes[r->x->all[v->instance].class];
	uint64_t role = kind_of(r, v);

	role = role * 1000003 + kind_of(r, before);
	role = role * 1000003 + end_of(of, before, s->before);
	role = role * 1000003 + s->from_entry;
	return role * 1000003 + end_of(own, v, stop);
}

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct alike *x = a, *y = b;

	(void)ctx;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The lower of two in the middle: what half of them are slower than is not usual. */
static int64_t lower_median(int64_t *values, int64_t *scratch, size_t n)
{
	sort_i64(values, scratch, n);
	return n ? values[(n - 1) / 2] : 0;
}

static size_t end_of_kind(const struct alike *all, size_t count, size_t from)
{
	size_t end = from + 1;

	while (end < count && all[end].kind == all[from].kind)
		end++;
	return end;
}

static void set_usual_lags(struct replay *r, int64_t *values, int64_t *scratch)
{
	struct alike *all = mem_alloc(r->stop_count, sizeof(*all));
	uint32_t *visit_of = mem_alloc(r->stop_count, sizeof(*visit_of));
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			visit_of[k] = (uint32_t)i;
			if (r->stops[k].before != NO_STOP)
				all[count++] = (struct alike){role_of(r, v, k, visit_of), k};
		}
	}
	sort_stable(all, count, sizeof(*all), by_kind, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		int64_t usual_ns;

		end = end_of_kind(all, count, i);
		for (size_t k = i; k < end; k++)
			values[k - i] = r->stops[all[k].number].lag_ns;
		usual_ns = lower_median(values, scratch, end - i);
		for (size_t k = i; k < end; k++)
			r->stops[all[k].number].usual_lag_ns = usual_ns;
	}
	free(visit_of);
	free(all);
}

static void set_usual_transfers(struct replay *r, int64_t *values, int64_t *scratch)
{
	struct alike *all = mem_alloc(r->count, sizeof(*all));

	for (size_t i = 0; i < r->count; i++)
		all[i] = (struct alike){kind_of(r, &r->visits[i]), i};
	sort_stable(all, r->count, sizeof(*all), by_kind, NULL);
	for (size_t i = 0, end; i < r->count; i = end) {
		size_t n = 0;
		int64_t usual_ns;

		end = end_of_kind(all, r->count, i);
		for (size_t k = i; k < end; k++) {
			const struct replay_visit *v = &r->visits[all[k].number];

			for (uint32_t q = v->first; q < v->first + v->count; q++)
				values[n++] = r->stops[q].transfer_ns;
		}
		usual_ns = lower_median(values, scratch, n);
		for (size_t k = i; k < end; k++)
			r->visits[all[k].number].usual_transfer_ns = usual_ns;
	}
	free(all);
}

static void set_usual(struct replay *r)
{
	int64_t *values = mem_alloc(r->stop_count, sizeof(*values));
	int64_t *scratch = mem_alloc(r->stop_count, sizeof(*scratch));

	set_usual_lags(r, values, scratch);
	set_usual_transfers(r, values, scratch);
	free(scratch);
	free(values);
}

void replay_make(const struct job *j, const struct instances *x, struct span window,
		 struct replay *ret)
{
	*ret = (struct replay){.job = j, .x = x};
	list_visits(ret, window);
	fill_stops(ret);
	set_usual(ret);
}

void replay_free(struct replay *r)
{
	free(r->visits);
	free(r->stops);
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
	int64_t lag_ns = usual ? s->usual_lag_ns : s->lag_ns;

	if (s->before == NO_STOP)
		return s->enter_ns;
	if (c->stretch && lag_ns > 0)
		lag_ns = sat_of_double((double)lag_ns * c->stretch[s->member]);
	if (!s->from_entry)
		return sat_add(at[s->before].leave_ns, lag_ns);
	lag_ns = sat_add(at[s->before].enter_ns, lag_ns);
	return s->after_exit && lag_ns < at[s->before].leave_ns ? at[s->before].leave_ns : lag_ns;
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
