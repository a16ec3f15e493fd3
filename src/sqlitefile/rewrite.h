/*
 * Texts of a database file that is ours, replaced so that nothing of what they were stays in it.
 * The one place of this module that writes.
 */
#ifndef SQLITEFILE_REWRITE_H
#define SQLITEFILE_REWRITE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct sqlite_place {
	const char *table, *column;
	const char *label; /* a column that says what the text is; or NULL */
};

/* Whether the text is to be another: appended to *ret then. */
typedef bool sqlite_rewrite_fn(void *ctx, struct str label, struct str text, struct buf *ret);

/* Asks fn about every text there; tables that the file does not have are none. */
int sqlitefile_rewrite(const char *path, const struct sqlite_place *places, size_t count,
		       sqlite_rewrite_fn *fn, void *ctx, uint64_t *ret_changed, struct err *e);

#endif
