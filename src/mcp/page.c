/* How much of a report fits a page, and where does the next one begin? */
#include "mcp/page.h"

#include "base/mem.h"
#include "cli/named_analysis.h"
#include "mcp/json_line.h"
#include "report/finding.h"
#include "report/present.h"
#include "text/decimal.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAME_BYTES = 600 }; /* of a reply, around the answer */

/* Texts are cut the shorter the less else can be done to make a page small. */
static const size_t text_bytes[] = {6000, 2000, 400, 80};

/* What a cursor counts: the findings, or the rows of a table. */
struct part {
	const struct table *table; /* NULL: the findings */
	uint64_t count, seen;
};

struct paging {
	const struct report *report;
	struct part *parts;
	size_t part_count;
	bool is_first;
	/* What is being tried: so many rows of each of so many parts that have any left. */
	uint64_t level;
	size_t shown_parts;
	size_t most_text;
	size_t room;
	struct buf json;
};

void page_place_free(struct page_place *p)
{
	free(p->seen);
	*p = (struct page_place){0};
}

uint64_t page_place_most(const struct page_place *p)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->count; i++)
		most = p->seen[i] > most ? p->seen[i] : most;
	return most;
}

int page_place_read(struct page_place *ret, const char *cursor, uint64_t call_key, struct err *e)
{
	char key[32];
	const char *at = cursor;
	size_t cap = 0;

	snprintf(key, sizeof(key), "%016" PRIx64, call_key);
	if (strncmp(cursor, key, strlen(key)) != 0) {
		err_set(e, ERR_USAGE, "the cursor belongs to another call");
		return err_hint(e, "pass mcp.next_cursor with the same tool and arguments, or "
				   "leave it out to begin anew");
	}
	for (at += strlen(key); *at == '.'; ret->count++) {
		char *end;

		if (at[1] < '0' || at[1] > '9')
			break;
		MEM_GROW(ret->seen, cap, ret->count + 1);
		ret->seen[ret->count] = strtoull(at + 1, &end, 10);
		at = end;
	}
	/* Nobody has seen more than this many rows; sums stay far from where they end. */
	if (*at || page_place_most(ret) > INT64_MAX / 4)
		return err_set(e, ERR_USAGE, "the cursor is damaged");
	return 0;
}

static void add_part(struct paging *p, const struct table *t, uint64_t count,
		     const struct page_place *from)
{
	const size_t i = p->part_count++;
	const uint64_t seen = i < from->count ? from->seen[i] : 0;

	p->parts[i] = (struct part){t, count, seen < count ? seen : count};
}

static void list_parts(struct paging *p, const struct page_place *from)
{
	const struct report *r = p->report;
	uint64_t findings = 0;

	p->parts = mem_alloc(r->block_count + 1, sizeof(*p->parts));
	for (size_t i = 0; i < r->block_count; i++)
		findings += r->blocks[i].kind == BLOCK_FINDING;
	add_part(p, NULL, findings, from);
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE)
			add_part(p, r->blocks[i].table, r->blocks[i].table->rows, from);
	}
}

/* One whose turn it is not, of those that have anything left, shows nothing. */
static uint64_t shown_end(const struct paging *p, size_t part)
{
	const struct part *x = &p->parts[part];
	size_t turn = 0;

	for (size_t i = 0; i < part; i++)
		turn += p->parts[i].seen < p->parts[i].count;
	if (turn >= p->shown_parts)
		return x->seen;
	return x->count - x->seen > p->level ? x->seen + p->level : x->count;
}

static bool is_shown(const struct paging *p, size_t part)
{
	return p->is_first || shown_end(p, part) > p->parts[part].seen;
}

static void copy_table(struct report *page, const struct paging *p, size_t part,
		       struct arena *arena)
{
	struct table *t = arena_alloc(arena, 1, sizeof(*t));

	*t = *p->parts[part].table;
	t->first = p->parts[part].seen;
	t->rows = shown_end(p, part);
	page->blocks[page->block_count++] = (struct block){.kind = BLOCK_TABLE, .table = t};
}

/* The report of the page that is being tried. */
static void copy_report(struct report *page, const struct paging *p, struct arena *arena)
{
	const struct report *r = p->report;
	uint64_t finding = 0;
	size_t part = 1;

	*page = *r;
	page->answer = p->is_first ? r->answer : NULL;
	page->blocks = arena_alloc(arena, r->block_count + 1, sizeof(*page->blocks));
	page->block_count = 0;
	for (size_t i = 0; i < r->block_count; i++) {
		const struct block *b = &r->blocks[i];

		if (b->kind == BLOCK_FINDING) {
			if (finding >= p->parts[0].seen && finding < shown_end(p, 0))
				page->blocks[page->block_count++] = *b;
			finding++;
		} else if (b->kind == BLOCK_TABLE) {
			if (is_shown(p, part))
				copy_table(page, p, part, arena);
			part++;
		} else if (p->is_first) {
			page->blocks[page->block_count++] = *b;
		}
	}
}

static size_t count_escapes(struct str json)
{
	size_t count = 0;

	for (size_t i = 0; i < json.len; i++)
		count += json.s[i] == '"' || json.s[i] == '\\';
	return count;
}

/* 1: it fits; 0: it does not; -1. */
static int try_page(struct paging *p, struct err *e)
{
	SCOPED_BUF pretty = {0};
	struct arena arena = {0};
	struct report page;
	size_t reply;
	int result;

	copy_report(&page, p, &arena);
	result = report_add_json(&pretty, &page, 0, NULL, NULL, e);
	arena_free(&arena);
	if (result < 0)
		return -1;
	buf_clear(&p->json);
	json_line_add_answer(&p->json, buf_str(&pretty), p->most_text);
	/* The text has the same again, with its quotes escaped. */
	reply = 2 * (p->json.len + p->room) + count_escapes(buf_str(&p->json)) + p->room / 2;
	return p->json.len + p->room <= PAGE_BYTES && reply + FRAME_BYTES <= PAGE_MOST_CHARACTERS;
}

static int try_level(struct paging *p, uint64_t level, struct err *e)
{
	p->level = level;
	return try_page(p, e);
}

/* As many rows of each part as fit, 1 being known to; then p->json is that page. */
static int find_level(struct paging *p, struct err *e)
{
	uint64_t fits = 1, too_many = 2;
	int result = 1;

	while (too_many <= PAGE_ROWS && (result = try_level(p, too_many, e)) > 0) {
		fits = too_many;
		too_many *= 2;
	}
	while (result >= 0 && too_many - fits > 1) {
		const uint64_t middle = fits + (too_many - fits) / 2;

		result = try_level(p, middle, e);
		if (result > 0)
			fits = middle;
		else
			too_many = middle;
	}
	return result < 0 ? -1 : try_level(p, fits, e) < 0 ? -1 : 0;
}

/* All of it, mostly; else a row of each part, or of fewer parts, or with shorter texts. */
static int find_page(struct paging *p, struct err *e)
{
	int whole;

	p->most_text = text_bytes[0];
	p->shown_parts = p->part_count;
	whole = try_level(p, PAGE_ROWS, e);
	if (whole)
		return whole < 0 ? -1 : 0;
	for (size_t i = 0; i < ARRAY_LEN(text_bytes); i++) {
		p->most_text = text_bytes[i];
		for (p->shown_parts = p->part_count; p->shown_parts; p->shown_parts /= 2) {
			const int result = try_level(p, 1, e);

			if (result)
				return result < 0 ? -1 : find_level(p, e);
		}
	}
	err_set(e, ERR_INPUT, "the answer does not fit a page of %d bytes", PAGE_BYTES);
	return err_hint(e, "ask for less: fewer columns with `query`, or a window, a device, a "
			   "limit");
}

/* Rows of a part that nobody has seen after this page; `*ret_later`: a cursor leads to them. */
static uint64_t rows_left(const struct paging *p, size_t part, bool limits_rows, bool *ret_later)
{
	const struct part *x = &p->parts[part];
	const uint64_t end = is_shown(p, part) ? shown_end(p, part) : x->seen;
	const bool is_tree = x->table && x->table->tree;
	const uint64_t all =
		x->table && x->table->total_rows > x->count ? x->table->total_rows : x->count;

	/* The limit of a tree is one of siblings: nodes beyond it are not there for any page. */
	*ret_later = end < x->count || (limits_rows && !is_tree && end < all);
	return all - end;
}

static void tell_rest(struct report_page *ret, const struct paging *p, uint64_t call_key,
		      bool limits_rows)
{
	bool any = false;

	buf_addf(&ret->cursor, "%016" PRIx64, call_key);
	for (size_t i = 0; i < p->part_count; i++) {
		const struct part *x = &p->parts[i];
		bool later;
		const uint64_t left = rows_left(p, i, limits_rows, &later);

		any |= later;
		buf_addf(&ret->cursor, ".%" PRIu64, is_shown(p, i) ? shown_end(p, i) : x->seen);
		if (!left)
			continue;
		buf_adds(&ret->left_out, ret->left_out.len ? "," : "");
		text_add_json(&ret->left_out, str_of(x->table ? x->table->name : "findings"));
		buf_addc(&ret->left_out, ':');
		decimal_add_uint(&ret->left_out, left);
	}
	if (!any)
		buf_clear(&ret->cursor);
}

int report_page_make(struct report_page *ret, const struct report *r, const struct page_place *from,
		     uint64_t call_key, bool limits_rows, size_t room, struct err *e)
{
	struct paging p = {.report = r, .is_first = page_place_most(from) == 0, .room = room};
	int result;

	list_parts(&p, from);
	result = find_page(&p, e);
	if (result == 0)
		tell_rest(ret, &p, call_key, limits_rows);
	ret->json = p.json;
	free(p.parts);
	return result;
}

void report_page_free(struct report_page *p)
{
	buf_free(&p->json);
	buf_free(&p->cursor);
	buf_free(&p->left_out);
}
