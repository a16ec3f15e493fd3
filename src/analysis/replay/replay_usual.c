/* How long after its last collective does a rank usually come to the next, and how long is that? */
#include "analysis/replay/replay.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

/*
 * What is alike: collectives of the same type and size, and the same number in their class. Where
 * tensor and data parallel groups are as large, what they send tells them apart, and which a member
 * has used first.
 */
struct alike {
	uint64_t kind;
	uint32_t at; /* visit or stop */
};

static uint64_t mix(uint64_t kind, uint64_t with)
{
	return kind * 1000003 + with;
}

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
	uint64_t kind = (uint64_t)c->type;

	kind = mix(kind, c->member_count);
	kind = mix(kind, c->count);
	kind = mix(kind, (uint64_t)known_entry(r, v)->bytes);
	return mix(kind, v->number);
}

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct alike *x = a, *y = b;

	(void)ctx;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static size_t end_of_kind(const struct alike *all, size_t count, size_t begin)
{
	size_t end = begin + 1;

	while (end < count && all[end].kind == all[begin].kind)
		end++;
	return end;
}

int64_t replay_lower_median(int64_t *values, int64_t *scratch, size_t n)
{
	sort_i64(values, scratch, n);
	return n ? values[(n - 1) / 2] : 0;
}

static void set_usual_transfer(struct replay *r, const struct alike *p, size_t count,
			       int64_t *values, int64_t *scratch)
{
	size_t n = 0;
	int64_t usual_ns;

	for (size_t i = 0; i < count; i++) {
		const struct replay_visit *v = &r->visits[p[i].at];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			values[n++] = r->stops[k].transfer_ns;
	}
	usual_ns = replay_lower_median(values, scratch, n);
	for (size_t i = 0; i < count; i++)
		r->visits[p[i].at].usual_transfer_ns = usual_ns;
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
static void set_usual_lag(struct replay *r, const struct alike *p, size_t count, int64_t *values,
			  int64_t *scratch)
{
	int64_t usual_ns = INT64_MAX, half_ns;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct replay_stop *s = &r->stops[p[i].at];

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
		if (!r->stops[p[i].at].in_doubt)
			values[n++] = latest_lag(&r->stops[p[i].at]);
	}
	half_ns = n ? replay_lower_median(values, scratch, n) : INT64_MAX;
	usual_ns = half_ns < usual_ns ? half_ns : usual_ns;
	for (size_t i = 0; i < count; i++)
		take_usual_lag(&r->stops[p[i].at], usual_ns);
}

static void set_usual_transfers(struct replay *r, int64_t *values, int64_t *scratch)
{
	struct alike *p = mem_alloc(r->count, sizeof(*p));

	for (size_t i = 0; i < r->count; i++)
		p[i] = (struct alike){
			mix(kind_of(r, &r->visits[i]), known_entry(r, &r->visits[i])->class),
			(uint32_t)i};
	sort_stable(p, r->count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < r->count; i = end) {
		end = end_of_kind(p, r->count, i);
		set_usual_transfer(r, &p[i], end - i, values, scratch);
	}
	free(p);
}

/* A stage of a pipeline has several communicators that are used alike: its own number of each. */
static void set_usual_lags(struct replay *r, int64_t *values, int64_t *scratch)
{
	struct alike *p = mem_alloc(r->stop_count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		const uint64_t kind = kind_of(r, v);

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			const struct replay_entry *is = &r->stops[k].is;

			if (r->stops[k].before != REPLAY_NONE)
				p[count++] = (struct alike){
					mix(mix(kind, is->class), r->roles.of[is->member]), k};
		}
	}
	sort_stable(p, count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		end = end_of_kind(p, count, i);
		set_usual_lag(r, &p[i], end - i, values, scratch);
	}
	free(p);
}

void replay_set_usual(struct replay *r)
{
	int64_t *values = mem_alloc(r->stop_count, sizeof(*values));
	int64_t *scratch = mem_alloc(r->stop_count, sizeof(*scratch));

	set_usual_transfers(r, values, scratch);
	set_usual_lags(r, values, scratch);
	free(scratch);
	free(values);
}
