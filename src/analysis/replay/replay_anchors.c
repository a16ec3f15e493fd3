/*
 * From which of its collectives can it be counted when a rank was ready for the next ones?
 *
 * Of one that had to wait for its stream, or for what another brings, it is not known when the rank
 * was ready. Where most ranks wait so, none counts from there: they would not count alike.
 */
#include "analysis/replay/replay_left.h"
#include "analysis/replay/replay_uses.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct alike {
	uint64_t kind;
	uint32_t stop;
};

struct search {
	struct replay *r;
	struct replay_left left;
	uint64_t *source; /* by stop: the sort of collectives that it needs; 0: none */
	uint32_t *anchor, *last, *base; /* by member: stops */
	int64_t *busy_ns;		/* by member: until then the GPU has something to do */
	struct idmap sorts;		/* of collectives, by number */
	struct idmap places;		/* such a number on a member */
	uint32_t *of_sort;		/* by that: the latest stop */
	size_t cap;
};

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct alike *x = a, *y = b;

	(void)ctx;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The stop after which one began at once: it may have been ready before; REPLAY_NONE: none. */
static uint32_t comes_after(const struct replay *r, const struct replay_left *l,
			    const struct replay_stop *s)
{
	size_t at = replay_left_by(r, l, s->is.member, s->is.enter_ns);
	uint32_t last;

	/* What comes is computed with, before anything else is sent. */
	while (at > l->first[s->is.member] && r->stops[l->stops[at - 1]].is_ahead &&
	       sat_sub(s->is.enter_ns, r->stops[l->stops[at - 1]].is.leave_ns) <= REPLAY_AT_ONCE_NS)
		at--;
	if (at == l->first[s->is.member] || s->is.kernel == REPLAY_NONE)
		return REPLAY_NONE;
	last = l->stops[at - 1];
	return sat_sub(s->is.enter_ns, r->stops[last].is.leave_ns) <= REPLAY_AT_ONCE_NS
		       ? last
		       : REPLAY_NONE;
}

static uint64_t sort_of(const struct replay *r, uint32_t stop)
{
	return replay_sort_of(&r->classes[r->visits[r->stops[stop].visit].class]);
}

/*
 * Where most wait, they are no anchors. Some wait for their stream, others for what another
 * communicator brings: if as many do, all need that, and had to wait for their stream besides.
 */
static void mark(struct search *x, const struct alike *p, size_t count)
{
	struct replay *r = x->r;
	size_t known = 0, waited = 0, needed = 0;
	uint64_t source = 0;

	for (size_t i = 0; i < count; i++) {
		const struct replay_stop *s = &r->stops[p[i].stop];
		const uint32_t after = comes_after(r, &x->left, s);

		known += s->is.kernel != REPLAY_NONE;
		waited += after != REPLAY_NONE;
		if (after == REPLAY_NONE || after == s->follows)
			continue;
		needed++;
		source = sort_of(r, after);
	}
	for (size_t i = 0; i < count; i++) {
		struct replay_stop *s = &r->stops[p[i].stop];

		s->is_anchor = 2 * waited <= known && !s->is_ahead;
		x->source[p[i].stop] = 2 * waited > known && 2 * needed >= waited ? source : 0;
	}
}

static void mark_all(struct search *x, const struct replay_uses *u)
{
	struct replay *r = x->r;
	struct alike *p = mem_alloc(r->stop_count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t n = 0; n < v->count; n++)
			p[count++] = (struct alike){replay_kind_of(r, u, v, n), v->first + n};
	}
	sort_stable(p, count, sizeof(*p), by_kind, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		end = i + 1;
		while (end < count && p[end].kind == p[i].kind)
			end++;
		mark(x, &p[i], end - i);
	}
	free(p);
}

/* From the last one on: no anchor comes to a moment before those that come after it do. */
static void find_due(struct replay *r)
{
	int64_t *due_ns = mem_alloc(r->member_count, sizeof(*due_ns));

	for (size_t i = 0; i < r->member_count; i++)
		due_ns[i] = INT64_MAX;
	for (size_t i = r->stop_count; i-- > 0;) {
		struct replay_stop *s = &r->stops[r->order[i]];
		int64_t *next_ns = &due_ns[s->is.member];

		s->due_ns = s->is.enter_ns;
		if (s->is_anchor)
			s->due_ns = *next_ns = *next_ns < s->due_ns ? *next_ns : s->due_ns;
	}
	free(due_ns);
}

static int by_due(const void *a, const void *b, void *ctx)
{
	const struct replay *r = ctx;
	const struct replay_stop *x = &r->stops[*(const uint32_t *)a];
	const struct replay_stop *y = &r->stops[*(const uint32_t *)b];

	return (x->due_ns > y->due_ns) - (x->due_ns < y->due_ns);
}

/* Whether nothing went on beside it, and it had ended by then: what comes next comes after that. */
static bool holds_up(const struct replay *r, uint32_t before, const struct replay_stop *s)
{
	const struct replay_stop *b = &r->stops[before];

	return b->is.leave_ns <= s->is.enter_ns && r->visits[b->visit].last_ns < s->due_ns &&
	       !replay_goes_on_beside(r, b);
}

/* The latest collective of a sort that a member launched. */
static uint32_t *latest_of(struct search *x, uint64_t sort, uint32_t member)
{
	const size_t had = x->places.count;
	const uint32_t number = idmap_add(&x->sorts, sort, (uint32_t)x->sorts.count);
	const uint32_t at = idmap_number_pair(&x->places, number, member);

	MEM_GROW(x->of_sort, x->cap, x->places.count);
	if (x->places.count > had)
		x->of_sort[at] = REPLAY_NONE;
	return &x->of_sort[at];
}

/*
 * Each anchor is counted from the one before, unless another has held the rank up meanwhile; what
 * is none from what it needs, or follows on its stream. One that is lost is placed where it may not
 * follow anything: it is counted from the one before, or all that the replay saves would end there.
 */
static uint32_t find_before(struct search *x, uint32_t stop)
{
	const struct replay_stop *s = &x->r->stops[stop];
	const uint32_t last = x->last[s->is.member];

	uint32_t before = REPLAY_NONE;

	if (s->is_ahead)
		return s->follows;
	if (x->source[stop])
		before = *latest_of(x, x->source[stop], s->is.member);
	else if (!s->is_anchor)
		before = s->follows;
	if (before != REPLAY_NONE)
		return before;
	return last != REPLAY_NONE && holds_up(x->r, last, s) ? last : x->anchor[s->is.member];
}

/*
 * A host that launches while the GPU has work left waits for nobody, and goes on as it would. Once
 * nothing is left, it may have waited for that.
 */
static void find_base(struct search *x, uint32_t stop)
{
	struct replay_stop *s = &x->r->stops[stop];
	const int64_t at_ns = replay_launched_ns(s);
	uint32_t *base = &x->base[s->is.member];
	int64_t *busy_ns = &x->busy_ns[s->is.member];

	s->base = REPLAY_NONE;
	if (at_ns == INT64_MIN || at_ns >= *busy_ns)
		*base = s->is_anchor && at_ns != INT64_MIN ? stop : REPLAY_NONE;
	else if (*base != REPLAY_NONE && x->r->stops[*base].due_ns <= s->due_ns)
		s->base = *base;
	*busy_ns = *busy_ns > s->is.leave_ns ? *busy_ns : s->is.leave_ns;
}

/* What an anchor is counted over is not counted twice. */
static void count_once(struct search *x, size_t at)
{
	const struct replay *r = x->r;
	const uint32_t member = r->stops[r->order[at]].is.member;

	while (at-- > 0 && r->order[at] != x->anchor[member])
		r->stops[r->order[at]].is_counted = false;
}

static void link_stops(struct search *x)
{
	const struct replay *r = x->r;

	for (size_t i = 0; i < r->stop_count; i++) {
		const uint32_t stop = r->order[i];
		struct replay_stop *s = &r->stops[stop];
		const uint32_t m = s->is.member;

		s->is_anchor |= x->anchor[m] == REPLAY_NONE && !s->is_ahead;
		s->before = find_before(x, stop);
		find_base(x, stop);
		s->is_counted = true;
		if (s->is_anchor && s->before != REPLAY_NONE && s->before == x->anchor[m])
			count_once(x, i);
		if (s->is_ahead)
			continue;
		x->last[m] = stop;
		*latest_of(x, sort_of(r, stop), m) = stop;
		if (s->is_anchor)
			x->anchor[m] = stop;
	}
}

void replay_find_anchors(struct replay *r, const struct replay_uses *u)
{
	struct search x = {.r = r,
			   .source = mem_zalloc(r->stop_count, sizeof(*x.source)),
			   .anchor = mem_alloc(r->member_count, sizeof(*x.anchor)),
			   .last = mem_alloc(r->member_count, sizeof(*x.last)),
			   .base = mem_alloc(r->member_count, sizeof(*x.base)),
			   .busy_ns = mem_alloc(r->member_count, sizeof(*x.busy_ns))};

	memset(x.anchor, 0xff, r->member_count * sizeof(*x.anchor));
	memset(x.last, 0xff, r->member_count * sizeof(*x.last));
	memset(x.base, 0xff, r->member_count * sizeof(*x.base));
	for (size_t i = 0; i < r->member_count; i++)
		x.busy_ns[i] = INT64_MIN + 1;
	replay_left_make(r, &x.left);
	mark_all(&x, u);
	find_due(r);
	link_stops(&x);
	sort_stable(r->order, r->stop_count, sizeof(*r->order), by_due, r);
	replay_left_free(&x.left);
	idmap_free(&x.sorts);
	idmap_free(&x.places);
	free(x.of_sort);
	free(x.source);
	free(x.anchor);
	free(x.last);
	free(x.base);
	free(x.busy_ns);
}
