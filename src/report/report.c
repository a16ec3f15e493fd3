/* How is an answer put together? */
#include "report/report.h"

#include "base/buf.h"
#include "base/mem.h"
#include "report/chart.h"
#include "report/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void add_block(struct report *r, struct block block)
{
	MEM_GROW(r->blocks, r->block_cap, r->block_count + 1);
	r->blocks[r->block_count++] = block;
}

void report_text(struct report *r, enum block_kind kind, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_out();
	va_end(ap);
	add_block(r, (struct block){.kind = kind, .text = arena_strdup(&r->arena, text)});
	free(text);
}

void report_last_yields(struct report *r, unsigned char yields)
{
	r->blocks[r->block_count - 1].yields = yields;
}

void report_move_last(struct report *r, size_t place)
{
	const struct block last = r->blocks[r->block_count - 1];

	memmove(&r->blocks[place + 1], &r->blocks[place],
		(r->block_count - 1 - place) * sizeof(*r->blocks));
	r->blocks[place] = last;
}

void report_table(struct report *r, const struct table *t)
{
	add_block(r, (struct block){.kind = BLOCK_TABLE, .table = t});
}

/* Blocks of this kind are counted from 1. */
static size_t next_number(const struct report *r, enum block_kind kind)
{
	size_t number = 1;

	for (size_t i = 0; i < r->block_count; i++)
		number += r->blocks[i].kind == kind;
	return number;
}

void report_finding(struct report *r, const struct finding *f)
{
	add_block(r, (struct block){.kind = BLOCK_FINDING,
				    .finding = f,
				    .number = next_number(r, BLOCK_FINDING)});
}

static const char *action_text(struct report *r, const struct finding *f)
{
	struct buf b = {0};

	buf_addf(&b, "%s: %s: ", owner_name(f->owner), f->advice_count ? f->advice[0] : f->title);
	finding_add_gain(&b, f, r);
	if (f->recoverable_ns > 0)
		buf_addf(&b, ", confidence %s", confidence_name(f->confidence));
	else
		buf_adds(&b, "gain not estimated");
	buf_addf(&b, ". Why: %s.", f->title);
	return report_take_text(r, &b);
}

void report_action(struct report *r, const struct finding *f)
{
	const char *text = action_text(r, f);

	add_block(r, (struct block){.kind = BLOCK_ACTION,
				    .finding = f,
				    .text = text,
				    .number = next_number(r, BLOCK_ACTION)});
}

void report_chart(struct report *r, const struct chart *c)
{
	add_block(r, (struct block){.kind = BLOCK_CHART, .chart = c});
}

const char *report_take_text(struct report *r, struct buf *b)
{
	const char *text = arena_str(&r->arena, buf_str(b)).s;

	buf_free(b);
	return text;
}

struct cell report_take_cell(struct report *r, struct buf *b)
{
	struct cell cell = b->len ? cell_str(arena_str(&r->arena, buf_str(b))) : cell_null();

	buf_free(b);
	return cell;
}

struct cleanup {
	struct cleanup *next;
	void (*free_fn)(void *);
	void *what;
};

void report_on_free(struct report *r, void (*free_fn)(void *), void *what)
{
	struct cleanup *c = arena_alloc(&r->arena, 1, sizeof(*c));

	*c = (struct cleanup){r->cleanups, free_fn, what};
	r->cleanups = c;
}

void report_free(struct report *r)
{
	for (struct cleanup *c = r->cleanups; c; c = c->next)
		c->free_fn(c->what);
	free(r->blocks);
	arena_free(&r->arena);
	*r = (struct report){0};
}

static void row_of_cells(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct rows *t = ctx;
	size_t columns = t->table.column_count;

	memcpy(cells, t->cells + i * columns, columns * sizeof(*cells));
}

struct rows *report_new_rows(struct report *r, const char *name, const char *title,
			     const struct column *columns, size_t column_count)
{
	struct rows *t = arena_zalloc(&r->arena, 1, sizeof(*t));

	t->arena = &r->arena;
	t->table = (struct table){
		.name = name,
		.title = title,
		.columns = columns,
		.column_count = column_count,
		.row = row_of_cells,
		.ctx = t,
	};
	report_table(r, &t->table);
	return t;
}

/* The old cells stay behind in the arena: at most as much again as the last ones. */
static void grow(struct rows *t)
{
	size_t cap = t->cap ? t->cap * 2 : 64;
	struct cell *cells = arena_alloc(t->arena, cap, sizeof(*cells));

	if (t->count)
		memcpy(cells, t->cells, t->count * sizeof(*cells));
	t->cells = cells;
	t->cap = cap;
}

/* A table whose maker has said how many rows there were before a limit keeps that number. */
void rows_add(struct rows *t, struct cell c)
{
	uint64_t before = t->table.rows;

	if (t->count == t->cap)
		grow(t);
	t->cells[t->count++] = c;
	t->table.rows = t->count / t->table.column_count;
	if (t->table.total_rows == before || t->table.total_rows < t->table.rows)
		t->table.total_rows = t->table.rows;
}

void rows_add_cells(struct rows *t, const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rows_add(t, cells[i]);
}
