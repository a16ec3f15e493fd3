/* Which key has that name? */
#include "tui/keys.h"

#include "base/mem.h"
#include "text/utf8.h"

#include <stdio.h>

static const struct {
	uint32_t code;
	const char *name;
} names[] = {
	{K_UP, "Up"},
	{K_DOWN, "Down"},
	{K_LEFT, "Left"},
	{K_RIGHT, "Right"},
	{K_HOME, "Home"},
	{K_END, "End"},
	{K_PAGE_UP, "PageUp"},
	{K_PAGE_DOWN, "PageDown"},
	{K_INSERT, "Insert"},
	{K_DELETE, "Delete"},
	{K_TAB, "Tab"},
	{K_ENTER, "Enter"},
	{K_ESCAPE, "Escape"},
	{K_BACKSPACE, "Backspace"},
	{K_CLICK, "click"},
	{K_DOUBLE_CLICK, "double-click"},
	{K_DRAG, "drag"},
	{K_RELEASE, "release"},
	{K_WHEEL_UP, "wheel-up"},
	{K_WHEEL_DOWN, "wheel-down"},
	{K_RESIZE, "resize"},
	{' ', "Space"},
};

static const struct {
	unsigned bit;
	const char *name;
} modifiers[] = {{KEY_CTRL, "Ctrl+"}, {KEY_ALT, "Alt+"}, {KEY_SHIFT, "Shift+"}};

static unsigned take_modifiers(struct str *name)
{
	unsigned found = 0;

	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < ARRAY_LEN(modifiers); i++) {
			const size_t len = strlen(modifiers[i].name);

			if (name->len > len && str_starts(*name, modifiers[i].name)) {
				found |= modifiers[i].bit;
				name->s += len;
				name->len -= len;
				again = true;
			}
		}
	}
	return found;
}

/* "click:3,10" is at a place, "resize:80x24" to a size. */
static void take_place(struct str *name, struct key_event *ret)
{
	char text[32];
	const char *colon = memchr(name->s, ':', name->len);
	const size_t len = colon ? (size_t)(colon - name->s) : 0;
	int a, b;

	if (!len || name->len - len >= sizeof(text))
		return;
	memcpy(text, colon + 1, name->len - len - 1);
	text[name->len - len - 1] = '\0';
	if (sscanf(text, "%5d,%5d", &a, &b) == 2) {
		ret->row = a;
		ret->col = b;
	} else if (sscanf(text, "%5dx%5d", &a, &b) == 2) {
		ret->col = a;
		ret->row = b;
	} else {
		return;
	}
	name->len = len;
}

static bool function_key(struct str name, uint32_t *ret)
{
	unsigned n = 0;

	if (name.len < 2 || name.len > 3 || name.s[0] != 'F')
		return false;
	for (size_t i = 1; i < name.len; i++) {
		if (name.s[i] < '0' || name.s[i] > '9')
			return false;
		n = n * 10 + (unsigned)(name.s[i] - '0');
	}
	*ret = K_F1 + n - 1;
	return n >= 1 && n <= 12;
}

bool key_parse(struct str name, struct key_event *ret)
{
	uint32_t character;

	*ret = (struct key_event){0};
	ret->modifiers = take_modifiers(&name);
	take_place(&name, ret);
	if (!name.len)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq_any_case(name, names[i].name)) {
			ret->code = names[i].code;
			return true;
		}
	}
	if (function_key(name, &ret->code))
		return true;
	if (utf8_decode(name, &character) != name.len || utf8_is_control(character))
		return false;
	/* As keyboards do, which send the same for both. */
	if ((ret->modifiers & KEY_CTRL) && character >= 'a' && character <= 'z')
		character -= 'a' - 'A';
	ret->code = character;
	return true;
}

void key_add_name(struct buf *b, const struct key_event *k)
{
	char text[5] = "";

	for (size_t i = 0; i < ARRAY_LEN(modifiers); i++) {
		if (k->modifiers & modifiers[i].bit)
			buf_adds(b, modifiers[i].name);
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].code == k->code) {
			buf_adds(b, names[i].name);
			return;
		}
	}
	if (k->code >= K_F1 && k->code <= K_F12) {
		buf_addf(b, "F%u", k->code - K_F1 + 1);
		return;
	}
	text[utf8_encode(k->code, text)] = '\0';
	buf_adds(b, text);
}
