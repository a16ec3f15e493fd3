/*
 * What the kernels and copies of both sides take, by name. One has its own time before, and after
 * that of what it was matched with: its own, what it is called now, or, where several were replaced
 * together, a share of what took their place, as large as its share of them. What took the place of
 * others is new by its own name. So a name has the same times whatever rule asks for it.
 */
#ifndef GATE_KERNEL_PARTS_H
#define GATE_KERNEL_PARTS_H

#include "base/buf.h"
#include "diff/diff.h"

/* A leaf in its row: of the side before, or of the side after where its row had no such name. */
struct kernel_part {
	const struct side_leaf *leaf;
	const struct diff_row *row;
	enum side side;
	/* Another name for what a leaf of the side before is: it needs no check beside that one. */
	bool is_alias;
};

struct kernel_parts {
	struct kernel_part *all; /* by name, then as the rows are */
	size_t count, cap;
};

void kernel_parts_make(struct kernel_parts *ret, const struct diff *d);
void kernel_parts_free(struct kernel_parts *p);

/* Where the parts of the next name begin. */
size_t kernel_parts_end(const struct kernel_parts *p, size_t from);
/* What parts of one name take in each run, in ns of a step, before and then after; for free(). */
double *kernel_parts_means(const struct kernel_part *p, size_t count, const struct diff *d);
/* "replaced by 10, most of it `gemm`": what became of the largest; nothing where it is as it was.
 */
void kernel_parts_add_fate(struct buf *b, const struct kernel_part *p, size_t count);

#endif
