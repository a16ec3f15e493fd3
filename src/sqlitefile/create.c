/* Which columns does a CREATE TABLE statement declare, and how do records hold them? */
#include "base/mem.h"
#include "sqlitefile/internal.h"
#include "sqlitefile/token.h"

#include <stdlib.h>
#include <strings.h>

struct parser {
	struct arena *a;
	struct lexer lexer;
	struct token token; /* the one looked at */
	struct sqlite_column *columns;
	struct column_rules *rules;
	size_t count;
	size_t column_cap;
	size_t rule_cap;
	const char *table_comment;
	const char *key_name; /* of a PRIMARY KEY (name) clause */
	int rowid_column;
	bool has_generated;
};

static struct str trim(struct str s)
{
	while (s.len && (unsigned char)s.s[0] <= ' ')
		s.s++, s.len--;
	while (s.len && (unsigned char)s.s[s.len - 1] <= ' ')
		s.len--;
	return s;
}

/* "REFERENCES StringIds(id) -- Function name": both parts may be absent. */
static void take_column_comment(struct parser *p, struct sqlite_column *c, struct str text)
{
	static const char word[] = "REFERENCES ";

	if (str_starts(text, word)) {
		struct str rest = {text.s + strlen(word), text.len - strlen(word)};
		const char *close = memchr(rest.s, ')', rest.len);

		if (close) {
			size_t len = (size_t)(close + 1 - rest.s);

			if (!c->references)
				c->references = arena_str(p->a, (struct str){rest.s, len}).s;
			text = trim((struct str){rest.s + len, rest.len - len});
			if (str_starts(text, "--"))
				text = trim((struct str){text.s + 2, text.len - 2});
		}
	}
	if (text.len && !c->comment)
		c->comment = arena_str(p->a, text).s;
}

static void take_comment(struct parser *p)
{
	struct str text = trim((struct str){p->token.raw.s + 2, p->token.raw.len - 2});

	if (p->count == 0) {
		if (!p->table_comment)
			p->table_comment = arena_str(p->a, text).s;
	} else if (!p->token.starts_line) {
		take_column_comment(p, &p->columns[p->count - 1], text);
	}
}

static void advance(struct parser *p)
{
	for (;;) {
		p->token = token_next(&p->lexer);
		if (p->token.kind != TOKEN_COMMENT)
			return;
		take_comment(p);
	}
}

static bool accept_word(struct parser *p, const char *word)
{
	if (!token_is_word(&p->token, word))
		return false;
	advance(p);
	return true;
}

static bool accept_mark(struct parser *p, char mark)
{
	if (!token_is_mark(&p->token, mark))
		return false;
	advance(p);
	return true;
}

static bool at_name(const struct parser *p)
{
	return p->token.kind == TOKEN_WORD || p->token.kind == TOKEN_QUOTED;
}

static bool at_one_of(const struct parser *p, const char *const *words)
{
	for (; *words; words++)
		if (token_is_word(&p->token, *words))
			return true;
	return false;
}

static bool at_item_end(const struct parser *p)
{
	return p->token.kind == TOKEN_END || token_is_mark(&p->token, ',') ||
	       token_is_mark(&p->token, ')');
}

/* From an opening parenthesis to after its closing one. */
static void skip_parens(struct parser *p)
{
	size_t depth = 0;

	do {
		if (token_is_mark(&p->token, '('))
			depth++;
		else if (token_is_mark(&p->token, ')'))
			depth--;
		advance(p);
	} while (depth && p->token.kind != TOKEN_END);
}

static bool contains(const char *type, const char *part)
{
	for (; *type; type++)
		if (strncasecmp(type, part, strlen(part)) == 0)
			return true;
	return false;
}

/* SQLite's rules of affinity, of which only REAL changes what a record says. */
static bool is_real(const char *type)
{
	if (contains(type, "INT") || contains(type, "CHAR") || contains(type, "CLOB") ||
	    contains(type, "TEXT") || contains(type, "BLOB"))
		return false;
	return contains(type, "REAL") || contains(type, "FLOA") || contains(type, "DOUB");
}

static const char *parse_type(struct parser *p)
{
	static const char *const ends[] = {"CONSTRAINT", "PRIMARY",   "NOT",	 "NULL",
					   "UNIQUE",	 "CHECK",     "DEFAULT", "COLLATE",
					   "REFERENCES", "GENERATED", "AS",	 NULL};
	const char *begin = p->token.raw.s, *end = begin;

	while (at_name(p) && !at_one_of(p, ends)) {
		end = p->token.raw.s + p->token.raw.len;
		advance(p);
	}
	if (end != begin && token_is_mark(&p->token, '(')) {
		/* The closing parenthesis is the last byte consumed that is one. */
		const char *after;

		skip_parens(p);
		after = p->token.kind == TOKEN_END ? p->lexer.end : p->token.raw.s;
		while (after > end && after[-1] != ')')
			after--;
		end = after;
	}
	if (end == begin)
		return "";
	return arena_str(p->a, (struct str){begin, (size_t)(end - begin)}).s;
}

static void parse_references(struct parser *p, struct sqlite_column *c)
{
	const char *table = at_name(p) ? token_name(p->a, &p->token) : "";

	advance(p);
	c->references = table;
	if (!accept_mark(p, '('))
		return;
	if (at_name(p))
		c->references = arena_printf(p->a, "%s(%s)", table, token_name(p->a, &p->token));
	while (!at_item_end(p))
		advance(p);
	accept_mark(p, ')');
}

static void parse_default(struct parser *p, struct column_rules *r)
{
	r->has_default = !token_is_word(&p->token, "NULL");
	if (token_is_mark(&p->token, '('))
		skip_parens(p);
	else
		advance(p);
}

static void parse_key(struct parser *p, size_t column)
{
	accept_word(p, "KEY");
	/* INTEGER PRIMARY KEY DESC is no alias of the rowid: an old mistake that SQLite keeps. */
	if (strcasecmp(p->columns[column].type, "INTEGER") == 0 &&
	    !token_is_word(&p->token, "DESC"))
		p->rowid_column = (int)column;
}

static void parse_column_constraint(struct parser *p, size_t column)
{
	if (accept_word(p, "PRIMARY"))
		parse_key(p, column);
	else if (accept_word(p, "DEFAULT"))
		parse_default(p, &p->rules[column]);
	else if (accept_word(p, "REFERENCES"))
		parse_references(p, &p->columns[column]);
	else if (accept_word(p, "GENERATED") || accept_word(p, "AS"))
		p->has_generated = true;
	else if (token_is_mark(&p->token, '('))
		skip_parens(p);
	else
		advance(p);
}

static int parse_column(struct parser *p)
{
	struct sqlite_column *c;
	size_t i = p->count;
	const char *name;

	if (!at_name(p) || i >= MAX_COLUMNS)
		return -1;
	name = token_name(p->a, &p->token);
	MEM_GROW(p->columns, p->column_cap, i + 1);
	MEM_GROW(p->rules, p->rule_cap, i + 1);
	c = &p->columns[i];
	*c = (struct sqlite_column){.name = name, .type = ""};
	p->rules[i] = (struct column_rules){0};
	p->count++;
	advance(p);
	c->type = parse_type(p);
	p->rules[i].is_real = is_real(c->type);
	while (!at_item_end(p))
		parse_column_constraint(p, i);
	return 0;
}

/* PRIMARY KEY (name): one name alone may be the rowid. */
static void parse_table_key(struct parser *p)
{
	const char *name;

	accept_word(p, "KEY");
	if (!accept_mark(p, '('))
		return;
	name = at_name(p) ? token_name(p->a, &p->token) : NULL;
	while (!at_item_end(p))
		advance(p);
	if (token_is_mark(&p->token, ')'))
		p->key_name = name;
	while (p->token.kind != TOKEN_END && !accept_mark(p, ')'))
		advance(p);
}

static void parse_table_constraint(struct parser *p)
{
	while (!at_item_end(p)) {
		if (accept_word(p, "PRIMARY"))
			parse_table_key(p);
		else if (token_is_mark(&p->token, '('))
			skip_parens(p);
		else
			advance(p);
	}
}

static int parse_body(struct parser *p)
{
	static const char *const constraints[] = {"CONSTRAINT", "PRIMARY", "UNIQUE",
						  "CHECK",	"FOREIGN", NULL};

	do {
		if (at_one_of(p, constraints))
			parse_table_constraint(p);
		else if (parse_column(p) < 0)
			return -1;
	} while (accept_mark(p, ','));
	return accept_mark(p, ')') && p->count ? 0 : -1;
}

static int parse_head(struct parser *p)
{
	advance(p);
	if (!accept_word(p, "CREATE"))
		return -1;
	if (!accept_word(p, "TEMP"))
		accept_word(p, "TEMPORARY");
	if (!accept_word(p, "TABLE"))
		return -1;
	if (accept_word(p, "IF") && !(accept_word(p, "NOT") && accept_word(p, "EXISTS")))
		return -1;
	/* One name, or two with a dot: which, no matter. */
	while (p->token.kind != TOKEN_END && !token_is_mark(&p->token, '('))
		advance(p);
	return accept_mark(p, '(') ? 0 : -1;
}

static void resolve_key(struct parser *p)
{
	for (size_t i = 0; p->key_name && i < p->count; i++)
		if (strcasecmp(p->columns[i].name, p->key_name) == 0 &&
		    strcasecmp(p->columns[i].type, "INTEGER") == 0)
			p->rowid_column = (int)i;
}

static void keep(struct parser *p, struct table *t)
{
	struct sqlite_column *columns = arena_alloc(p->a, p->count, sizeof(*columns));
	struct column_rules *rules = arena_alloc(p->a, p->count, sizeof(*rules));

	memcpy(columns, p->columns, p->count * sizeof(*columns));
	memcpy(rules, p->rules, p->count * sizeof(*rules));
	t->pub.columns = columns;
	t->pub.column_count = p->count;
	t->pub.comment = p->table_comment;
	t->rules = rules;
	t->rowid_column = p->rowid_column;
	if (p->has_generated)
		t->declined = "it has generated columns";
	for (; p->token.kind != TOKEN_END; advance(p))
		if (token_is_word(&p->token, "WITHOUT"))
			t->declined = "it is WITHOUT ROWID";
}

int create_parse(struct arena *a, struct table *t, struct str sql)
{
	struct parser p = {.a = a, .lexer = {sql.s, sql.s + sql.len}, .rowid_column = -1};
	int rc = -1;

	if (parse_head(&p) == 0 && parse_body(&p) == 0) {
		resolve_key(&p);
		keep(&p, t);
		rc = 0;
	}
	free(p.columns);
	free(p.rules);
	return rc;
}
