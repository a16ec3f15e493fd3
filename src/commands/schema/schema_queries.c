/* What can be asked of this trace in SQL? */
#include "commands/schema/schema_queries.h"

#include "commands/schema/schema_templates.h"
#include "text/text.h"

#include <ctype.h>
#include <strings.h>

/* Whether it reads as it is, on one line and in any font. */
static bool is_showable(const char *name)
{
	struct buf safe = {0};
	bool same;

	text_add_safe(&safe, str_of(name));
	same = name[0] && strcmp(buf_str(&safe).s, name) == 0;
	buf_free(&safe);
	return same;
}

/* No keyword of SQL has a _ in it but these three. */
static bool is_plain(const char *name)
{
	size_t i = 0;

	if (!strchr(name, '_') || strncasecmp(name, "CURRENT_", 8) == 0 ||
	    isdigit((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)name[i]) || name[i] == '_')
		i++;
	return !name[i];
}

static void add_name(struct buf *b, const char *name)
{
	if (is_plain(name)) {
		buf_adds(b, name);
		return;
	}
	buf_addc(b, '"');
	for (; *name; name++)
		buf_adds(b, (char[]){*name, *name == '"' ? '"' : '\0', '\0'});
	buf_addc(b, '"');
}

bool schema_add_first_look(struct buf *b, const struct schema_table *t)
{
	if (!is_showable(t->sql->name))
		return false;
	buf_adds(b, "SELECT * FROM ");
	add_name(b, t->sql->name);
	buf_adds(b, " LIMIT 20");
	return true;
}

/* The next of several words with | between them; empty after the last. */
static struct str next_word(struct str *words)
{
	const char *bar = words->len ? memchr(words->s, '|', words->len) : NULL;
	struct str word = {words->s, bar ? (size_t)(bar - words->s) : words->len};
	size_t used = word.len + (bar ? 1 : 0);

	*words = (struct str){words->s + used, words->len - used};
	return word;
}

static const struct schema_table *find_alias(const struct schema_map *m, struct str alias)
{
	for (size_t i = 0; i < schema_alias_count; i++) {
		struct str names = str_of(schema_aliases[i].tables), name;

		if (!str_eq(alias, str_of(schema_aliases[i].alias)))
			continue;
		while ((name = next_word(&names)).len) {
			int64_t found = schema_find_table(m, name);

			if (found >= 0)
				return &m->tables[found];
		}
	}
	return NULL;
}

static const char *find_column(const struct schema_table *t, struct str names)
{
	struct str name;

	while ((name = next_word(&names)).len) {
		for (size_t i = 0; i < t->sql->column_count; i++) {
			const char *found = t->sql->columns[i].name;

			if (strlen(found) == name.len && strncasecmp(found, name.s, name.len) == 0)
				return found;
		}
	}
	return NULL;
}

static bool note_table(struct schema_query *q, uint32_t table)
{
	for (size_t i = 0; i < q->table_count; i++) {
		if (q->tables[i] == table)
			return true;
	}
	if (q->table_count == QUERY_TABLES)
		return false;
	q->tables[q->table_count++] = table;
	return true;
}

/* One {…}; false: it is not in this trace. */
static bool add_part(const struct schema_map *m, struct schema_query *q, struct str part)
{
	const char *dot = memchr(part.s, '.', part.len);
	struct str alias = {part.s, dot ? (size_t)(dot - part.s) : part.len};
	const struct schema_table *t = find_alias(m, alias);
	const char *column;

	if (!t || !note_table(q, (uint32_t)(t - m->tables)))
		return false;
	if (!dot) {
		buf_addf(&q->sql, "%s AS %.*s", t->sql->name, STR_FMT(alias));
		return true;
	}
	column = find_column(t, (struct str){dot + 1, part.len - alias.len - 1});
	if (column)
		buf_addf(&q->sql, "%.*s.%s", STR_FMT(alias), column);
	return column != NULL;
}

static bool fill(const struct schema_map *m, struct schema_query *q, const char *sql)
{
	for (;;) {
		size_t len = strcspn(sql, "{"), part;

		buf_add(&q->sql, sql, len);
		if (!sql[len])
			return true;
		sql += len + 1;
		part = strcspn(sql, "}");
		if (!add_part(m, q, (struct str){sql, part}))
			return false;
		sql += part + 1;
	}
}

/* The table after the first FROM is what it counts. */
static bool has_rows(const struct schema_map *m, const char *sql)
{
	const char *from = strstr(sql, "FROM {");
	const struct schema_table *t;

	if (!from)
		return true;
	from += strlen("FROM {");
	t = find_alias(m, (struct str){from, strcspn(from, "}")});
	return t && (t->rows || t->sql->is_view);
}

static bool is_given(const struct schema_map *m, const struct schema_template *t)
{
	struct schema_query q = {0};
	bool given = has_rows(m, t->sql) && fill(m, &q, t->sql);

	buf_free(&q.sql);
	return given;
}

/* Of several with one name the first will do. */
static bool is_taken(const struct schema_map *m, size_t i)
{
	for (size_t other = 0; other < i; other++) {
		if (strcmp(schema_templates[other].name, schema_templates[i].name) == 0 &&
		    is_given(m, &schema_templates[other]))
			return true;
	}
	return false;
}

bool schema_query_at(const struct schema_map *m, size_t i, struct schema_query *ret)
{
	if (i >= schema_template_count)
		return false;
	*ret = (struct schema_query){.name = schema_templates[i].name,
				     .title = schema_templates[i].title,
				     .purpose = schema_templates[i].purpose};
	if (is_taken(m, i) || !is_given(m, &schema_templates[i]) ||
	    !fill(m, ret, schema_templates[i].sql))
		buf_clear(&ret->sql);
	return true;
}
