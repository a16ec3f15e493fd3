/* How much of a screen does a text fill? */
#include "cli/screen_lines.h"

static void add_byte(struct screen_lines *l, char c, size_t columns)
{
	if (l->in_escape) {
		l->in_escape = c != 'm';
	} else if (c == '\033') {
		l->in_escape = true;
	} else if (c == '\n') {
		l->count += l->column == 0;
		l->column = 0;
	} else if (((unsigned char)c & 0xc0) != 0x80) { /* one of each UTF-8 character */
		l->count += l->column % columns == 0;
		l->column++;
	}
}

void screen_lines_add(struct screen_lines *l, const char *bytes, size_t len, size_t columns)
{
	for (size_t i = 0; i < len; i++)
		add_byte(l, bytes[i], columns);
}
