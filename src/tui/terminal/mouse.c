/* Which key is a message of the mouse? */
#include "tui/terminal/mouse.h"

#include <stdio.h>

enum {
	BUTTONS = 3,
	SHIFT = 4,
	ALT = 8,
	CTRL = 16,
	MOTION = 32,
	WHEEL = 64,
	DOUBLE_CLICK_NS = 400000000,
};

/* The second press on one place in a short time is another key than the first. */
static uint32_t press(struct mouse *m, const struct key_event *k, int64_t now_ns)
{
	const bool twice = m->clicked_ns && now_ns - m->clicked_ns < DOUBLE_CLICK_NS &&
			   m->row == k->row && m->col == k->col;

	*m = (struct mouse){twice ? 0 : now_ns, k->row, k->col};
	return twice ? K_DOUBLE_CLICK : K_CLICK;
}

bool mouse_parse(struct mouse *m, const char *text, int64_t now_ns, struct key_event *ret)
{
	int what, col, row;
	char end;

	*ret = (struct key_event){0};
	if (sscanf(text, "%5d;%5d;%5d%c", &what, &col, &row, &end) != 4 || col < 1 || row < 1)
		return false;
	ret->row = row - 1;
	ret->col = col - 1;
	ret->modifiers = (what & SHIFT ? KEY_SHIFT : 0u) | (what & ALT ? KEY_ALT : 0u) |
			 (what & CTRL ? KEY_CTRL : 0u);
	if (what & WHEEL)
		ret->code = (what & BUTTONS) == 0   ? K_WHEEL_UP
			    : (what & BUTTONS) == 1 ? K_WHEEL_DOWN
						    : 0;
	else if ((what & BUTTONS) != 0)
		return false;
	else if (what & MOTION)
		ret->code = K_DRAG;
	else
		ret->code = end == 'm' ? K_RELEASE : press(m, ret, now_ns);
	return ret->code != 0;
}
