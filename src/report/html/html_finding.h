/* A finding in a page. */
#ifndef REPORT_HTML_FINDING_H
#define REPORT_HTML_FINDING_H

#include "base/buf.h"
#include "report/finding.h"

void html_add_finding(struct buf *b, const struct finding *f, size_t number, const char *id);

#endif
