/*
 * Presenters: one per format, each a function from a report to text. `struct style` says what the
 * outside looks like; nothing here looks at the terminal itself. Where the sink does not take the
 * text, presenters stop and return -1 with the error.
 */
#ifndef REPORT_PRESENT_H
#define REPORT_PRESENT_H

#include "base/buf.h"
#include "base/sink.h"
#include "report/report.h"

struct style {
	bool colour;
	size_t width; /* columns of the terminal; 0: do not fit to any width */
};

struct presenter {
	const char *name;      /* "json" */
	const char *extension; /* ".json" */
	bool trees_only;       /* has nothing to say of other tables */
	bool in_pieces;	       /* an answer may come as several reports, one after another */
	int (*report)(const struct report *r, const struct style *style, struct sink *out,
		      struct err *e);
	/* An answer that failed: what a machine reads in place of the tables. NULL: nothing. */
	int (*error)(const struct report *r, const struct err *failure, struct sink *out,
		     struct err *e);
};

/* text, markdown, json, csv, html, folded; NULL when there is none of that name. */
const struct presenter *presenter_find(const char *name);
/* The i-th, NULL after the last: for help and completion. */
const struct presenter *presenter_at(size_t i);

/* One comma-separated value, made safe and quoted where needed. */
void csv_add_field(struct buf *b, struct str s);

#endif
