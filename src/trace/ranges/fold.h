/*
 * Names without their counters: "iter 0" and "iter 1" are both "iter N", and one operator's calls
 * are one group whatever their op_id, seq and sizes. Numbers that are part of a word keep it apart:
 * "h2d", "conv2d", "stage4_f", "cublasCreate_v2", "fp16".
 */
#ifndef TRACE_FOLD_H
#define TRACE_FOLD_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/strtab.h"

#include <stdbool.h>

/* Appends the folded name. */
void fold_add(struct buf *b, struct str name);

/*
 * Folds all names of a table: returns the number of each one's folded name in *ret, whose bytes lie
 * in `arena`. The caller frees the array and *ret.
 */
uint32_t *fold_names(const struct strtab *names, struct arena *arena, struct strtab *ret);

/* The same, with all that belongs to it. */
struct folded_names {
	struct arena arena;
	struct strtab names;
	uint32_t *of_name; /* by number of the name */
	size_t count;	   /* of names that were folded */
	bool shared;	   /* it is the trace's */
};

void folded_names_make(const struct strtab *names, struct folded_names *ret);
void folded_names_free(struct folded_names *f);

#endif
