/* How long after its last collective does a rank usually come to the next, and how long is that? */
#include "analysis/replay/replay_left.h"
#include "analysis/replay/replay_uses.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

/*
 * What is alike: collectives of the same type and size, and the same number in their class. Where
 * tensor and data parallel groups are as large, what they send tells them apart, and which a member
 * uses first.
 */
struct alike {
	uint64_t kind;
	uint32_t at;	/* visit or stop */
	uint32_t place; /* in time, among these */
};

/* Those that are alike, one after another. */
struct kind {
	size_t begin, end;
	uint32_t place; /* of their first */
};

/* Of the stops of a visit one that is not lost. */
static uint32_t known_stop(const struct replay *r, const struct replay_visit *v)
{
	uint32_t n = 0;

	while (n + 1 < v->count && r->stops[v->first + n].is.kernel == REPLAY_NONE)
		n++;
	return n;
}

/*
 * Which of those that its rank uses alike. Two ranks that send to each other may both have been
 * captured from the middle of a step on, and count from there: where it is not sure that others
 * count alike, they are not compared.
 */
static uint32_t use_of(const struct replay *r, const struct replay_uses *u,
		       const struct replay_visit *v, uint32_t n)
{
	return r->classes[v->class].type == COLL_SEND_RECV ? r->stops[v->first + n].is.class
							   : replay_use(u, v, n);
}

static uint64_t kind_of(const struct replay *r, const struct replay_visit *v)
{
	const struct replay_entry *is = &r->stops[v->first + known_stop(r, v)].is;
	const uint64_t kind = replay_sort_of(&r->classes[v->class]);

	return replay_mix(replay_mix(kind, (uint64_t)is->bytes), v->number);
}

uint64_t replay_kind_of(const struct replay *r, const struct replay_uses *u,
			const struct replay_visit *v, uint32_t n)
{
	return replay_mix(replay_mix(kind_of(r, v), use_of(r, u, v, n)),
			  r->roles.of[r->stops[v->first + n].is.member]);
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

/* What its lag counts from. */
static int64_t lag_begins(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before];

	return s->from_entry ? before->ready_ns : before->is.leave_ns;
}

/* If it was ready at the latest. */
static int64_t latest_lag(const struct replay *r, const struct replay_stop *s)
{
	return sat_sub(sat_sub(s->ready_ns, lag_begins(r, s)), s->waited_ns);
}

/*
 * One that was ready earlier than it began did not wait for what came in between: what it does
 * itself is over by then.
 */
static void drop_later_waits(const struct replay *r, struct replay_stop *s)
{
	int64_t own_ns = latest_lag(r, s);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->waits; i++)
		own_ns = sat_sub(own_ns, r->waits[s->first_wait + i].after_ns);
	while (kept < s->waits && own_ns < s->lag_ns)
		own_ns = sat_add(own_ns, r->waits[s->first_wait + kept++].after_ns);
	if (kept == s->waits)
		return;
	s->waits = kept;
	s->waited_ns = 0;
	if (kept) {
		struct replay_wait *last = &r->waits[s->first_wait + kept - 1];

		own_ns = sat_sub(own_ns, last->after_ns);
		s->waited_ns = sat_sub(sat_sub(r->stops[last->stop].is.leave_ns, lag_begins(r, s)),
				       own_ns);
		last->after_ns = sat_sub(s->lag_ns, own_ns);
	}
}

/* It was not ready before it was launched. */
static int64_t ready_by(const struct replay *r, const struct replay_stop *s, int64_t usual_ns)
{
	const int64_t at_ns = replay_launched_ns(s);
	const int64_t host_ns = at_ns == INT64_MIN
					? at_ns
					: sat_sub(sat_sub(at_ns, lag_begins(r, s)), s->waited_ns);

	return usual_ns > host_ns ? usual_ns : host_ns;
}

/*
 * What its host takes from one launch to the other, where it went on while the GPU waited: else
 * the host may have waited, too, and it is 0.
 */
static int64_t host_lag(const struct replay *r, const struct replay_stop *s)
{
	const struct replay_stop *before = &r->stops[s->before];
	const int64_t at_ns = replay_launched_ns(s);
	uint32_t last;

	if (!s->waits || s->base == REPLAY_NONE ||
	    (s->before != s->base && before->base != s->base))
		return 0;
	last = r->waits[s->first_wait + s->waits - 1].stop;
	return at_ns < r->stops[last].is.leave_ns ? replay_host_ns(before, s) : 0;
}

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void take_usual_lag(const struct replay *r, struct replay_stop *s, int64_t usual_ns)
{
	s->lag_ns = latest_lag(r, s);
	s->host_ns = host_lag(r, s);
	s->usual_lag_ns = usual_ns;
	if (s->waited && ready_by(r, s, usual_ns) < s->lag_ns)
		s->lag_ns = ready_by(r, s, usual_ns);
	if (s->in_doubt) {
		/* One that is lost came when the last did, at the latest, and as soon as usual if
		 * it may. Nobody is late by what is not known. */
		if (s->is.kernel == REPLAY_NONE && usual_ns < s->lag_ns)
			s->lag_ns = usual_ns;
		s->usual_lag_ns = s->lag_ns;
	}
	drop_later_waits(r, s);
	s->ready_ns = sat_add(sat_add(lag_begins(r, s), s->waited_ns), s->lag_ns);
}

/*
 * Of ranks with one role. Who waits on the GPU is ready soon after that, as its host has launched
 * ahead: without waiting it would be no faster than its host. Of one that had to wait it is known
 * by when it was ready, at the latest: those that had not to wait say what is usual, unless half of
 * all were ready before; and it is taken to have been ready as soon as that. Beside a rank that is
 * far behind, all others wait, and it alone does not: what it takes is not usual. Where all had to
 * wait, they were ready when the first of them could go on, at the latest.
 */
static void set_usual_lag(struct replay *r, const struct alike *p, size_t count, int64_t *values,
			  int64_t *scratch)
{
	int64_t usual_ns = INT64_MAX, entry_ns, half_ns;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct replay_stop *s = &r->stops[p[i].at];

		if (s->in_doubt)
			continue;
		entry_ns = sat_sub(sat_sub(s->is.enter_ns, lag_begins(r, s)), s->waited_ns);
		entry_ns = longer(entry_ns, host_lag(r, s));
		if (!s->waited)
			values[n++] = entry_ns;
		usual_ns = entry_ns < usual_ns ? entry_ns : usual_ns;
	}
	if (n)
		usual_ns = replay_lower_median(values, scratch, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (!r->stops[p[i].at].in_doubt)
			values[n++] = longer(latest_lag(r, &r->stops[p[i].at]),
					     host_lag(r, &r->stops[p[i].at]));
	}
	half_ns = n ? replay_lower_median(values, scratch, n) : INT64_MAX;
	usual_ns = half_ns < usual_ns ? half_ns : usual_ns;
	for (size_t i = 0; i < count; i++)
		take_usual_lag(r, &r->stops[p[i].at], usual_ns);
}

static void set_usual_transfers(struct replay *r, const struct replay_uses *u, int64_t *values,
				int64_t *scratch)
{
	struct alike *p = mem_alloc(r->count, sizeof(*p));

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		const uint32_t use = use_of(r, u, v, known_stop(r, v));

		p[i] = (struct alike){replay_mix(kind_of(r, v), use), (uint32_t)i, (uint32_t)i};
	}
	sort_stable(p, r->count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < r->count; i = end) {
		end = end_of_kind(p, r->count, i);
		set_usual_transfer(r, &p[i], end - i, values, scratch);
	}
	free(p);
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct kind *x = a, *y = b;

	(void)ctx;
	return (x->place > y->place) - (x->place < y->place);
}

/*
 * In order of time, as what is taken of one is where the next one begins.
 */
static struct kind *list_kinds(const struct alike *p, size_t count, size_t *ret_count)
{
	struct kind *kinds = mem_alloc(count, sizeof(*kinds));
	size_t n = 0;

	for (size_t i = 0, end; i < count; i = end) {
		uint32_t least = UINT32_MAX;

		end = end_of_kind(p, count, i);
		for (size_t k = i; k < end; k++)
			least = p[k].place < least ? p[k].place : least;
		kinds[n++] = (struct kind){i, end, least};
	}
	sort_stable(kinds, n, sizeof(*kinds), by_place, NULL);
	*ret_count = n;
	return kinds;
}

static void set_usual_lags(struct replay *r, const struct replay_uses *u, int64_t *values,
			   int64_t *scratch)
{
	struct alike *p = mem_alloc(r->stop_count, sizeof(*p));
	uint32_t *place = mem_alloc(r->stop_count, sizeof(*place));
	struct kind *kinds;
	size_t count = 0, kind_count;

	for (uint32_t i = 0; i < r->stop_count; i++)
		place[r->order[i]] = i;
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t n = 0; n < v->count; n++) {
			const uint32_t at = v->first + n;

			if (r->stops[at].before != REPLAY_NONE && !r->stops[at].is_ahead)
				p[count++] =
					(struct alike){replay_kind_of(r, u, v, n), at, place[at]};
		}
	}
	free(place);
	sort_stable(p, count, sizeof(*p), by_kind, NULL);
	kinds = list_kinds(p, count, &kind_count);
	for (size_t i = 0; i < kind_count; i++)
		set_usual_lag(r, &p[kinds[i].begin], kinds[i].end - kinds[i].begin, values,
			      scratch);
	free(kinds);
	free(p);
}

/* What is posted ahead is there as soon as its stream is free: it was long before it had to be. */
static void set_ahead(struct replay *r)
{
	for (size_t i = 0; i < r->stop_count; i++) {
		struct replay_stop *s = &r->stops[i];

		if (s->is_ahead)
			s->lag_ns = s->usual_lag_ns =
				s->gap_ns < REPLAY_AT_ONCE_NS ? s->gap_ns : REPLAY_AT_ONCE_NS;
	}
}

/*
 * What an anchor is counted over is in its lag, but what it waited for is not: that was late by
 * itself, and by what it came after.
 */
static void count_waited(struct replay *r)
{
	for (size_t i = 0; i < r->stop_count; i++) {
		const struct replay_stop *s = &r->stops[i];

		for (uint32_t w = s->first_wait; w < s->first_wait + s->waits; w++) {
			uint32_t stop = r->waits[w].stop;

			while (stop != REPLAY_NONE && stop != s->before &&
			       !r->stops[stop].is_counted) {
				r->stops[stop].is_counted = true;
				stop = r->stops[stop].before;
			}
		}
	}
}

void replay_set_usual(struct replay *r, const struct replay_uses *u)
{
	int64_t *values = mem_alloc(r->stop_count, sizeof(*values));
	int64_t *scratch = mem_alloc(r->stop_count, sizeof(*scratch));

	set_usual_transfers(r, u, values, scratch);
	set_usual_lags(r, u, values, scratch);
	set_ahead(r);
	count_waited(r);
	free(scratch);
	free(values);
}
