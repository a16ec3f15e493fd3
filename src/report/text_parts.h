/* What an answer in a terminal is made of: tables, charts, the little colour there is. */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include "report/chart.h"
#include "report/present.h"

#define WARNING_WORD "warning: "

/* The size of a screen of which nothing is known. */
enum { USUAL_ROWS = 24, USUAL_WIDTH = 80 };

static inline size_t style_rows(const struct style *style)
{
	return style->rows ? style->rows : USUAL_ROWS;
}

/* The report block by block, as long as it is. */
int text_add_blocks(struct out *o, const struct report *r, struct err *e);
/* The same of a report that fits a screen: rows fold and blocks yield until it does. */
int text_add_fitting(struct out *o, const struct report *r, struct err *e);

/* Title, header, rows and what was cut; or, for a table of facts, one line per fact. */
int text_add_table(struct out *o, const struct table *t, struct err *e);

/* Whether anything of it is shown: on a terminal, where its parts can be told apart. */
bool text_shows_chart(const struct chart *c, const struct style *style);
void text_add_chart(struct buf *b, const struct chart *c, const struct style *style);

/* The same of a grid of shades, which are characters. */
bool text_shows_heat(const struct chart *c, const struct style *style);
void text_add_heat(struct buf *b, const struct chart *c, const struct style *style);

#define ANSI_BOLD   "\033[1m"
#define ANSI_DIM    "\033[2m"
#define ANSI_YELLOW "\033[33m"

/* Safe text, in this style if the outside shows any. */
static inline void ansi_add(struct buf *b, const struct style *style, const char *code,
			    struct str text)
{
	if (style->colour)
		buf_adds(b, code);
	buf_addstr(b, text);
	if (style->colour)
		buf_adds(b, "\033[0m");
}

#endif
