/*
 * What people ask that an analysis answers, in their words, and how its rows are told in a
 * sentence: what `ask` knows of it. Topics stand beside the analysis that they are about.
 */
#ifndef ANALYSIS_TOPIC_H
#define ANALYSIS_TOPIC_H

#include <stdbool.h>

struct topic {
	const char *table;     /* whose rows answer; NULL: the findings */
	const char *subject;   /* the words that it is about; NULL: none alone */
	const char *words;     /* what people call it, besides names and titles of columns */
	const char *questions; /* as people ask, one on each line */
	/*
	 * A row as a sentence: "{kernel} takes {total_ns}|, {pct} of the kernel time". A column
	 * stands in braces; of parts between bars those are left out that have no value.
	 */
	const char *row;
	const char *
		sum; /* all rows as one, numbers added up, {#} how many; NULL: that means nothing */
	const char *parts; /* the table whose rows the sum is made of: they are told before it; or
			      NULL */
	const char *part;  /* a row of it as a sentence */
	const char *by;	   /* the column that says which row is first; NULL: as they come */
	const char *needs; /* what `doctor` calls the question whether it was recorded; or NULL */
	bool is_total;	   /* few rows that sum up much: no list to take the top of */
	bool needs_all;	   /* a part of it is not enough */
	const char *none;  /* what it means that the table has no rows; or NULL */
	const char
		*command; /* that shows it: "skill run NAME"; NULL: what the analysis is called */
	const char *flag; /* that the analysis is run with: "summary"; NULL: none */
	const char *work; /* the column that says which work on the GPU a row is: a copy to the
			     device, a memset, a kernel; NULL: rows are not told apart by that */
	bool filters;	  /* rows are single ops: what is said of each is the analysis's --filter */
};

#endif
