/* A line of text at the bottom of the screen, with history and completion. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tui/app.h"

struct prompt {
	const char *label;
	struct buf text;
	size_t at; /* where the next character goes, in bytes */
	app_answer *done;
	bool keeps_message;	     /* `done` decides whether what was said before goes */
	struct string_list *history; /* may be NULL */
	size_t recalled;	     /* which of it is shown; its count: none */
	/* Words that may be where the last one is; NULL after the last. May be NULL. */
	const char *(*word_at)(size_t i);
};

/* The prompt is the app's from here on. */
void prompt_show(struct app *a, struct prompt *p);

#endif
