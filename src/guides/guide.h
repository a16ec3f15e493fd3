/*
 * The guides of docs/guides, which are part of the program: how to make a capture that answers
 * questions, and which ones it then answers. `gpuwhy help TOPIC` shows them.
 */
#ifndef GUIDES_GUIDE_H
#define GUIDES_GUIDE_H

#include "base/buf.h"

struct guide {
	const char *name; /* the topic: "nvtx" of docs/guides/nvtx.md */
	const char *title;
	const char *keywords; /* words and phrases, with ", " between them */
	const char *text;     /* Markdown, without title and keywords */
};

/* The i-th by name; NULL after the last. */
const struct guide *guide_at(size_t i);
/* By its topic; NULL: there is none. */
const struct guide *guide_find(const char *name);
/* One that has the word in its topic or as a keyword, in any case; NULL: none has. */
const struct guide *guide_about(const char *word);

struct guide_section {
	struct str heading; /* without its #; "" of what comes before the first */
	struct str text;    /* Markdown */
};

/* Cuts the next section from *rest, which begins as the text of a guide; false after the last. */
bool guide_next_section(struct str *rest, struct guide_section *ret);

/* The guide as a terminal of 80 columns shows it: headings, wrapped text, code, tables. */
void guide_add_text(struct buf *b, const struct guide *g);

/* Made of the folder docs/guides when the program is built. */
extern const struct guide guides[];
extern const size_t guide_count;

#endif
