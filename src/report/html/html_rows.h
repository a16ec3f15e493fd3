/* Which rows of a page show what a piece of evidence is about: where a link from it leads. */
#ifndef REPORT_HTML_ROWS_H
#define REPORT_HTML_ROWS_H

#include "base/buf.h"
#include "report/finding.h"

/* A table of the page, and what the meant rows have: a name in their first cell, or a time. */
struct html_rows {
	size_t block;
	struct buf name;
	bool by_time; /* that of the evidence; neither: it is about the whole table */
};

/* False where no table in the page shows it. The name is to be freed. */
bool html_find_rows(const struct report *r, const struct finding *f, const struct evidence *v,
		    struct html_rows *ret);

#endif
