/* Which of the names that there are did somebody mean who mistyped one? For "did you mean". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The nearest candidate so far; start with {word, NULL, limit}. Owns neither. */
struct nearest {
	const char *word;
	const char *found;
	size_t distance; /* of found; only nearer ones take its place */
};

/* By letters that differ; who mistypes a short name gets at most two of them wrong. */
enum { NEAREST_LETTERS = 3 };
void nearest_try(struct nearest *n, const char *candidate);

/*
 * For names of columns and tables, in any case: one that the word is the beginning of is nearer
 * than any other, "start" of start_ns the nearest; all others are NEAREST_BEGINS further away than
 * their letters say.
 */
enum { NEAREST_BEGINS = 3 };
void nearest_try_name(struct nearest *n, const char *candidate);

#endif
