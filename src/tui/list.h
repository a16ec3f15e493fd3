/* Rows of which one is chosen and as many are shown as there is room for. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include "tui/keymap.h"

struct list {
	size_t count, chosen;
	size_t first;  /* that is shown */
	int row, rows; /* where, and how many there is room for: set by list_place() */
};

/* Before drawing: the chosen row is among those that are shown. */
void list_place(struct list *l, int row, int rows);
/* Whether the request was for it. */
bool list_request(struct list *l, enum request r, const struct key_event *k);
void list_choose(struct list *l, size_t chosen);
/* How many rows are shown. */
static inline size_t list_shown(const struct list *l)
{
	const size_t room = l->rows > 0 ? (size_t)l->rows : 0;

	return l->count - l->first < room ? l->count - l->first : room;
}

#endif
