/* What would the collectives of ranks have been without a rank's delays? */
#include "analysis/replay/replay.h"

#include "analysis/replay/flow.h"
#include "analysis/replay/replay_uses.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

static const double hidden = 0.5; /* of a collective, for compute to go on beside it */

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

void replay_end(struct replay *r, const uint32_t *stage)
{
	enum replay_flow *flow = flow_find(r);
	struct replay_uses uses;

	roles_find(r->classes, r->class_count, r->member_count, stage, flow, &r->roles);
	free(flow);
	replay_place_lost(r);
	sort_stable(r->visits, r->count, sizeof(*r->visits), by_last_entry, NULL);
	replay_find_ahead(r);
	replay_find_order(r);
	replay_find_follows(r);
	replay_uses_make(r, &uses);
	replay_find_anchors(r, &uses);
	replay_place_stops(r);
	replay_find_waits(r);
	replay_set_usual(r, &uses);
	replay_find_needs(r);
	replay_uses_free(&uses);
}

void replay_free(struct replay *r)
{
	free(r->visits);
	free(r->stops);
	free(r->order);
	free(r->waits);
	roles_free(&r->roles);
	*r = (struct replay){0};
}

/* When a rank is ready for a stop in the replay, and enters and leaves it. */
struct moment {
	int64_t ready_ns, enter_ns, leave_ns;
};

/* What a rank does between its waits, and what is done to it. */
struct parts {
	int64_t first_ns;   /* before any wait */
	int64_t longest_ns; /* of all parts */
	int64_t cut_ns;	    /* from a part that is as long */
	double scale;	    /* of what is left of each */
};

/* All takes as much longer or shorter; or the longest part alone, as far as it is long enough. */
static struct parts parts_of(const struct replay *r, const struct replay_change *c,
			     const struct replay_stop *s, int64_t lag_ns)
{
	struct parts p = {.first_ns = s->lag_ns, .scale = 1};
	int64_t left_ns;

	for (uint32_t i = s->first_wait; i < s->first_wait + s->waits; i++) {
		const int64_t after_ns = r->waits[i].after_ns;

		p.first_ns = sat_sub(p.first_ns, after_ns);
		p.longest_ns = after_ns > p.longest_ns ? after_ns : p.longest_ns;
	}
	p.longest_ns = p.first_ns > p.longest_ns ? p.first_ns : p.longest_ns;
	if (c->of_longest && lag_ns < s->lag_ns)
		p.cut_ns = sat_sub(s->lag_ns, lag_ns);
	p.cut_ns = p.cut_ns < p.longest_ns ? p.cut_ns : p.longest_ns;
	left_ns = sat_sub(s->lag_ns, p.cut_ns);
	if (left_ns > 0)
		p.scale = (double)lag_ns / (double)left_ns;
	else
		p.first_ns = sat_add(p.first_ns, sat_sub(lag_ns, left_ns));
	return p;
}

static int64_t part_ns(struct parts *p, int64_t ns)
{
	if (p->cut_ns && ns == p->longest_ns) {
		ns = sat_sub(ns, p->cut_ns);
		p->cut_ns = 0;
	}
	return sat_of_double((double)ns * p->scale);
}

static int64_t after_waits(const struct replay *r, const struct replay_change *c,
			   const struct replay_stop *s, int64_t from_ns, int64_t lag_ns,
			   const struct moment *at)
{
	struct parts p = parts_of(r, c, s, lag_ns);
	int64_t now_ns;

	if (!s->waits)
		return sat_add(from_ns, lag_ns);
	now_ns = sat_add(from_ns, part_ns(&p, p.first_ns));
	for (uint32_t i = s->first_wait; i < s->first_wait + s->waits; i++) {
		const struct replay_wait *w = &r->waits[i];
		const int64_t leave_ns = at[w->stop].leave_ns;

		now_ns = sat_add(now_ns > leave_ns ? now_ns : leave_ns, part_ns(&p, w->after_ns));
	}
	return now_ns;
}

static int64_t ready(const struct replay *r, const struct replay_change *c, uint32_t stop,
		     const struct moment *at)
{
	const struct replay_stop *s = &r->stops[stop];
	int64_t lag_ns = c->lag_ns ? c->lag_ns[stop] : s->lag_ns, ready_ns;

	if (s->before == REPLAY_NONE)
		return s->is.enter_ns;
	if (c->usual_lags && c->usual_lags[s->is.member])
		lag_ns = s->usual_lag_ns;
	if (c->stretch && lag_ns > 0)
		lag_ns = sat_of_double((double)lag_ns * c->stretch[s->is.member]);
	ready_ns = after_waits(r, c, s,
			       s->from_entry ? at[s->before].ready_ns : at[s->before].leave_ns,
			       lag_ns, at);
	if (s->base != REPLAY_NONE) {
		const struct replay_stop *base = &r->stops[s->base];
		const int64_t launched_ns =
			sat_add(sat_add(replay_launched_ns(base), replay_host_ns(base, s)),
				sat_sub(at[s->base].ready_ns, base->ready_ns));

		ready_ns = ready_ns > launched_ns ? ready_ns : launched_ns;
	}
	return ready_ns;
}

static int64_t enter(const struct replay *r, uint32_t stop, const struct moment *at)
{
	const struct replay_stop *s = &r->stops[stop];
	int64_t free_ns;

	if (s->before == REPLAY_NONE || s->follows == REPLAY_NONE)
		return at[stop].ready_ns;
	free_ns = sat_add(at[s->follows].leave_ns, s->gap_ns);
	return at[stop].ready_ns > free_ns ? at[stop].ready_ns : free_ns;
}

static int64_t visit(const struct replay *r, const struct replay_change *c,
		     const struct replay_visit *v, struct moment *at)
{
	const bool usual = c->usual_transfers && c->usual_transfers[v->class];
	int64_t last_ns = INT64_MIN, end_ns = INT64_MIN;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		at[i].enter_ns = enter(r, i, at);
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
	size_t next = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		int64_t ns;

		for (; next < r->stop_count && r->stops[r->order[next]].due_ns <= v->last_ns;
		     next++)
			at[r->order[next]].ready_ns = ready(r, c, r->order[next], at);
		ns = visit(r, c, v, at);
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
