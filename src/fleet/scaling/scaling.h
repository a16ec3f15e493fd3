/*
 * The same program on few ranks and on many: what of the step is lost on the way? The ideal step is
 * that of the few where a rank has as much to do as before (weak scaling), and so much shorter as
 * there are more ranks where all have as much to do together (strong scaling). Efficiency is the
 * ideal step over the step of the many; what is lost is an account that adds up.
 */
#ifndef FLEET_SCALING_SCALING_H
#define FLEET_SCALING_SCALING_H

#include "fleet/answer/answer.h"
#include "fleet/scaling/named_times.h"
#include "fleet/scaling/step_account.h"

enum scaling_side { ONE, MANY, SCALING_SIDES };

struct scaling_args {
	bool weak, strong; /* somebody says which it is; neither: kernels tell */
	bool anyway;	   /* what is not alike is compared nevertheless */
};

struct scaling_job {
	const struct fleet_answer *is;
	uint32_t ranks; /* that there should be; GPUs, where those are more */
	uint64_t steps; /* the fewest that a rank has */
	struct member_waits *waits;
	struct named_times kernels, idle;
	struct step_account account;
};

/* What was compared, as whoever asked named it, quoted for a shell. */
struct scaling_names {
	const char *many;		  /* all words of that side */
	const char *first[SCALING_SIDES]; /* the capture of the first rank; NULL: it is a part */
};

/* "before '--'", "after '--'": as the command line has them. */
extern const char *const scaling_side_names[SCALING_SIDES];

struct scaling {
	struct scaling_job of[SCALING_SIDES];
	const char *gpus[SCALING_SIDES]; /* models, where they are not the same; else NULL */
	bool strong;
	bool in_doubt; /* kernels do not tell, and nobody says so */
	double work;   /* kernel time of a rank's step: that of MANY in times of ONE's */
	double common; /* share of the kernel time that both sides have names for, the lower one */
	double scale;  /* of ONE's step to the ideal one */
	int64_t ideal_ns;
	int64_t ideal[STEP_SHARES]; /* which sum up to it */
	double efficiency;
};

/*
 * ERR_INPUT where the two cannot be compared: no steps, other GPUs, another program. For
 * scaling_free() whether this fails or not.
 */
int scaling_make(struct scaling *ret, const struct fleet_answer *one,
		 const struct fleet_answer *many, const struct scaling_args *a, struct err *e);
void scaling_free(struct scaling *s);

static inline int64_t scaling_lost_ns(const struct scaling *s)
{
	return s->of[MANY].account.step_ns - s->ideal_ns;
}

static inline int64_t scaling_lost_to_ns(const struct scaling *s, enum step_share share)
{
	return s->of[MANY].account.ns[share] - s->ideal[share];
}

/* What is odd about the two, as warnings and notes; and how far the answer is to be believed. */
enum confidence scaling_tell_doubts(struct report *r, const struct scaling *s,
				    const struct scaling_args *a);
/* Verdict, account, findings, and what to do next. */
void scaling_report(struct report *r, struct fleet_answer *many, struct scaling *s,
		    const struct scaling_args *a, const struct scaling_names *names);

#endif
