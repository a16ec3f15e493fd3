/* The documents that `gpuwhy report` and `gpuwhy profile` have written below the roots. */
#ifndef MCP_REPORT_FILES_H
#define MCP_REPORT_FILES_H

#include "base/buf.h"
#include "mcp/roots.h"

enum { REPORT_FILES_MOST = 200 };

/* The URI of each, as "gpuwhy://report/PATH", and its size; at most REPORT_FILES_MOST. */
void report_files_list(const struct roots *r,
		       void (*visit)(void *ctx, const char *uri, const struct root_file *f),
		       void *ctx);
/* Whether a URI is of that kind. */
bool report_files_is_uri(const char *uri);
/* What it holds, its beginning where it is longer than `most`. */
int report_files_read(const struct roots *r, const char *uri, size_t most, struct buf *ret,
		      struct err *e);

#endif
