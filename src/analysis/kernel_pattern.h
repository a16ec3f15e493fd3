/*
 * A kernel's name as a regular expression that finds it in Nsight Compute's spelling, too. The two
 * tools leave out different namespaces and write casts, spaces and parameters each in its own way;
 * what they agree on is the function's own name and the types among its template arguments.
 */
#ifndef ANALYSIS_KERNEL_PATTERN_H
#define ANALYSIS_KERNEL_PATTERN_H

#include "base/buf.h"

/*
 * "\bkernel\b", and as many words of its template arguments as tell it from the others (which may
 * have the name itself among them), as far as words do.
 */
void kernel_pattern_add(struct buf *b, struct str name, const struct str *others, size_t count);

/* Text as an expression that matches it alone. */
void kernel_pattern_add_literal(struct buf *b, struct str text);

/* The function's own name: "vectorized_elementwise_kernel". */
struct str kernel_pattern_base(struct str name);

#endif
