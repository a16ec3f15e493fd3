/* Values of the answer in JSON, as more than one writer of it needs them. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include "base/buf.h"
#include "report/report.h"

/* "ns", "bytes_per_s", …: the name of a unit in machine formats. */
const char *unit_name(enum unit u);
/* After what comes before it, its key: text, or null. */
void json_add_text(struct buf *b, const char *before, const char *s);
void json_add_real(struct buf *b, double x); /* null unless finite */
void json_add_cell(struct buf *b, enum unit unit, const struct cell *cell);
/* The members of a row's object, under the columns' keys, without its braces. */
void json_add_members(struct buf *b, const struct table *t, const struct cell *cells);
/* The objects that every machine-readable answer has: what it is about, and when; null: nothing. */
void json_add_trace(struct buf *b, const struct report_trace *trace);
void json_add_window(struct buf *b, const struct report *r);
/* `"verdict": …, "verdict_text": …, "cost": …,` on lines of their own; nothing where there is none.
 */
void json_add_verdict(struct buf *b, const struct report *r);
/* The member "workload" and a comma; nothing where there is none. */
void json_add_workload(struct buf *b, const struct report *r);
/* The member "findings" of a report, as docs/answer.schema.json has it, and a comma. */
void json_add_findings(struct buf *b, const struct report *r);

#endif
