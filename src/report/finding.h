/*
 * A finding: one cause of lost time, what it costs, how that is known, and what to do about it.
 * Names from a trace may stand in titles and evidence; presenters escape them.
 */
#ifndef REPORT_FINDING_H
#define REPORT_FINDING_H

#include "base/buf.h"
#include "base/span.h"
#include "report/report.h"

/* Medium and high are warnings; low is worth knowing; info costs nothing that we can tell. */
enum severity { SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* Who can do something about it. */
enum owner { OWNER_DATA, OWNER_MODEL, OWNER_LAUNCH, OWNER_COMM, OWNER_INFRASTRUCTURE };

/* What all findings of one id have in common. */
struct finding_kind {
	const char *id;
	enum owner owner;
	const char *rows; /* the table whose rows they are about, by its name */
	const char *look; /* the command that looks closer; NULL: none does */
};

struct evidence {
	const char *label;
	enum unit unit;
	struct cell value;
	bool has_when; /* where in the trace to look */
	int64_t start_ns, end_ns;
};

/* What of a finding's cost lies in a place of the source code, and how. */
struct finding_code {
	bool calls; /* it makes the CUDA calls; else the host is in it while a GPU is idle */
	struct str function, file; /* empty: not known */
	uint32_t line;		   /* 0: not known */
	int64_t ns;		   /* of all GPUs */
	double pct;		   /* of the cost */
};

/* What of a finding's cost lies in an NVTX range. */
struct finding_share {
	const char *range; /* without its counter; "": outside any */
	int64_t ns;
};

/* Evidence: and as much besides as there are places of code, half of them of calls. */
enum {
	FINDING_EVIDENCE = 8,
	FINDING_CODE = 6,
	FINDING_ADVICE = 4,
	FINDING_PLACES = 32,
	FINDING_SHARES = 16
};

struct finding {
	const char *id; /* stable: "host_stall" */
	enum severity severity;
	enum owner owner; /* that of its kind, unless the rule knows better */
	const char *title;
	const char *bound; /* what the run is bound by, for the verdict; NULL: the title says it */
	int64_t recoverable_ns; /* by how much the window would shrink without the cause */
	double recoverable_pct; /* of the window */
	const char *share_of;	/* … or of this part of it */
	const char *how;	/* how that was estimated */
	enum confidence confidence;
	const char *unless; /* when the finding may be wrong */
	bool leads;	    /* it is the verdict, though nothing is to be had back */
	struct evidence evidence[FINDING_EVIDENCE + FINDING_CODE];
	size_t evidence_count;
	struct finding_code code[FINDING_CODE];
	size_t code_count;
	/*
	 * Where its time is: the longest stretches, in order of time, which do not overlap. Of gaps
	 * and calls that it adds up they are those, on the GPU that has most; their sum is its cost
	 * or more, unless there are more of them than listed.
	 */
	struct span places[FINDING_PLACES];
	size_t place_count;
	uint64_t place_total; /* with those that are not listed */
	bool awaits_ranks;    /* in its places ranks wait for one that comes as they end */
	/* Of a cause that ranges tell apart: in which it is, the largest first. */
	struct finding_share shares[FINDING_SHARES];
	size_t share_count;
	const char *range; /* that has half of its time or more, as shares call it; NULL: none */
	const uint32_t *ranks; /* of a job: whose it is, in order; NULL: nobody's */
	size_t rank_count;
	const char *cause; /* of a rank that is late: why, in a stable word; NULL */
	const char
		*capture; /* of what captures of a job have in common: that has most of it; NULL */
	const char *advice[FINDING_ADVICE];
	size_t advice_count;
};

/* NULL where there is no such kind. */
const struct finding_kind *finding_kind(const char *id);
/* The i-th id, in order; NULL after the last. */
const char *finding_kind_at(size_t i);
/* "launch_runtime" for programs, "Launch/runtime" for people. */
const char *owner_key(enum owner o);
const char *owner_name(enum owner o);
const char *severity_name(enum severity s);
const char *confidence_name(enum confidence c);

void report_finding(struct report *r, const struct finding *f);
/* The first thing to do about it, who, and what it could gain of the report's window. */
void report_action(struct report *r, const struct finding *f);

static inline bool finding_is_warning(const struct finding *f)
{
	return f->severity >= SEVERITY_MEDIUM;
}

/* There has to be room for it. */
static inline struct evidence *finding_add_evidence(struct finding *f, const char *label,
						    enum unit unit, struct cell value)
{
	struct evidence *v = &f->evidence[f->evidence_count++];

	*v = (struct evidence){.label = label, .unit = unit, .value = value};
	return v;
}

/* "544 ms, 71.2 % of the window"; nothing when there is nothing to recover. */
void finding_add_cost(struct buf *b, const struct finding *f);
/*
 * "up to 3.10 ms of 9.80 ms a step (31.6 %)", or of the window where it is no steps; nothing when
 * there is nothing to recover. The report says how long the window is.
 */
void finding_add_gain(struct buf *b, const struct finding *f, const struct report *r);
/* The longest of its places; SPAN_NONE: it has none. */
struct span finding_longest_place(const struct finding *f);
/* The value with its unit, unescaped. */
void evidence_add_value(struct buf *b, const struct evidence *v);

#endif
