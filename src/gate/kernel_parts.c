/* What do kernels and copies take, by name, with what took their place? */
#include "gate/kernel_parts.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const char *name_of(const struct kernel_part *p)
{
	return p->leaf->key->name;
}

static int by_name(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(name_of(a), name_of(b));
}

static bool is_block(const struct diff_row *r)
{
	return r->match->how == MATCH_BLOCK;
}

static void add_row(struct kernel_parts *to, const struct diff *d, const struct diff_row *r)
{
	const bool anew = is_block(r) || !r->match->count[BEFORE];

	if (diff_row_leaf(r)->class == LEAF_IDLE)
		return;
	MEM_GROW(to->all, to->cap, to->count + r->match->count[BEFORE] + r->match->count[AFTER]);
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < r->match->count[side]; i++)
			to->all[to->count++] = (struct kernel_part){
				&d->sides.of[side].leaves[r->match->leaves[side][i]], r,
				(enum side)side, side == AFTER && !anew};
	}
}

/* A name that a row has on both sides is told by what it was. */
static void drop_told(struct kernel_parts *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct kernel_part *last = kept ? &p->all[kept - 1] : NULL, *one = &p->all[i];

		if (!last || one->side == BEFORE || last->side == AFTER || last->row != one->row ||
		    by_name(last, one, NULL) != 0)
			p->all[kept++] = *one;
	}
	p->count = kept;
}

void kernel_parts_make(struct kernel_parts *ret, const struct diff *d)
{
	*ret = (struct kernel_parts){0};
	for (size_t i = 0; i < d->row_count; i++)
		add_row(ret, d, &d->rows[i]);
	sort_stable(ret->all, ret->count, sizeof(*ret->all), by_name, NULL);
	drop_told(ret);
}

void kernel_parts_free(struct kernel_parts *p)
{
	free(p->all);
	*p = (struct kernel_parts){0};
}

size_t kernel_parts_end(const struct kernel_parts *p, size_t from)
{
	size_t end = from;

	while (end < p->count && by_name(&p->all[from], &p->all[end], NULL) == 0)
		end++;
	return end;
}

/* Of its side of the row. Where that takes no time, all that is there has the same share. */
static double share_of(const struct kernel_part *p)
{
	const int64_t all = p->row->sum[p->side].ns;

	return all > 0 ? (double)p->leaf->all.ns / (double)all
		       : 1 / (double)p->row->match->count[p->side];
}

static void add_own(double *to, const struct kernel_part *p, const struct diff *d)
{
	const struct side_runs *own = &d->sides.of[p->side];
	const size_t first = p->side == BEFORE ? 0 : d->sides.of[BEFORE].run_count;

	for (size_t r = 0; r < own->run_count; r++)
		to[first + r] += (double)p->leaf->of_run[r] / (double)own->runs[r]->step_count;
}

/* A share of what the other side of a row takes. */
static void add_other(double *to, const struct kernel_part *p, double share, const struct diff *d)
{
	const size_t before = d->sides.of[BEFORE].run_count;
	const size_t all = before + d->sides.of[AFTER].run_count;
	SCOPED double *row = diff_row_means(d, p->row);

	for (size_t r = p->side == BEFORE ? before : 0; r < (p->side == BEFORE ? all : before); r++)
		to[r] += share * row[r];
}

double *kernel_parts_means(const struct kernel_part *p, size_t count, const struct diff *d)
{
	double *means = mem_zalloc(d->sides.of[BEFORE].run_count + d->sides.of[AFTER].run_count,
				   sizeof(*means));
	size_t end;

	/* Parts of one row lie together. */
	for (size_t i = 0; i < count; i = end) {
		double share = 0;

		for (end = i; end < count && p[end].row == p[i].row; end++) {
			add_own(means, &p[end], d);
			share += share_of(&p[end]);
		}
		if (p[i].side == BEFORE || p[i].is_alias)
			add_other(means, &p[i], share, d);
	}
	return means;
}

static bool changed_names(const struct kernel_part *p)
{
	const struct leaf *b = p->row->leaf[BEFORE], *a = p->row->leaf[AFTER];

	return a && b && (is_block(p->row) || strcmp(a->name, b->name) != 0);
}

static void add_block(struct buf *b, const struct kernel_part *p, bool alone)
{
	const size_t *count = p->row->match->count;

	if (p->side == AFTER)
		buf_addf(b, "%sin the place of ", alone ? "" : "also ");
	else if (count[BEFORE] > 1)
		buf_addf(b, "its share of %zu replaced by %zu, most of it ", count[BEFORE],
			 count[AFTER]);
	else
		buf_addf(b, "replaced by %zu, most of it ", count[AFTER]);
}

void kernel_parts_add_fate(struct buf *b, const struct kernel_part *p, size_t count)
{
	const struct kernel_part *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (changed_names(&p[i]) &&
		    (!found || exact_size(p[i].row->delta) > exact_size(found->row->delta)))
			found = &p[i];
	}
	if (!found)
		return;
	if (is_block(found->row))
		add_block(b, found, count == 1);
	else
		buf_adds(b, found->side == BEFORE ? "now called " : "before called ");
	buf_addc(b, '`');
	op_name_add_brief(b, found->row->leaf[found->side == BEFORE ? AFTER : BEFORE]);
	buf_addc(b, '`');
}
