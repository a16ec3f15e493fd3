/* What comes from the keyboard and the mouse, and what it is called: "Shift+Right", "wheel-up". */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "base/buf.h"

#include <stdint.h>

enum key_modifiers { KEY_SHIFT = 1, KEY_CTRL = 2, KEY_ALT = 4 };

/* A key is a character of Unicode, or one of these, which are none. */
enum special_key {
	KEYS_SPECIAL = 0x110000,
	K_UP = KEYS_SPECIAL,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_HOME,
	K_END,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_INSERT,
	K_DELETE,
	K_TAB,
	K_ENTER,
	K_ESCAPE,
	K_BACKSPACE,
	K_F1,
	K_F12 = K_F1 + 11,
	K_CLICK, /* of the mouse, from here on: where it was, row and col say */
	K_DOUBLE_CLICK,
	K_DRAG,	   /* moved while its button is down */
	K_RELEASE, /* the button is up again */
	K_WHEEL_UP,
	K_WHEEL_DOWN,
	K_RESIZE, /* of the screen: to rows and cols */
	KEYS_END,
};

struct key_event {
	uint32_t code;
	/* KEY_SHIFT is not told of characters, which differ by it; letters with Ctrl are large. */
	unsigned modifiers;
	int row, col; /* of the mouse, or of a new size */
};

static inline bool key_is_mouse(const struct key_event *k)
{
	return k->code >= K_CLICK && k->code <= K_WHEEL_DOWN;
}

/* A character that may be typed into a text. */
static inline bool key_is_text(const struct key_event *k)
{
	return k->code >= 0x20 && k->code < KEYS_SPECIAL && k->code != 0x7f && !k->modifiers;
}

/* False: no key has that name. A size is resize:80x24, a place of the mouse click:row,col. */
bool key_parse(struct str name, struct key_event *ret);
void key_add_name(struct buf *b, const struct key_event *k);

static inline bool key_same(const struct key_event *a, const struct key_event *b)
{
	return a->code == b->code && a->modifiers == b->modifiers;
}

#endif
