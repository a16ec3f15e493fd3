/*
 * Places that somebody wants to come back to, and the file that keeps them: by the trace's
 * fingerprint in the user's state folder, or where --bookmarks says. Never beside the trace.
 */
#ifndef TUI_BOOKMARKS_H
#define TUI_BOOKMARKS_H

#include "base/err.h"
#include "base/span.h"
#include "base/str.h"
#include "traces/traces.h"

#include <stddef.h>

/* What is not known is "". */
struct bookmark {
	int64_t at_ns;
	struct span window;
	char *row, *kernel, *range;
};

/* What a view wants to find as it was. */
struct kept_view {
	char *name, *text;
};

struct bookmarks {
	struct bookmark *all; /* in order of time */
	size_t count, cap;
	struct kept_view *views;
	size_t view_count, view_cap;
	char *path;	   /* NULL: they are kept nowhere */
	bool keeps_window; /* the file is the user's own: it knows the last window */
};

void bookmarks_free(struct bookmarks *b);
/* The file for traces in the user's state folder; NULL: there is none. The caller frees it. */
char *bookmarks_path(const struct traces *of);
/*
 * Reads the file, which may not be there yet; *ret_window is the last one where the file has it.
 * ERR_INPUT names the line that is none.
 */
int bookmarks_read(struct bookmarks *b, struct span *ret_window, struct err *e);
int bookmarks_write(const struct bookmarks *b, struct span window, struct err *e);
/* The texts are copied, and made safe. */
void bookmarks_add(struct bookmarks *b, const struct bookmark *one);
void bookmarks_remove(struct bookmarks *b, size_t i);
/* What a view keeps, by its name; NULL: nothing. */
const char *bookmarks_view(const struct bookmarks *b, const char *name);
void bookmarks_keep_view(struct bookmarks *b, const char *name, const char *text);

#endif
