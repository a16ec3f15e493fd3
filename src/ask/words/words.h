/*
 * A text as words that can be compared: small letters, without accents, in the dictionary's terms,
 * without endings. Whatever bytes it is made of.
 */
#ifndef ASK_WORDS_H
#define ASK_WORDS_H

#include "base/arena.h"

/* Longer questions are cut: nobody asks one. */
enum { WORDS_MOST = 200, WORD_LONGEST = 64 };

struct word {
	struct str said;  /* where it stands in the text */
	const char *text; /* in small letters: "launches", "10ms", "cudamalloc" */
	const char *stem; /* what it is compared by: "launch" */
	bool is_stop;	  /* says nothing of what is meant: "the", "how" */
	bool is_quoted;	  /* between quotes: a name */
	bool is_term;	  /* the dictionary's, in place of what was said */
};

struct words {
	struct word *all;
	size_t count, cap;
	struct arena arena;
};

/* `text` must outlive them. */
void words_read(struct words *ret, struct str text);
void words_free(struct words *w);
/* Whether there are these words, one after the other, from i on: "per second". */
bool words_at(const struct words *w, size_t i, const char *phrase);

/* The word without its ending, in place: "launches" becomes "launch". */
void word_stem(char *word);
bool word_is_stop(const char *word);
/* The i-th word that is one; NULL after the last. */
const char *word_stop_at(size_t i);

/* word_classes.c: whether any question may have the word: no row is meant by it, though its name
 * may have it. */
bool word_is_common(const struct word *w);
/* Whether kernels are called so by what they compute or who made them: "gemm", "triton". */
bool word_is_kernel_family(const char *word);
/* Whether it is a sort of collective: "allreduce". */
bool word_is_collective(const char *word);

#endif
