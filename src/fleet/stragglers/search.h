/*
 * The search for stragglers, step by step: delays are summed up, those with the longest are tried,
 * and those are chosen that explain most. Within fleet/stragglers alone.
 */
#ifndef FLEET_STRAGGLERS_SEARCH_H
#define FLEET_STRAGGLERS_SEARCH_H

#include "fleet/stragglers/stragglers.h"

#define NOBODY UINT32_MAX

enum {
	TRIED = 16, /* ranks, nodes, … with the longest delays of their own, that are replayed */
	NAMED = 8,
	SET_MAX = 64, /* ranks that are late together */
	/* Of a step: more than those of a set, and of those that are set aside. */
	LATEST = 3 * SET_MAX,
};

static const double slower = 1.05; /* transfers or compute than elsewhere, to be looked at */
static const double luck = 0.01;   /* that somebody is named by chance, for each kind */

/* 1 % of a step: what is less is not told. */
static inline double least_worth(const struct stragglers *s)
{
	return 0.01 * s->step_ns;
}

static inline bool is_worth(const struct stragglers *s, double ns)
{
	return ns >= least_worth(s);
}

/* What a group has to save for each that the slowest of its ranks does, to be named for it. */
static inline double price(const struct straggler *g)
{
	return g->kind == STRAGGLER_RANK || g->kind == STRAGGLER_SET ? 1 : 1.5;
}

/*
 * `replay` and `step_shift`: collectives whose last entry lies in the window, a time of the job,
 * and that all members of their class have been in on clocks that are known; of some a capture may
 * lack the kernel. Its classes, which are those of the instances, live in the arena.
 */
void job_replay_make(struct stragglers *s);

/*
 * By member what it counts more than the job; the caller frees it. Where captures have different
 * steps, visits are numbered by the job's, before they are put in order, and classes count their
 * collectives by the step.
 */
int64_t *steps_align(const struct job *j, struct replay *r, struct replay_class *classes);
/* The steps that the replay has: `first_step`, `steps` and `step_of`. */
void steps_number(struct stragglers *s);
/* The place of a member's own step among these; NOBODY: it is none of them. */
uint32_t steps_at(const struct stragglers *s, uint32_t member, const struct part_step *own);

/* Steps, each member's delays in them, and who came last: all that lies before `all`. */
void delays_sum(struct stragglers *s);
/* Of all steps. */
double delays_of(const struct stragglers *s, uint32_t member);

/* Members that are held against each other: those that are not `out`, which may be NULL. */
struct rivals {
	const bool *out;
	size_t count;
	int64_t *longest_ns; /* by step: the longest delay that one of them has by itself */
};

/* As long as `out` stays as it is. */
void rivals_make(const struct stragglers *s, const bool *out, struct rivals *ret);
void rivals_free(struct rivals *r);

/* A group of these members, which are in order and stay the caller's; `late_ns` and `example`. */
void straggler_make(const struct stragglers *s, enum straggler_kind kind, uint32_t number,
		    const uint32_t *who, uint32_t members, struct straggler *ret);
/*
 * Whether chance may explain that these are the slowest of all rivals, of which there are
 * `choices`. Sets `last` and `of`.
 */
bool straggler_is_chance(const struct stragglers *s, struct straggler *g, const struct rivals *r,
			 double choices);
/*
 * By stop of the replay what its lag would be, were these members, which are in order, like the
 * others; the caller frees it.
 */
int64_t *lags_without(struct stragglers *s, const uint32_t *who, uint32_t count);
/*
 * Of some members those that are late by more than what those outside are late by as well, now and
 * then. Returns how many they are.
 */
uint32_t drop_lucky(struct stragglers *s, const uint32_t *who, uint32_t count, uint32_t *ret);
/* What a step would be shorter, were these like the others. */
void straggler_replay(struct stragglers *s, struct straggler *g);
/* The same, had each rank a GPU of its own. */
double straggler_costs_alone(struct stragglers *s, const struct straggler *g);
/* What is saved of a step by a change. */
double saved_of_step(const struct stragglers *s, const struct replay_change *c);
void stragglers_add(struct stragglers *s, const struct straggler *g);

/* So many choices there are of some of n. */
double choices_of(size_t n, size_t own);
/* Of a kind, those with the longest delays, which are worth it; the caller frees them. */
struct straggler *suspects_list(struct stragglers *s, enum straggler_kind kind, size_t *ret_count);
/* Several ranks whose delays are the longest, chance or not; false: that saves nothing. */
bool suspects_latest_set(struct stragglers *s, struct straggler *ret);
/* Each names those that it finds. */
void suspects_try(struct stragglers *s, enum straggler_kind kind);
void suspects_try_sets(struct stragglers *s);
void suspects_try_communicators(struct stragglers *s);
/* Of a class, by step: what its transfers take longer than usual; `met`: whether it has any. */
void transfers_by_step(const struct stragglers *s, uint32_t class, double *ns, bool *met);
/*
 * Stages of a pipeline that take longer than the others: told why and when, as stragglers or as
 * `unbalanced`. After all others are chosen and explained.
 */
void suspects_try_stages(struct stragglers *s);
/* Who may be slow, where nobody was found to be. */
void suspects_doubt(struct stragglers *s);

/* Whether a node or rail is a better name for a set that it has, though fewer may save as much. */
bool straggler_stands_for(const struct stragglers *s, const struct straggler *g,
			  const struct straggler *set);
/* Of what overlaps, that which saves most. */
void stragglers_choose(struct stragglers *s);

#endif
