/* What stands around a report in its page: head, summary, table of contents. */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include "base/buf.h"
#include "report/report.h"

/* Where a block is in the page: "b12". */
struct block_id {
	char text[24];
};
struct block_id html_block_id(size_t block);

/* A heading of ours is "title, window": what it is about, and the rest, from its comma on. */
struct str html_heading_title(const char *heading);

void html_add_page_begin(struct buf *b, const struct report *r);
void html_add_page_end(struct buf *b);

#endif
