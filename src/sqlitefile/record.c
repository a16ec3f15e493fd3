/* What does a record of any shape hold: long, short, or spread over overflow pages? */
#include "sqlitefile/record.h"

#include "base/mem.h"

/* 32767 columns, the most a SQLite can be built for, of at most 3 bytes. */
enum { MAX_HEADER = 3 * 32767 + 3 };

/* A walk along the payload of one cell, forwards only. */
struct payload {
	struct plan *plan;
	const struct cell *cell;
	uint32_t page;	   /* the overflow page the walk is at, 0 before the first */
	uint64_t page_pos; /* position of that page's first byte in the payload */
	uint64_t walked;
	uint32_t mark; /* an earlier page, to notice a loop */
};

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
		return damage(f, p->plan->t, p->cell->page, e, "a row's overflow chain loops");
	if (atomic_fetch_sub(&p->plan->overflow_allowed, 1) <= 0)
		return damage(f, p->plan->t, 0, e, "rows share overflow pages");
	return 0;
}

/* Copies bytes [at, at + len) of the payload, which the caller knows to be within it. */
static int payload_copy(struct payload *p, uint64_t at, void *to, size_t len, struct err *e)
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

struct walk {
	struct plan *plan;
	const struct cell *cell;
	struct out *outs;
	size_t row;
	struct payload payload;
	const uint8_t *type; /* the next serial type */
	const uint8_t *types_end;
	uint64_t at; /* where its value begins in the payload */
};

static int fail(const struct walk *w, struct err *e, const char *what)
{
	return damage(w->plan->f, w->plan->t, w->cell->page, e, "row %lld %s",
		      (long long)w->cell->rowid, what);
}

static int next_type(struct walk *w, uint64_t *serial, uint64_t *size, struct err *e)
{
	w->type = varint(w->type, serial);
	if (w->type > w->types_end)
		return fail(w, e, "has a header that runs over its end");
	*size = *serial < 128 ? serial_sizes[*serial] : (*serial - 12) / 2;
	if (*size > w->cell->size - w->at)
		return fail(w, e, "has a value that runs over its end");
	return 0;
}

static void put_missing(struct walk *w, size_t i)
{
	struct out *out = &w->outs[i];

	if (w->plan->wants[i].has_default)
		atomic_store(&w->plan->lacks_default, true);
	out->type[w->row] = SQLITE_IS_NULL;
	out->num[w->row] = 0;
}

static int put_spread(struct walk *w, size_t i, uint64_t serial, uint64_t size, struct err *e)
{
	struct out *out = &w->outs[i];
	uint8_t number[8] = {0};
	uint8_t *bytes = number;

	if (serial >= 12)
		bytes = (uint8_t *)text_room(w->plan->f, (size_t)size);
	if (payload_copy(&w->payload, w->at, bytes, (size_t)size, e) < 0)
		return -1;
	value_put(out, w->row, w->plan->wants[i].is_real, serial, size, bytes);
	return 0;
}

static int put_next(struct walk *w, size_t i, uint64_t serial, uint64_t size, struct err *e)
{
	if (w->at + size > w->cell->local)
		return put_spread(w, i, serial, size, e);
	value_put(&w->outs[i], w->row, w->plan->wants[i].is_real, serial, size,
		  w->cell->payload + w->at);
	return 0;
}

static int put_all(struct walk *w, struct err *e)
{
	const struct plan *plan = w->plan;
	size_t i = 0;

	for (uint32_t column = 0; i < plan->want_count && w->type < w->types_end; column++) {
		uint64_t serial = 0, size = 0;

		if (next_type(w, &serial, &size, e) < 0)
			return -1;
		if (plan->wants[i].column == column && put_next(w, i++, serial, size, e) < 0)
			return -1;
		w->at += size;
	}
	for (; i < plan->want_count; i++)
		put_missing(w, i);
	return 0;
}

/* The header itself is longer than what is in the page. */
static int put_all_spread(struct walk *w, size_t types_at, size_t header, struct err *e)
{
	struct payload payload = w->payload;
	SCOPED uint8_t *copy = mem_zalloc(header + MAP_SLACK, 1);

	w->type = copy + types_at;
	w->types_end = copy + header;
	return payload_copy(&payload, 0, copy, header, e) < 0 ? -1 : put_all(w, e);
}

int record_decode_any(struct plan *plan, const struct cell *cell, struct out *outs, size_t row,
		      struct err *e)
{
	struct walk w = {.plan = plan, .cell = cell, .outs = outs, .row = row};
	uint64_t header;

	w.payload = (struct payload){.plan = plan, .cell = cell};
	w.type = varint(cell->payload, &header);
	if (header > cell->size || header > MAX_HEADER ||
	    header < (uint64_t)(w.type - cell->payload))
		return fail(&w, e, "has an impossible header size");
	w.at = header;
	if (header > cell->local)
		return put_all_spread(&w, (size_t)(w.type - cell->payload), (size_t)header, e);
	w.types_end = cell->payload + header;
	return put_all(&w, e);
}

/* Eight groups of 7 bits, pairwise closed up. */
static uint64_t close_groups(uint64_t v)
{
	v = (v & 0x7f007f007f007f00u) >> 1 | (v & 0x007f007f007f007fu);
	v = (v & 0x3fff00003fff0000u) >> 2 | (v & 0x00003fff00003fffu);
	return (v & 0x0fffffff00000000u) >> 4 | (v & 0x000000000fffffffu);
}

const uint8_t *varint_long(const uint8_t *p, uint64_t *ret)
{
	uint64_t v = be64(p), last = ~v & 0x8080808080808080u;
	int unused;

	if (last == 0) {
		*ret = close_groups(v) << 8 | p[8];
		return p + 9;
	}
	unused = 56 - __builtin_clzll(last);
	*ret = close_groups(v >> unused);
	return p + 8 - unused / 8;
}

/* Serial types 12 + 2n and 13 + 2n hold n bytes. */
#define BYTES_1(n) (n), (n)
#define BYTES_4(n) BYTES_1(n), BYTES_1((n) + 1), BYTES_1((n) + 2), BYTES_1((n) + 3)

const uint8_t serial_sizes[128] = {
	0,	     1,		  2,	       3,	    4,		 6,	      8,
	8,	     0,		  0,	       0,	    0,		 BYTES_4(0),  BYTES_4(4),
	BYTES_4(8),  BYTES_4(12), BYTES_4(16), BYTES_4(20), BYTES_4(24), BYTES_4(28), BYTES_4(32),
	BYTES_4(36), BYTES_4(40), BYTES_4(44), BYTES_4(48), BYTES_4(52), BYTES_1(56), BYTES_1(57),
};

static void put_number(struct out *out, size_t row, enum sqlite_type type, int64_t num)
{
	out->type[row] = (uint8_t)type;
	out->num[row] = num;
}

static void put_real(struct out *out, size_t row, double d)
{
	int64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	/* SQL has no NaN: SQLite reads one as NULL. */
	if (d != d)
		put_number(out, row, SQLITE_IS_NULL, 0);
	else
		put_number(out, row, SQLITE_IS_REAL, bits);
}

static int64_t integer(uint64_t serial, const uint8_t *p)
{
	if (serial >= 8)
		return serial == 9;
	return (int64_t)be64(p) >> (64 - 8 * serial_sizes[serial]);
}

void value_put(struct out *out, size_t row, bool is_real, uint64_t serial, uint64_t size,
	       const uint8_t *p)
{
	if (serial >= 12) {
		put_number(out, row, serial & 1 ? SQLITE_IS_TEXT : SQLITE_IS_BLOB, (int64_t)size);
		out->s[row] = (const char *)p;
		out->has_bytes = true;
	} else if (serial == 7) {
		put_real(out, row, sqlite_real((int64_t)be64(p)));
	} else if (serial == 0 || serial >= 10) {
		put_number(out, row, SQLITE_IS_NULL, 0);
	} else if (is_real) {
		put_real(out, row, (double)integer(serial, p));
	} else {
		put_number(out, row, SQLITE_IS_INT, integer(serial, p));
	}
}
