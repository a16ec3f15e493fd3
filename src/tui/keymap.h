/* Which request a key stands for in which view. keymap.def is the table, a user's file changes it.
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include "base/err.h"
#include "tui/keys.h"

enum view_id { VIEW_TIMELINE, VIEW_TREE, VIEW_KERNELS, VIEW_FINDINGS, VIEW_STEPS, VIEW_COUNT };

/* Words of keymap.def: bits of the views that know a request. */
enum view_bits {
	TIMELINE = 1 << VIEW_TIMELINE,
	TREE = 1 << VIEW_TREE,
	KERNELS = 1 << VIEW_KERNELS,
	FINDINGS = 1 << VIEW_FINDINGS,
	STEPS = 1 << VIEW_STEPS,
	LISTS = KERNELS | FINDINGS | STEPS,
	EVERY_VIEW = TIMELINE | TREE | LISTS,
};

enum request {
	REQUEST_NONE,
#define KEY(request, word, views, keys, help) REQUEST_##request,
#define KEY_ALSO(request, views, keys)
#include "tui/keymap.def"
#undef KEY
#undef KEY_ALSO
	REQUEST_COUNT,
};

/* What a request is called, does and is for. */
struct request_text {
	const char *word, *help;
	unsigned views;
};
const struct request_text *request_text(enum request r);

struct binding {
	enum request request;
	unsigned views;
	struct key_event key;
};

struct keymap {
	struct binding *all;
	size_t count, cap;
};

/* The table's own keys. */
void keymap_make(struct keymap *m);
void keymap_free(struct keymap *m);
/*
 * Lines of a user's file: "zoom-in + w". They replace the keys of that request; a key that meant
 * something else in the same view means that no more. ERR_USAGE names the line.
 */
int keymap_read(struct keymap *m, struct str text, const char *path, struct err *e);
/* The same of the file "keys" in the user's configuration folder, if there is one. */
int keymap_read_user(struct keymap *m, struct err *e);

enum request keymap_find(const struct keymap *m, enum view_id view, const struct key_event *k);
/* "F1 ? h": its keys in a view, or in any where view is VIEW_COUNT. */
void keymap_add_keys(struct buf *b, const struct keymap *m, enum request r, enum view_id view);
/* What it does, and in which views where that is not all of them. */
void keymap_add_help(struct buf *b, enum request r);
/* All of it for people: a line for each request, by views. */
void keymap_write(const struct keymap *m, struct buf *b);

#endif
