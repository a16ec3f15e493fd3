/*
 * The page for people who were not there and have to decide: on what it ran, how long each phase
 * takes and what it reaches, which kernels take the time, and what is worth doing. Its figures are
 * those of the parts, which must outlive it.
 */
#ifndef COMMANDS_REPORT_SUMMARY_H
#define COMMANDS_REPORT_SUMMARY_H

#include "commands/report/report_parts.h"

/* What could be won at most, in a sentence. */
void summary_add_gain(const struct parts *p, struct report *view);
/* The n-th thing to do next is the first advice of this finding; NULL after the last. */
const struct finding *summary_action(const struct parts *p, size_t n);
/* What to do next, with its heading. */
void summary_add_actions(const struct parts *p, struct report *view);
/* The document: what it comes to, what to do, few figures, what is doubtful, where the rest is. */
int summary_view(const struct parts *p, struct report *view, struct err *e);

/* Adds on what it ran, one row under keys for scripts, without a heading; the view has the trace.
 */
int summary_environment(const struct parts *p, struct report *view, const struct rows **ret,
			struct err *e);

/* The parts of it, each with its heading. */
int summary_add_environment(const struct parts *p, struct report *view, struct err *e);
void summary_add_timings(const struct parts *p, struct report *view);
void summary_add_kernels(const struct parts *p, struct report *view);

/*
 * Whether a note stands under the last heading already: two parts of a section may say the same of
 * what they share.
 */
bool summary_says(const struct report *view, const char *note);
/* Names the window that a part is about, and what the part says of itself before its first table or
 * finding. */
void summary_note_window(const struct part *part, struct report *view);

/*
 * report.json, which docs/report.schema.json describes. `generated_at`: "2026-01-31T12:00:00Z".
 * Fails where the trace cannot be read.
 */
int report_json_add(struct buf *b, const struct parts *p, const struct report_trace *trace,
		    const char *generated_at, struct err *e);

#endif
