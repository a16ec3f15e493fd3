/* A comparison as an answer: its tables, each of which sums up to the step's delta. */
#ifndef DIFF_TABLES_DIFF_REPORT_H
#define DIFF_TABLES_DIFF_REPORT_H

#include "diff/tables/diff_views.h"
#include "report/report.h"

enum { DIFF_COMMENT_BYTES = 60000 }; /* of Markdown: GitHub takes as much in any case */

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
