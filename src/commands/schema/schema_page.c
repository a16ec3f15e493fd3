/* gpuwhy schema --html: how does one find one's way about the tables of a trace? */
#include "cli/command.h"

#include "cli/output.h"
#include "commands/schema/schema_map.h"
#include "report/html/html_assets.h"
#include "report/html/html_page.h"
#include "report/html/html_text.h"
#include "report/present.h"
#include "text/units.h"

enum { MOST_COLUMNS = 200, MOST_USERS = 1000 };

static const struct html_assets assets = {
	.style = html_schema_style,
	.style_sha256 = html_schema_style_sha256,
	.script = html_schema_script,
	.script_sha256 = html_schema_script_sha256,
};

static void add_text(struct buf *b, const char *text)
{
	html_add_text(b, str_of(text));
}

static void add_rows(struct buf *b, const struct schema_table *t)
{
	if (t->sql->is_view)
		buf_adds(b, "view");
	else
		units_add_count(b, (int64_t)t->rows);
}

static bool is_empty(const struct schema_table *t)
{
	return !t->rows && !t->sql->is_view;
}

static void add_summary(struct buf *b, const struct schema_map *m, struct str title,
			const char *tool)
{
	size_t with_rows = 0;
	uint64_t rows = 0;

	for (size_t i = 0; i < m->table_count; i++) {
		with_rows += m->tables[i].rows != 0;
		rows += m->tables[i].rows;
	}
	buf_adds(b, "<header>\n<h1><a href=\"#schema-all\">");
	buf_addstr(b, title);
	buf_addf(b,
		 "</a></h1>\n<ul><li>tables <b>%zu</b></li><li>with rows <b>%zu</b></li>"
		 "<li>rows <b>",
		 m->table_count, with_rows);
	units_add_count(b, (int64_t)rows);
	buf_adds(b, "</b></li>");
	if (tool)
		html_add_between(b, "<li class=\"tool\">", tool, "</li>");
	buf_adds(b, "</ul>\n</header>\n");
}

/* What a page has no room for. */
static void add_left_out(struct buf *b, size_t count, const char *what)
{
	if (!count)
		return;
	buf_adds(b, "<p class=\"note\">");
	units_add_count(b, (int64_t)count);
	buf_addf(b, " more %s%s: <code>gpuwhy schema</code> lists all</p>\n", what,
		 count == 1 ? "" : "s");
}

static void add_contents_group(struct buf *b, const struct schema_map *m, size_t group)
{
	bool begun = false;

	for (size_t i = 0; i < m->table_count; i++) {
		const struct schema_table *t = &m->tables[i];

		if (t->group != group)
			continue;
		if (!begun)
			buf_addf(b, "<h3>%s</h3>\n<ol>\n", schema_group_title(group));
		begun = true;
		buf_addf(b, "<li%s><a href=\"#%s\">", is_empty(t) ? " class=\"none\"" : "", t->id);
		add_text(b, t->sql->name);
		buf_adds(b, "</a><span class=\"n\">");
		add_rows(b, t);
		buf_adds(b, "</span></li>\n");
	}
	if (begun)
		buf_adds(b, "</ol>\n");
}

static void add_contents(struct buf *b, const struct schema_map *m)
{
	struct schema_query q;

	buf_adds(b, "<nav aria-label=\"Tables and queries\">\n");
	for (size_t i = 0; schema_group_title(i); i++)
		add_contents_group(b, m, i);
	buf_adds(b, "<h3>Example queries</h3>\n<ol>\n");
	for (size_t i = 0; schema_query_at(m, i, &q); i++) {
		if (q.sql.len)
			buf_addf(b, "<li><a href=\"#query-%s\">%s</a></li>\n", q.name, q.title);
		buf_free(&q.sql);
	}
	buf_adds(b, "</ol>\n</nav>\n");
}

/* In a shell, between single quotes. */
static void add_quoted(struct buf *b, const char *text)
{
	buf_addc(b, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *text);
	}
	buf_addc(b, '\'');
}

/* The same on one line; blanks in names and strings stay. */
static void add_quoted_sql(struct buf *b, struct str sql)
{
	struct buf line = {0};
	char quote = 0;

	for (size_t i = 0; i < sql.len; i++) {
		char c = sql.s[i];

		if (c == '\'' || c == '"')
			quote = !quote ? c : quote == c ? 0 : quote;
		if (quote || (c != '\n' && c != ' '))
			buf_addc(&line, c);
		else if (line.len && line.s[line.len - 1] != ' ')
			buf_addc(&line, ' ');
	}
	add_quoted(b, buf_str(&line).s);
	buf_free(&line);
}

/* Whether a shell takes it as it is. */
static bool is_word(const char *text)
{
	return *text && *text != '-' &&
	       !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.,:+/@%=-")];
}

/* The SQL, and the command that runs it; the script adds buttons that copy either. */
static void add_sql(struct buf *b, struct str sql, const char *trace)
{
	struct buf line = {0};

	buf_adds(&line, "gpuwhy query ");
	if (is_word(trace))
		buf_adds(&line, trace);
	else
		add_quoted(&line, trace);
	buf_addc(&line, ' ');
	add_quoted_sql(&line, sql);
	buf_adds(b, "<pre class=\"sql\">");
	html_add_escaped(b, sql);
	buf_adds(b, "</pre>\n<pre class=\"command\">");
	html_add_text(b, buf_str(&line));
	buf_adds(b, "</pre>\n");
	buf_free(&line);
}

static void add_query(struct buf *b, const struct schema_map *m, const struct schema_query *q,
		      const char *trace)
{
	buf_addf(b, "<article class=\"query\" id=\"query-%s\" data-tables=\"", q->name);
	for (size_t i = 0; i < q->table_count; i++)
		buf_addf(b, "%s%s", i ? " " : "", m->tables[q->tables[i]].id);
	html_add_between(b, "\">\n<h3>", q->title, "</h3>\n<p class=\"note\">");
	add_text(b, q->purpose);
	buf_adds(b, "</p>\n");
	add_sql(b, buf_str(&q->sql), trace);
	buf_adds(b, "</article>\n");
}

static void add_queries(struct buf *b, const struct schema_map *m, const char *trace)
{
	struct schema_query q;

	buf_adds(b, "<h2 id=\"schema-queries\">Example queries</h2>\n");
	for (size_t i = 0; schema_query_at(m, i, &q); i++) {
		if (q.sql.len)
			add_query(b, m, &q, trace);
		buf_free(&q.sql);
	}
}

/* TABLE.column, as a link to the table. */
static void add_place(struct buf *b, const struct schema_map *m, uint32_t table, int column)
{
	const struct schema_table *t = &m->tables[table];

	buf_addf(b, "<a href=\"#%s\">", t->id);
	add_text(b, t->sql->name);
	buf_addc(b, '.');
	add_text(b, t->sql->columns[column].name);
	buf_adds(b, "</a>");
}

static void add_key(struct buf *b, const struct schema_map *m, const struct schema_key *k)
{
	buf_adds(b, "<div>");
	add_place(b, m, k->to, k->to_column);
	if (k->note)
		html_add_between(b, " <small>", k->note, "</small>");
	if (!k->declared)
		buf_adds(b, " <small class=\"known\">not declared</small>");
	buf_adds(b, "</div>");
}

/* `*key` is the first key of the column, if it has one, and then that of the next. */
static void add_column(struct buf *b, const struct schema_map *m, const struct schema_table *t,
		       size_t column, size_t *key)
{
	const struct sqlite_column *c = &t->sql->columns[column];
	bool declared = false;

	html_add_between(b, "<tr><td><code>", c->name, "</code></td><td>");
	add_text(b, c->type);
	buf_adds(b, "</td><td>");
	for (; *key < t->first_key + t->key_count; (*key)++) {
		if (m->keys[*key].from_column != (int)column)
			break;
		declared |= m->keys[*key].declared;
		add_key(b, m, &m->keys[*key]);
	}
	if (c->references && !declared)
		html_add_between(b, "<div class=\"none\">", c->references,
				 " <small>not in this trace</small></div>");
	buf_adds(b, "</td><td>");
	if (c->comment)
		add_text(b, c->comment);
	buf_adds(b, "</td></tr>\n");
}

static void add_columns(struct buf *b, const struct schema_map *m, const struct schema_table *t)
{
	size_t key = t->first_key;

	buf_adds(b, "<div class=\"table\"><div class=\"scroll\" "
		    "tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">Column</th><th "
		    "scope=\"col\">Type</th><th scope=\"col\">Refers to</th><th "
		    "scope=\"col\">Contents</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < t->sql->column_count && i < MOST_COLUMNS; i++)
		add_column(b, m, t, i, &key);
	buf_adds(b, "</tbody>\n</table>\n</div></div>\n");
	if (t->sql->column_count > MOST_COLUMNS)
		add_left_out(b, t->sql->column_count - MOST_COLUMNS, "column");
}

static void add_users(struct buf *b, const struct schema_map *m, const struct schema_table *t)
{
	if (!t->user_count)
		return;
	buf_adds(b, "<p class=\"users\">Referred to by ");
	for (size_t i = 0; i < t->user_count && i < MOST_USERS; i++) {
		const struct schema_key *k = &m->keys[m->users[t->first_user + i]];

		buf_adds(b, i ? ", " : "");
		add_place(b, m, k->from, k->from_column);
	}
	if (t->user_count > MOST_USERS)
		buf_addf(b, " and %zu more", t->user_count - MOST_USERS);
	buf_adds(b, "</p>\n");
}

static void add_table(struct buf *b, const struct schema_map *m, size_t i, const char *trace)
{
	const struct schema_table *t = &m->tables[i];
	struct buf sql = {0};

	buf_addf(b, "<article class=\"entry%s\" id=\"%s\">\n<h2>", is_empty(t) ? " none" : "",
		 t->id);
	add_text(b, t->sql->name);
	buf_addf(b, " <small>%s<span class=\"rows\">", t->sql->is_view ? "a " : "");
	add_rows(b, t);
	buf_addf(b, "</span>%s, %zu columns, %s</small></h2>\n",
		 t->sql->is_view ? ""
		 : t->rows == 1	 ? " row"
				 : " rows",
		 t->sql->column_count, schema_group_title(t->group));
	if (t->sql->comment)
		html_add_between(b, "<p class=\"note\">", t->sql->comment, "</p>\n");
	schema_draw_table(b, m, i);
	schema_add_concepts(b, t);
	add_columns(b, m, t);
	add_users(b, m, t);
	if (schema_add_first_look(&sql, t))
		add_sql(b, buf_str(&sql), trace);
	buf_adds(b, "</article>\n");
	buf_free(&sql);
}

static void add_main(struct buf *b, const struct schema_map *m, const char *trace)
{
	buf_adds(b, "<main>\n<article class=\"all\" id=\"schema-all\">\n<h2>Tables that have rows, "
		    "and their keys</h2>\n");
	schema_draw_all(b, m);
	add_left_out(b, m->left_out, "table");
	buf_adds(b, "</article>\n");
	for (size_t i = 0; i < m->table_count; i++)
		add_table(b, m, i, trace);
	add_queries(b, m, trace);
}

static void add_page(struct buf *b, const struct schema_map *m, const struct report_trace *trace)
{
	const char *file = html_file_name(trace->path);
	struct buf title = {0};

	buf_adds(&title, "schema · ");
	add_text(&title, file);
	html_add_head(b, buf_str(&title), &assets);
	add_summary(b, m, buf_str(&title), trace->tool);
	add_contents(b, m);
	add_main(b, m, file);
	html_add_foot(b, &assets);
	buf_free(&title);
}

/* Takes the page's bytes. */
static int write_page(struct invocation *inv, struct buf *page, struct err *e)
{
	const char *path = inv->output.path;
	struct output output;
	struct out out = {.text = *page, .sink = &output.sink};
	int result = path ? output_spare_trace(path, inv->report.trace.path, e) : 0;

	if (result < 0 || output_open(&output, path, e) < 0) {
		buf_free(page);
		return -1;
	}
	result = out_close(&out, 0, e);
	if (result < 0 && path)
		err_wrap(e, "writing '%s'", path);
	return output_close(&output, result == 0, e);
}

static int check_options(const struct invocation *inv, struct err *e)
{
	const struct row_choice *rows = inv->asked;
	const char *other = inv->output.format ? "--format"
			    : rows->has_limit  ? "--limit"
					       : "--sort";

	if (!inv->output.format && !rows->has_limit && !rows->sort)
		return 0;
	err_set(e, ERR_USAGE, "--html writes a page of the whole schema: it takes no %s", other);
	return err_hint(e, "gpuwhy schema --html -o schema.html trace.sqlite");
}

static int make_page(struct invocation *inv, struct err *e)
{
	struct schema_map map = {0};
	struct buf page = {0};
	int result = -1;

	if (check_options(inv, e) == 0 && invocation_open_trace(inv, e) == 0 &&
	    schema_map_make(&map, inv->trace, e) == 0) {
		add_page(&page, &map, &inv->report.trace);
		result = write_page(inv, &page, e);
		e->output |= result < 0;
	}
	schema_map_free(&map);
	return result;
}

struct page_args {
	bool html;
};

static const struct option_group page_options =
	OPTIONS(struct page_args,
		OPT_FLAG("html", struct page_args, html,
			 "write an interactive page: key diagram, example queries, search"));

static int run(struct invocation *inv, struct err *e)
{
	const struct page_args *a = inv->args;

	return a->html ? make_page(inv, e) : invocation_answer(inv, e);
}

const struct command command_schema = {
	.name = "schema",
	.operand = "TRACE",
	.options = &page_options,
	.analysis = "schema",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.run = run,
};
