/*
 * The answers of the routes as one JSON document, for a page that nobody serves: rows and analyses,
 * the whole capture in coarse tiles, and a part of it with all its events. See docs/web.md.
 */
#ifndef WEB_RECORDING_H
#define WEB_RECORDING_H

#include "web/recorded_answers.h"

struct recording {
	struct buf json;
	size_t around;	      /* bytes of the page that it will be in */
	size_t most;	      /* bytes that both may have */
	struct buf left_out;  /* what it does not hold, in words; empty: nothing that it could */
	uint64_t events;      /* that it holds */
	struct span detailed; /* where all events are, unless some are left out */
	struct recorded_answers answers;
};

/*
 * What analyses answer: before any track is read, so that what they need for a moment is not there
 * beside all events. Then recording_make().
 */
void recording_begin(struct recording *r, struct site *s);

/*
 * The tracks are all there. ERR_USAGE: not even their names have room. For recording_free() whether
 * this fails or not.
 */
int recording_make(struct recording *r, struct site *s, struct err *e);
void recording_free(struct recording *r);

#endif
