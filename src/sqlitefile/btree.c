/* Which leaf pages hold a table, in rowid order, and how many rows has each? */
#include "base/mem.h"
#include "base/parallel.h"
#include "sqlitefile/internal.h"

#include <stdlib.h>

enum { INTERIOR = 0x05, LEAF = 0x0d, MAX_DEPTH = 20, RUN_BYTES = 512 * 1024 };

/* All pages of one depth, from left to right. SQLite keeps every leaf at the same depth. */
struct level {
	const struct sqlitefile *f;
	const struct table *t;
	uint32_t *pages;
	uint16_t *cells; /* of each page */
	size_t count;
	size_t cap;
	uint8_t kind;  /* of the first page, and so of all */
	uint8_t *seen; /* one bit per page of the file: a page belongs to one place of one tree */
};

static int fail_page_number(const struct level *l, uint32_t parent, uint32_t page, struct err *e)
{
	const struct sqlitefile *f = l->f;

	if (page > f->page_count && page <= f->header_pages)
		return damage(
			f, l->t, parent, e,
			"it needs page %u; truncated: the header says %u pages, the file has %u",
			page, f->header_pages, f->page_count);
	return damage(f, l->t, parent, e, "it points to page %u of %u", page, f->page_count);
}

static int add_page(struct level *l, uint32_t parent, uint32_t page, struct err *e)
{
	uint8_t bit = (uint8_t)(1u << (page & 7));

	if (page == 0 || page > l->f->page_count)
		return fail_page_number(l, parent, page, e);
	if (l->seen[page >> 3] & bit)
		return damage(l->f, l->t, parent, e,
			      "it points to page %u, which is in use already", page);
	l->seen[page >> 3] |= bit;
	if (l->count == 0)
		l->kind = page_at(l->f, page)[page_header_at(page)];
	MEM_GROW(l->pages, l->cap, l->count + 1);
	l->pages[l->count++] = page;
	return 0;
}

static int inspect_page(struct level *l, size_t i, struct err *e)
{
	uint32_t page = l->pages[i];
	const uint8_t *h = page_at(l->f, page) + page_header_at(page);
	uint32_t cells = be16(h + 3);

	if (h[0] != INTERIOR && h[0] != LEAF)
		return damage(l->f, l->t, page, e, "it is no page of a table (type %u)", h[0]);
	if (h[0] != l->kind)
		return damage(l->f, l->t, page, e, "it lies at the wrong depth");
	if (cells > (l->f->page_size - 8) / 6)
		return damage(l->f, l->t, page, e, "it claims %u cells, more than fit", cells);
	l->cells[i] = (uint16_t)cells;
	return 0;
}

static int inspect_run(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct level *l = ctx;
	int rc = 0;

	(void)worker;
	for (size_t i = begin; i < end && rc == 0; i++)
		rc = inspect_page(l, i, e);
	map_forget_pages(l->f, l->pages + begin, end - begin);
	return rc;
}

static int inspect(struct level *l, struct err *e)
{
	l->cells = mem_resize(l->cells, l->count, sizeof(*l->cells));
	return parallel_for(l->count, 1 + RUN_BYTES / l->f->page_size, inspect_run, l, e);
}

static int add_children(struct level *below, uint32_t page, uint32_t cells, struct err *e)
{
	const uint8_t *p = page_at(below->f, page);
	uint32_t h = page_header_at(page);

	for (uint32_t i = 0; i < cells; i++) {
		uint32_t at = be16(p + h + 12 + 2 * i);

		if (at < h + 12 || at > below->f->usable - 5)
			return damage(below->f, below->t, page, e, "cell %u lies outside it", i);
		if (add_page(below, page, be32(p + at), e) < 0)
			return -1;
	}
	return add_page(below, page, be32(p + h + 8), e);
}

/* Replaces the level by the one below it. */
static int descend(struct level *l, struct err *e)
{
	struct level below = {.f = l->f, .t = l->t, .seen = l->seen};
	int rc = 0;

	for (size_t i = 0; i < l->count && rc == 0; i++) {
		rc = add_children(&below, l->pages[i], l->cells[i], e);
		map_forget_pages(l->f, &l->pages[i], 1);
	}
	free(l->pages);
	free(l->cells);
	*l = below;
	return rc;
}

static void keep_leaves(struct leaves *ret, struct level *l)
{
	uint64_t rows = 0;

	ret->first_row = mem_alloc(l->count + 1, sizeof(*ret->first_row));
	for (size_t i = 0; i < l->count; i++) {
		ret->first_row[i] = rows;
		rows += l->cells[i];
		if (l->cells[i] > ret->max_rows)
			ret->max_rows = l->cells[i];
	}
	ret->first_row[l->count] = rows;
	ret->count = l->count;
	ret->pages = l->pages;
	ret->known = true;
	l->pages = NULL;
}

static int walk(struct level *l, struct table *t, struct err *e)
{
	if (add_page(l, 0, t->root, e) < 0)
		return -1;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (inspect(l, e) < 0)
			return -1;
		if (l->kind == LEAF) {
			keep_leaves(&t->leaves, l);
			return 0;
		}
		if (descend(l, e) < 0)
			return -1;
	}
	return damage(l->f, l->t, t->root, e, "the tree below it is over %d pages deep", MAX_DEPTH);
}

int btree_leaves(struct sqlitefile *f, struct table *t, struct err *e)
{
	struct level l = {.f = f, .t = t};
	int rc;

	if (t->leaves.known)
		return 0;
	l.seen = mem_zalloc(f->page_count / 8 + 1, 1);
	/* Page 1 belongs to the schema. */
	if (t->root != 1)
		l.seen[0] |= 1 << 1;
	rc = walk(&l, t, e);
	free(l.seen);
	free(l.pages);
	free(l.cells);
	return rc;
}

void btree_free_leaves(struct leaves *l)
{
	free(l->pages);
	free(l->first_row);
	*l = (struct leaves){0};
}
