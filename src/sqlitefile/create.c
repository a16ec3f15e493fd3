/* Which columns does a CREATE TABLE statement declare, and how do records hold them? */
#include "base/mem.h"
#include "sqlitefile/internal.h"

#include <stdlib.h>

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,    /* a keyword, a bare name or a number */
	TOKEN_QUOTED,  /* "x" [x] `x` 'x' */
	TOKEN_COMMENT, /* -- to the end of its line */
	TOKEN_MARK,    /* one character of anything else */
};

struct token {
	enum token_kind kind;
	struct str raw;
	bool starts_line; /* there is a line break before it */
};

struct lexer {
	const char *next;
	const char *end;
};

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '.' || (c & 0x80);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *find_byte(const char *p, const char *end, char c)
{
	const char *at = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;

	return at ? at : end;
}

static const char *skip_block_comment(const char *p, const char *end)
{
	for (p += 2; p < end; p++)
		if (p[0] == '*' && p + 1 < end && p[1] == '/')
			return p + 2;
	return end;
}

/* Spaces and block comments; tells whether a line ended among them. */
static bool skip_blank(struct lexer *l)
{
	bool broke_line = false;

	while (l->next < l->end) {
		const char *p = l->next;

		if (is_space(*p)) {
			broke_line |= *p == '\n';
			l->next++;
		} else if (*p == '/' && p + 1 < l->end && p[1] == '*') {
			l->next = skip_block_comment(p, l->end);
		} else {
			break;
		}
	}
	return broke_line;
}

/* The closing quote is doubled to mean itself. */
static const char *skip_quoted(const char *p, const char *end)
{
	char close = *p == '[' ? ']' : *p;

	for (p = find_byte(p + 1, end, close); p < end; p = find_byte(p + 2, end, close))
		if (close == ']' || p + 1 == end || p[1] != close)
			return p + 1;
	return end;
}

static struct token token_next(struct lexer *l)
{
	struct token t = {.starts_line = skip_blank(l)};
	const char *p = l->next, *end = l->end;

	if (p == end)
		return t;
	if (is_word_byte(*p)) {
		t.kind = TOKEN_WORD;
		while (p < end && is_word_byte(*p))
			p++;
	} else if (*p == '"' || *p == '`' || *p == '\'' || *p == '[') {
		t.kind = TOKEN_QUOTED;
		p = skip_quoted(p, end);
	} else if (*p == '-' && p + 1 < end && p[1] == '-') {
		t.kind = TOKEN_COMMENT;
		p = find_byte(p, end, '\n');
	} else {
		t.kind = TOKEN_MARK;
		p++;
	}
	t.raw = (struct str){l->next, (size_t)(p - l->next)};
	l->next = p;
	return t;
}

/* A bare word, in any case: quoted names are never keywords. */
static bool token_is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && str_eq_any_case(t->raw, word);
}

static bool token_is_mark(const struct token *t, char mark)
{
	return t->kind == TOKEN_MARK && t->raw.s[0] == mark;
}

/* The name that a word or quoted token spells. */
static const char *token_name(struct arena *a, const struct token *t)
{
	char *name = arena_alloc(a, t->raw.len + 1, 1), *to = name;
	const char *p = t->raw.s, *end = p + t->raw.len;
	char close = *p == '[' ? ']' : *p;

	if (t->kind != TOKEN_QUOTED)
		return arena_str(a, t->raw).s;
	for (p++; p < end && !(*p == close && p + 1 >= end); p++) {
		*to++ = *p;
		if (*p == close && p[1] == close)
			p++;
	}
	*to = '\0';
	return name;
}

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

/* SQLite's rules of affinity, of which only REAL changes what a record says. */
static bool is_real(const char *type)
{
	if (strcasestr(type, "INT") || strcasestr(type, "CHAR") || strcasestr(type, "CLOB") ||
	    strcasestr(type, "TEXT") || strcasestr(type, "BLOB"))
		return false;
	return strcasestr(type, "REAL") || strcasestr(type, "FLOA") || strcasestr(type, "DOUB");
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

static void keep_columns(struct parser *p, struct table *t)
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
		keep_columns(&p, t);
		rc = 0;
	}
	free(p.columns);
	free(p.rules);
	return rc;
}
