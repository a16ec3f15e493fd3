/*
 * Text from a trace made safe to show. A trace's names are any bytes: nothing that reaches a
 * terminal, a file or a browser may carry a control character or broken UTF-8 out of them.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * Appends s with what nobody sees (control characters, spaces of no width, bidi overrides; see
 * utf8_is_unseen()) written as \n, \x1b or \ufeff and invalid UTF-8 bytes as \xNN: names that look
 * the same are the same. What is left is valid UTF-8 on one line.
 */
void text_add_safe(struct buf *b, struct str s);
/* A JSON string with its quotes; invalid UTF-8 becomes U+FFFD, what nobody sees \uNNNN. */
void text_add_json(struct buf *b, struct str s);
/* A copy that reads back from JSON as it is: invalid UTF-8 becomes U+FFFD, all else stays. */
const char *text_valid(struct arena *a, struct str s);
/* Columns that safe UTF-8 text takes on a terminal. */
size_t text_width(struct str s);
/* The longest prefix of safe text that fits `width` columns. */
struct str text_fit(struct str s, size_t width);
/* Shortens safe text to `width` columns with … in the middle. */
void text_add_elided(struct buf *b, struct str s, size_t width);
/* The same with … at the end, after a whole word unless that leaves less than half. */
void text_add_start(struct buf *b, struct str s, size_t width);
/*
 * Breaks safe text between words into lines of `width` columns, each but the first after `indent`
 * spaces. A word that is wider than a line is elided.
 */
void text_add_wrapped(struct buf *b, struct str s, size_t width, size_t indent);
/* Edit distance, for "did you mean". */
size_t text_distance(const char *a, const char *b);

#endif
