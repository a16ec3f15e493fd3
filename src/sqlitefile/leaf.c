/* What do the rows of one leaf page hold in the wanted columns? */
#include "sqlitefile/leaf.h"

#include "base/mem.h"

#include <stdlib.h>

/* How much of a payload of `size` bytes is in the leaf page itself. */
static uint32_t local_bytes(const struct sqlitefile *f, uint64_t size)
{
	uint32_t most = f->usable - 35;
	uint32_t least = (f->usable - 12) * 32 / 255 - 23;
	uint64_t local;

	if (size <= most)
		return (uint32_t)size;
	local = least + (size - least) % (f->usable - 4);
	return (uint32_t)(local <= most ? local : least);
}

static int read_cell(const struct plan *plan, uint32_t page, uint32_t at, struct cell *ret,
		     struct err *e)
{
	const struct sqlitefile *f = plan->f;
	const uint8_t *start = page_at(f, page), *end = start + f->usable, *p;
	uint64_t rowid;

	p = varint(start + at, &ret->size);
	p = varint(p, &rowid);
	ret->page = page;
	ret->payload = p;
	ret->rowid = (int64_t)rowid;
	ret->local = local_bytes(f, ret->size);
	ret->overflow = 0;
	if (p > end || (uint64_t)(end - p) < ret->local + (ret->local < ret->size ? 4u : 0u))
		return damage(f, plan->t, page, e, "a cell runs over its end");
	if (ret->local < ret->size)
		ret->overflow = be32(p + ret->local);
	if (ret->size - ret->local > (uint64_t)f->page_count * f->usable)
		return damage(f, plan->t, page, e, "a row claims %llu bytes, more than the file",
			      (unsigned long long)ret->size);
	return 0;
}

/* The cells of a leaf page that are asked for. */
struct cells {
	const uint8_t *start, *end; /* of the page */
	const uint8_t *pointers;
	uint32_t lowest, highest; /* where a cell may begin */
	uint32_t most_whole;	  /* bytes of a record that lies in the page whole */
};

static struct cells cells_of(const struct sqlitefile *f, uint32_t page, uint32_t begin)
{
	const uint8_t *start = page_at(f, page), *header = start + page_header_at(page);

	return (struct cells){
		.start = start,
		.end = start + f->usable,
		.pointers = header + 8 + 2 * begin,
		.lowest = page_header_at(page) + 8 + 2 * be16(header + 3),
		.highest = f->usable - 4,
		.most_whole = f->usable - 35,
	};
}

static inline bool is_inside(const struct cells *c, uint32_t at)
{
	return at >= c->lowest && at <= c->highest;
}

/*
 * The record of a cell, where it lies in the page whole and its size takes one byte or two, as
 * nearly everywhere; else NULL. Of the rowid it asks but how long it is.
 */
static inline const uint8_t *whole_record(const struct cells *c, uint32_t at, uint32_t *ret_size)
{
	const uint8_t *p = c->start + at;
	uint32_t size = *p++;
	uint64_t rowid, last;

	if (size >= 0x80) {
		size = (size & 0x7f) << 7 | *p;
		if (*p++ >= 0x80)
			return NULL;
	}
	memcpy(&rowid, p, sizeof(rowid));
	last = ~rowid & 0x8080808080808080u;
	p += last ? __builtin_ctzll(last) / 8 + 1 : 9;
	*ret_size = size;
	return size <= c->most_whole && p <= c->end && size <= (size_t)(c->end - p) ? p : NULL;
}

/*
 * Finds records of known kinds from `row` on; returns which row is the first that is none. It calls
 * nothing, so that all it needs stays in registers; `words` are those of r->layouts.keys.
 */
static inline __attribute__((always_inline)) uint32_t find_by_key(struct leaf_reader *r,
								  const struct cells *cells,
								  uint32_t row, uint32_t rows,
								  size_t words)
{
	const struct cells c = *cells;
	const struct layout_keys keys = {words, r->layouts.keys.last_mask};
	const uint32_t batch = r->layouts.batch;
	struct leaf_row *restrict found = r->found;
	uint64_t no_ints = 0, no_nulls = 0;

	for (; row < rows; row++) {
		uint32_t at = be16(c.pointers + 2 * row), size = 0;
		const uint8_t *record = is_inside(&c, at) ? whole_record(&c, at, &size) : NULL;
		struct layout *slot;

		if (!record)
			break;
		slot = layout_slot(&r->layouts, keys, record);
		if (!layout_fits(slot, keys, record) || layout_end(slot, record) > size)
			break;
		slot->batch = batch;
		found[row] = (struct leaf_row){record, slot->fields};
		no_ints |= slot->no_ints;
		no_nulls |= slot->no_nulls;
	}
	r->no_ints |= no_ints;
	r->no_nulls |= no_nulls;
	return row;
}

/* Where the number of words is a constant, no loop is left. */
static uint32_t find_known(struct leaf_reader *r, const struct cells *c, uint32_t row,
			   uint32_t rows)
{
	switch (r->layouts.keys.words) {
	case 0:
		return row;
	case 1:
		return find_by_key(r, c, row, rows, 1);
	case 2:
		return find_by_key(r, c, row, rows, 2);
	case 4:
		return find_by_key(r, c, row, rows, 4);
	default:
		return find_by_key(r, c, row, rows, r->layouts.keys.words);
	}
}

/* A record of a kind that is new, or that no layout tells: it is decoded at once. */
static int find_other(struct leaf_reader *r, uint32_t page, uint32_t at, uint32_t row,
		      struct err *e)
{
	struct layout *layout = NULL;
	struct cell cell;

	if (read_cell(r->plan, page, at, &cell, e) < 0)
		return -1;
	if (cell.local == cell.size)
		layout = layout_make(&r->layouts, r->plan, cell.payload);
	if (layout && layout_end(layout, cell.payload) <= cell.local) {
		r->found[row] = (struct leaf_row){cell.payload, layout->fields};
		r->no_ints |= layout->no_ints;
		r->no_nulls |= layout->no_nulls;
		return 0;
	}
	r->found[row] = (struct leaf_row){cell.payload, r->layouts.done};
	r->no_ints = r->no_nulls = UINT64_MAX;
	return record_decode_any(r->plan, &cell, r->outs, row, e);
}

/* Finds every record and how it lies. */
static int find_records(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows,
			struct err *e)
{
	const struct cells c = cells_of(r->plan->f, page, begin);
	uint32_t row = 0;

	r->no_ints = r->no_nulls = 0;
	while ((row = find_known(r, &c, row, rows)) < rows) {
		uint32_t at = be16(c.pointers + 2 * row);

		if (!is_inside(&c, at))
			return damage(r->plan->f, r->plan->t, page, e, "cell %u is outside it",
				      begin + row);
		if (find_other(r, page, at, row++, e) < 0)
			return -1;
	}
	return 0;
}

/* Once find_records() has seen that every cell is where it may be. */
static void find_rowids(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows)
{
	const uint8_t *start = page_at(r->plan->f, page);
	const uint8_t *pointers = start + page_header_at(page) + 8 + 2 * begin;
	uint64_t size, rowid;

	for (uint32_t row = 0; row < rows; row++) {
		varint(varint(start + be16(pointers + 2 * row), &size), &rowid);
		r->rowids[row] = (int64_t)rowid;
	}
}

static void put_odd(struct leaf_reader *r, size_t want, uint32_t row, uint64_t field)
{
	const uint8_t *record = r->found[row].record;
	uint64_t serial = (uint8_t)(field >> FIELD_SERIAL), size;

	if (field & FIELD_DONE)
		return;
	if (field & FIELD_LONG) {
		varint(record + r->plan->columns, &serial);
		size = long_bytes(record + r->plan->columns);
	} else {
		size = serial_sizes[serial];
	}
	value_put(&r->outs[want], row, r->plan->wants[want].is_real, serial, size,
		  record + (uint16_t)(field >> FIELD_AT));
}

static void read_values(struct leaf_reader *r, size_t want, uint32_t rows)
{
	uint8_t *restrict type = r->outs[want].type;
	int64_t *restrict num = r->outs[want].num;
	const struct leaf_row *restrict found = r->found;

	for (uint32_t row = 0; row < rows; row++) {
		uint64_t field = found[row].fields[want];

		if (__builtin_expect((field & FIELD_ODD) != 0, 0)) {
			put_odd(r, want, row, field);
			continue;
		}
		num[row] = (int64_t)be64(found[row].record + (field >> FIELD_AT)) >> (field & 63);
		type[row] = (uint8_t)(field >> FIELD_TYPE);
	}
}

/* What the arrays hold of the batch before is not written again. */
static void set_all(struct leaf_reader *r, struct out *out, enum sqlite_type type)
{
	if (out->all == type)
		return;
	memset(out->type, type, r->rows);
	if (type == SQLITE_IS_NULL)
		memset(out->num, 0, r->rows * sizeof(*out->num));
	out->all = (uint8_t)type;
}

static void read_ints(struct leaf_reader *r, size_t want, uint32_t rows)
{
	int64_t *restrict num = r->outs[want].num;
	const struct leaf_row *restrict found = r->found;

	for (uint32_t row = 0; row < rows; row++) {
		const uint8_t *record = found[row].record;
		uint64_t field = found[row].fields[want];

		num[row] = (int64_t)be64(record + (field >> FIELD_AT)) >> (field & 63);
	}
}

void leaf_read_want(struct leaf_reader *r, size_t want, uint32_t rows)
{
	const uint64_t bit = UINT64_C(1) << (want & 63);
	struct out *out = &r->outs[want];

	if (!(r->no_nulls & bit)) {
		set_all(r, out, SQLITE_IS_NULL);
	} else if (!(r->no_ints & bit)) {
		set_all(r, out, SQLITE_IS_INT);
		read_ints(r, want, rows);
	} else {
		out->all = SQLITE_IS_ANY;
		read_values(r, want, rows);
	}
}

int leaf_find(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows, struct err *e)
{
	r->layouts.batch++;
	if (find_records(r, page, begin, rows, e) < 0)
		return -1;
	if (r->plan->wants_rowid)
		find_rowids(r, page, begin, rows);
	return 0;
}

void leaf_read(struct leaf_reader *r, uint32_t rows)
{
	for (size_t i = 0; i < r->plan->want_count; i++)
		leaf_read_want(r, i, rows);
}

void leaf_reader_start(struct leaf_reader *r, struct plan *plan, size_t rows)
{
	r->plan = plan;
	r->rows = rows;
	r->outs = mem_zalloc(plan->want_count, sizeof(*r->outs));
	for (size_t i = 0; i < plan->want_count; i++) {
		r->outs[i].type = mem_alloc(rows, sizeof(*r->outs[i].type));
		r->outs[i].num = mem_alloc(rows, sizeof(*r->outs[i].num));
		r->outs[i].s = mem_zalloc(rows, sizeof(*r->outs[i].s));
		r->outs[i].all = SQLITE_IS_ANY;
	}
	r->rowids = mem_alloc(rows, sizeof(*r->rowids));
	r->found = mem_alloc(rows, sizeof(*r->found));
	layouts_start(&r->layouts, plan);
}

void leaf_reader_free(struct leaf_reader *r)
{
	for (size_t i = 0; r->outs && i < r->plan->want_count; i++) {
		free(r->outs[i].type);
		free(r->outs[i].num);
		free(r->outs[i].s);
	}
	free(r->outs);
	free(r->rowids);
	free(r->found);
	layouts_free(&r->layouts);
}
