/* What does a record of any shape hold: long, short, or spread over overflow pages? */
#include "sqlitefile/record.h"
#include "base/mem.h"

#include <stdlib.h>

/* 32767 columns, the most a SQLite can be built for, of at most 3 bytes. */
enum { MAX_HEADER = 3 * 32767 + 3 };

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
	uint8_t *copy = mem_zalloc(header + MAP_SLACK, 1);
	int rc = payload_copy(&payload, 0, copy, header, e);

	w->type = copy + types_at;
	w->types_end = copy + header;
	if (rc == 0)
		rc = put_all(w, e);
	free(copy);
	return rc;
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
