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

/* Whose time a finding is; what is not here is not of the device that is accounted for. */
static const struct told_class {
	const char *id;
	enum leaf_class class;
} told[] = {
	{"alloc_in_steady", LEAF_IDLE},
	{"blocking_d2h", LEAF_IDLE},
	{"blocking_sync", LEAF_IDLE},
	{"dominant_kernel", LEAF_COMPUTE},
	{"exposed_comm", LEAF_COMM},
	{"exposed_copy", LEAF_COPY},
	{"few_threads", LEAF_COMPUTE},
	{"held_back", LEAF_IDLE},
	{"host_stall", LEAF_IDLE},
	{"idle_unexplained", LEAF_IDLE},
	{"launch_bound", LEAF_IDLE},
	{"managed_host", LEAF_IDLE},
	{"narrow_kernel", LEAF_COMPUTE},
	{"off_tensor_cores", LEAF_COMPUTE},
	{"paced", LEAF_IDLE},
	{"run_time_compilation", LEAF_IDLE},
	{"slow_calls", LEAF_IDLE},
	{"slow_launches", LEAF_IDLE},
	{"sync_each_launch", LEAF_IDLE},
	{"tiny_kernels", LEAF_IDLE},
	{"waiting_for_input", LEAF_IDLE},
};

static enum leaf_class class_of(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		if (strcmp(told[i].id, id) == 0)
			return told[i].class;
	}
	return LEAF_CLASSES;
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

/* Change of a class, of a step; `place` NULL: anywhere. */
static double change_of(const struct diff *d, enum leaf_class class, const char *place, bool *found)
{
	double ns[SIDES] = {0};

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		for (size_t i = 0; i < s->leaf_count; i++) {
			const struct leaf *l = s->leaves[i].key;

			if (l->class != class || (place && !is_on_path(l->path, place)))
				continue;
			*found = true;
			ns[side] += side_step_ns(s, s->leaves[i].all.ns);
		}
	}
	return ns[AFTER] - ns[BEFORE];
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
static double change_where_it_is(const struct diff *d, enum leaf_class class, const char *place,
				 bool *found)
{
	const double there = change_of(d, class, place, found);

	return *found ? there : change_of(d, class, NULL, found);
}

bool finding_is_borne_out(const struct diff *d, const struct finding_changes *all,
			  const struct finding_change *c)
{
	const enum leaf_class class = class_of(c->id);
	const double change = c->ns[AFTER] - c->ns[BEFORE];
	bool found = false;
	double account;

	if (strcmp(c->id, "rank_skew") == 0)
		return change_of_waits(all) * change > 0;
	if (class == LEAF_CLASSES)
		return true;
	account = change_where_it_is(d, class, c->place, &found);
	return found && (account < 0) == (change < 0) &&
	       account * change >= borne_share * change * change;
}

double finding_most_change(const struct diff *d, const struct finding_change *c)
{
	const enum leaf_class class = class_of(c->id);
	bool found = false;
	const double account =
		class == LEAF_CLASSES ? 0 : change_where_it_is(d, class, c->place, &found);

	return found ? fabs(account) : INFINITY;
}
