/* What became of the rules, as an answer and for machines that test changes. */
#ifndef GATE_GATE_REPORT_H
#define GATE_GATE_REPORT_H

#include "base/buf.h"
#include "gate/gate.h"

/* What a gate was asked, for words. */
struct gate_words {
	const char *baseline; /* its name */
	const char *path;     /* its file */
	const char *rules;    /* the file of rules, or NULL */
	const char *unknown;  /* what --on-unknown makes of a check that cannot be told */
	int exit_code;
};

/* How much of it is shown. */
struct gate_shown {
	bool people;	/* names of kernels are short, and the table fits a terminal */
	bool figures;	/* a table of how many checks failed, for programs */
	uint64_t limit; /* of checks; 0: all */
};

/* The sentence, the table of checks and figures. The gate must outlive the report. */
void gate_report(struct report *r, const struct gate *g, const struct gate_words *w,
		 const struct gate_shown *how);
/* "Regression: 2 of 5 checks failed, 1 cannot be told." */
void gate_add_sentence(struct buf *b, const struct gate *g);

/* A test report that CI servers read: what cannot be told is skipped. */
void gate_add_junit(struct buf *b, const struct gate *g, const struct gate_words *w);
/* SARIF 2.1.0: what failed is an error, what cannot be told a warning, what is allowed suppressed.
 */
void gate_add_sarif(struct buf *b, const struct gate *g, const struct gate_words *w);
/* GitHub's annotations: at most ten, the worst first. */
void gate_add_annotations(struct buf *b, const struct gate *g, const struct gate_words *w);
/*
 * Text that GitHub's runner prints and does not obey: between two commands that stop it from
 * looking for more, with a word that the text cannot hold.
 */
void gate_add_disarmed(struct buf *b, struct str text);

#endif
