/* report.json: what docs/report.schema.json describes. */
#ifndef CLI_REPORT_JSON_H
#define CLI_REPORT_JSON_H

#include "base/buf.h"
#include "commands/report/report_parts.h"

/* `generated_at`: "2026-01-31T12:00:00Z". Fails where the trace cannot be read. */
int report_json_add(struct buf *b, const struct parts *p, const struct report_trace *trace,
		    const char *generated_at, struct err *e);

/* For report_json_add(): stages, and MFU, ncu and roofline where they were asked for. */
void report_json_add_stages(struct buf *b, const struct parts *p);

#endif
