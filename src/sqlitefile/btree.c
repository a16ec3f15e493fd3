/*
 * Which leaf pages hold a table, in rowid order, and how many rows has each?
 *
 * A leaf's rows are counted by visiting it. Where rowids run on without gaps, as in anything that
 * was only ever appended to, the keys of the interior pages tell the same without: that is the
 * guess, which whoever reads the leaves then checks.
 */
#include "base/mem.h"
#include "base/parallel.h"
#include "sqlitefile/record.h"

#include <stdlib.h>

enum { INTERIOR = 0x05, LEAF = 0x0d, MAX_DEPTH = 20, RUN_BYTES = 512 * 1024 };

#define ROWID_UNKNOWN INT64_MAX

/* All pages of one depth, from left to right. SQLite keeps every leaf at the same depth. */
struct level {
	const struct sqlitefile *f;
	const struct table *t;
	uint32_t *pages;
	int64_t *last_rowid; /* of each page and all below it; ROWID_UNKNOWN on the right edge */
	uint16_t *cells;     /* of each page */
	size_t count;
	size_t cap, rowid_cap;
	uint8_t kind;  /* of the first page, and so of all */
	uint8_t *seen; /* one bit per page of the file: a page belongs to one place of one tree */
};

static int fail_page_number(const struct level *l, uint32_t parent, uint32_t page, struct err *e)
{
	const struct sqlitefile *f = l->f;

	if (page > f->page_count && page <= f->header_pages)
		return damage(f, l->t, parent, e,
			      "it needs page %u; truncated: the header promises %u pages, the file "
			      "has %u",
			      page, f->header_pages, f->page_count);
	return damage(f, l->t, parent, e, "it points to page %u of %u", page, f->page_count);
}

static int add_page(struct level *l, uint32_t parent, uint32_t page, int64_t last_rowid,
		    struct err *e)
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
	MEM_GROW(l->last_rowid, l->rowid_cap, l->count + 1);
	l->last_rowid[l->count] = last_rowid;
	l->pages[l->count++] = page;
	return 0;
}

static uint32_t most_cells(const struct sqlitefile *f)
{
	return (f->page_size - 8) / 6;
}

static int inspect_page(struct level *l, size_t i, struct err *e)
{
	uint32_t page = l->pages[i];
	const uint8_t *h = page_at(l->f, page) + page_header_at(page);
	uint32_t cells = be16(h + 3);

	if (h[0] != INTERIOR && h[0] != LEAF)
		return damage(l->f, l->t, page, e, "it is not a table page (type %u)", h[0]);
	if (h[0] != l->kind)
		return damage(l->f, l->t, page, e, "it is at the wrong depth");
	if (cells > most_cells(l->f))
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

/* How many rows the leaves have if rowids have no gaps; false when they must have some. */
static bool guess_cells(struct level *l, struct err *e)
{
	size_t last = l->count - 1;

	if (l->count < 3)
		return false;
	l->cells = mem_resize(l->cells, l->count, sizeof(*l->cells));
	if (inspect_page(l, 0, e) < 0 || inspect_page(l, last, e) < 0)
		return false;
	for (size_t i = 1; i < last; i++) {
		uint64_t rows = (uint64_t)l->last_rowid[i] - (uint64_t)l->last_rowid[i - 1];

		if (l->last_rowid[i] == ROWID_UNKNOWN || rows > most_cells(l->f))
			return false;
		l->cells[i] = (uint16_t)rows;
	}
	return true;
}

static int add_children(struct level *below, uint32_t page, uint32_t cells, int64_t last_rowid,
			struct err *e)
{
	const uint8_t *p = page_at(below->f, page);
	uint32_t h = page_header_at(page);
	uint64_t rowid;

	for (uint32_t i = 0; i < cells; i++) {
		uint32_t at = be16(p + h + 12 + 2 * i);

		if (at < h + 12 || at > below->f->usable - 5)
			return damage(below->f, below->t, page, e, "cell %u is outside it", i);
		varint(p + at + 4, &rowid);
		if (add_page(below, page, be32(p + at), (int64_t)rowid, e) < 0)
			return -1;
	}
	return add_page(below, page, be32(p + h + 8), last_rowid, e);
}

/* Replaces the level by the one below it. */
static int descend(struct level *l, struct err *e)
{
	struct level below = {.f = l->f, .t = l->t, .seen = l->seen};
	int rc = 0;

	for (size_t i = 0; i < l->count && rc == 0; i++) {
		rc = add_children(&below, l->pages[i], l->cells[i], l->last_rowid[i], e);
		map_forget_pages(l->f, &l->pages[i], 1);
	}
	free(l->pages);
	free(l->last_rowid);
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

/* A leaf level is visited, unless a guess is good enough; interior levels are small. */
static int walk(struct level *l, struct table *t, bool guess, struct err *e)
{
	if (add_page(l, 0, t->root, ROWID_UNKNOWN, e) < 0)
		return -1;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (guess && l->kind == LEAF && guess_cells(l, e)) {
			keep_leaves(&t->leaves, l);
			t->leaves.guessed = true;
			return 0;
		}
		if (inspect(l, e) < 0)
			return -1;
		if (l->kind == LEAF) {
			keep_leaves(&t->leaves, l);
			return 0;
		}
		if (descend(l, e) < 0)
			return -1;
	}
	return damage(l->f, l->t, t->root, e, "the tree below it is more than %d pages deep",
		      MAX_DEPTH);
}

/* Tables that share pages would make a small file as large as they like. */
static int claim_pages(struct sqlitefile *f, struct table *t, bool claimed, struct err *e)
{
	t->leaves.claimed = true;
	if (!claimed)
		f->pages_claimed += t->leaves.count;
	if (f->pages_claimed <= f->page_count)
		return 0;
	return damage(f, t, t->root, e, "it shares pages with other tables");
}

int btree_leaves(struct sqlitefile *f, struct table *t, bool guess, struct err *e)
{
	struct level l = {.f = f, .t = t};
	bool claimed = t->leaves.claimed;
	int rc;

	if (t->leaves.known && (guess || !t->leaves.guessed))
		return 0;
	btree_free_leaves(&t->leaves);
	l.seen = mem_zalloc(f->page_count / 8 + 1, 1);
	/* Page 1 belongs to the schema. */
	if (t->root != 1)
		l.seen[0] |= 1 << 1;
	rc = walk(&l, t, guess, e);
	if (rc == 0)
		rc = claim_pages(f, t, claimed, e);
	free(l.seen);
	free(l.pages);
	free(l.last_rowid);
	free(l.cells);
	return rc;
}

bool btree_leaf_has(const struct sqlitefile *f, uint32_t page, uint32_t rows)
{
	const uint8_t *h = page_at(f, page) + page_header_at(page);

	return h[0] == LEAF && be16(h + 3) == rows;
}

int btree_has_rows(const struct sqlitefile *f, const struct table *t, bool *ret, struct err *e)
{
	const uint8_t *h;

	if (t->root == 0 || t->root > f->page_count)
		return damage(f, t, 0, e, "its root is page %u of %u", t->root, f->page_count);
	h = page_at(f, t->root) + page_header_at(t->root);
	*ret = h[0] != LEAF || be16(h + 3) != 0;
	return 0;
}

void btree_free_leaves(struct leaves *l)
{
	free(l->pages);
	free(l->first_row);
	*l = (struct leaves){0};
}
