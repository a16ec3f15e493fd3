/* How do names that are cut to a column's width stay different? */
#include "report/elisions.h"

#include "base/mem.h"
#include "text/text.h"

#include <stdlib.h>

enum { TEXTS_KEPT = 100000 }; /* later ones are only cut: memory has an end */

static uint32_t number_of(struct elisions *x, struct str whole, struct str cut)
{
	const size_t had = x->whole.count, had_cut = x->cut.count;
	uint32_t id, cut_id;

	if (had >= TEXTS_KEPT)
		return 1;
	id = strtab_keep(&x->whole, &x->arena, whole);
	if (x->whole.count == had)
		return x->number[id];
	cut_id = strtab_keep(&x->cut, &x->arena, cut);
	MEM_GROW(x->number, x->number_cap, x->whole.count);
	MEM_GROW(x->alike, x->alike_cap, x->cut.count);
	if (x->cut.count > had_cut)
		x->alike[cut_id] = 0;
	x->number[id] = ++x->alike[cut_id];
	return x->number[id];
}

void elisions_add(struct elisions *x, struct buf *b, struct str safe, size_t room)
{
	SCOPED_BUF cut = {0}, sign = {0};
	uint32_t number;

	text_add_elided(&cut, safe, room);
	number = number_of(x, safe, buf_str(&cut));
	if (number == 1) {
		buf_addstr(b, buf_str(&cut));
		return;
	}
	buf_addf(&sign, "#%u", number);
	text_add_elided(b, safe, room > sign.len ? room - sign.len : 0);
	buf_addstr(b, buf_str(&sign));
}

void elisions_free(struct elisions *x)
{
	strtab_free(&x->whole);
	strtab_free(&x->cut);
	free(x->number);
	free(x->alike);
	arena_free(&x->arena);
}
