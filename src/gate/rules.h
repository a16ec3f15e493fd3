/*
 * What a project asks of its runs: how much worse than the baseline a metric may get, and what has
 * to hold whatever the baseline. A file that people write: docs/gate.md describes it.
 */
#ifndef GATE_RULES_H
#define GATE_RULES_H

#include "analysis/model/gpu_peaks.h"
#include "base/arena.h"
#include "base/err.h"
#include "gate/name_match.h"

enum { RULES_VERSION = 1 };

enum rule_kind {
	RULE_STEP,
	RULE_CLASS,   /* compute, exposed_comm, exposed_copy, idle */
	RULE_RANGE,   /* by its path */
	RULE_KERNEL,  /* by its name */
	RULE_MEMORY,  /* the most that a GPU had in use */
	RULE_KERNELS, /* GPU ops a step */
	RULE_FINDING, /* must not appear */
	RULE_OVERLAP, /* of communication, at least */
	RULE_MFU,     /* at least */
	RULE_IDLE,    /* of the step, at most */
	RULE_KINDS,
};

/* A change is a regression where it exceeds both: a share of what was before, and a difference. */
struct rule {
	enum rule_kind kind;
	size_t line;		 /* of the file; 0: nobody wrote it */
	struct name_match names; /* of classes, ranges, kernels, findings */
	double rel;		 /* 0.02 */
	double abs;		 /* in ns, bytes or ops */
	double share;		 /* overlap, MFU, idle: the bound */
	double flops, tflops;	 /* MFU: of a step on all GPUs; peak of one, 0: by its name */
	enum dtype dtype;
};

/* A regression that is known, and why it may stand until when. */
struct allowance {
	struct name_match check; /* by its id: "range:forward / attn" */
	bool has_up_to;
	double up_to; /* a share: no more than that */
	const char *reason, *until;
	size_t line;
};

struct rules {
	const char *file; /* NULL: nobody wrote any */
	double tolerance; /* of the step, where no rule has limits for it */
	bool step_is_off; /* somebody wrote that it is not checked */
	struct rule *all;
	size_t count, cap;
	struct allowance *allowances;
	size_t allowance_count, allowance_cap;
	struct arena arena;
};

/* The rule that holds where nobody wrote any: the step, with a tolerance. */
void rules_default(struct rules *ret, double tolerance);
/*
 * ERR_USAGE, with file and line, where it is not such a file, or nothing would be checked. Where it
 * says nothing of the step, the tolerance holds for it. For rules_free() whether this fails or not.
 */
int rules_read(struct rules *ret, const char *path, double tolerance, struct err *e);
int rules_read_text(struct rules *ret, struct str text, const char *name, double tolerance,
		    struct err *e);
void rules_free(struct rules *r);

/* The one rule for the step's time; its line is 0 where it is the tolerance. NULL: it is off. */
const struct rule *rules_step(const struct rules *r);

#endif
