/*
 * How does a report look to a program? One envelope for every command, one row per line, raw values
 * under the columns' keys. docs/answer.schema.json describes it; a field keeps its meaning.
 */
#include "base/mem.h"
#include "base/version.h"
#include "report/json_value.h"
#include "report/out.h"
#include "report/presenters.h"
#include "report/row_key.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static void add_head(struct buf *b, const struct report *r)
{
	buf_adds(b, "{\n  \"gpuwhy\": {\"version\": \"" GPUWHY_VERSION "\", \"schema\": ");
	decimal_add_int(b, SCHEMA);
	buf_adds(b, "},\n  \"command\": ");
	json_add_text_or_null(b, r->command);
	buf_adds(b, ",\n  \"trace\": ");
	json_add_trace(b, r->has_trace ? &r->trace : NULL);
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
		buf_adds(b, first ? "\n    " : ",\n    ");
		text_add_json(b, str_of(r->blocks[i].text));
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

static void add_columns(struct buf *b, const struct table *t)
{
	buf_adds(b, "\"columns\": [");
	for (size_t c = 0; c < t->column_count; c++) {
		buf_adds(b, c ? ", {\"key\": " : "{\"key\": ");
		text_add_json(b, str_of(t->columns[c].key));
		buf_adds(b, ", \"unit\": \"");
		buf_adds(b, unit_name(t->columns[c].unit));
		buf_adds(b, "\"}");
	}
	buf_addc(b, ']');
}

static void add_row(struct buf *b, const struct table *t, struct str key, const struct cell *cells)
{
	buf_adds(b, "{\"key\": ");
	text_add_json(b, key);
	buf_adds(b, ", ");
	json_add_members(b, t, cells);
	buf_addc(b, '}');
}

static int add_rows(struct out *o, const struct table *t, struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	struct buf key = {0};
	struct row_key keys;
	int status = 0;

	row_key_begin(&keys, t);
	for (uint64_t i = 0; i < t->rows && status == 0; i++) {
		t->row(t->ctx, i, cells);
		buf_clear(&key);
		row_key_add(&keys, &key, i, cells);
		buf_adds(&o->text, i ? ",\n      " : "\n      ");
		add_row(&o->text, t, buf_str(&key), cells);
		status = out_poll(o, e);
	}
	row_key_end(&keys);
	buf_free(&key);
	free(cells);
	return status;
}

static int add_table(struct out *o, const struct table *t, struct err *e)
{
	struct buf *b = &o->text;

	buf_adds(b, "{\"name\": ");
	text_add_json(b, str_of(t->name));
	buf_adds(b, ", ");
	add_columns(b, t);
	buf_adds(b, ", \"rows\": [");
	if (add_rows(o, t, e) < 0)
		return -1;
	buf_adds(b, t->rows ? "\n    ], \"total_rows\": " : "], \"total_rows\": ");
	decimal_add_uint(b, t->total_rows);
	buf_addc(b, '}');
	return 0;
}

static int add_tables(struct out *o, const struct report *r, struct err *e)
{
	bool first = true;

	buf_adds(&o->text, "  \"tables\": [");
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_TABLE || r->blocks[i].table->tree)
			continue;
		buf_adds(&o->text, first ? "\n    " : ",\n    ");
		if (add_table(o, r->blocks[i].table, e) < 0)
			return -1;
		first = false;
	}
	buf_adds(&o->text, first ? "],\n" : "\n  ],\n");
	return 0;
}

/* Each object stays open until a node comes that is not inside it. */
static void close_down_to(struct buf *b, int *open, int depth)
{
	for (; *open > depth; --*open)
		buf_adds(b, "]}");
}

static void open_node(struct buf *b, const struct table *t, const struct cell *cells)
{
	buf_addc(b, '{');
	json_add_members(b, t, cells);
	buf_adds(b, ", \"children\": [");
}

static int add_nodes(struct out *o, const struct table *t, struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	int open = 0, before = -1, status = 0;

	buf_adds(&o->text, "\"nodes\": [");
	for (uint64_t i = 0; i < t->rows && status == 0; i++) {
		int depth;

		t->row(t->ctx, i, cells);
		depth = cells[0].depth;
		close_down_to(&o->text, &open, depth);
		buf_adds(&o->text, before >= depth ? ",\n      " : "\n      ");
		open_node(&o->text, t, cells);
		open = depth + 1;
		before = depth;
		status = out_poll(o, e);
	}
	close_down_to(&o->text, &open, 0);
	buf_adds(&o->text, t->rows ? "\n    ]" : "]");
	free(cells);
	return status;
}

static int add_tree(struct out *o, const struct table *t, struct err *e)
{
	buf_adds(&o->text, "{\"name\": ");
	text_add_json(&o->text, str_of(t->name));
	buf_adds(&o->text, ", ");
	add_columns(&o->text, t);
	buf_adds(&o->text, ", ");
	if (add_nodes(o, t, e) < 0)
		return -1;
	buf_adds(&o->text, ", \"total_nodes\": ");
	decimal_add_uint(&o->text, t->total_rows);
	buf_addc(&o->text, '}');
	return 0;
}

/* Few answers have one: the others are without the key. */
static int add_trees(struct out *o, const struct report *r, struct err *e)
{
	bool any = false;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_TABLE || !r->blocks[i].table->tree)
			continue;
		buf_adds(&o->text, any ? ",\n    " : "  \"trees\": [\n    ");
		if (add_tree(o, r->blocks[i].table, e) < 0)
			return -1;
		any = true;
	}
	if (any)
		buf_adds(&o->text, "\n  ],\n");
	return 0;
}

static int present(const struct report *r, const struct style *style, struct sink *sink,
		   struct err *e)
{
	struct out o = {.sink = sink};
	int status;

	(void)style;
	add_head(&o.text, r);
	status = add_tables(&o, r, e);
	if (status == 0)
		status = add_trees(&o, r, e);
	json_add_findings(&o.text, r);
	add_tail(&o.text, r);
	return out_close(&o, status, e);
}

static int present_error(const struct report *r, const struct err *failure, struct sink *sink,
			 struct err *e)
{
	struct out o = {.sink = sink};
	struct buf *b = &o.text;

	add_head(b, r);
	buf_adds(b, "  \"error\": {\"message\": ");
	text_add_json(b, str_of(failure->message));
	buf_adds(b, ", \"hint\": ");
	json_add_text_or_null(b, failure->hint[0] ? failure->hint : NULL);
	buf_adds(b, ", \"code\": ");
	decimal_add_int(b, failure->code);
	buf_adds(b, "},\n");
	add_tail(b, r);
	return out_close(&o, 0, e);
}

const struct presenter presenter_json = {
	.name = "json",
	.extension = ".json",
	.report = present,
	.error = present_error,
};
