/*
 * Names of kernels that mean the same: compilers and libraries write tile sizes, architectures,
 * generated numbers and addresses into them, which change when nothing else does.
 */
#ifndef DIFF_KERNEL_ALIKE_H
#define DIFF_KERNEL_ALIKE_H

#include "base/buf.h"

/*
 * Appends the name without those: numbers, tiles, architectures, hashes and addresses are one sign,
 * template arguments and parameters stay.
 */
void kernel_name_add_plain(struct buf *b, struct str name);
/* The same without template arguments and parameters. */
void kernel_name_add_bare(struct buf *b, struct str name);

/* Whether a compiler made it up, with a number at its end that counts kernels: "triton_…_7". */
bool kernel_name_is_generated(struct str name);

/* How many of the words of two names are in both, 0 to 1. */
double kernel_names_likeness(struct str a, struct str b);

#endif
