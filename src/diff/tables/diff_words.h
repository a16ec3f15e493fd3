/* A comparison in words: the verdict, what most of it is, and what to do next. */
#ifndef DIFF_TABLES_DIFF_WORDS_H
#define DIFF_TABLES_DIFF_WORDS_H

#include "base/buf.h"
#include "diff/diff.h"

/* "slower", "faster", "same", "cannot_tell": stable. */
extern const char *const verdict_keys[VERDICT_CANNOT_TELL + 1];

/* "+1.20 ms" */
void diff_add_signed_ns(struct buf *b, double ns);
/* A path of ranges as code, no longer than a sentence has room for: "`forward / attn`". */
void diff_add_path(struct buf *b, const char *path);
/* "step", or "window" where there are none. */
const char *diff_what(const struct diff *d);
/* "of a step", or "of the window". */
const char *diff_of_what(const struct diff *d);
/* Of the step: 0.04 is 4 % longer. */
double diff_relative_change(const struct diff *d);
/* "20.1 ms → 22.4 ms a step (+11.4 %)" */
void diff_add_change(struct buf *b, const struct diff *d);
/* The verdict in a sentence or two. */
void diff_add_verdict(struct buf *b, const struct diff *d, double tolerance);
/* Why the verdict is that, and what would settle it where nothing can be told. */
void diff_add_why(struct buf *b, const struct diff *d, double tolerance);
/* "Most of it: +2.10 ms idle; the host takes 2.05 ms longer in `data`". A clock explains no more
 * than its part: what it leaves is named, too, if it is beyond the tolerance or much of the change.
 * Nothing, where nothing changed, not in parts either.
 */
void diff_add_cause(struct buf *b, const struct diff *d, double tolerance);
/* What a row is, without its numbers. */
void diff_row_add_name(struct buf *b, const struct diff_row *r);
/* Whether runs are sure of rows that come after larger ones that may be chance; which, then. */
bool diff_add_sure(struct buf *b, const struct diff *d);
/* Whether there is a kind of step that one side has alone; what it is, then. */
bool diff_add_new_kind(struct buf *b, const struct diff *d);
/* The largest range that one side has alone; false: there is none that is worth a word. */
bool diff_add_new_range(struct buf *b, const struct diff *d, enum side side);

/* Time that went from some leaves of a range to others of it, by range the most. */
struct moved_time {
	double ns; /* of a step, over all ranges */
	const char *path;
	double path_ns;
};
struct moved_time diff_find_moved(const struct diff *d);

#endif
