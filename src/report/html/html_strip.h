/* The timeline around a finding's longest place, as a picture that is as wide as the page lets it.
 */
#ifndef REPORT_HTML_STRIP_H
#define REPORT_HTML_STRIP_H

#include "base/buf.h"
#include "report/report.h"
#include "report/strip.h"

/* With what it shows in words, and the command that opens it where one can look around. */
void html_add_strip(struct buf *b, const struct report *r, const struct strip *s);

#endif
