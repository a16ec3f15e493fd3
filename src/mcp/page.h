/*
 * A report as pages: an agent reads little at a time. The first page has all that is said in words
 * and the beginning of every table; a cursor leads to the rows that come next.
 */
#ifndef MCP_PAGE_H
#define MCP_PAGE_H

#include "base/buf.h"
#include "report/report.h"

enum {
	PAGE_BYTES = 20000,	      /* of an answer's JSON */
	PAGE_MOST_CHARACTERS = 45000, /* of a reply, which has that JSON twice */
	PAGE_ROWS = 500, /* of a table, at most: tools keep so many more than were seen */
};

/* Where a page begins: how much was seen of each part, which is the findings or a table. */
struct page_place {
	uint64_t *seen; /* by part; beyond `count` nothing was */
	size_t count;
};

void page_place_free(struct page_place *p);
/* The largest number in it. */
uint64_t page_place_most(const struct page_place *p);
/* "3.0.50", after the key of the call that it belongs to. ERR_USAGE where it is none of that. */
int page_place_read(struct page_place *ret, const char *cursor, uint64_t call_key, struct err *e);

struct report_page {
	struct buf json;   /* on one line */
	struct buf cursor; /* of the next page; empty: this is the last */
	struct buf
		left_out; /* the members of an object: how many rows of which table are not here */
};

void report_page_free(struct report_page *p);
/*
 * The page of a report that begins there; `room` bytes are left for what comes beside it.
 * `limits_rows`: a table that has more rows than it keeps can be asked for the others.
 */
int report_page_make(struct report_page *ret, const struct report *r, const struct page_place *from,
		     uint64_t call_key, bool limits_rows, size_t room, struct err *e);

#endif
