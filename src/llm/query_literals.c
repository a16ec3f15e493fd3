/* Are the values that a query answers the trace's, or does the query bring them? */
#include "llm/query_literals.h"

#include "base/mem.h"
#include "llm/told_number.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum { MOST_TOKENS = 4000, DEEPEST = 64, MOST_POWER = 12 };

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_MARK };

struct token {
	enum token_kind kind;
	struct str text;
};

/* In which part of which SELECT, of those that are open. */
struct part {
	bool in_list;	   /* between SELECT and FROM */
	bool in_condition; /* WHERE, HAVING, ON, WHEN: what is kept, not what is told */
	bool has_column;   /* the value that is being read */
	bool began;	   /* a value: it is not empty */
	bool has_measure;  /* of a column, not how many rows have one */
	bool is_count;	   /* what count() has in its parentheses */
	bool tells_how;	   /* the same of a function that takes numbers besides its value */
	bool in_order;	   /* after BY */
};

struct checking {
	struct token before, now, after;
	struct part parts[DEEPEST];
	size_t depth;
	bool has_table;
	struct buf *ret;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t skip_unseen(struct str s, size_t i)
{
	for (;;) {
		const char *end = NULL;

		while (i < s.len && isspace((unsigned char)s.s[i]))
			i++;
		if (i + 1 < s.len && s.s[i] == '-' && s.s[i + 1] == '-')
			end = memchr(s.s + i, '\n', s.len - i);
		else if (i + 1 < s.len && s.s[i] == '/' && s.s[i + 1] == '*')
			end = memmem(s.s + i + 2, s.len - i - 2, "*/", 2);
		else
			return i;
		i = end ? (size_t)(end - s.s) + (*end == '*' ? 2 : 1) : s.len;
	}
}

/* A name in quotes is a name: "x", [x], `x`; a text has ''. */
static size_t quoted_length(struct str s)
{
	const char end = s.s[0] == '[' ? ']' : s.s[0];
	size_t i = 1;

	while (i < s.len && (s.s[i] != end || (i + 1 < s.len && s.s[i + 1] == end && end != ']')))
		i += s.s[i] == end ? 2 : 1;
	return i < s.len ? i + 1 : s.len;
}

static size_t number_length(struct str s)
{
	size_t i = 0;

	while (i < s.len && (is_word(s.s[i]) || s.s[i] == '.' ||
			     ((s.s[i] == '+' || s.s[i] == '-') && i &&
			      (s.s[i - 1] == 'e' || s.s[i - 1] == 'E') && s.s[1] != 'x')))
		i++;
	return i;
}

static struct token next_token(struct str *rest)
{
	const size_t at = skip_unseen(*rest, 0);
	const struct str s = {rest->s + at, rest->len - at};
	struct token t = {TOKEN_END, {s.s, 0}};

	if (!s.len) {
		*rest = s;
		return t;
	}
	t.text.len = 1;
	t.kind = TOKEN_MARK;
	if (s.s[0] == '\'' || ((s.s[0] == 'x' || s.s[0] == 'X') && s.len > 1 && s.s[1] == '\'')) {
		t.kind = TOKEN_TEXT;
		t.text.len = s.s[0] == '\'' ? quoted_length(s)
					    : 1 + quoted_length((struct str){s.s + 1, s.len - 1});
	} else if (strchr("\"[`", s.s[0])) {
		t.kind = TOKEN_WORD;
		t.text.len = quoted_length(s);
	} else if (isdigit((unsigned char)s.s[0]) ||
		   (s.s[0] == '.' && s.len > 1 && isdigit((unsigned char)s.s[1]))) {
		t.kind = TOKEN_NUMBER;
		t.text.len = number_length(s);
	} else if (is_word(s.s[0])) {
		t.kind = TOKEN_WORD;
		while (t.text.len < s.len && is_word(s.s[t.text.len]))
			t.text.len++;
	} else if (s.len > 1 && s.s[0] == s.s[1] && strchr("<>", s.s[0])) {
		t.text.len = 2; /* it shifts bits, and compares nothing */
	}
	*rest = (struct str){s.s + t.text.len, s.len - t.text.len};
	return t;
}

static bool is(struct token t, const char *list)
{
	return t.kind == TOKEN_MARK || t.kind == TOKEN_WORD ? str_is_listed_any_case(t.text, list)
							    : false;
}

static bool is_keyword(struct token t)
{
	return is(t,
		  "select distinct all as and or not case when then else end cast between in is "
		  "null like glob regexp escape over partition by order asc desc where from exists "
		  "collate union except intersect with recursive group having limit offset "
		  "true false");
}

static struct part *part(struct checking *c)
{
	return &c->parts[c->depth];
}

static void complain(struct checking *c, const char *why)
{
	const struct str text = {c->now.text.s, c->now.text.len < 40 ? c->now.text.len : 40};

	if (c->ret->len)
		return;
	if (c->now.kind == TOKEN_END)
		buf_adds(c->ret, why);
	else
		buf_addf(c->ret, "%.*s%s", STR_FMT(text), why);
}

/* Each value of a SELECT is of a column, or counts rows. */
static void end_value(struct checking *c)
{
	struct part *p = part(c);

	if (p->in_list && p->began && !p->has_column)
		complain(c, ": the value before it is of no column");
	p->has_column = p->has_measure = p->began = false;
}

/* 0 and 1 count; factors between units convert. */
static bool is_factor(double x)
{
	static const double others[] = {0, 1, 8, 60, 3600, 1024, 1048576, 1073741824};
	double ten = 1;

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (x == others[i])
			return true;
	}
	for (int k = 0; k < MOST_POWER; k++) {
		ten *= 10;
		if (x == ten || x == 1 / ten)
			return true;
	}
	return false;
}

static bool is_compared(const struct checking *c)
{
	/* How many rows a SELECT in parentheses has is what one round it counts. */
	if (is(c->before, "limit offset"))
		return !c->depth;
	return is(c->before, "< > = ! between like glob regexp") || is(c->after, "< > = !");
}

static double value_of(struct str digits)
{
	SCOPED_BUF text = {0};

	buf_addstr(&text, digits);
	return strtod(text.s, NULL);
}

static void check_number(struct checking *c)
{
	const double x = value_of(c->now.text);
	const bool is_plain = !memchr(c->now.text.s, 'x', c->now.text.len) &&
			      !memchr(c->now.text.s, '_', c->now.text.len);
	const bool scales = is(c->before, "* /") || is(c->after, "* /");
	const bool counts = x == 0 || x == 1;
	const bool subtracts = is(c->after, "-") && (x == 1 || x == 100);

	if (part(c)->in_condition || is_compared(c))
		return;
	/* round(x, 2), percentile(x, 99), substr(name, 1, 40): they tell how, after the value. */
	if (part(c)->tells_how && part(c)->has_column && is(c->before, ",") && is(c->after, ") ,"))
		return;
	if (is_plain && is_factor(x) && (scales || subtracts))
		return;
	if (is_plain && counts && (is(c->before, "then else select ( ,") || is(c->after, ")")) &&
	    !is(c->before, "+ -") && !is(c->after, "+"))
		return;
	/* GROUP BY 1, ORDER BY 2: a place. */
	if (part(c)->in_order && is(c->before, "by ,") &&
	    (is(c->after, ", asc desc limit ) having order ;") || c->after.kind == TOKEN_END))
		return;
	complain(c, " is a number of the query's own");
}

static void check_text(struct checking *c)
{
	if (!part(c)->in_condition && !is_compared(c) && !is(c->before, "then else escape"))
		complain(c, " is a text of the query's own");
}

static void open_part(struct checking *c)
{
	const bool in_condition = part(c)->in_condition || is(c->before, "in");

	if (c->depth + 1 == DEEPEST) {
		complain(c, " is too deep");
		return;
	}
	c->depth++;
	*part(c) = (struct part){.in_condition = in_condition,
				 .is_count = is(c->before, "count"),
				 .tells_how = is(c->before, "round percentile substr substring")};
}

/* What a parenthesis holds belongs to the value that it stands in. */
static void close_part(struct checking *c)
{
	const struct part inner = *part(c);

	end_value(c);
	if (!c->depth)
		return;
	c->depth--;
	part(c)->has_column |= inner.has_column;
	part(c)->has_measure |= inner.has_measure && !inner.is_count;
}

/* Its unit is by its name, and how many there are of something has none. */
static void check_alias(struct checking *c)
{
	static const char *const ends[] = {"_ns", "_us", "_bytes", "_bytes_per_s", "_pct"};
	const struct part *p = part(c);

	for (size_t i = 0; i < ARRAY_LEN(ends) && p->in_list && !p->has_measure; i++) {
		if (str_ends(c->now.text, ends[i]))
			complain(c, " is a count, which has no such unit");
	}
}

static void check_word(struct checking *c)
{
	struct part *p = part(c);

	if (is(c->now, "values recursive")) {
		complain(c, ": rows of the query's own");
	} else if (is(c->now, "select")) {
		*p = (struct part){.in_list = true};
	} else if (is(c->now, "from")) {
		end_value(c);
		p->in_list = p->in_condition = false;
		p->has_column = p->has_measure = true;
		c->has_table = true;
	} else if (is(c->now, "where having on when")) {
		p->in_condition = true;
	} else if (is(c->now, "then else end group order limit union")) {
		p->in_condition = false;
	} else if (is(c->now, "by")) {
		p->in_order = true;
	} else if (is(c->before, "as")) {
		check_alias(c);
	} else if (!is_keyword(c->now) && !is(c->after, "(")) {
		p->has_column = p->has_measure = true;
	}
	/* count(*) counts rows. */
	if (is(c->now, "count row_number rank dense_rank") && is(c->after, "("))
		p->has_column = true;
}

static void check_token(struct checking *c)
{
	if (part(c)->in_list && !is(c->now, ", select distinct from )"))
		part(c)->began = true;
	switch (c->now.kind) {
	case TOKEN_NUMBER:
		check_number(c);
		break;
	case TOKEN_TEXT:
		check_text(c);
		break;
	case TOKEN_WORD:
		check_word(c);
		break;
	case TOKEN_MARK:
		if (is(c->now, "("))
			open_part(c);
		else if (is(c->now, ")"))
			close_part(c);
		else if (is(c->now, ",") && part(c)->in_list)
			end_value(c);
		else if (is(c->now, "*") && is(c->before, "select , .") && part(c)->in_list)
			part(c)->has_column = true;
		break;
	case TOKEN_END:
		end_value(c);
		break;
	}
}

bool query_makes_values(struct str sql, struct buf *ret)
{
	struct checking c = {.ret = ret};
	size_t count = 0;

	c.now = next_token(&sql);
	do {
		c.after = next_token(&sql);
		check_token(&c);
		if (c.now.kind == TOKEN_END)
			break;
		c.before = c.now;
		c.now = c.after;
	} while (!ret->len && ++count < MOST_TOKENS);
	if (count == MOST_TOKENS)
		buf_adds(ret, "it is too long to be sure");
	else if (!ret->len && !c.has_table)
		buf_adds(ret, "it reads no table");
	return ret->len > 0;
}
