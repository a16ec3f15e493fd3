/* Which causes of lost time came, and which went? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/tables/diff_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a step: what costs less neither came nor went, or it would with every run. */
static const double least_share = 0.005;
/* Of what it costs on the other side: less is as good as nothing. */
static const double trace_share = 0.25;
/* … whatever that is of a step. */
static const double faint_share = 0.02;
/* By so much a finding's cost has to differ. */
static const double same_share = 0.1;

static int by_place(const void *p, const void *q, void *ctx)
{
	const struct finding_change *a = p, *b = q;
	const int order = strcmp(a->id, b->id);

	(void)ctx;
	return order ? order : strcmp(a->place, b->place);
}

/* Those of all runs, each once; the side after gives the title: it is what is left to do. */
static void list_places(struct finding_changes *c, const struct diff *d, bool places)
{
	size_t kept = 0;

	for (int side = SIDES - 1; side >= 0; side--) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++) {
			const struct run_facts *f = &d->sides.of[side].runs[r]->facts;

			for (size_t i = 0; i < f->finding_count; i++)
				c->all[c->count++] = (struct finding_change){
					.id = f->findings[i].id,
					.place = places ? f->findings[i].place : "",
					.title = f->findings[i].title};
		}
	}
	sort_stable(c->all, c->count, sizeof(*c->all), by_place, NULL);
	for (size_t i = 0; i < c->count; i++) {
		if (!kept || by_place(&c->all[kept - 1], &c->all[i], NULL) != 0)
			c->all[kept++] = c->all[i];
	}
	c->count = kept;
}

/*
 * What a run loses by a cause in a place. It may have several such, one by device; they share time:
 * the largest counts. Where one side does not tell places, one anywhere is one there.
 */
static int64_t cost_of(const struct run_facts *f, const struct finding_change *c)
{
	int64_t here = 0, anywhere = 0;
	bool tells = false;

	for (size_t i = 0; i < f->finding_count; i++) {
		const struct run_finding *x = &f->findings[i];

		if (strcmp(x->id, c->id) != 0)
			continue;
		tells |= x->place[0] != '\0';
		anywhere = x->recoverable_ns > anywhere ? x->recoverable_ns : anywhere;
		if (strcmp(x->place, c->place) == 0 && x->recoverable_ns > here)
			here = x->recoverable_ns;
	}
	return here || (tells && c->place[0]) ? here : anywhere;
}

/* What a run loses by a cause wherever that is: each of its places once. */
static int64_t cost_of_all(const struct run_facts *f, const struct finding_change *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < f->finding_count; i++) {
		const struct finding_change at = {.id = c->id, .place = f->findings[i].place};
		bool counted = strcmp(at.id, f->findings[i].id) != 0;

		for (size_t k = 0; k < i && !counted; k++)
			counted = strcmp(f->findings[k].id, at.id) == 0 &&
				  strcmp(f->findings[k].place, at.place) == 0;
		if (!counted)
			sum = sat_add(sum, cost_of(f, &at));
	}
	return sum;
}

static double side_cost(const struct side_runs *s, const struct finding_change *c, bool places)
{
	double ns = 0;

	for (size_t r = 0; r < s->run_count; r++)
		ns += (double)(places ? cost_of(&s->runs[r]->facts, c)
				      : cost_of_all(&s->runs[r]->facts, c)) /
		      (double)s->runs[r]->step_count;
	return ns / (double)s->run_count;
}

/* Whether it is on one side alone: what little the other has is no finding there. */
static bool is_alone(const struct diff *d, const struct finding_change *c, enum side side)
{
	const struct side_runs *own = &d->sides.of[side], *others = &d->sides.of[!side];

	if (c->ns[side] < least_share * side_step_ns(own, own->ns))
		return false;
	return c->ns[!side] < faint_share * c->ns[side] ||
	       (c->ns[!side] < least_share * side_step_ns(others, others->ns) &&
		c->ns[!side] < trace_share * c->ns[side]);
}

static bool is_alike(const struct finding_change *c)
{
	return fabs(c->ns[AFTER] - c->ns[BEFORE]) < same_share * fmax(c->ns[BEFORE], c->ns[AFTER]);
}

static enum finding_state state_of(const struct diff *d, const struct finding_change *c)
{
	const double change = c->ns[AFTER] - c->ns[BEFORE];

	if (is_alone(d, c, BEFORE))
		return FINDING_GONE;
	if (is_alone(d, c, AFTER))
		return FINDING_NEW;
	if (is_alike(c))
		return FINDING_SAME;
	return change < 0 ? FINDING_LESS : change > 0 ? FINDING_MORE : FINDING_SAME;
}

/* What is a finding past some threshold is all told then; what was there before is no change. */
static double change_of(const struct diff *d, const struct finding_change *c)
{
	const double change = c->ns[AFTER] - c->ns[BEFORE];
	const enum side on = change > 0 ? AFTER : BEFORE;

	if (!finding_is_one_sided(c))
		return change;
	return copysign(fmin(fabs(change), c->ns[on] - finding_most_before(d, c, on)), change);
}

static int by_change(const void *p, const void *q, void *ctx)
{
	const struct finding_change *a = p, *b = q;
	const double x = fabs(a->change_ns), y = fabs(b->change_ns);

	if (x != y)
		return x > y ? -1 : 1;
	return by_place(a, b, ctx);
}

static size_t count_findings(const struct diff *d, bool *known)
{
	size_t count = 0;

	*known = true;
	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++) {
			const struct run_facts *f = &d->sides.of[side].runs[r]->facts;

			count += f->finding_count;
			*known = *known && f->has_findings;
		}
	}
	return count;
}

bool finding_is_one_sided(const struct finding_change *c)
{
	return c->state == FINDING_GONE || c->state == FINDING_NEW;
}

/* What waited before as it does now, and was told as something else, or not at all, is not new. */
static void take_what_was_there(const struct diff *d, struct finding_change *c)
{
	const enum side other = c->state == FINDING_GONE ? AFTER : BEFORE;
	double ns;

	if (!finding_is_one_sided(c) || !finding_was_there(d, c, &ns))
		return;
	c->ns[other] = fmax(c->ns[other], ns);
	c->state = is_alike(c)		      ? FINDING_SAME
		   : c->state == FINDING_GONE ? FINDING_LESS
					      : FINDING_MORE;
}

struct finding_changes finding_changes_find(const struct diff *d, struct arena *arena)
{
	const bool places =
		side_has_ranges(&d->sides.of[BEFORE]) == side_has_ranges(&d->sides.of[AFTER]);
	struct finding_changes c = {0};

	c.all = arena_alloc(arena, count_findings(d, &c.known), sizeof(*c.all));
	if (!c.known)
		return c;
	list_places(&c, d, places);
	for (size_t i = 0; i < c.count; i++) {
		for (int side = 0; side < SIDES; side++)
			c.all[i].ns[side] = side_cost(&d->sides.of[side], &c.all[i], places);
	}
	for (size_t i = 0; i < c.count; i++) {
		c.all[i].state = state_of(d, &c.all[i]);
		take_what_was_there(d, &c.all[i]);
	}
	/* What explains how much is known of all of them by now. */
	for (size_t i = 0; i < c.count; i++) {
		if (c.all[i].state != FINDING_SAME && !finding_is_borne_out(d, &c, &c.all[i]))
			c.all[i].state = FINDING_MOVED;
	}
	for (size_t i = 0; i < c.count; i++)
		c.all[i].change_ns = change_of(d, &c.all[i]);
	sort_stable(c.all, c.count, sizeof(*c.all), by_change, NULL);
	return c;
}
