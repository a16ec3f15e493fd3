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
	/* Recoverable, of a step. Of one that came or went the other side has what the account does
	 * not say to have changed: time that was there, but was no finding. */
	double ns[SIDES];
	enum finding_state state;
};

struct finding_changes {
	struct finding_change *all; /* the largest change first */
	size_t count;
	bool known; /* findings were looked for in all runs */
};

struct finding_changes finding_changes_find(const struct diff *d, struct arena *arena);

/* Whether the time of its class, where it is, changed as the finding says; of ranks that wait for
 * each other in turn, whether they wait more, or less, for whomever. */
bool finding_is_borne_out(const struct diff *d, const struct finding_changes *all,
			  const struct finding_change *c);

/* By how much the time of its class changed where it is; INFINITY: the account does not tell. */
double finding_most_change(const struct diff *d, const struct finding_change *c);

/* The table "findings". */
void diff_add_findings(struct report *r, const struct diff *d);
/* A sentence for each that is gone or new, or costs notably more or less of a step. */
void diff_note_findings(struct report *r, const struct diff *d);

#endif
