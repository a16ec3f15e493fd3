/* What identifies a row? */
#include "report/row_key.h"

#include "base/mem.h"
#include "report/cells.h"
#include "text/decimal.h"

#include <stdlib.h>

enum { REMEMBERED_ROWS = 100000 };

void row_key_begin(struct row_key *k, const struct table *t)
{
	*k = (struct row_key){.table = t, .by_index = true};
	for (size_t c = 0; c < t->column_count; c++)
		if (t->columns[c].id)
			k->by_index = false;
	k->unique = !k->by_index && t->rows <= REMEMBERED_ROWS;
}

static uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3u;
	return hash;
}

/* How often this key has come, this time included. */
static uint32_t count_key(struct row_key *k, uint64_t hash)
{
	uint32_t n = idmap_add(&k->seen, hash, (uint32_t)k->count);

	if (n == k->count) {
		MEM_GROW(k->times, k->cap, k->count + 1);
		k->times[k->count++] = 0;
	}
	return ++k->times[n];
}

void row_key_add(struct row_key *k, struct buf *b, uint64_t i, const struct cell *cells)
{
	const struct table *t = k->table;
	size_t begin = b->len;
	uint32_t times;

	buf_adds(b, t->kind ? t->kind : t->name);
	if (k->by_index) {
		buf_addc(b, '|');
		decimal_add_uint(b, i);
		return;
	}
	for (size_t c = 0; c < t->column_count; c++) {
		if (!t->columns[c].id)
			continue;
		buf_addc(b, '|');
		buf_adds(b, t->columns[c].id);
		cell_add_raw(b, &cells[c]);
	}
	if (!k->unique)
		return;
	times = count_key(k, hash_bytes(b->s + begin, b->len - begin));
	if (times > 1) {
		buf_addc(b, '#');
		decimal_add_uint(b, times);
	}
}

void row_key_end(struct row_key *k)
{
	idmap_free(&k->seen);
	free(k->times);
}
