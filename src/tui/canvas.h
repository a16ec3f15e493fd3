/*
 * The screen as a grid of cells, each a glyph and a look. Nothing here knows a terminal: looks are
 * roles, which screen.c gives colours. Text of a trace may be put as it is: what reaches a cell
 * moves no cursor, changes no colour and takes the columns that it says.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include "base/buf.h"

#include <stdint.h>

enum role {
	ROLE_PLAIN, /* as ink and as ground: what the terminal has */
	ROLE_DIM,
	ROLE_HEAD,
	ROLE_STATUS, /* the lines at the top and at the bottom */
	ROLE_CURSOR, /* the chosen row, the time cursor */
	ROLE_HIT,    /* what a search has found */
	ROLE_ERROR,
	ROLE_GOOD,
	ROLE_CLASS_0, /* and the seven that follow: classes of a lane */
	ROLE_CLASS_1,
	ROLE_CLASS_2,
	ROLE_CLASS_3,
	ROLE_CLASS_4,
	ROLE_CLASS_5,
	ROLE_CLASS_6,
	ROLE_CLASS_7,
	ROLE_COUNT,
};

enum look_marks { LOOK_BOLD = 1, LOOK_REVERSE = 2, LOOK_UNDERLINE = 4 };

struct look {
	uint8_t ink, ground; /* enum role */
	uint8_t marks;
};

#define LOOK_PLAIN ((struct look){0})
#define LOOK(role) ((struct look){.ink = (role)})

enum { GLYPH_BYTES = 13 };

struct glyph {
	char text[GLYPH_BYTES]; /* UTF-8, with what combines with it; "" right of a wide one */
	uint8_t columns;	/* 1 or 2; 0: the right half of the one before */
	struct look look;
};

struct canvas {
	int rows, cols;
	bool ascii; /* no glyph but ASCII: views may choose better ones than canvas_put() does */
	bool mono;  /* no colours: what matters must show in glyphs and marks */
	struct glyph *cells;
};

struct area {
	int row, col, rows, cols;
};

/* All spaces. A canvas that was made before, or is zeroed. */
void canvas_make(struct canvas *c, int cols, int rows);
void canvas_free(struct canvas *c);
void canvas_clear(struct canvas *c);

/* The cell there; NULL outside of the grid. */
struct glyph *canvas_at(const struct canvas *c, int row, int col);
/*
 * Text from col on, in at most so many columns, and none outside of the grid. Control characters
 * are written as text_add_safe() does. Returns how many columns it took.
 */
int canvas_put(struct canvas *c, int row, int col, int columns, struct str text, struct look look);
/* The same, and spaces up to the end of the columns; … where not all of it fits. */
void canvas_put_padded(struct canvas *c, int row, int col, int columns, struct str text,
		       struct look look);
/* The same, to the right. */
void canvas_put_right(struct canvas *c, int row, int col, int columns, struct str text,
		      struct look look);
/* Text over several lines of the area, from a row of it on; returns the row after it. */
int canvas_put_wrapped(struct canvas *c, struct area area, int row, struct str text,
		       struct look look);
/* One glyph of a view's own, which takes one column. */
void canvas_glyph(struct canvas *c, int row, int col, uint32_t character, struct look look);
/* Spaces of a look. */
void canvas_fill(struct canvas *c, struct area a, struct look look);
/* Another look for what is there. */
void canvas_tint(struct canvas *c, struct area a, struct look look);
/* A frame around an area, empty within, with a title. */
void canvas_box(struct canvas *c, struct area a, const char *title);

/* The text, a line for each row, without spaces at its end. */
void canvas_write(const struct canvas *c, struct buf *b);
/* One letter for the look of each cell, and what the letters stand for: for golden screens. */
void canvas_write_looks(const struct canvas *c, struct buf *b);

#endif
