/* How much of this time is covered? */
#include "analysis/numbers/cover.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

static struct cover_piece *last_piece(const struct cover *c)
{
	return c->pieces && c->count ? &c->pieces[c->count - 1] : NULL;
}

void cover_add(struct cover *c, int64_t start_ns, int64_t end_ns)
{
	struct cover_piece *last = last_piece(c);
	int64_t before_ns = cover_total(c);

	if (end_ns <= start_ns)
		return;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
		return;
	}
	c->count++;
	MEM_GROW(c->pieces, c->cap, c->count);
	last = last_piece(c);
	if (last)
		*last = (struct cover_piece){start_ns, end_ns, before_ns};
}

int64_t cover_total(const struct cover *c)
{
	const struct cover_piece *last = last_piece(c);

	if (!last)
		return 0;
	return sat_add(last->before_ns, sat_sub(last->end_ns, last->start_ns));
}

/* What is covered before. */
static int64_t covered_by(const struct cover *c, int64_t at_ns)
{
	const size_t begun = BISECT(0, c->count, at, c->pieces[at].start_ns < at_ns);
	const struct cover_piece *p;

	if (!begun)
		return 0;
	p = &c->pieces[begun - 1];
	return sat_add(p->before_ns, sat_sub(at_ns < p->end_ns ? at_ns : p->end_ns, p->start_ns));
}

int64_t cover_between(const struct cover *c, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? sat_sub(covered_by(c, to_ns), covered_by(c, from_ns)) : 0;
}

void cover_free(struct cover *c)
{
	free(c->pieces);
	*c = (struct cover){0};
}
