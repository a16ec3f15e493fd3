/* Findings in a page, and what to do about them; both point to each other and to rows. */
#ifndef REPORT_HTML_FINDING_H
#define REPORT_HTML_FINDING_H

#include "base/buf.h"
#include "report/report.h"

/* Block i of the report, which is a finding. */
void html_add_finding(struct buf *b, const struct report *r, size_t i);
/* The same of an action; a list of them is begun before the first and ended after the last. */
void html_add_action(struct buf *b, const struct report *r, size_t i);

#endif
