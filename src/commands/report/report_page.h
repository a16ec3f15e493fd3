/* One document of `gpuwhy report`, and the page about a capture alone, for who links to it. */
#ifndef COMMANDS_REPORT_PAGE_H
#define COMMANDS_REPORT_PAGE_H

#include "analysis/scope.h"
#include "cli/command.h"

struct parts;
typedef int report_view_add(const struct parts *p, struct report *view, struct err *e);

/* Writes what `add` makes of the parts to a file. */
int report_view_write(const struct invocation *inv, const struct parts *p, report_view_add *add,
		      const char *format, const char *to, struct err *e);
/* The page's part of a report: all that people may want to look at. */
int report_page_add(const struct parts *p, struct report *view, struct err *e);

struct report_page {
	const char *trace; /* path; the page has its last part alone */
	struct input_args input;
	struct scope scope; /* --span, --marker, --label */
	struct comm_args comm;
};

/* The report.html of `gpuwhy report`, as a file of its own. */
int report_page_write(const struct report_page *page, const char *to, struct err *e);

#endif
