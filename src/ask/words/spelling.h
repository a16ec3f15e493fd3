/* How far a word is from another: letters added, dropped, changed, or two in the wrong order. */
#ifndef ASK_SPELLING_H
#define ASK_SPELLING_H

#include <stddef.h>

/* At most `most`: beyond that most + 1. Words of more than SPELLING_LONGEST letters are far away.
 */
enum { SPELLING_LONGEST = 48 };
size_t spelling_distance(const char *a, const char *b, size_t most);
/* How many letters of a word of this length may be wrong for it to be still that word. */
size_t spelling_tolerance(size_t length);

#endif
