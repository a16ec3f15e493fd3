/* What does a filter say? */
#include "analysis/events/event_filter.h"

#include "analysis/events/event_filter_internal.h"
#include "base/mem.h"
#include "text/name_pattern.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Nobody writes more; what asks a node goes as deep as the brackets. */
enum { DEEPEST = 100, MOST_NODES = 10000 };

struct parser {
	struct event_filter *out;
	const char *at;
	int depth;
};

static int expected(const struct parser *p, const char *what, struct err *e)
{
	size_t place = (size_t)(p->at - p->out->text) + 1;

	if (!*p->at)
		err_set(e, ERR_USAGE, "filter '%s' ends where %s is expected", p->out->text, what);
	else
		err_set(e, ERR_USAGE, "filter '%s': %s is expected at character %zu, not '%s'",
			p->out->text, what, place, p->at);
	return err_hint(e, "such as: --filter 'name~flash && duration_us>50'");
}

static void skip_spaces(struct parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static bool take(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_spaces(p);
	if (strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

static int add_node(struct parser *p, struct filter_node n, uint32_t *ret, struct err *e)
{
	struct event_filter *x = p->out;

	if (x->count == MOST_NODES)
		return err_set(e, ERR_USAGE, "the filter has more than %d parts", MOST_NODES);
	MEM_GROW(x->nodes, x->cap, x->count + 1);
	x->nodes[x->count] = n;
	*ret = (uint32_t)x->count++;
	return 0;
}

static int take_field(struct parser *p, enum event_field *ret, struct err *e)
{
	struct str word = {p->at, 0};

	skip_spaces(p);
	word.s = p->at;
	while (is_word_char(*p->at))
		p->at++;
	word.len = (size_t)(p->at - word.s);
	if (!word.len)
		return expected(p, "a column", e);
	*ret = event_field_find(word);
	if (*ret == EVENT_FIELDS)
		return event_field_unknown(word, "filter", e);
	p->out->fields |= EVENT_BIT(*ret);
	return 0;
}

static int take_op(struct parser *p, enum filter_op *ret, struct err *e)
{
	/* Those that begin like others come first. */
	static const struct {
		const char *word;
		enum filter_op op;
	} ops[] = {{"==", OP_EQ}, {"!=", OP_NE},      {"<=", OP_LE}, {">=", OP_GE}, {"=", OP_EQ},
		   {"<", OP_LT},  {"!~", OP_HAS_NOT}, {">", OP_GT},  {"~", OP_HAS}};

	skip_spaces(p);
	if (strncmp(p->at, "=~", 2) == 0)
		return expected(p, "~ (contains) or == (equals)", e);
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (take(p, ops[i].word)) {
			*ret = ops[i].op;
			return 0;
		}
	}
	return expected(p, "one of == != < <= > >= ~ !~", e);
}

/* Within quotes a backslash takes the next quote or backslash for itself. */
static int take_quoted(struct parser *p, size_t *ret_begin, size_t *ret_len, struct err *e)
{
	struct buf *b = &p->out->strings;
	const char *began = p->at;
	const char quote = *p->at++;

	*ret_begin = b->len;
	while (*p->at && *p->at != quote) {
		if (*p->at == '\\' && (p->at[1] == quote || p->at[1] == '\\'))
			p->at++;
		buf_addc(b, *p->at++);
	}
	*ret_len = b->len - *ret_begin;
	if (!*p->at++) {
		p->at = began;
		return expected(p, "a value that ends with its quote", e);
	}
	return 0;
}

/* "/…/" with an i after it, or what goes up to the next space, bracket or && and ||. */
static void take_bare(struct parser *p, size_t *ret_begin, size_t *ret_len)
{
	const char *end = p->at;

	if (*end == '/') {
		for (end++; *end && *end != '/'; end++)
			end += *end == '\\' && end[1];
		end += *end == '/';
		end += *end == 'i';
	} else {
		while (*end && !strchr(" \t\n()", *end) && strncmp(end, "&&", 2) != 0 &&
		       strncmp(end, "||", 2) != 0)
			end++;
	}
	*ret_begin = p->out->strings.len;
	*ret_len = (size_t)(end - p->at);
	buf_add(&p->out->strings, p->at, *ret_len);
	p->at = end;
}

/* How many of what the column counts a unit is; 0: the column has no such unit. */
static double unit_scale(enum event_field field, const char *unit)
{
	static const struct {
		const char *word;
		enum unit of;
		double scale;
	} units[] = {
		{"ns", UNIT_NS, 1},	     {"us", UNIT_NS, 1e3},
		{"µs", UNIT_NS, 1e3},	     {"ms", UNIT_NS, 1e6},
		{"s", UNIT_NS, 1e9},	     {"B", UNIT_BYTES, 1},
		{"KB", UNIT_BYTES, 1e3},     {"MB", UNIT_BYTES, 1e6},
		{"GB", UNIT_BYTES, 1e9},     {"KiB", UNIT_BYTES, 1024.},
		{"MiB", UNIT_BYTES, 0x1p20}, {"GiB", UNIT_BYTES, 0x1p30},
	};
	enum unit of = event_columns[field].unit == UNIT_BYTES ? UNIT_BYTES : UNIT_NS;
	bool timed = event_columns[field].unit == UNIT_NS ||
		     event_columns[field].unit == UNIT_TIME_NS || field == EVENT_DURATION_US;

	if (!*unit)
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(units[i].word, unit) == 0 && units[i].of == of &&
		    (of == UNIT_BYTES || timed))
			return field == EVENT_DURATION_US ? units[i].scale / 1e3 : units[i].scale;
	}
	return 0;
}

static int bad_number(const struct filter_node *n, const char *word, struct err *e)
{
	const char *key = event_columns[n->field].key;

	if (n->op == OP_HAS || n->op == OP_HAS_NOT) {
		err_set(e, ERR_USAGE, "filter: %s is a number, and ~ works only on text", key);
		return err_hint(e, "for numbers use == != < <= > >=");
	}
	err_set(e, ERR_USAGE, "filter: %s is a number, but '%s' is not", key, word);
	return err_hint(e, "such as: %s>%s", key, n->field == EVENT_BYTES ? "64KiB" : "50");
}

static int set_number(struct filter_node *n, const char *word, struct err *e)
{
	char *unit;
	double scale, value = strtod(word, &unit);
	bool digits = strspn(word, "+-.0123456789eE") >= (size_t)(unit - word);

	scale = unit_scale(n->field, unit);
	if (unit == word || !digits || !isfinite(value) || scale == 0 || n->op == OP_HAS ||
	    n->op == OP_HAS_NOT)
		return bad_number(n, word, e);
	n->number = value * scale;
	n->is_whole = fabs(n->number) < 0x1p53 && n->number == floor(n->number);
	n->whole = n->is_whole ? (int64_t)n->number : 0;
	/* What a double does not hold exactly. */
	if (!*unit && strspn(word, "-0123456789") == strlen(word)) {
		errno = 0;
		n->whole = strtoll(word, NULL, 10);
		n->is_whole = errno == 0;
	}
	return 0;
}

/* What can only be one of a few words is one of them, or a slip. */
static int check_word(const struct filter_node *n, struct str value, struct err *e)
{
	static const char *const classes[] = {"compute", "communication", "copy", NULL};
	const char *const *words = n->field == EVENT_TYPE    ? event_type_words
				   : n->field == EVENT_CLASS ? classes
							     : NULL;

	if (!words || (n->op != OP_EQ && n->op != OP_NE))
		return 0;
	for (size_t i = 0; words[i]; i++) {
		if (str_eq(value, str_of(words[i])))
			return 0;
	}
	err_set(e, ERR_USAGE, "filter: no event has the %s '%.*s'", event_columns[n->field].key,
		(int)(value.len < 80 ? value.len : 80), value.s);
	return err_hint(e, n->field == EVENT_TYPE ? EVENT_TYPES_SAID
						  : "compute, communication or copy");
}

static int set_value(struct filter_node *n, struct str value, struct err *e)
{
	struct buf word = {0};
	int result;

	if (check_word(n, value, e) < 0)
		return -1;
	if (event_field_is_text(n->field)) {
		n->text = value;
		return n->op == OP_HAS || n->op == OP_HAS_NOT
			       ? name_pattern_compile(&n->pattern, value, e)
			       : 0;
	}
	buf_addstr(&word, value);
	result = set_number(n, word.len ? word.s : "", e);
	buf_free(&word);
	return result;
}

static int parse_comparison(struct parser *p, uint32_t *ret, struct err *e)
{
	struct filter_node n = {.kind = NODE_COMPARE};
	size_t begin, len;
	int result;

	if (take_field(p, &n.field, e) < 0 || take_op(p, &n.op, e) < 0)
		return -1;
	skip_spaces(p);
	if (*p->at == '\'' || *p->at == '"') {
		if (take_quoted(p, &begin, &len, e) < 0)
			return -1;
	} else {
		take_bare(p, &begin, &len);
		if (!len)
			return expected(p, "a value", e);
	}
	result = set_value(&n, (struct str){buf_str(&p->out->strings).s + begin, len}, e);
	n.text_begin = begin;
	if (result < 0 || add_node(p, n, ret, e) < 0) {
		pattern_free(n.pattern);
		return -1;
	}
	return 0;
}

static int parse_or(struct parser *p, uint32_t *ret, struct err *e);
static int parse_part(struct parser *p, uint32_t *ret, struct err *e);

static int parse_inside(struct parser *p, uint32_t *ret, struct err *e)
{
	struct filter_node n = {.kind = NODE_NOT};

	skip_spaces(p);
	if (*p->at == '!') {
		p->at++;
		return parse_part(p, &n.left, e) < 0 ? -1 : add_node(p, n, ret, e);
	}
	if (!take(p, "("))
		return parse_comparison(p, ret, e);
	if (parse_or(p, ret, e) < 0)
		return -1;
	return take(p, ")") ? 0 : expected(p, "a closing bracket", e);
}

static int parse_part(struct parser *p, uint32_t *ret, struct err *e)
{
	int result;

	if (p->depth == DEEPEST)
		return err_set(e, ERR_USAGE, "the filter has more than %d nested brackets",
			       DEEPEST);
	p->depth++;
	result = parse_inside(p, ret, e);
	p->depth--;
	return result;
}

/*
 * Parts that a word joins: each joint has a part to its left and the next joint, or the last part,
 * to its right. So what asks them goes from joint to joint, and deeper only where brackets do.
 */
static int parse_chain(struct parser *p, enum filter_node_kind kind, const char *word,
		       int (*parse)(struct parser *p, uint32_t *ret, struct err *e), uint32_t *ret,
		       struct err *e)
{
	struct filter_node n = {.kind = kind};
	uint32_t joint = 0, before = 0;

	if (parse(p, ret, e) < 0)
		return -1;
	n.left = *ret;
	for (bool first = true; take(p, word); first = false) {
		if (add_node(p, n, &joint, e) < 0 || parse(p, &n.left, e) < 0)
			return -1;
		p->out->nodes[joint].right = n.left;
		if (first)
			*ret = joint;
		else
			p->out->nodes[before].right = joint;
		before = joint;
	}
	return 0;
}

static int parse_and(struct parser *p, uint32_t *ret, struct err *e)
{
	return parse_chain(p, NODE_AND, "&&", parse_part, ret, e);
}

static int parse_or(struct parser *p, uint32_t *ret, struct err *e)
{
	return parse_chain(p, NODE_OR, "||", parse_and, ret, e);
}

static void settle_texts(struct event_filter *x)
{
	for (size_t i = 0; i < x->count; i++) {
		struct filter_node *n = &x->nodes[i];

		if (event_field_is_text(n->field) && n->kind == NODE_COMPARE)
			n->text.s = buf_str(&x->strings).s + n->text_begin;
	}
}

int event_filter_parse(struct event_filter **ret, const char *text, struct err *e)
{
	struct event_filter *x = mem_zalloc(1, sizeof(*x));
	struct parser p = {.out = x};

	x->text = mem_strdup(text);
	p.at = x->text;
	*ret = NULL;
	if (parse_or(&p, &x->root, e) < 0 ||
	    (skip_spaces(&p), *p.at && expected(&p, "&& or ||", e) < 0)) {
		event_filter_free(x);
		return -1;
	}
	settle_texts(x);
	*ret = x;
	return 0;
}
