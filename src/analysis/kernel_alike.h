/*
 * Names of kernels that mean the same: compilers and libraries write tile sizes, architectures,
 * generated numbers and addresses into them, which change when nothing else does.
 */
#ifndef ANALYSIS_KERNEL_ALIKE_H
#define ANALYSIS_KERNEL_ALIKE_H

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

enum { KERNEL_WORDS_MAX = 96 }; /* of a name that are looked at */

/* The words of a name, without numbers: those change when nothing else does. Returns how many. */
size_t kernel_name_words(struct str name, struct str words[KERNEL_WORDS_MAX]);

#endif
