/* What views have in common that show one table of an analysis. */
#ifndef TUI_TABLE_VIEW_H
#define TUI_TABLE_VIEW_H

#include "traces/answer.h"
#include "tui/views/table_pane.h"

struct table_view {
	struct answer answer;
	struct table_pane pane;
};

/* ERR_INPUT where the answer has no such table. */
int table_view_open(struct app *a, struct view *v, const char *analysis, const char *table,
		    struct err *e);
static inline struct table_view *table_view(struct view *v)
{
	return v->state;
}

/* These are parts of a struct view_kind: what TABLE_VIEW sets. */
void table_view_draw(struct app *a, struct view *v, struct canvas *c, struct area area);
int table_view_request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		       struct err *e);
void table_view_status(struct app *a, struct view *v, struct buf *b);
int table_view_search(struct app *a, struct view *v, const char *text, struct err *e);
void table_view_close(struct app *a, struct view *v);
#define TABLE_VIEW                                                                         \
	.draw = table_view_draw, .status = table_view_status, .search = table_view_search, \
	.close = table_view_close

#endif
