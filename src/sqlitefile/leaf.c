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

/*
 * The record of a cell that lies in the page whole, as nearly every one does; NULL where it does
 * not. Of the rowid it asks but how long it is.
 */
static inline const uint8_t *whole_record(const struct sqlitefile *f, const uint8_t *cell,
					  const uint8_t *end, uint64_t *ret_size)
{
	const uint8_t *p = varint(cell, ret_size);
	uint64_t rowid, last;

	memcpy(&rowid, p, sizeof(rowid));
	last = ~rowid & 0x8080808080808080u;
	p += last ? __builtin_ctzll(last) / 8 + 1 : 9;
	if (*ret_size > f->usable - 35 || p > end || *ret_size > (uint64_t)(end - p))
		return NULL;
	return p;
}

static void keep_rowid(struct leaf_reader *r, uint32_t row, const uint8_t *cell)
{
	uint64_t size, rowid;

	varint(varint(cell, &size), &rowid);
	r->rowids[row] = (int64_t)rowid;
}

static int decode_otherwise(struct leaf_reader *r, uint32_t page, uint32_t at, uint32_t row,
			    struct err *e)
{
	struct cell cell;

	if (read_cell(r->plan, page, at, &cell, e) < 0 ||
	    record_decode_any(r->plan, &cell, r->outs, row, e) < 0)
		return -1;
	r->records[row] = cell.payload;
	r->fields[row] = r->layouts.done;
	r->no_ints = r->no_nulls = UINT64_MAX;
	return 0;
}

/* Finds every record and how it lies; those of no common kind are decoded on the way. */
static int find_records(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows,
			struct err *e)
{
	struct plan *plan = r->plan;
	const uint8_t *start = page_at(plan->f, page);
	const uint8_t *header = start + page_header_at(page);
	const uint8_t *pointers = header + 8 + 2 * begin;
	uint32_t lowest = page_header_at(page) + 8 + 2 * be16(header + 3);
	uint32_t highest = plan->f->usable - 4;
	const uint8_t *end = start + plan->f->usable;

	for (uint32_t row = 0; row < rows; row++) {
		uint32_t at = be16(pointers + 2 * row);
		const struct layout *layout = NULL;
		const uint8_t *record;
		uint64_t size;

		if (at < lowest || at > highest)
			return damage(plan->f, plan->t, page, e, "cell %u lies outside it",
				      begin + row);
		if (plan->wants_rowid)
			keep_rowid(r, row, start + at);
		record = whole_record(plan->f, start + at, end, &size);
		if (record)
			layout = layout_find(&r->layouts, plan, record);
		if (__builtin_expect(!layout || layout->end > size, 0)) {
			if (decode_otherwise(r, page, at, row, e) < 0)
				return -1;
			continue;
		}
		r->records[row] = record;
		r->fields[row] = layout->fields;
		r->no_ints |= layout->no_ints;
		r->no_nulls |= layout->no_nulls;
	}
	return 0;
}

static void put_odd(struct leaf_reader *r, size_t want, uint32_t row, uint64_t field)
{
	uint8_t serial = (uint8_t)(field >> FIELD_SERIAL);

	if (!(field & FIELD_DONE))
		value_put(&r->outs[want], row, r->plan->wants[want].is_real, serial,
			  serial_sizes[serial], r->records[row] + (uint16_t)field);
}

static void read_values(struct leaf_reader *r, size_t want, uint32_t rows)
{
	uint8_t *restrict type = r->outs[want].type;
	int64_t *restrict num = r->outs[want].num;
	const uint8_t *const *restrict records = r->records;
	const uint64_t *const *restrict fields = r->fields;

	for (uint32_t row = 0; row < rows; row++) {
		uint64_t field = fields[row][want];
		int64_t bytes = (int64_t)be64(records[row] + (uint16_t)(field >> FIELD_AT));
		int64_t stored = (int64_t)field >> 63;

		if (__builtin_expect((field & FIELD_ODD) != 0, 0)) {
			put_odd(r, want, row, field);
			continue;
		}
		num[row] = (bytes >> (uint8_t)(field >> FIELD_SHIFT) & stored) |
			   (int64_t)(field >> FIELD_ONE & 1);
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
	const uint8_t *const *restrict records = r->records;
	const uint64_t *const *restrict fields = r->fields;

	for (uint32_t row = 0; row < rows; row++) {
		uint64_t field = fields[row][want];
		int64_t bytes = (int64_t)be64(records[row] + (uint16_t)(field >> FIELD_AT));
		int64_t stored = (int64_t)field >> 63;

		num[row] = (bytes >> (uint8_t)(field >> FIELD_SHIFT) & stored) |
			   (int64_t)(field >> FIELD_ONE & 1);
	}
}

static void read_want(struct leaf_reader *r, size_t want, uint32_t rows)
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

int leaf_read(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows, struct err *e)
{
	r->layouts.batch++;
	r->no_ints = r->no_nulls = 0;
	if (find_records(r, page, begin, rows, e) < 0)
		return -1;
	for (size_t i = 0; i < r->plan->want_count; i++)
		read_want(r, i, rows);
	return 0;
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
	r->records = mem_alloc(rows, sizeof(*r->records));
	r->fields = mem_alloc(rows, sizeof(*r->fields));
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
	free(r->records);
	free(r->fields);
	layouts_free(&r->layouts);
}
