/* The lines of a guide: the part of Markdown that guides are written in. */
#ifndef GUIDES_GUIDE_LINES_H
#define GUIDES_GUIDE_LINES_H

#include "base/str.h"

enum guide_line_kind {
	LINE_BLANK, /* also the ``` around code */
	LINE_HEADING,
	LINE_CODE,
	LINE_ROW, /* of a table */
	LINE_ITEM,
	LINE_TEXT, /* of a paragraph, or more of an item */
};

struct guide_line {
	enum guide_line_kind kind;
	struct str text; /* without what marks its kind; a row with all of it */
};

/* Start with {.rest = text}. */
struct guide_lines {
	struct str rest;
	bool fenced; /* between ``` and ``` */
};

/* False after the last. */
bool guide_next_line(struct guide_lines *l, struct guide_line *ret);

#endif
