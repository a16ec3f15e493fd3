/*
 * Does the account bear out that a finding costs more, or less? Findings share time, and which of
 * them is told may change where the time did not: "launch-bound" may become "waits for host code".
 */
#include "base/mem.h"
#include "diff/tables/diff_findings.h"
#include "diff/tables/place_times.h"

#include <math.h>
#include <string.h>

/* So much of a finding's change has to be a change of the account. */
static const double borne_share = 0.25;
/* Of an act's time in its place: so little of it may have been there before. */
static const double trace_share = 0.25;

enum {
	COMPUTE = 1 << LEAF_COMPUTE,
	COMM = 1 << LEAF_COMM,
	COPY = 1 << LEAF_COPY,
	IDLE = 1 << LEAF_IDLE,
};

/*
 * Whose time a finding is; what is not here is not of the device that is accounted for. `act` is
 * what the host does that costs it: BLAMES where it does no one thing. The GPU idles after an act
 * more than during it, and in other ranges.
 */
static const struct told {
	const char *id;
	unsigned classes;
	enum blame act;
} all_told[] = {
	{"alloc_in_steady", IDLE, BLAME_ALLOC},
	{"blocking_d2h", COPY | IDLE, BLAME_COPY},
	{"blocking_sync", IDLE, BLAME_SYNC},
	{"dominant_kernel", COMPUTE, BLAMES},
	{"exposed_comm", COMM, BLAMES},
	{"exposed_copy", COPY, BLAMES},
	{"few_threads", COMPUTE, BLAMES},
	{"held_back", IDLE, BLAMES},
	{"host_stall", IDLE, BLAMES},
	{"idle_unexplained", IDLE, BLAMES},
	{"launch_bound", IDLE, BLAMES},
	{"managed_host", IDLE, BLAMES},
	{"narrow_kernel", COMPUTE, BLAMES},
	{"off_tensor_cores", COMPUTE, BLAMES},
	{"paced", IDLE, BLAMES},
	{"run_time_compilation", IDLE, BLAMES},
	{"slow_calls", IDLE, BLAMES},
	{"slow_launches", IDLE, BLAMES},
	{"sync_each_launch", IDLE, BLAME_SYNC},
	{"tiny_kernels", IDLE, BLAMES},
	{"waiting_for_input", IDLE, BLAMES},
};

static const struct told *told_of(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(all_told); i++) {
		if (strcmp(all_told[i].id, id) == 0)
			return &all_told[i];
	}
	return NULL;
}

/* What ranks wait for each other, for one of them or in turn: where one is to blame for most of it,
 * that they also wait in turn is not told. */
static double change_of_waits(const struct finding_changes *all)
{
	double change = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct finding_change *c = &all->all[i];

		if (strcmp(c->id, "straggler") == 0 || strcmp(c->id, "rank_skew") == 0)
			change += c->ns[AFTER] - c->ns[BEFORE];
	}
	return change;
}

/* A kernel's name, or what is in no range of the step, is no place of the account: it counts as a
 * whole, then. */
static bool time_where_it_is(const struct diff *d, const struct told *t, const char *place,
			     double ns[SIDES])
{
	struct place_part p = {.classes = t->classes, .act = BLAMES, .place = place};

	if (place_times_find(d, &p, ns))
		return true;
	p.place = NULL;
	return place_times_find(d, &p, ns);
}

/*
 * Whether the side that has more of the finding has most of its act there alone. How much the GPU
 * idles in all tells nothing then: it does so after the act, when less may have another cause.
 */
static bool has_new_act(const struct diff *d, const struct told *t, const char *place,
			double change)
{
	const enum side on = change > 0 ? AFTER : BEFORE;
	struct place_part p = {.classes = IDLE, .act = t->act, .place = place};
	double ns[SIDES], own;

	if (t->act == BLAMES)
		return false;
	if (!place_time_of(&d->sides.of[on], &p, &own)) {
		p.place = NULL;
		place_time_of(&d->sides.of[on], &p, &own);
	}
	place_times_find(d, &p, ns);
	return own > 0 && ns[on] - ns[!on] >= (1 - trace_share) * own;
}

/* Whether the account has changed as a finding did, by as much as bears it out. */
static bool bears_out(double account_ns, double change_ns)
{
	return (account_ns < 0) == (change_ns < 0) &&
	       account_ns * change_ns >= borne_share * change_ns * change_ns;
}

static bool is_borne_in_place(const struct diff *d, const struct told *t,
			      const struct finding_change *c)
{
	double ns[SIDES];

	return time_where_it_is(d, t, c->place, ns) &&
	       bears_out(ns[AFTER] - ns[BEFORE], c->ns[AFTER] - c->ns[BEFORE]);
}

/*
 * A finding of idle time is where the host was, and the account where the next kernel belongs. So
 * idle time of any range bears it out, but what other findings of such time explain by theirs.
 */
static bool is_borne_elsewhere(const struct diff *d, const struct finding_changes *all,
			       const struct finding_change *c)
{
	const struct place_part idle = {.classes = IDLE, .act = BLAMES};
	const double change = c->ns[AFTER] - c->ns[BEFORE];
	double ns[SIDES], rest;

	if (!place_times_find(d, &idle, ns))
		return false;
	rest = ns[AFTER] - ns[BEFORE];
	for (size_t i = 0; i < all->count; i++) {
		const struct finding_change *o = &all->all[i];
		const struct told *t = told_of(o->id);
		const double other = o->ns[AFTER] - o->ns[BEFORE];

		if (o != c && t && t->classes & IDLE && (other < 0) == (change < 0) &&
		    is_borne_in_place(d, t, o))
			rest -= other;
	}
	return bears_out(rest, change);
}

bool finding_is_borne_out(const struct diff *d, const struct finding_changes *all,
			  const struct finding_change *c)
{
	const struct told *t = told_of(c->id);
	const double change = c->ns[AFTER] - c->ns[BEFORE];

	if (strcmp(c->id, "rank_skew") == 0)
		return change_of_waits(all) * change > 0;
	if (!t || has_new_act(d, t, c->place, change))
		return true;
	return is_borne_in_place(d, t, c) || (t->classes == IDLE && is_borne_elsewhere(d, all, c));
}

/* What a finding of one side may have cost on the other, whose account has so much there. */
static double most_before(const double ns[SIDES], enum side on, double cost)
{
	return fmin(ns[!on], fmax(0, cost - fmax(0, ns[on] - ns[!on])));
}

/* What the host does that the account has as such. */
static enum blame act_of(const struct told *t)
{
	return !t ? BLAMES : strcmp(t->id, "host_stall") == 0 ? BLAME_HOST : t->act;
}

bool finding_was_there(const struct diff *d, const struct finding_change *c, double *ret_ns)
{
	const enum side on = c->ns[AFTER] > c->ns[BEFORE] ? AFTER : BEFORE;
	const struct told *t = told_of(c->id);
	struct place_part p = {.classes = IDLE, .act = act_of(t), .place = c->place};
	double ns[SIDES];

	if (p.act == BLAMES || has_new_act(d, t, c->place, c->ns[AFTER] - c->ns[BEFORE]) ||
	    !place_times_find(d, &p, ns) || ns[!on] <= 0 || ns[!on] < trace_share * ns[on])
		return false;
	*ret_ns = most_before(ns, on, c->ns[on]);
	return true;
}

double finding_most_before(const struct diff *d, const struct finding_change *c, enum side on)
{
	const struct told *t = told_of(c->id);
	double ns[SIDES];

	/* Where the account has it elsewhere, what it has in the place is something else. */
	if (!t || has_new_act(d, t, c->place, c->ns[AFTER] - c->ns[BEFORE]) ||
	    !is_borne_in_place(d, t, c) || !time_where_it_is(d, t, c->place, ns))
		return 0;
	return most_before(ns, on, c->ns[on]);
}
