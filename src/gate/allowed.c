/* Which regressions are known, and may stand for a while? */
#include "base/mem.h"
#include "gate/checks.h"

#include <stdlib.h>

static bool is_over(const struct allowance *a, const char *today)
{
	return strcmp(a->until, today) < 0;
}

static bool is_too_much(const struct allowance *a, const struct gate_check *c)
{
	return a->has_up_to && !(c->change <= a->up_to);
}

/* By its id, or as the answer for people has it: 1, 0 or -1, as name_matches(). */
static int is_named(const struct allowance *a, const struct gate_check *c, struct err *e)
{
	const int matches = name_matches(&a->check, c->id, e);

	return matches || c->brief == c->id ? matches : name_matches(&a->check, c->brief, e);
}

static void allow(struct gating *x, struct gate_check *c, const struct allowance *a,
		  const char *today)
{
	const bool over = is_over(a, today), too_much = is_too_much(a, c);
	const char *what = over ? "was allowed" : too_much ? "is more than is allowed" : "allowed";

	if (!too_much && !over) {
		c->outcome = CHECK_ALLOWED;
		c->why = a;
	}
	c->text = arena_printf(&x->gate->arena, "%s (%s until %s: %s)", c->text, what, a->until,
			       a->reason);
	if (c->more)
		c->more = arena_printf(&x->gate->arena, "%s%s%s until %s: %s", c->more,
				       c->more[0] ? "; " : "", what, a->until, a->reason);
}

/* Of the allowances that name a check the first that lets it stand; else the first. NULL: none. */
static int find_allowance(const struct gating *x, const struct gate_check *c, const struct rules *r,
			  const char *today, const struct allowance **ret)
{
	*ret = NULL;
	for (size_t k = 0; k < r->allowance_count; k++) {
		const struct allowance *a = &r->allowances[k];
		const int matches = is_named(a, c, x->e);

		if (matches < 0)
			return -1;
		if (!matches)
			continue;
		if (!*ret || !is_over(a, today))
			*ret = a;
		if (!is_over(a, today) && !is_too_much(a, c))
			return 0;
	}
	return 0;
}

/* One that names no check may be a range that was renamed, or a rule that is gone. */
static int find_unused(struct gating *x, const struct rules *r)
{
	struct gate *g = x->gate;

	for (size_t k = 0; k < r->allowance_count; k++) {
		int matches = 0;

		for (size_t i = 0; i < g->count && !matches; i++)
			matches = is_named(&r->allowances[k], &g->all[i], x->e);
		if (matches < 0)
			return -1;
		if (!matches && !g->unused_allowances++)
			g->unused_allowance = &r->allowances[k];
	}
	return 0;
}

int gate_allow_known(struct gating *x, const struct rules *r, const char *today)
{
	for (size_t i = 0; i < x->gate->count; i++) {
		struct gate_check *c = &x->gate->all[i];
		const struct allowance *a;

		if (c->outcome != CHECK_FAILED && c->outcome != CHECK_UNKNOWN)
			continue;
		if (find_allowance(x, c, r, today, &a) < 0)
			return -1;
		if (a)
			allow(x, c, a, today);
	}
	return find_unused(x, r);
}
