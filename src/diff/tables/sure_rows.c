/* Of which rows are the runs sure that a table of the largest may not show? */
#include "diff/tables/diff_words.h"

enum { SHOWN_ROWS = 3 }; /* of the largest: on a small screen, too */
static const double sure_p = 0.05;

static bool is_sure(const struct diff_row *r)
{
	return r->delta && r->p <= sure_p;
}

static size_t count_sure(const struct diff *d, size_t from, size_t until)
{
	size_t count = 0;

	for (size_t i = from; i < until; i++)
		count += is_sure(&d->rows[i]);
	return count;
}

/* Where the largest are all sure, what comes after them is no news. */
bool diff_add_sure(struct buf *b, const struct diff *d)
{
	const struct diff_row *r = &d->rows[SHOWN_ROWS];
	size_t others;

	if (d->row_count <= SHOWN_ROWS || count_sure(d, 0, SHOWN_ROWS) == SHOWN_ROWS)
		return false;
	others = count_sure(d, SHOWN_ROWS, d->row_count);
	if (!others)
		return false;
	while (!is_sure(r))
		r++;
	buf_addf(b, "Smaller, but sure (p = %.2g): ", r->p);
	diff_add_signed_ns(b, diff_step_ns(d, r->delta));
	buf_addc(b, ' ');
	diff_row_add_name(b, r);
	if (--others)
		buf_addf(b, ", and %zu other%s", others, others == 1 ? "" : "s");
	buf_addc(b, '.');
	return true;
}
