/*
 * The program in the terminal: one window of time and one selection, which all views share, of one
 * capture or several. A key goes to what lies over the view, then to the view, then to the program.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "analysis/scope.h"
#include "base/span.h"
#include "traces/link.h"
#include "traces/traces.h"
#include "tui/bookmarks.h"
#include "tui/terminal.h"
#include "tui/view.h"
#include "tui/watch.h"

enum selection_kind { SELECTED_NONE, SELECTED_EVENT, SELECTED_TIME };

struct selection {
	enum selection_kind kind;
	enum trace_kind events; /* of an event */
	uint64_t row;
	size_t capture; /* whose event it is */
	size_t track;	/* the timeline\'s number of its row; SIZE_MAX: it is told by events and row
			 */
	uint32_t id;	/* of the event on that row */
	struct span span;   /* of either */
	size_t finding;	    /* 1 and its number among those that have places; 0: it is none */
	bool is_gap;	    /* nothing goes on in that time */
	struct span around; /* of a gap: with what comes before and after it, which tell why */
};

/* Where somebody was. */
struct place {
	enum view_id view;
	struct span window;
	struct selection selection;
};

enum { APP_PLACES = 32, APP_KEYS = 64 };

struct ncu_report;

/* What becomes of a key that something over the view has got. */
enum overlay_result {
	OVERLAY_TAKEN,
	OVERLAY_CLOSES,
	OVERLAY_PASSES, /* it closes, and the view gets the key, unless that asks for no more */
};

/* Something that lies over the view and gets keys first. */
struct overlay;
struct overlay_kind {
	void (*draw)(struct app *a, struct overlay *o, struct canvas *c, struct area area);
	/* OVERLAY_TAKEN, …; -1: *e. */
	int (*key)(struct app *a, struct overlay *o, const struct key_event *k, struct err *e);
	void (*close)(struct overlay *o); /* may be NULL */
	bool keeps_message;		  /* what was said is still there when it is gone */
};

struct overlay {
	const struct overlay_kind *kind;
	void *state;
	struct overlay *below;
};

struct app {
	struct traces *traces; /* whose clock all times here are on */
	size_t capture;	       /* the one that views of a single capture show */
	struct trace *trace;   /* its trace */
	struct scope scope;    /* what was asked for; as analyses take it it is the capture's */
	const struct ncu_report *ncu; /* what Nsight Compute measured of kernels; or NULL */
	const char *comm;	      /* --comm, or NULL */
	struct span limits; /* the window lies in these: all captures, or what was asked for */
	struct span window; /* what is shown: views of time set it by app_set_window() */
	struct selection selection;
	struct keymap keymap;
	struct buf message; /* one line; gone with the next key */
	bool message_is_error;
	struct view views[VIEW_COUNT];
	enum view_id current;
	struct place places[APP_PLACES]; /* before each of the last jumps */
	size_t place_count;
	struct overlay *overlay;    /* the uppermost; NULL: none */
	struct string_list history; /* commands that were typed */
	struct bookmarks bookmarks;
	struct terminal *terminal;
	struct canvas canvas;
	struct key_event typed[APP_KEYS]; /* while something was loading */
	size_t typed_count;
	struct link link;	       /* where to begin; zeroed: nobody says */
	struct watched_trace *watched; /* whether the traces are what they were */
	bool quit;
};

/* The traces and the scope are the caller's. */
int app_open(struct app *a, struct traces *t, const struct scope *s, struct terminal *terminal,
	     struct err *e);
/*
 * Bookmarks of the file, or of the user's own for these traces where path is NULL: then the window
 * is that of last time, too, unless a part of them is asked for.
 */
int app_read_bookmarks(struct app *a, const char *path, struct err *e);
/* Begins at a place that somebody sent: see link.h. Before it is run. */
int app_begin_at(struct app *a, const char *link, struct err *e);
void app_close(struct app *a);
/* Shows the view and does what keys ask for, until somebody leaves. */
int app_run(struct app *a, enum view_id first, struct err *e);

/* Says something below the view until the next key. */
void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_say_error(struct app *a, const struct err *e);

/* The window, moved and cut so that it lies in the limits; at least a few ns long. */
void app_set_window(struct app *a, struct span window);
/* Goes to a view, which is opened if it was not. */
int app_show(struct app *a, enum view_id view, struct err *e);
/* The same, so that BACK returns to where we are now. */
int app_jump(struct app *a, enum view_id view, struct span window, struct err *e);
/* The same to the timeline, with something selected there. */
int app_go_to(struct app *a, struct span window, const struct selection *what, struct err *e);
/* The same, where times are those of the capture that the view shows. */
int app_go_to_own(struct app *a, struct span window, struct selection what, struct err *e);
/* Views of a single capture show another one from here on. */
void app_use_capture(struct app *a, size_t capture);
/* Remembers where we are, for BACK. */
void app_remember(struct app *a);
/* Another scope: what views have read for the old one is forgotten. */
int app_set_scope(struct app *a, const struct scope *s, struct err *e);

/*
 * Asks for a line of text; `done` gets it, with the current view, when Enter is pressed. The text
 * that is there at first may be NULL.
 */
typedef int app_answer(struct app *a, struct view *v, const char *text, struct err *e);
void app_ask(struct app *a, const char *label, const char *text, app_answer *done);

void app_push(struct app *a, const struct overlay_kind *kind, void *state);
void app_pop(struct app *a);
static inline const struct capture *app_capture(const struct app *a)
{
	return &a->traces->all[a->capture];
}

static inline struct view *app_view(struct app *a)
{
	return &a->views[a->current];
}

/* Does what a request or a key asks for; errors are said, not returned. */
void app_key(struct app *a, const struct key_event *k);
void app_draw(struct app *a);
/* The screen has another size. */
void app_resize(struct app *a);
/* The view that is named at a column of the top line. */
bool frame_tab_at(const struct app *a, int col, enum view_id *ret);

#endif
