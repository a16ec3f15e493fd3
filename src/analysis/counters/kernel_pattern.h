/*
 * A kernel's name as a regular expression that finds it in Nsight Compute's spelling, too. The two
 * tools leave out different namespaces and write casts, spaces and parameters each in its own way;
 * what they agree on is the function's own name and the types among its template arguments.
 */
#ifndef ANALYSIS_KERNEL_PATTERN_H
#define ANALYSIS_KERNEL_PATTERN_H

#include "base/buf.h"

/* More words make expressions that take long to match, and seldom tell more. */
enum { KERNEL_PATTERN_WORDS = 8 };

/* Parts of the name that it is made from. */
struct kernel_pattern {
	struct str base; /* the function's own name */
	struct str words[KERNEL_PATTERN_WORDS];
	size_t count;
};

/*
 * As many words of its template arguments as tell a kernel from the others (which may have the name
 * itself among them), as far as words do.
 */
struct kernel_pattern kernel_pattern_of(struct str name, const struct str *others, size_t count);
/* "\bkernel\b.*word.*word" */
void kernel_pattern_add(struct buf *b, const struct kernel_pattern *p);
/* Whether that expression is found in a name, without its backtracking. */
bool kernel_pattern_finds(const struct kernel_pattern *p, struct str name);

/* Text as an expression that matches it alone. */
void kernel_pattern_add_literal(struct buf *b, struct str text);

/* The function's own name: "vectorized_elementwise_kernel". */
struct str kernel_pattern_base(struct str name);

#endif
