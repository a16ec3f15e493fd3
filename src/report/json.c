/*
 * How does a report look to a program? One envelope for every command, one row per line, raw values
 * under the columns' keys. docs/answer.schema.json describes it; a field keeps its meaning.
 */
#include "base/idmap.h"
#include "base/mem.h"
#include "base/version.h"
#include "report/answer.h"
#include "report/cell_text.h"
#include "report/json_value.h"
#include "report/kernel_name.h"
#include "report/present.h"
#include "report/tree_lines.h"
#include "text/decimal.h"
#include "text/strtab.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static void add_traces(struct buf *b, const struct report *r)
{
	if (!r->trace_count)
		return;
	buf_adds(b, ",\n  \"traces\": [");
	for (size_t i = 0; i < r->trace_count; i++) {
		buf_adds(b, i ? ",\n    " : "\n    ");
		json_add_trace(b, &r->traces[i]);
	}
	buf_adds(b, "\n  ]");
}

static void add_head(struct buf *b, const struct report *r)
{
	buf_adds(b, "{\n  \"gpuwhy\": {\"version\": \"" GPUWHY_VERSION "\", \"schema\": ");
	decimal_add_int(b, SCHEMA);
	json_add_text(b, "},\n  \"command\": ", r->command);
	buf_adds(b, ",\n  \"trace\": ");
	json_add_trace(b, r->has_trace ? &r->trace : NULL);
	add_traces(b, r);
	buf_adds(b, ",\n  \"window\": ");
	json_add_window(b, r);
	buf_adds(b, ",\n  \"coverage\": ");
	json_add_real(b, r->has_coverage ? r->coverage : NAN);
	buf_adds(b, ",\n");
}

static void add_texts(struct buf *b, const struct report *r, enum block_kind kind)
{
	bool first = true;

	buf_addc(b, '[');
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != kind)
			continue;
		json_add_text(b, first ? "\n    " : ",\n    ", r->blocks[i].text);
		first = false;
	}
	buf_adds(b, first ? "]" : "\n  ]");
}

static void add_tail(struct buf *b, const struct report *r)
{
	buf_adds(b, "  \"notes\": ");
	add_texts(b, r, BLOCK_NOTE);
	buf_adds(b, ",\n  \"warnings\": ");
	add_texts(b, r, BLOCK_WARNING);
	buf_adds(b, "\n}\n");
}

/*
 * What identifies a row, so that the rows of two runs can be joined: "kernel|NAME|dev:0", or the
 * row's number where no column says who it is. A key that comes again in its table gets "#2", "#3";
 * in a table of more than 100,000 rows, whose keys are not remembered, it may repeat.
 */
struct row_key {
	const struct table *table;
	bool by_index; /* no column says who the row is */
	bool unique;   /* repeats are told apart */
	struct idmap seen;
	uint32_t *times; /* by the number that `seen` gives a key */
	size_t count, cap;
};

enum { REMEMBERED_ROWS = 100000 };

static void row_key_begin(struct row_key *k, const struct table *t)
{
	*k = (struct row_key){.table = t, .by_index = true};
	for (size_t c = 0; c < t->column_count; c++)
		if (t->columns[c].id)
			k->by_index = false;
	k->unique = !k->by_index && t->rows <= REMEMBERED_ROWS;
}

static uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3u;
	return hash;
}

/* How often this key has come, this time included. */
static uint32_t count_key(struct row_key *k, uint64_t hash)
{
	uint32_t n = idmap_add(&k->seen, hash, (uint32_t)k->count);

	if (n == k->count) {
		MEM_GROW(k->times, k->cap, k->count + 1);
		k->times[k->count++] = 0;
	}
	return ++k->times[n];
}

/* Appends the key of row i; rows come in order, each once. */
static void row_key_add(struct row_key *k, struct buf *b, uint64_t i, const struct cell *cells)
{
	const struct table *t = k->table;
	size_t begin = b->len;
	uint32_t times;

	buf_adds(b, t->kind ? t->kind : t->name);
	if (k->by_index) {
		buf_addc(b, '|');
		decimal_add_uint(b, i);
		return;
	}
	for (size_t c = 0; c < t->column_count; c++) {
		if (!t->columns[c].id)
			continue;
		buf_addc(b, '|');
		buf_adds(b, t->columns[c].id);
		cell_add_raw(b, &cells[c]);
	}
	if (!k->unique)
		return;
	times = count_key(k, hash_bytes(b->s + begin, b->len - begin));
	if (times > 1) {
		buf_addc(b, '#');
		decimal_add_uint(b, times);
	}
}

static void row_key_end(struct row_key *k)
{
	idmap_free(&k->seen);
	free(k->times);
}

static void add_columns(struct buf *b, const struct table *t, bool with_words)
{
	if (with_words)
		json_add_text(b, "\"title\": ", t->title);
	buf_adds(b, with_words ? ", \"columns\": [" : "\"columns\": [");
	for (size_t c = 0; c < t->column_count; c++) {
		json_add_text(b, c ? ", {\"key\": " : "{\"key\": ", t->columns[c].key);
		if (with_words)
			json_add_text(b, ", \"title\": ", t->columns[c].title);
		buf_addf(b, ", \"unit\": \"%s\"}", unit_name(t->columns[c].unit));
	}
	buf_addc(b, ']');
}

static int add_rows(struct out *o, const struct table *t, struct err *e)
{
	struct buf key = {0};
	struct row_key keys;
	int status = 0;

	buf_adds(&o->text, "\"rows\": [");
	row_key_begin(&keys, t);
	for (uint64_t i = keys.unique ? 0 : t->first; i < t->rows && status == 0; i++) {
		const struct cell *cells = out_row(o, t, i);

		buf_clear(&key);
		row_key_add(&keys, &key, i, cells);
		/* A key that repeats one of a page before is told apart from it. */
		if (i < t->first)
			continue;
		buf_adds(&o->text, i > t->first ? ",\n      {\"key\": " : "\n      {\"key\": ");
		text_add_json(&o->text, buf_str(&key));
		buf_adds(&o->text, ", ");
		json_add_members(&o->text, t, cells);
		buf_addc(&o->text, '}');
		status = out_poll(o, e);
	}
	buf_adds(&o->text, t->rows > t->first ? "\n    ]" : "]");
	row_key_end(&keys);
	buf_free(&key);
	return status;
}

/* Each object stays open until a node comes that is not inside it. */
static void close_down_to(struct buf *b, int *open, int depth)
{
	for (; *open > depth; --*open)
		buf_adds(b, "]}");
}

static void add_node(struct out *o, const struct table *t, const struct cell *cells, int *open,
		     int *before)
{
	const int depth = cells[0].depth;

	close_down_to(&o->text, open, depth);
	buf_adds(&o->text, *before >= depth ? ",\n      {" : "\n      {");
	json_add_members(&o->text, t, cells);
	*open = depth + 1;
	*before = depth;
}

/* Nodes that a page before has, and that those of this page are inside of. */
static void add_nodes_around(struct out *o, const struct table *t, int *open, int *before)
{
	uint64_t around[TREE_DEEPEST + 1];
	size_t count = 0;
	int depth = t->first < t->rows ? out_row(o, t, t->first)[0].depth : 0;

	for (uint64_t i = t->first; i > 0 && depth > 0; i--) {
		const int of_row = out_row(o, t, i - 1)[0].depth;

		if (of_row >= depth)
			continue;
		depth = of_row;
		around[count++] = i - 1;
	}
	while (count > 0) {
		add_node(o, t, out_row(o, t, around[--count]), open, before);
		buf_adds(&o->text, ", \"is_continued\": true, \"children\": [");
	}
}

static int add_nodes(struct out *o, const struct table *t, struct err *e)
{
	int open = 0, before = -1;

	buf_adds(&o->text, "\"nodes\": [");
	add_nodes_around(o, t, &open, &before);
	for (uint64_t i = t->first; i < t->rows; i++) {
		add_node(o, t, out_row(o, t, i), &open, &before);
		buf_adds(&o->text, ", \"children\": [");
		if (out_poll(o, e) < 0)
			return -1;
	}
	close_down_to(&o->text, &open, 0);
	buf_adds(&o->text, t->rows > t->first ? "\n    ]" : "]");
	return 0;
}

static int add_table(struct out *o, const struct table *t, struct err *e)
{
	json_add_text(&o->text, "{\"name\": ", t->name);
	buf_adds(&o->text, ", ");
	add_columns(&o->text, t, o->style && o->style->with_words);
	buf_adds(&o->text, ", ");
	if ((t->tree ? add_nodes(o, t, e) : add_rows(o, t, e)) < 0)
		return -1;
	buf_adds(&o->text, t->tree ? ", \"total_nodes\": " : ", \"total_rows\": ");
	decimal_add_uint(&o->text, t->total_rows);
	buf_addc(&o->text, '}');
	return 0;
}

/* The answer's tables, or its trees: few answers have one, the others are without the key. */
static int add_tables(struct out *o, const struct report *r, bool trees, struct err *e)
{
	const char *before = trees ? "  \"trees\": [\n    " : "  \"tables\": [\n    ";
	bool any = false;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_TABLE || r->blocks[i].table->tree != trees)
			continue;
		buf_adds(&o->text, any ? ",\n    " : before);
		if (add_table(o, r->blocks[i].table, e) < 0)
			return -1;
		any = true;
	}
	if (any)
		buf_adds(&o->text, "\n  ],\n");
	else if (!trees)
		buf_adds(&o->text, "  \"tables\": [],\n");
	return 0;
}

/* Of names that were not seen before, the short ones. */
static void add_short_names_of(struct out *o, const struct table *t, struct strtab *seen,
			       struct arena *arena)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		const struct cell *cells = out_row(o, t, i);

		for (size_t c = 0; c < t->column_count; c++) {
			const size_t before = seen->count;
			SCOPED_BUF brief = {0};

			if (t->columns[c].unit != UNIT_KERNEL || cells[c].kind != CELL_TEXT ||
			    cells[c].literal)
				continue;
			strtab_keep(seen, arena, cells[c].s);
			if (seen->count == before)
				continue;
			kernel_name_add_short(&brief, cells[c].s);
			if (!brief.len)
				buf_addstr(&brief, cells[c].s);
			buf_adds(&o->text, before ? ",\n    " : "\n    ");
			text_add_json(&o->text, cells[c].s);
			buf_adds(&o->text, ": ");
			text_add_json(&o->text, buf_str(&brief));
		}
	}
}

static void add_short_names(struct out *o, const struct report *r)
{
	struct strtab seen = {0};
	struct arena arena = {0};

	buf_adds(&o->text, "  \"short_names\": {");
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE)
			add_short_names_of(o, r->blocks[i].table, &seen, &arena);
	}
	buf_adds(&o->text, seen.count ? "\n  },\n" : "},\n");
	strtab_free(&seen);
	arena_free(&arena);
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	add_head(&o->text, r);
	if (add_tables(o, r, false, e) < 0 || add_tables(o, r, true, e) < 0)
		return -1;
	if (o->style && o->style->with_words)
		add_short_names(o, r);
	json_add_verdict(&o->text, r);
	json_add_workload(&o->text, r);
	json_add_answer(&o->text, r);
	json_add_findings(&o->text, r);
	add_tail(&o->text, r);
	return 0;
}

static void add_error(struct buf *b, const struct report *r, const struct err *failure)
{
	add_head(b, r);
	json_add_text(b, "  \"error\": {\"message\": ", failure->message);
	json_add_text(b, ", \"hint\": ", failure->hint[0] ? failure->hint : NULL);
	buf_adds(b, ", \"code\": ");
	decimal_add_int(b, failure->code);
	buf_adds(b, "},\n");
	add_tail(b, r);
}

const struct presenter presenter_json = {
	.name = "json",
	.extension = ".json",
	.add = add_report,
	.add_error = add_error,
};

/*
 * Rows alone, for scripts: an object each, under the columns' keys, as one array or one on each
 * line. No envelope: what reads them reads nothing else. `first` comes before the first, `next`
 * before the others.
 */
static int add_objects(struct out *o, const struct report *r, const char *first, const char *next,
		       bool *ret_any, struct err *e)
{
	for (size_t i = 0; i < r->block_count; i++) {
		const struct table *t = r->blocks[i].table;

		for (uint64_t row = 0; r->blocks[i].kind == BLOCK_TABLE && row < t->rows; row++) {
			buf_adds(&o->text, *ret_any ? next : first);
			*ret_any = true;
			json_add_members(&o->text, t, out_row(o, t, row));
			buf_addc(&o->text, '}');
			if (out_poll(o, e) < 0)
				return -1;
		}
	}
	return 0;
}

static int add_array(struct out *o, const struct report *r, struct err *e)
{
	bool any = false;

	if (add_objects(o, r, "[\n{", ",\n{", &any, e) < 0)
		return -1;
	buf_adds(&o->text, any ? "\n]\n" : "[]\n");
	return 0;
}

static int add_lines(struct out *o, const struct report *r, struct err *e)
{
	bool any = false;

	if (add_objects(o, r, "{", "\n{", &any, e) < 0)
		return -1;
	buf_adds(&o->text, any ? "\n" : "");
	return 0;
}

const struct presenter presenter_json_array = {
	.name = "json array",
	.extension = ".json",
	.add = add_array,
};

const struct presenter presenter_json_lines = {
	.name = "json lines",
	.extension = ".jsonl",
	.add = add_lines,
};
