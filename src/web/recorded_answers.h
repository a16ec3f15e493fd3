/* What the tabs of a page that nobody serves show: answers of analyses, and the report. */
#ifndef WEB_RECORDED_ANSWERS_H
#define WEB_RECORDED_ANSWERS_H

#include "web/packed.h"
#include "web/routes.h"

struct recorded_answers {
	struct packed text;	/* an object of answers by their path */
	size_t asked, left_out; /* how many answers; of these there was no room for, or no answer */
	bool has_no_report;
};

/* At most about so many bytes. For recorded_answers_free(). */
void recorded_answers_make(struct recorded_answers *a, struct site *s, size_t most);
void recorded_answers_free(struct recorded_answers *a);

/*
 * Appends "key": and what the site replies to a URL, so that a script of a page may hold it, as
 * JSON or as a text; false: it has no reply.
 */
bool recorded_reply_add(struct buf *b, struct site *s, const char *key, const char *url,
			bool is_text);

#endif
