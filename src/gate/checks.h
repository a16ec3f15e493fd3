/* For gate/gate.c: each kind of rule, and what became of it. */
#ifndef GATE_CHECKS_H
#define GATE_CHECKS_H

#include "base/buf.h"
#include "gate/gate.h"
#include "gate/kernel_parts.h"
#include "gate/range_times.h"

struct gating {
	struct gate *gate;
	const struct diff *diff;
	struct range_times ranges;
	struct kernel_parts kernels;
	struct err *e;
};

/* A check of a rule whose outcome is to be set; `name` may be NULL. */
struct gate_check *gate_add(struct gating *x, const struct rule *rule, const char *name);
/* What a buffer holds becomes the check's text; it is freed. */
void gate_say(struct gating *x, struct gate_check *c, struct buf *b);
/* What a check is about. */
struct check_subject {
	const char *name;  /* of a trace: the id ends with it */
	const char *brief; /* for people; NULL: the same */
	const char *fate;  /* what became of it but for its time, in words; NULL: nothing */
};

/* Judges run means, which it takes over, against the limits of a rule. */
void gate_judge_times(struct gating *x, const struct rule *rule, const struct check_subject *about,
		      double *means);
/* A rule whose names nothing has. */
void gate_add_nothing(struct gating *x, const struct rule *rule, const char *what);
/* ", allowed is +3 % or +50 µs, whichever is more": the limits of a rule. */
void gate_add_limits(struct buf *b, const struct rule *rule, enum unit unit);
/* The check has figures, and besides them no more than this to say, which may be empty. */
void gate_say_more(struct gating *x, struct gate_check *c, struct buf *b);

/* Different checks get different names, and brief ones. */
void gate_tell_apart(struct gate *g);
/* What failed, or cannot be told, and is allowed. */
int gate_allow_known(struct gating *x, const struct rules *r, const char *today);

/* Rules about times of parts of the step. */
int gate_check_class(struct gating *x, const struct rule *rule);
int gate_check_ranges(struct gating *x, const struct rule *rule);
int gate_check_kernels(struct gating *x, const struct rule *rule);
/* Rules about what is no matter of chance. */
int gate_check_memory(struct gating *x, const struct rule *rule);
int gate_check_kernel_count(struct gating *x, const struct rule *rule);
int gate_check_findings(struct gating *x, const struct rule *rule);
int gate_check_overlap(struct gating *x, const struct rule *rule);
int gate_check_mfu(struct gating *x, const struct rule *rule);
int gate_check_idle(struct gating *x, const struct rule *rule);

#endif
