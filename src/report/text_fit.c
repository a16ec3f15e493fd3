/*
 * How does an answer fit a screen? Rows of tables give way first: those that find no room are one
 * row with their sum. Then tables go that may, sentences that may go are cut to a line, empty lines
 * go, then some of these sentences, and the others where a table of one row leaves no room for
 * them. Where that is not enough, the others are cut to two lines, and to one, and what is no list
 * goes: a command, say, that is longer than what it is about. Lines that are left are given to
 * sentences that were cut, and then to rows. What is left out is told below the last table that
 * folds, with the option that shows it.
 */
#include "report/fold.h"
#include "report/text_parts.h"

#include "base/mem.h"
#include "text/brief.h"
#include "text/text.h"
#include "text/units.h"

#include <stdlib.h>

enum {
	LEAST_ROWS = 3, /* of a table: fewer are no list, … */
	FEWEST_ROWS = 2,
	LAST_ROWS = 1,
	NO_ROWS = 0,
	EASILY = 4, /* … but for blocks that do not yield so soon; */
	HARDLY = 3, /* those that yield later go after all rows but one */
};

struct fitting {
	const struct report *all;
	struct report shown; /* the same with blocks of its own */
	struct style style;
	uint64_t *keep; /* by block of `all`: rows of a table that folds */
	bool *gone;	/* by block of `all` */
	bool cuts;	/* sentences to a line, if they yield soon */
	size_t lines;	/* that others may have; 0: as many as they need */
	size_t *more;	/* by block of `all`: lines that a sentence has besides */
	bool airless;
	size_t left_columns;
	struct arena arena;
};

static bool folds(const struct fitting *f, size_t block)
{
	const struct block *b = &f->all->blocks[block];

	return b->kind == BLOCK_TABLE && b->table->folds && !f->gone[block];
}

static uint64_t most_rows(const struct table *t)
{
	return table_kept(t, t->most);
}

static void add_count(struct buf *b, size_t count, const char *what)
{
	if (!count)
		return;
	buf_adds(b, b->len ? ", " : "");
	units_add_count(b, (int64_t)count);
	buf_addf(b, " %s%s", what, count == 1 ? "" : "s");
}

/* "… left out: 31 rows, 1 table (--limit 0 shows them), 2 columns"; NULL: nothing is. */
static const char *tell_left_out(struct fitting *f)
{
	size_t rows = 0, tables = 0, notes = 0;
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < f->all->block_count; i++) {
		const struct block *block = &f->all->blocks[i];

		if (folds(f, i))
			rows += table_body(block->table) - table_kept(block->table, f->keep[i]);
		tables += f->gone[i] && block->kind == BLOCK_TABLE;
		notes += f->gone[i] && block->kind != BLOCK_TABLE;
	}
	add_count(&b, rows, "row");
	add_count(&b, tables, "table");
	add_count(&b, notes, "note");
	if (b.len)
		buf_adds(&b, " (--limit 0 shows them)");
	add_count(&b, f->left_columns, "column");
	return b.len ? arena_printf(&f->arena, "… left out: %s", b.s) : NULL;
}

static void show(struct fitting *f, struct block block)
{
	f->shown.blocks[f->shown.block_count++] = block;
}

/* What a terminal makes of a text: a command is never broken, and may be wider than it is. */
static size_t count_lines(struct str text, size_t width)
{
	size_t lines = 0;

	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.s + at, '\n', text.len - at);
		const size_t len = end ? (size_t)(end - text.s) - at : text.len - at;
		const size_t columns = text_width((struct str){text.s + at, len});

		lines += columns ? (columns + width - 1) / width : 1;
		at += len + 1;
	}
	return lines;
}

static size_t count_wrapped(struct str safe, size_t width)
{
	SCOPED_BUF wrapped = {0};

	text_add_wrapped(&wrapped, safe, width, 0);
	return count_lines(buf_str(&wrapped), width);
}

/* Lines end between words, so that not all of their columns are of use. */
static void add_cut(struct buf *b, struct str safe, size_t width, size_t lines)
{
	size_t room = lines * width;

	do {
		buf_clear(b);
		text_add_brief(b, safe, room--);
	} while (count_wrapped(buf_str(b), width) > lines);
}

static const char *cut(struct fitting *f, const char *text, size_t width, size_t lines)
{
	SCOPED_BUF safe = {0}, brief = {0};

	text_add_safe(&safe, str_of(text));
	if (count_wrapped(buf_str(&safe), width) <= lines)
		return text;
	add_cut(&brief, buf_str(&safe), width, lines);
	return arena_str(&f->arena, buf_str(&brief)).s;
}

/* Lines that a sentence may have; 0: as many as it needs. */
static size_t most_lines(const struct fitting *f, size_t block)
{
	const struct block *b = &f->all->blocks[block];
	size_t lines = 0;

	if (b->kind == BLOCK_NOTE && f->cuts && b->yields)
		lines = 1;
	else if (b->kind == BLOCK_WARNING || b->kind == BLOCK_NOTE)
		lines = f->lines;
	return lines ? lines + f->more[block] : 0;
}

static const char *cut_sentence(struct fitting *f, size_t block)
{
	const struct block *b = &f->all->blocks[block];
	const size_t lines = most_lines(f, block);

	if (!lines)
		return b->text;
	return cut(f, b->text,
		   f->style.width - (b->kind == BLOCK_WARNING ? strlen(WARNING_WORD) : 0), lines);
}

/* Of `all` what is to be seen, as far as it is known. */
static void make_shown(struct fitting *f)
{
	const char *left_out = tell_left_out(f);
	size_t last = f->all->block_count;

	f->shown.block_count = 0;
	for (size_t i = 0; i < f->all->block_count; i++)
		last = folds(f, i) ? i : last;
	for (size_t i = 0; i < f->all->block_count; i++) {
		struct block block = f->all->blocks[i];

		if (f->gone[i])
			continue;
		if (folds(f, i))
			block.table = table_fold(block.table, f->keep[i], &f->arena);
		block.text = cut_sentence(f, i);
		show(f, block);
		if (i == last && left_out)
			show(f, (struct block){.kind = BLOCK_NOTE, .text = left_out});
	}
}

static size_t measure(struct fitting *f)
{
	const struct style plain = {.width = f->style.width};
	SCOPED_BUF text = {0};
	struct sink sink = buf_sink(&text);
	struct out o = {.sink = &sink, .style = &plain, .dense = true, .airless = f->airless};
	struct err ignored = {0};

	make_shown(f);
	out_close(&o, text_add_blocks(&o, &f->shown, &ignored), &ignored);
	f->left_columns = o.left_columns;
	return count_lines(buf_str(&text), f->style.width);
}

/* The block that goes next, of those that yield so soon: of several the last. The number of blocks:
 * none does. */
static size_t find_yielding(const struct fitting *f, unsigned char yields, bool tables)
{
	size_t found = f->all->block_count;

	for (size_t i = 0; i < f->all->block_count; i++) {
		const struct block *b = &f->all->blocks[i];

		if (!f->gone[i] && b->yields >= yields && (!tables || b->kind == BLOCK_TABLE)) {
			yields = b->yields;
			found = i;
		}
	}
	return found;
}

static bool is_too_long(struct fitting *f, size_t *ret_spare)
{
	const size_t room = style_rows(&f->style) - 1; /* the prompt has the last */
	const size_t lines = measure(f);

	*ret_spare = lines < room ? room - lines : 0;
	return lines > room;
}

static void drop(struct fitting *f, unsigned char yields, bool tables, size_t *ret_spare)
{
	size_t next;

	while (is_too_long(f, ret_spare) &&
	       (next = find_yielding(f, yields, tables)) < f->all->block_count)
		f->gone[next] = true;
}

/* Sentences that were cut have lines that are left, the first ones first. */
static void lengthen(struct fitting *f, size_t *ret_spare)
{
	for (size_t i = 0; i < f->all->block_count; i++) {
		while (!f->gone[i] && *ret_spare && cut_sentence(f, i) != f->all->blocks[i].text) {
			f->more[i]++;
			if (!is_too_long(f, ret_spare))
				continue;
			f->more[i]--;
			is_too_long(f, ret_spare);
			break;
		}
	}
}

/* At least so many rows of each table, if there are as many. */
static void keep_rows(struct fitting *f, uint64_t rows)
{
	for (size_t i = 0; i < f->all->block_count; i++) {
		if (folds(f, i))
			f->keep[i] = most_rows(f->all->blocks[i].table) < rows
					     ? most_rows(f->all->blocks[i].table)
					     : rows;
	}
}

/* Rows for the lines that are left, table by table in turn. */
static void use_rest(struct fitting *f, size_t lines)
{
	bool more = true;

	while (lines && more) {
		more = false;
		for (size_t i = f->all->block_count; i-- > 0 && lines;) {
			const struct table *t = f->all->blocks[i].table;

			if (!folds(f, i) || table_kept(t, f->keep[i]) >= most_rows(t))
				continue;
			f->keep[i]++;
			lines--;
			more = true;
		}
	}
}

/* What neither folds nor was said to yield. */
static void drop_facts(struct fitting *f)
{
	for (size_t i = 0; i < f->all->block_count; i++)
		f->gone[i] |= f->all->blocks[i].kind == BLOCK_TABLE && !folds(f, i);
}

/* Where all that may go is gone. */
static void squeeze(struct fitting *f, size_t *ret_spare)
{
	if (is_too_long(f, ret_spare))
		keep_rows(f, LAST_ROWS);
	if (is_too_long(f, ret_spare))
		drop_facts(f);
	if (is_too_long(f, ret_spare))
		f->lines = 1;
	if (is_too_long(f, ret_spare))
		keep_rows(f, NO_ROWS);
}

static void fit(struct fitting *f)
{
	size_t spare;

	keep_rows(f, LEAST_ROWS);
	measure(f); /* how many columns find no room is told, too */
	drop(f, 1, true, &spare);
	f->cuts = is_too_long(f, &spare);
	f->airless = is_too_long(f, &spare);
	drop(f, EASILY, false, &spare);
	if (is_too_long(f, &spare))
		keep_rows(f, FEWEST_ROWS);
	if (is_too_long(f, &spare))
		f->lines = 2;
	drop(f, HARDLY, false, &spare);
	if (is_too_long(f, &spare))
		keep_rows(f, LAST_ROWS);
	drop(f, 1, false, &spare);
	squeeze(f, &spare);
	is_too_long(f, &spare);
	lengthen(f, &spare);
	use_rest(f, spare);
	measure(f);
	make_shown(f);
}

int text_add_fitting(struct out *o, const struct report *r, struct err *e)
{
	struct fitting f = {.all = r, .shown = *r, .style = *o->style};
	const struct style *style = o->style;
	int result;

	f.style.width = f.style.width >= LEAST_WIDTH ? f.style.width : USUAL_WIDTH;
	f.keep = mem_zalloc(r->block_count, sizeof(*f.keep));
	f.more = mem_zalloc(r->block_count, sizeof(*f.more));
	f.gone = mem_zalloc(r->block_count, sizeof(*f.gone));
	f.shown.blocks = mem_alloc(r->block_count + 1, sizeof(*f.shown.blocks));
	fit(&f);
	o->style = &f.style;
	o->dense = true;
	o->airless = f.airless;
	result = text_add_blocks(o, &f.shown, e);
	o->style = style;
	free(f.keep);
	free(f.more);
	free(f.gone);
	free(f.shown.blocks);
	arena_free(&f.arena);
	return result;
}
