/*
 * What became of each rule in a comparison. A check fails where the change is beyond the rule's
 * limits and the runs are sure of it; where they are not, it is unknown, which is not the same as
 * passed.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "base/buf.h"
#include "diff/diff.h"
#include "gate/rules.h"
#include "report/report.h"

/* The worst first. */
enum check_outcome { CHECK_FAILED, CHECK_UNKNOWN, CHECK_ALLOWED, CHECK_PASSED, CHECK_OUTCOMES };

struct gate_check {
	enum check_outcome outcome;
	const struct rule *rule;
	const char *id;		     /* "range:forward / attn": stable, and names of a trace */
	const char *name;	     /* the same, if need be with the rule that asks: no other
				      * check is called so */
	const char *brief;	     /* the same with the short name of a kernel */
	enum unit unit;		     /* of what follows */
	double before, after;	     /* NAN: not known */
	double change;		     /* of before; NAN: there was nothing */
	double weight;		     /* how bad, of a step: what the worst is told by */
	const char *fate;	     /* what took its place, or how it is called; NULL */
	const char *text;	     /* what became of it, in a sentence without its name */
	const char *more;	     /* … without its figures; NULL: it has none */
	const struct allowance *why; /* it is allowed by; NULL */
	bool is_doubted; /* alone it would have failed: among so many it may be chance */
	double p;	 /* of times, that no change explains; NAN: not asked */
	bool by_clock;	 /* a slower clock would explain it */
	double *means;	 /* of each run, before and after; NULL: no matter of chance */
};

struct gate {
	struct gate_check *all; /* the worst first */
	size_t count, cap;
	size_t counts[CHECK_OUTCOMES];
	/* What the rules allow and no check is called by: the first, and how many; NULL: none. */
	const struct allowance *unused_allowance;
	size_t unused_allowances;
	struct arena arena;
};

/*
 * How much slower the step may be: both limits of its rule, as one share of the runs' step. The
 * tolerance where it has no rule: the verdict needs one.
 */
double gate_tolerance(const struct rules *r, const struct account *const *runs, size_t count);

/*
 * `today` is "2026-11-18". The diff was made with gate_tolerance(); it and the rules must outlive
 * this. ERR_USAGE where a pattern takes too long. For gate_free() whether this fails or not.
 */
int gate_make(struct gate *ret, const struct diff *d, const struct rules *r, const char *today,
	      struct err *e);
void gate_free(struct gate *g);

/* "1.20 ms", "34.0 %" */
void gate_add_value(struct buf *b, enum unit unit, double value);
/* The same of a check; a share with as many digits as show on which side of its bound it is. */
void gate_add_figure(struct buf *b, const struct gate_check *c, double value);
/* "+3 % or +50 µs": what a rule allows; nothing where it has no limits. */
void gate_add_allowed(struct buf *b, const struct rule *rule, enum unit unit);

/* The worst that counts: failed, unknown or passed. */
enum check_outcome gate_outcome(const struct gate *g);

/* "failed", "unknown", "allowed", "passed": stable; and of each kind of rule "step", "range", …. */
extern const char *const check_outcome_keys[CHECK_OUTCOMES], *const rule_kind_keys[RULE_KINDS];

#endif
