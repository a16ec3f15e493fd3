/*
 * Patterns that users write: Perl's regular expressions, or plain text to be found. Matching gives
 * up rather than to backtrack without end. PCRE2 is known to pattern.c alone.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/err.h"
#include "base/str.h"

struct pattern;

enum pattern_flags {
	PATTERN_ANY_CASE = 1 << 0,
	PATTERN_LITERAL = 1 << 1, /* the text itself, with no special characters */
};

/* ERR_USAGE, with the position, when the text is no pattern. */
int pattern_compile(struct pattern **ret, struct str text, unsigned flags, struct err *e);
void pattern_free(struct pattern *p); /* NULL is fine */

/*
 * 1: the pattern is somewhere in the subject; 0: it is not; -1: ERR_USAGE, finding out takes too
 * long. The subject is any bytes. A pattern is for one thread at a time.
 */
int pattern_match(struct pattern *p, struct str subject, struct err *e);
/*
 * The same, and what a group of the pattern found there: the one of that name, or else the first.
 * Empty where the pattern has none or it took no part.
 */
int pattern_capture(struct pattern *p, struct str subject, const char *group, struct str *ret,
		    struct err *e);
/* How many groups it has. */
unsigned pattern_groups(const struct pattern *p);

#endif
