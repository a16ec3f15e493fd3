/* What stands around a report in its page: head, summary, table of contents. */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include "base/buf.h"
#include "report/report.h"

enum { HTML_MAX_ROWS = 500 }; /* of a table: more belong into a file that a program reads */

/* Where a block is in the page: "b12". */
struct block_id {
	char text[24];
};
struct block_id html_block_id(size_t block);

/* A heading of ours is "title, window": what it is about, and the rest, from its comma on. */
struct str html_heading_title(const char *heading);

/* What a page is made with beside the style that all share. */
struct html_assets {
	const char *style, *style_sha256; /* NULL: no further style */
	const char *script, *script_sha256;
};

/* Everything up to and with <body>; the title is escaped already. */
void html_add_head(struct buf *b, struct str title, const struct html_assets *assets);
/* From </main> to the end. */
void html_add_foot(struct buf *b, const struct html_assets *assets);
/* What a path is called without its folders. */
const char *html_file_name(const char *path);

void html_add_page_begin(struct buf *b, const struct report *r);
void html_add_page_end(struct buf *b);

#endif
