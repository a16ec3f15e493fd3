/*
 * How does a tree look to flame graphs? Collapsed stacks, as flamegraph.pl and speedscope read
 * them: the names from the root to a node, then what the node has beyond its children.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/out.h"
#include "report/presenters.h"
#include "report/tree_lines.h"
#include "text/decimal.h"
#include "text/text.h"

#include <stdlib.h>

struct folding {
	const struct table *table;
	struct cell *cells;
	int64_t *beyond;	       /* by row: the node's own */
	size_t ends[TREE_DEEPEST + 2]; /* of the names above, in `stack` */
	struct buf stack;
};

static int64_t weight_of(const struct folding *f)
{
	const struct cell *c = &f->cells[f->table->weight];

	return c->kind == CELL_INT ? c->i : 0;
}

/* What the children have is theirs. */
static void find_own(struct folding *f)
{
	const struct table *t = f->table;
	uint64_t above[TREE_DEEPEST + 2];

	for (uint64_t i = 0; i < t->rows; i++) {
		unsigned depth;

		t->row(t->ctx, i, f->cells);
		depth = f->cells[0].depth;
		f->beyond[i] = weight_of(f);
		if (depth)
			f->beyond[above[depth - 1]] =
				sat_sub(f->beyond[above[depth - 1]], weight_of(f));
		above[depth] = i;
	}
}

/* A semicolon ends a name, a line break a stack. */
static void push_name(struct folding *f, unsigned depth)
{
	size_t begin = depth ? f->ends[depth - 1] : 0;

	f->stack.len = begin;
	if (depth)
		buf_addc(&f->stack, ';');
	begin = f->stack.len;
	text_add_safe(&f->stack, f->cells[0].s);
	for (size_t i = begin; i < f->stack.len; i++) {
		if (f->stack.s[i] == ';')
			f->stack.s[i] = ',';
	}
	f->ends[depth] = f->stack.len;
}

static int add_stacks(struct out *o, struct folding *f, struct err *e)
{
	const struct table *t = f->table;

	find_own(f);
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, f->cells);
		push_name(f, f->cells[0].depth);
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
		.cells = mem_zalloc(t->column_count, sizeof(*f.cells)),
		.beyond = mem_zalloc(t->rows, sizeof(*f.beyond)),
	};
	int status = add_stacks(o, &f, e);

	free(f.cells);
	free(f.beyond);
	buf_free(&f.stack);
	return status;
}

static int present(const struct report *r, const struct style *style, struct sink *sink,
		   struct err *e)
{
	struct out o = {.sink = sink};
	int status = 0;

	(void)style;
	for (size_t i = 0; i < r->block_count && status == 0; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE && r->blocks[i].table->tree)
			status = add_tree(&o, r->blocks[i].table, e);
	}
	return out_close(&o, status, e);
}

const struct presenter presenter_folded = {
	.name = "folded",
	.extension = ".folded",
	.trees_only = true,
	.report = present,
};
