/* Where do the bytes of a record continue that did not fit its page? */
#include "sqlitefile/record.h"

static int fail(const struct payload *p, struct err *e, const char *what)
{
	return damage(p->plan->f, p->plan->t, p->cell->page, e, "a row's overflow chain %s", what);
}

/* Brent's way: a mark that moves at every power of two is met again if the chain loops. */
static bool loops(struct payload *p)
{
	if (p->page == p->mark)
		return true;
	p->walked++;
	if ((p->walked & (p->walked - 1)) == 0)
		p->mark = p->page;
	return false;
}

static int next_page(struct payload *p, struct err *e)
{
	const struct sqlitefile *f = p->plan->f;
	uint32_t capacity = f->usable - 4;

	if (p->page == 0) {
		p->page = p->cell->overflow;
		p->page_pos = p->cell->local;
	} else {
		p->page = be32(page_at(f, p->page));
		p->page_pos += capacity;
	}
	if (p->page == 0 || p->page > f->page_count)
		return damage(f, p->plan->t, p->cell->page, e,
			      "a row's overflow chain leads to page %u of %u", p->page,
			      f->page_count);
	if (loops(p))
		return fail(p, e, "loops");
	if (atomic_fetch_sub(&p->plan->overflow_allowed, 1) <= 0)
		return damage(f, p->plan->t, 0, e, "rows share overflow pages");
	return 0;
}

int payload_copy(struct payload *p, uint64_t at, void *to, size_t len, struct err *e)
{
	const struct sqlitefile *f = p->plan->f;
	uint32_t capacity = f->usable - 4;
	uint32_t local = p->cell->local;
	char *dst = to;

	if (at < local) {
		size_t n = len < local - at ? len : (size_t)(local - at);

		memcpy(dst, p->cell->payload + at, n);
		dst += n;
		at += n;
		len -= n;
	}
	while (len > 0) {
		size_t n;

		if (p->page == 0 || at >= p->page_pos + capacity) {
			if (next_page(p, e) < 0)
				return -1;
			continue;
		}
		n = (size_t)(p->page_pos + capacity - at);
		if (n > len)
			n = len;
		memcpy(dst, page_at(f, p->page) + 4 + (at - p->page_pos), n);
		dst += n;
		at += n;
		len -= n;
	}
	return 0;
}
