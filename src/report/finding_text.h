/* A finding for people: in a terminal and in Markdown. */
#ifndef REPORT_FINDING_TEXT_H
#define REPORT_FINDING_TEXT_H

#include "base/buf.h"
#include "report/finding.h"
#include "report/present.h"

/* `brief`: without evidence and doubts, and with one piece of advice only. */
void finding_add_text(struct buf *b, const struct finding *f, size_t number, bool brief,
		      const struct style *style);
void finding_add_markdown(struct buf *b, const struct finding *f, size_t number);
/* "544 ms, 71.2 % of the window"; nothing when there is nothing to recover. */
void finding_add_cost(struct buf *b, const struct finding *f);
/* The value with its unit, unescaped. */
void evidence_add_value(struct buf *b, const struct evidence *v);

#endif
