/* Is this event wanted? */
#include "analysis/events/event_filter.h"

#include "analysis/events/event_filter_internal.h"
#include "base/mem.h"

#include <stdlib.h>

uint64_t event_filter_fields(const struct event_filter *x)
{
	return x ? x->fields : 0;
}

void event_filter_free(struct event_filter *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->count; i++) {
		pattern_free(x->nodes[i].pattern);
		for (int k = 0; k < TRACE_KINDS; k++)
			free(x->nodes[i].answers[k]);
	}
	free(x->nodes);
	free(x->text);
	buf_free(&x->strings);
	free(x);
}

static bool in_order(enum filter_op op, int sign)
{
	switch (op) {
	case OP_EQ:
		return sign == 0;
	case OP_NE:
		return sign != 0;
	case OP_LT:
		return sign < 0;
	case OP_LE:
		return sign <= 0;
	case OP_GT:
		return sign > 0;
	default:
		return sign >= 0;
	}
}

static int sign_of_number(const struct filter_node *n, const struct cell *c)
{
	double value;

	if (c->kind == CELL_INT && n->is_whole)
		return (c->i > n->whole) - (c->i < n->whole);
	value = c->kind == CELL_INT ? (double)c->i : c->r;
	return (value > n->number) - (value < n->number);
}

static int text_matches(const struct filter_node *n, struct str text, struct err *e)
{
	int found;

	if (!n->pattern)
		return in_order(n->op, str_cmp(text, n->text));
	found = pattern_match(n->pattern, text, e);
	return found < 0 ? -1 : found == (n->op == OP_HAS);
}

/* Millions of events have the names of a few: each is asked about once. */
static uint8_t *answer_for(struct filter_node *n, const struct event_fields *f, struct event_ref at)
{
	uint32_t number;

	if (!event_field_number(f, at, n->field, &number))
		return NULL;
	if (!n->answers[at.kind])
		n->answers[at.kind] = mem_zalloc(event_field_numbers(f, at.kind, n->field), 1);
	return &n->answers[at.kind][number];
}

enum { NOT_ASKED, NO, YES };

static int compare_field(struct filter_node *n, struct event_fields *f, struct event_ref at,
			 struct err *e)
{
	uint8_t *answer = answer_for(n, f, at);
	struct cell c;
	int result;

	if (answer && *answer != NOT_ASKED)
		return *answer == YES;
	c = event_field_get(f, at, n->field);
	if (c.kind == CELL_NULL)
		return 0;
	result = c.kind == CELL_TEXT ? text_matches(n, c.s, e)
				     : in_order(n->op, sign_of_number(n, &c));
	if (answer && result >= 0)
		*answer = result ? YES : NO;
	return result;
}

/* As deep as the brackets in the text, which the parser limits: to the right it goes on here. */
static int matches(struct event_filter *x, uint32_t at_node, struct event_fields *f,
		   struct event_ref at, struct err *e)
{
	for (;;) {
		struct filter_node *n = &x->nodes[at_node];
		int left;

		if (n->kind == NODE_COMPARE)
			return compare_field(n, f, at, e);
		left = matches(x, n->left, f, at, e);
		if (left < 0)
			return -1;
		if (n->kind == NODE_NOT)
			return !left;
		if (left == (n->kind == NODE_OR))
			return left;
		at_node = n->right;
	}
}

int event_filter_matches(struct event_filter *x, struct event_fields *f, struct event_ref at,
			 struct err *e)
{
	return x ? matches(x, x->root, f, at, e) : 1;
}

const struct option_group event_filter_options =
	OPTIONS(struct filter_args,
		OPT_TEXT("filter", struct filter_args, expression, "EXPR", "an expression",
			 "only matching events: 'name~flash && duration_us>50' (docs/filters.md)"));
