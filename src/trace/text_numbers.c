/* Which name is a text that came without an id? */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/load.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { LOCAL_BITS = 26 };

_Static_assert(PARALLEL_MAX <= 1 << (32 - LOCAL_BITS), "a worker and its number fit 32 bits");

struct local_texts {
	struct strtab met;
	uint32_t *number; /* in the trace; NAME_NONE: not yet given */
};

struct text_numbers {
	struct local_texts *locals; /* one per worker */
	uint32_t *of_row;	    /* a worker and a number of its own; NAME_NONE: no text */
	uint64_t rows;
};

struct text_numbers *text_numbers_new(uint64_t rows)
{
	struct text_numbers *n = mem_alloc(1, sizeof(*n));

	*n = (struct text_numbers){.rows = rows};
	n->locals = mem_zalloc(parallel_workers(), sizeof(*n->locals));
	n->of_row = mem_alloc(rows, sizeof(*n->of_row));
	return n;
}

int text_numbers_add(struct text_numbers *n, const struct sqlite_values *v, size_t rows,
		     uint64_t first_row, unsigned worker, struct err *e)
{
	struct strtab *met = &n->locals[worker].met;
	uint32_t *out = n->of_row + first_row;

	for (size_t i = 0; i < rows; i++) {
		bool text = v->type[i] == SQLITE_IS_TEXT || v->type[i] == SQLITE_IS_BLOB;
		struct str s = text ? (struct str){v->s[i], (size_t)v->num[i]} : STR_LIT("");

		out[i] = text ? worker << LOCAL_BITS | strtab_add(met, s) : NAME_NONE;
	}
	return met->count >> LOCAL_BITS ? err_set(e, ERR_INPUT, "too many different texts") : 0;
}

/* A text and a registered string of the same bytes are one name: texts get the string's number. */
void text_numbers_settle(struct text_numbers *n, struct trace *t, uint32_t *names)
{
	for (unsigned w = 0; w < parallel_workers(); w++) {
		struct local_texts *local = &n->locals[w];

		local->number = mem_alloc(local->met.count, sizeof(*local->number));
		memset(local->number, 0xff, local->met.count * sizeof(*local->number));
	}
	for (uint64_t i = 0; i < n->rows; i++) {
		struct local_texts *local;
		uint32_t text;

		if (n->of_row[i] == NAME_NONE)
			continue;
		local = &n->locals[n->of_row[i] >> LOCAL_BITS];
		text = n->of_row[i] & ((1u << LOCAL_BITS) - 1);
		if (local->number[text] == NAME_NONE)
			local->number[text] = strings_add_text(t, local->met.items[text]);
		names[i] = local->number[text];
	}
}

void text_numbers_free(struct text_numbers *n)
{
	if (!n)
		return;
	for (unsigned w = 0; w < parallel_workers(); w++) {
		strtab_free(&n->locals[w].met);
		free(n->locals[w].number);
	}
	free(n->locals);
	free(n->of_row);
	free(n);
}
