/*
 * Does the account bear out that a finding costs more, or less? Findings share time, and which of
 * them is told may change where the time did not: "launch-bound" may become "waits for host code".
 */
#include "base/mem.h"
#include "diff/tables/diff_findings.h"

#include <math.h>
#include <string.h>

/* So much of a finding's change has to be a change of the account. */
static const double borne_share = 0.25;
/* Of an act's time on the other side: less is as good as none. */
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

/* Whether a range of that name is on the path. */
static bool is_on_path(const char *path, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = path; len && (at = strstr(at, name)); at++) {
		const bool begins =
			at == path || (at >= path + 3 && strncmp(at - 3, " / ", 3) == 0);

		if (begins && (!at[len] || strncmp(at + len, " / ", 3) == 0))
			return true;
	}
	return false;
}

/* Leaves of these classes, with this act (BLAMES: any), in a place (NULL: anywhere). */
struct part {
	unsigned classes;
	enum blame act;
	const char *place;
};

/* No finding about copies is about memsets. */
static bool is_part(const struct part *p, const struct leaf *l)
{
	return (p->classes & 1U << l->class) && (p->act == BLAMES || p->act == l->blame) &&
	       (l->class != LEAF_COPY || strcmp(l->name, "[CUDA memset]") != 0) &&
	       (!p->place || is_on_path(l->path, p->place));
}

/* What a side has of it, of a step; false: none. */
static bool side_has(const struct side_runs *s, const struct part *p, double *ret_ns)
{
	bool found = false;

	*ret_ns = 0;
	for (size_t i = 0; i < s->leaf_count; i++) {
		if (!is_part(p, s->leaves[i].key))
			continue;
		found = true;
		*ret_ns += side_step_ns(s, s->leaves[i].all.ns);
	}
	return found;
}

static bool sides_have(const struct diff *d, const struct part *p, double ns[SIDES])
{
	const bool before = side_has(&d->sides.of[BEFORE], p, &ns[BEFORE]),
		   after = side_has(&d->sides.of[AFTER], p, &ns[AFTER]);

	return before || after;
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
	struct part p = {.classes = t->classes, .act = BLAMES, .place = place};

	if (sides_have(d, &p, ns))
		return true;
	p.place = NULL;
	return sides_have(d, &p, ns);
}

/*
 * Whether only the side that has more of the finding has its act there, and no less of it
 * elsewhere: the same call in a range that somebody put around it is no other one. How much the GPU
 * idles in all tells nothing then: it does so after the act, when less may have another cause.
 */
static bool has_new_act(const struct diff *d, const struct told *t, const char *place,
			double change)
{
	const enum side on = change > 0 ? AFTER : BEFORE;
	const struct part anywhere = {.classes = IDLE, .act = t->act},
			  there = {.classes = IDLE, .act = t->act, .place = place};
	double all[SIDES], own[SIDES];

	if (t->act == BLAMES || !sides_have(d, &anywhere, all))
		return false;
	if (!sides_have(d, &there, own))
		memcpy(own, all, sizeof(own));
	return own[on] > 0 && own[!on] < trace_share * own[on] &&
	       all[on] - all[!on] >= (1 - trace_share) * own[on];
}

bool finding_is_borne_out(const struct diff *d, const struct finding_changes *all,
			  const struct finding_change *c)
{
	const struct told *t = told_of(c->id);
	const double change = c->ns[AFTER] - c->ns[BEFORE];
	double ns[SIDES], account;

	if (strcmp(c->id, "rank_skew") == 0)
		return change_of_waits(all) * change > 0;
	if (!t || has_new_act(d, t, c->place, change))
		return true;
	if (!time_where_it_is(d, t, c->place, ns))
		return false;
	account = ns[AFTER] - ns[BEFORE];
	return (account < 0) == (change < 0) && account * change >= borne_share * change * change;
}

double finding_most_before(const struct diff *d, const struct finding_change *c, enum side on)
{
	const struct told *t = told_of(c->id);
	double ns[SIDES];

	if (!t || has_new_act(d, t, c->place, c->ns[AFTER] - c->ns[BEFORE]) ||
	    !time_where_it_is(d, t, c->place, ns))
		return 0;
	return fmin(ns[!on], fmax(0, c->ns[on] - fabs(ns[AFTER] - ns[BEFORE])));
}
