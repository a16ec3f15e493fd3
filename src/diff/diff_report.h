/* A comparison as an answer: its tables, each of which sums up to the step's delta. */
#ifndef DIFF_DIFF_REPORT_H
#define DIFF_DIFF_REPORT_H

#include "diff/diff.h"
#include "report/report.h"

/* By what the account is shown. */
enum diff_view {
	VIEW_OVERVIEW, /* by class, and the largest rows */
	VIEW_ROWS,
	VIEW_CLASS,
	VIEW_RANGE,
	VIEW_KERNEL,
	VIEW_CATEGORY,
	VIEW_HOST, /* what the host does, by range: no part of the sum */
	VIEW_KIND, /* … and neither are these */
	VIEW_RUN,
	VIEW_STEP,
	VIEW_FINDING,
};

/* Adds charts to the report; what they refer to lives in its arena, or is `d`'s. */
typedef int diff_pictures_fn(struct report *r, const struct diff *d, double tolerance,
			     struct err *e);

struct diff_report_args {
	enum diff_view view;
	bool people;	/* one screen; machines get all tables */
	uint64_t limit; /* rows that people see; 0: all */
	double tolerance;
	diff_pictures_fn *pictures; /* before the tables; NULL: none */
	bool one_table;		    /* that of the view alone, or of its rows */
	bool folds;		    /* a comment: one screen, and what is longer behind a click */
	const char *title;	    /* of a page or a comment; NULL: it has none */
	const char *next;	    /* the command line to run next; NULL: there is none */
};

/* What the report refers to lives in its arena; but for `d`, which must outlive it. */
int diff_report(struct report *r, const struct diff *d, const struct diff_report_args *a,
		struct err *e);

#endif
