/* Which row is chosen after a key? */
#include "tui/list.h"

void list_choose(struct list *l, size_t chosen)
{
	l->chosen = chosen < l->count ? chosen : l->count ? l->count - 1 : 0;
}

void list_place(struct list *l, int row, int rows)
{
	const size_t room = rows > 0 ? (size_t)rows : 1;

	l->row = row;
	l->rows = rows;
	list_choose(l, l->chosen);
	if (l->first + room > l->count)
		l->first = l->count > room ? l->count - room : 0;
	if (l->chosen < l->first)
		l->first = l->chosen;
	if (l->chosen >= l->first + room)
		l->first = l->chosen - room + 1;
}

static void move(struct list *l, bool up, size_t by)
{
	list_choose(l, up ? l->chosen - (l->chosen < by ? l->chosen : by) : l->chosen + by);
}

static void click(struct list *l, const struct key_event *k)
{
	if (k->row >= l->row && k->row < l->row + (int)list_shown(l))
		list_choose(l, l->first + (size_t)(k->row - l->row));
}

bool list_request(struct list *l, enum request r, const struct key_event *k)
{
	const size_t page = l->rows > 1 ? (size_t)l->rows - 1 : 1;

	switch (r) {
	case REQUEST_UP:
	case REQUEST_DOWN:
		move(l, r == REQUEST_UP, 1);
		return true;
	case REQUEST_PAGE_UP:
	case REQUEST_PAGE_DOWN:
		move(l, r == REQUEST_PAGE_UP, page);
		return true;
	case REQUEST_SCROLL_UP:
	case REQUEST_SCROLL_DOWN:
		move(l, r == REQUEST_SCROLL_UP, 3);
		return true;
	case REQUEST_FIRST:
		list_choose(l, 0);
		return true;
	case REQUEST_LAST:
		list_choose(l, l->count);
		return true;
	case REQUEST_CLICK:
		click(l, k);
		return true;
	default:
		return false;
	}
}
