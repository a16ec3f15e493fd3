/* JSON as it goes over the wire: on one line, and what an agent reads of a trace made harmless. */
#ifndef MCP_JSON_LINE_H
#define MCP_JSON_LINE_H

#include "base/buf.h"
#include "text/json_read.h"

/* Appends a valid JSON text without the white space between its tokens. */
void json_line_add(struct buf *b, struct str json);
/*
 * The same of an answer: whole numbers that JavaScript would round, beyond 2^53, become strings;
 * characters that are not seen or reorder a line become \u escapes in plain sight; strings are
 * cut after `most` bytes, and end in "…" then.
 */
void json_line_add_answer(struct buf *b, struct str json, size_t most);
/* A value that was read, as JSON; of an object's members all but `without`, which may be NULL. */
void json_line_add_value(struct buf *b, const struct json *v, const char *without);

#endif
