/* A view: one way to look at the trace. Each is a file that ends in its constant. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "base/err.h"
#include "tui/canvas.h"
#include "tui/keymap.h"

struct app;
struct bookmark;
struct view;

/* What a colour stands for, or where there is none a letter. */
struct legend {
	const char *rows, *name; /* on which rows */
	uint8_t role;
	char letter;
};

struct view_kind {
	const char *name;
	/* Called once, before the view is first shown. What it needs it keeps in v->state. */
	int (*open)(struct app *a, struct view *v, struct err *e);
	/* Only what is in the area; called after each request. */
	void (*draw)(struct app *a, struct view *v, struct canvas *c, struct area area);
	/* 0: done; 1: not mine; -1: *e. The key is for requests that need its place or its digit.
	 */
	int (*request)(struct app *a, struct view *v, enum request r, const struct key_event *k,
		       struct err *e);
	/*
	 * Goes on with what takes long, while nobody types: 1: there is more to do; 0: no more; -1:
	 * *e. May be NULL.
	 */
	int (*more)(struct app *a, struct view *v, struct err *e);
	/* What the status line says of it; may be NULL. */
	void (*status)(struct app *a, struct view *v, struct buf *b);
	/* :search TEXT, and what was typed after /; may be NULL. */
	int (*search)(struct app *a, struct view *v, const char *text, struct err *e);
	/* Words that restore() makes it as it is now of, next time; may be NULL, both or none. */
	void (*save)(struct app *a, struct view *v, struct buf *b);
	/* After open(); what is not understood, as of another version, is passed over. */
	void (*restore)(struct app *a, struct view *v, const char *words);
	/* Somebody has come here from elsewhere, with a selection; may be NULL. */
	void (*arrive)(struct app *a, struct view *v);
	/* Another capture is the current one; may be NULL. */
	void (*use_capture)(struct app *a, struct view *v);
	/* What it knows of the place where a bookmark is set, to be freed; may be NULL. */
	void (*mark)(struct app *a, struct view *v, struct bookmark *ret);
	/* The i-th; false after the last. May be NULL. */
	bool (*legend)(size_t i, struct legend *ret);
	/* Also when the scope changes: it is then opened again when next shown. */
	void (*close)(struct app *a, struct view *v);
};

struct view {
	const struct view_kind *kind;
	void *state;   /* NULL: not open */
	bool has_more; /* to read, see more() */
	bool is_open;
};

extern const struct view_kind view_timeline, view_tree, view_kernels, view_findings, view_steps;

#endif
