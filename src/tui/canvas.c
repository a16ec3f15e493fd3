/* What is on the screen, cell by cell? */
#include "tui/canvas.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/utf8.h"

#include <stdlib.h>

static const struct glyph blank = {.text = " ", .columns = 1};

void canvas_make(struct canvas *c, int cols, int rows)
{
	free(c->cells);
	c->cols = cols;
	c->rows = rows;
	c->cells = mem_alloc((size_t)cols * (size_t)rows + 1, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_free(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

void canvas_clear(struct canvas *c)
{
	for (size_t i = 0; i < (size_t)c->cols * (size_t)c->rows; i++)
		c->cells[i] = blank;
}

struct glyph *canvas_at(const struct canvas *c, int row, int col)
{
	if (row < 0 || col < 0 || row >= c->rows || col >= c->cols)
		return NULL;
	return &c->cells[(size_t)row * (size_t)c->cols + (size_t)col];
}

/* What is written over half of a wide glyph leaves a space of the other half. */
static void break_wide(struct canvas *c, int row, int col)
{
	struct glyph *g = canvas_at(c, row, col), *other;

	if (!g || g->columns == 1)
		return;
	other = canvas_at(c, row, g->columns == 2 ? col + 1 : col - 1);
	if (other) {
		memcpy(other->text, " ", 2);
		other->columns = 1;
	}
	memcpy(g->text, " ", 2);
	g->columns = 1;
}

/* What a terminal without UTF-8 shows in place of our own signs. */
static char ascii_for(uint32_t c)
{
	static const struct {
		uint32_t wide;
		char ascii;
	} signs[] = {
		{0xb5, 'u'},	{0xb7, '.'},	{0xd7, 'x'},   {0x2013, '-'}, {0x2014, '-'},
		{0x2018, '\''}, {0x2019, '\''}, {0x2026, '~'}, {0x2190, '<'}, {0x2191, '^'},
		{0x2192, '>'},	{0x2193, 'v'},	{0x2500, '-'}, {0x2502, '|'}, {0x250c, '+'},
		{0x2510, '+'},	{0x2514, '+'},	{0x2518, '+'}, {0x25b8, '+'}, {0x25be, '-'},
		{0x2588, '#'},	{0x2591, '.'},	{0x2592, ':'}, {0x2593, '%'},
	};

	if (c < 0x80)
		return (char)c;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (signs[i].wide == c)
			return signs[i].ascii;
	}
	return c >= 0x2581 && c < 0x2588 ? (c < 0x2584 ? '.' : ':') : '?';
}

static void combine(struct glyph *onto, struct str mark)
{
	const size_t len = strlen(onto->text);

	/* A hundred accents on one letter are no more readable than two. */
	if (len + mark.len < sizeof(onto->text)) {
		memcpy(onto->text + len, mark.s, mark.len);
		onto->text[len + mark.len] = '\0';
	}
}

static void set(struct canvas *c, int row, int col, struct str text, int columns, struct look look)
{
	struct glyph *g = canvas_at(c, row, col);

	for (int i = 0; i < columns; i++)
		break_wide(c, row, col + i);
	*g = (struct glyph){.columns = (uint8_t)columns, .look = look};
	memcpy(g->text, text.s, text.len);
	if (columns == 2)
		g[1] = (struct glyph){.look = look};
}

/* Puts one character at most `room` columns wide; returns how many it took, -1: it does not fit. */
static int put_character(struct canvas *c, int row, int col, int room, bool first, struct str text,
			 uint32_t character, struct look look)
{
	int columns = (int)utf8_columns(character);
	struct glyph *before;
	char ascii;

	/* What will never be a character has no width that anybody agrees on. */
	if (c->ascii || (character & 0xfffe) == 0xfffe) {
		ascii = ascii_for(character);
		if (!columns)
			return 0;
		text = (struct str){&ascii, 1};
		columns = 1;
	}
	if (!columns) {
		before = first ? NULL : canvas_at(c, row, col - 1);
		if (before && !before->columns)
			before--;
		if (before)
			combine(before, text);
		return 0;
	}
	if (columns > room || col + columns > c->cols)
		return -1;
	if (canvas_at(c, row, col))
		set(c, row, col, text, columns, look);
	return columns;
}

static int put_safe(struct canvas *c, int row, int col, int columns, struct str s, struct look look)
{
	int done = 0;

	while (s.len) {
		uint32_t character;
		const size_t len = utf8_decode(s, &character);
		const int took = put_character(c, row, col + done, columns - done, done == 0,
					       (struct str){s.s, len}, character, look);

		if (!len || took < 0)
			break;
		done += took;
		s.s += len;
		s.len -= len;
	}
	return done;
}

/* A name of megabytes is not read to its end for what a screen shows of it. */
static void add_safe(struct buf *b, struct str text)
{
	enum { MOST = 8192 };

	if (text.len > MOST)
		text.len = MOST;
	text_add_safe(b, text);
}

int canvas_put(struct canvas *c, int row, int col, int columns, struct str text, struct look look)
{
	SCOPED_BUF safe = {0};

	if (row < 0 || row >= c->rows || columns <= 0 || col >= c->cols)
		return 0;
	add_safe(&safe, text);
	return put_safe(c, row, col, columns, buf_str(&safe), look);
}

void canvas_put_padded(struct canvas *c, int row, int col, int columns, struct str text,
		       struct look look)
{
	SCOPED_BUF safe = {0};
	SCOPED_BUF fit = {0};

	if (columns <= 0)
		return;
	add_safe(&safe, text);
	text_add_start(&fit, buf_str(&safe), (size_t)columns);
	canvas_fill(c, (struct area){row, col, 1, columns}, look);
	put_safe(c, row, col, columns, buf_str(&fit), look);
}

void canvas_put_right(struct canvas *c, int row, int col, int columns, struct str text,
		      struct look look)
{
	SCOPED_BUF safe = {0};
	int width;

	add_safe(&safe, text);
	width = (int)text_width(buf_str(&safe));
	if (width >= columns) {
		canvas_put_padded(c, row, col, columns, text, look);
		return;
	}
	canvas_fill(c, (struct area){row, col, 1, columns}, look);
	put_safe(c, row, col + columns - width, width, buf_str(&safe), look);
}

enum { INDENT = 4 };

int canvas_put_wrapped(struct canvas *c, struct area area, int row, struct str text,
		       struct look look)
{
	SCOPED_BUF safe = {0};
	SCOPED_BUF lines = {0};
	struct str rest;

	text_add_safe(&safe, text);
	/* Lines after the first are indented, which text_add_wrapped() does not count. */
	text_add_wrapped(&lines, buf_str(&safe),
			 area.cols > 2 * INDENT ? (size_t)(area.cols - INDENT) : INDENT, INDENT);
	for (rest = buf_str(&lines); rest.len && row < area.row + area.rows; row++) {
		const char *end = memchr(rest.s, '\n', rest.len);
		const struct str line = {rest.s, end ? (size_t)(end - rest.s) : rest.len};

		canvas_put(c, row, area.col, area.cols, line, look);
		rest.s += line.len + (end != NULL);
		rest.len -= line.len + (end != NULL);
	}
	return row;
}

void canvas_glyph(struct canvas *c, int row, int col, uint32_t character, struct look look)
{
	char bytes[UTF8_MOST];
	const struct str text = {
		bytes, utf8_encode(c->ascii ? (uint32_t)ascii_for(character) : character, bytes)};

	if (canvas_at(c, row, col))
		set(c, row, col, text, 1, look);
}

void canvas_fill(struct canvas *c, struct area a, struct look look)
{
	for (int row = a.row; row < a.row + a.rows; row++) {
		for (int col = a.col; col < a.col + a.cols; col++)
			canvas_glyph(c, row, col, ' ', look);
	}
}

void canvas_tint(struct canvas *c, struct area a, struct look look)
{
	for (int row = a.row; row < a.row + a.rows; row++) {
		for (int col = a.col; col < a.col + a.cols; col++) {
			struct glyph *g = canvas_at(c, row, col);

			if (g)
				g->look = look;
		}
	}
}

void canvas_box(struct canvas *c, struct area a, const char *title)
{
	const int last_row = a.row + a.rows - 1, last_col = a.col + a.cols - 1;
	const struct look line = LOOK(ROLE_HEAD);

	canvas_fill(c, a, LOOK_PLAIN);
	for (int col = a.col; col <= last_col; col++) {
		canvas_glyph(c, a.row, col, 0x2500, line);
		canvas_glyph(c, last_row, col, 0x2500, line);
	}
	for (int row = a.row; row <= last_row; row++) {
		canvas_glyph(c, row, a.col, 0x2502, line);
		canvas_glyph(c, row, last_col, 0x2502, line);
	}
	canvas_glyph(c, a.row, a.col, 0x250c, line);
	canvas_glyph(c, a.row, last_col, 0x2510, line);
	canvas_glyph(c, last_row, a.col, 0x2514, line);
	canvas_glyph(c, last_row, last_col, 0x2518, line);
	canvas_put(c, a.row, a.col + 2, a.cols - 4, str_of(title),
		   (struct look){.ink = ROLE_HEAD, .marks = LOOK_BOLD});
}
