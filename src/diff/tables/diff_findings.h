/*
 * Causes of lost time that are gone, new, or cost another amount than before. A finding is where it
 * is: the same cause in another range is another one.
 */
#ifndef DIFF_TABLES_DIFF_FINDINGS_H
#define DIFF_TABLES_DIFF_FINDINGS_H

#include "diff/diff.h"
#include "report/report.h"

/* Moved: it is told of one side more than of the other, where the account has no such change. */
enum finding_state {
	FINDING_GONE,
	FINDING_NEW,
	FINDING_LESS,
	FINDING_MORE,
	FINDING_MOVED,
	FINDING_SAME
};

struct finding_change {
	const char *id, *place, *title; /* see struct run_finding */
	double ns[SIDES]; /* recoverable, of a step, as findings have it; 0: it is none there */
	/* After less before. Of one that came or went no more than the account says to have
	 * changed there: the time may have been there before, when it was no finding. */
	double change_ns;
	enum finding_state state;
};

struct finding_changes {
	struct finding_change *all; /* the largest change first */
	size_t count;
	bool known; /* findings were looked for in all runs */
};

/* Came or went. */
bool finding_is_one_sided(const struct finding_change *c);

struct finding_changes finding_changes_find(const struct diff *d, struct arena *arena);

/* Whether the time of its class, where it is, changed as the finding says, or whether what the host
 * does that costs it is there on one side alone; of ranks that wait for
 * each other in turn, whether they wait more, or less, for whomever. */
bool finding_is_borne_out(const struct diff *d, const struct finding_changes *all,
			  const struct finding_change *c);

/*
 * Of one that is on one side: whether the account has its time on the other as well, where it was
 * another finding's, or none; and so much of it.
 */
bool finding_was_there(const struct diff *d, const struct finding_change *c, double *ret_ns);
/* Of one that is on one side: so much of it the account may have on the other, as time that was no
 * finding there. */
double finding_most_before(const struct diff *d, const struct finding_change *c, enum side on);

/* The table "findings". */
void diff_add_findings(struct report *r, const struct diff *d);
/* A sentence for each that is gone or new, or costs notably more or less of a step. */
void diff_note_findings(struct report *r, const struct diff *d);

#endif
