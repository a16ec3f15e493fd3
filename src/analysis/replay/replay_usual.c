/* How long after its last collective does a rank usually come to the next, and how long is that? */
#include "analysis/replay/replay.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>
#include <string.h>

/*
 * Visits that are alike: of the same type and size, the same number in their class. Where tensor
 * and data parallel groups are as large, what they send tells them apart, and which comes first.
 */
struct peers {
	uint64_t kind;
	size_t visit;
};

/* One that is not lost. */
static const struct replay_entry *known_entry(const struct replay *r, const struct replay_visit *v)
{
	uint32_t at = v->first;

	while (at + 1 < v->first + v->count && r->stops[at].is.kernel == REPLAY_NONE)
		at++;
	return &r->stops[at].is;
}

static uint64_t kind_of(const struct replay *r, const struct replay_visit *v)
{
	const struct replay_class *c = &r->classes[v->class];
	const struct replay_entry *k = known_entry(r, v);
	uint64_t kind = (uint64_t)c->type;

	kind = kind * 1000003 + c->member_count;
	kind = kind * 1000003 + c->count;
	kind = kind * 1000003 + (uint64_t)k->bytes;
	kind = kind * 1000003 + k->class;
	return kind * 1000003 + v->number;
}

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct peers *x = a, *y = b;

	(void)ctx;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

int64_t replay_lower_median(int64_t *values, int64_t *scratch, size_t n)
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
	usual_ns = replay_lower_median(values, scratch, n);
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
	memset(ret->begin, 0, (r->roles.count + 1) * sizeof(*ret->begin));
	/* How many each has, where the next role begins; then where each ends, filled backwards. */
	for (size_t i = 0; i < count; i++) {
		const struct replay_visit *v = &r->visits[p[i].visit];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			ret->begin[r->roles.of[r->stops[k].is.member]] +=
				r->stops[k].before != REPLAY_NONE;
	}
	for (uint32_t i = 1; i <= r->roles.count; i++)
		ret->begin[i] += ret->begin[i - 1];
	for (size_t i = count; i-- > 0;) {
		const struct replay_visit *v = &r->visits[p[i].visit];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			if (r->stops[k].before != REPLAY_NONE)
				ret->stops[--ret->begin[r->roles.of[r->stops[k].is.member]]] = k;
		}
	}
}

/* When it was ready, at the latest. */
static int64_t latest_lag(const struct replay_stop *s)
{
	return sat_sub(s->lag_ns, s->slack_ns);
}

static void take_usual_lag(struct replay_stop *s, int64_t usual_ns)
{
	s->usual_lag_ns = usual_ns;
	if (s->waited)
		s->lag_ns = latest_lag(s) < usual_ns ? latest_lag(s) : usual_ns;
	if (!s->in_doubt)
		return;
	/* One that is lost came when the last did, at the latest, and as soon as usual if it may.
	 * Nobody is late by what is not known. */
	if (s->is.kernel == REPLAY_NONE && usual_ns < s->lag_ns)
		s->lag_ns = usual_ns;
	s->usual_lag_ns = s->lag_ns;
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

		if (s->in_doubt)
			continue;
		if (!s->waited)
			values[n++] = s->lag_ns;
		usual_ns = s->lag_ns < usual_ns ? s->lag_ns : usual_ns;
	}
	if (n)
		usual_ns = replay_lower_median(values, scratch, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (!r->stops[stops[i]].in_doubt)
			values[n++] = latest_lag(&r->stops[stops[i]]);
	}
	half_ns = n ? replay_lower_median(values, scratch, n) : INT64_MAX;
	usual_ns = half_ns < usual_ns ? half_ns : usual_ns;
	for (size_t i = 0; i < count; i++)
		take_usual_lag(&r->stops[stops[i]], usual_ns);
}

void replay_set_usual(struct replay *r)
{
	struct peers *p = mem_alloc(r->count, sizeof(*p));
	int64_t *values = mem_alloc(r->stop_count, sizeof(*values));
	int64_t *scratch = mem_alloc(r->stop_count, sizeof(*scratch));
	struct by_role roles = {mem_alloc(r->stop_count, sizeof(*roles.stops)),
				mem_alloc(r->roles.count + 1, sizeof(*roles.begin))};

	for (size_t i = 0; i < r->count; i++)
		p[i] = (struct peers){kind_of(r, &r->visits[i]), i};
	sort_stable(p, r->count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < r->count; i = end) {
		for (end = i + 1; end < r->count && p[end].kind == p[i].kind;)
			end++;
		set_usual_transfer(r, &p[i], end - i, values, scratch);
		sort_by_role(r, &p[i], end - i, &roles);
		for (uint32_t k = 0; k < r->roles.count; k++)
			set_usual_lag(r, &roles.stops[roles.begin[k]],
				      roles.begin[k + 1] - roles.begin[k], values, scratch);
	}
	free(roles.begin);
	free(roles.stops);
	free(scratch);
	free(values);
	free(p);
}
