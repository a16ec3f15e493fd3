/*
 * Links to other pages of the folder that a page is in. Whatever a cell may hold: only a path that
 * leads down, to a page, becomes one.
 */
#ifndef REPORT_HTML_PAGE_LINK_H
#define REPORT_HTML_PAGE_LINK_H

#include "base/buf.h"

/* What stands between them is the link's; nothing where the path is none of ours. */
void html_begin_link(struct buf *b, struct str path);
void html_end_link(struct buf *b, struct str path);

#endif
