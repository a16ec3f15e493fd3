/*
 * How does a tree look to flame graphs? Collapsed stacks, as flamegraph.pl and speedscope read
 * them: the names from the root to a node, then what the node has beyond its children.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/present.h"
#include "report/tree_lines.h"
#include "text/decimal.h"
#include "text/text.h"

#include <stdlib.h>

struct folding {
	const struct table *table;
	struct out *out;
	int64_t *beyond;	       /* by row: the node's own */
	size_t ends[TREE_DEEPEST + 2]; /* of the names above, in `stack` */
	struct buf stack;
};

/* What the children have is theirs. */
static void find_own(struct folding *f)
{
	const struct table *t = f->table;
	uint64_t above[TREE_DEEPEST + 2];

	for (uint64_t i = 0; i < t->rows; i++) {
		const struct cell *cells = out_row(f->out, t, i), *weight = &cells[t->weight];
		unsigned depth = cells[0].depth;

		f->beyond[i] = weight->kind == CELL_INT ? weight->i : 0;
		if (depth)
			f->beyond[above[depth - 1]] =
				sat_sub(f->beyond[above[depth - 1]], f->beyond[i]);
		above[depth] = i;
	}
}

/* A semicolon ends a name, a line break a stack. */
static void push_name(struct folding *f, const struct cell *node)
{
	const unsigned depth = node->depth;
	size_t begin = depth ? f->ends[depth - 1] : 0;

	f->stack.len = begin;
	if (depth)
		buf_addc(&f->stack, ';');
	begin = f->stack.len;
	text_add_safe(&f->stack, node->s);
	for (size_t i = begin; i < f->stack.len; i++) {
		if (f->stack.s[i] == ';')
			f->stack.s[i] = ',';
	}
	f->ends[depth] = f->stack.len;
}

static int add_stacks(struct folding *f, struct err *e)
{
	const struct table *t = f->table;
	struct out *o = f->out;

	find_own(f);
	for (uint64_t i = 0; i < t->rows; i++) {
		push_name(f, out_row(o, t, i));
		if (f->beyond[i] <= 0)
			continue;
		buf_add(&o->text, f->stack.s, f->stack.len);
		buf_addc(&o->text, ' ');
		decimal_add_int(&o->text, f->beyond[i]);
		buf_addc(&o->text, '\n');
		if (out_poll(o, e) < 0)
			return -1;
	}
	return 0;
}

static int add_tree(struct out *o, const struct table *t, struct err *e)
{
	struct folding f = {
		.table = t,
		.out = o,
		.beyond = mem_zalloc(t->rows, sizeof(*f.beyond)),
	};
	int status = add_stacks(&f, e);

	free(f.beyond);
	buf_free(&f.stack);
	return status;
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE && r->blocks[i].table->tree &&
		    add_tree(o, r->blocks[i].table, e) < 0)
			return -1;
	}
	return 0;
}

const struct presenter presenter_folded = {
	.name = "folded",
	.extension = ".folded",
	.trees_only = true,
	.add = add_report,
};
