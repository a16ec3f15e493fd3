/*
 * Files made from other files, kept in the user's cache folder while their source stays the
 * same: same real path, size, time of change and inode. The folder is $GPUWHY_CACHE_DIR, else
 * $XDG_CACHE_HOME/gpuwhy, else $HOME/.cache/gpuwhy. A file appears there only once it is whole.
 */
#ifndef INPUT_CACHE_H
#define INPUT_CACHE_H

#include "base/err.h"

/* Makes the SQLite file `out` from `source`. May leave anything in out's folder. */
typedef int cache_make_fn(const char *source, const char *out, const void *ctx, struct err *e);

/* Of one source there may be what an earlier gpuwhy made of it, which is less than today's. */
enum cache_content {
	CACHE_WHOLE,
	CACHE_WITHOUT_PAYLOADS = CACHE_WHOLE,
	CACHE_WITH_BLOBS,
	CACHE_WITH_PAYLOADS, /* as blobs and as JSON */
};

/* Sets *ret_path to the file made from `source` earlier (caller frees), or to NULL. */
int cache_find(const char *source, enum cache_content content, char **ret_path, struct err *e);

/*
 * Makes that file anew and sets *ret_path (caller frees). On failure, and when the user
 * interrupts, nothing is left behind. Two at once each make their own; either is whole.
 */
int cache_make(const char *source, enum cache_content content, cache_make_fn *make, const void *ctx,
	       char **ret_path, struct err *e);

#endif
