/* How do the values of a batch become part of a column, and texts without an id names? */
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

/* Rows from first_row on; ERR_INPUT where one worker meets too many. */
static int text_numbers_add(struct text_numbers *n, const struct sqlite_values *v, size_t rows,
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

		local->number = new_ids(local->met.count);
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

/* Most columns of most batches are: then nothing has to be asked of each value. */
static bool all_ints(const struct sqlite_values *v)
{
	return v->all == SQLITE_IS_INT;
}

static void fill_int(const struct sqlite_values *v, size_t rows, int64_t none, int64_t *out)
{
	if (all_ints(v)) {
		memcpy(out, v->num, rows * sizeof(*out));
		return;
	}
	for (size_t i = 0; i < rows; i++)
		out[i] = v->type[i] == SQLITE_IS_INT ? v->num[i] : none;
}

/* Durations that need no care; false where some do. No early exit: see fill_usual_ids(). */
static bool fill_usual_durations(const int64_t *restrict start, const int64_t *restrict end,
				 size_t rows, int64_t *restrict out)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t d = (uint64_t)end[i] - (uint64_t)start[i];

		beyond |= d | -(uint64_t)(end[i] < start[i]);
		out[i] = (int64_t)d;
	}
	return beyond >> 63 == 0;
}

static void fill_duration(const struct sqlite_values *start, const struct sqlite_values *end,
			  size_t rows, int64_t *out)
{
	if (all_ints(start) && all_ints(end) &&
	    fill_usual_durations(start->num, end->num, rows, out))
		return;
	for (size_t i = 0; i < rows; i++) {
		if (start->type[i] == SQLITE_IS_INT && end->type[i] == SQLITE_IS_INT)
			out[i] = event_duration(start->num[i], end->num[i]);
		else
			out[i] = DURATION_NONE;
	}
}

/* A column of one device, or of one process, is never written to, and so takes no memory. */
static bool all_zero(const struct sqlite_values *v, size_t rows)
{
	uint64_t any = 0;

	if (!rows || !all_ints(v) || v->num[0] != 0)
		return false;
	for (size_t i = 1; i < rows; i++)
		any |= (uint64_t)v->num[i];
	return any == 0;
}

/* No early exit: the compiler turns the loop into a few vector instructions. */
static bool fill_usual_ids(const int64_t *restrict num, size_t rows, uint32_t *restrict out)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < rows; i++) {
		/* −1 is how exports write that there is none. */
		beyond |= (uint64_t)num[i] + 1;
		out[i] = (uint32_t)num[i];
	}
	return beyond >> 32 == 0;
}

/*
 * What is no 32-bit id is none, whether it is a NULL, a text or a number beyond: cut to size it
 * would join rows that do not belong together, and one such row is no reason to refuse the others.
 */
static void fill_id(const struct loaded_field *lf, const struct sqlite_values *v, size_t rows,
		    uint32_t *out)
{
	if (lf->is_cleared && all_zero(v, rows))
		return;
	if (all_ints(v) && fill_usual_ids(v->num, rows, out))
		return;
	for (size_t i = 0; i < rows; i++) {
		bool is_id = v->type[i] == SQLITE_IS_INT && (uint64_t)v->num[i] < ID_NONE;

		out[i] = is_id ? (uint32_t)v->num[i] : ID_NONE;
	}
}

/*
 * 0 is how some exports write that an op is no node. Graphs are one more than their number until
 * all is read, so that a capture without any, as most are, leaves the column as it came.
 */
static void fill_graph(struct load *l, const struct sqlite_values *v, size_t rows, uint32_t *out)
{
	bool any = false;

	if (v->all == SQLITE_IS_NULL || all_zero(v, rows))
		return;
	for (size_t i = 0; i < rows; i++) {
		if (v->type[i] != SQLITE_IS_INT || v->num[i] == 0)
			continue;
		out[i] = (uint32_t)((uint64_t)v->num[i] >> 32) + 1;
		any = true;
	}
	if (any)
		atomic_store_explicit(&l->has_nodes, true, memory_order_relaxed);
}

static void fill_name(const struct load *l, const struct sqlite_values *v, size_t rows,
		      uint32_t *out)
{
	const struct trace *t = l->trace;

	for (size_t i = 0; i < rows; i++)
		out[i] = v->type[i] == SQLITE_IS_INT ? strings_number(t, v->num[i]) : NAME_NONE;
}

/* Whether all rows have the same integer: nearly always, for rows of one page are neighbours. */
static bool all_same(const struct sqlite_values *v, size_t rows)
{
	uint64_t differs = 0;

	for (size_t i = 1; i < rows; i++)
		differs |= (uint64_t)(v->num[i] ^ v->num[0]);
	return rows && all_ints(v) && differs == 0;
}

static void fill_interned(const struct loaded_field *lf, const struct sqlite_values *v, size_t rows,
			  unsigned worker, uint32_t *out)
{
	struct intern_cache *cache = &lf->caches[worker];
	int shift = lf->field->type == FIELD_PROCESS ? 24 : 0;

	if (all_same(v, rows)) {
		uint32_t number = intern_number(lf->intern, cache, (uint64_t)v->num[0] >> shift);

		for (size_t i = 0; i < rows && (number || !lf->is_cleared); i++)
			out[i] = number;
		return;
	}
	for (size_t i = 0; i < rows; i++) {
		if (v->type[i] != SQLITE_IS_INT)
			out[i] = ID_NONE;
		else if (i && v->num[i] == v->num[i - 1] && out[i - 1] != ID_NONE)
			out[i] = out[i - 1];
		else
			out[i] = intern_number(lf->intern, cache, (uint64_t)v->num[i] >> shift);
	}
}

int load_field(struct load *l, const struct loaded_field *lf, const struct sqlite_batch *b,
	       unsigned worker, struct err *e)
{
	const struct sqlite_values *v = &b->values[lf->value];
	int64_t *wide = (int64_t *)lf->array + b->first_row;
	uint32_t *narrow = (uint32_t *)lf->array + b->first_row;

	switch (lf->field->type) {
	case FIELD_TIME: /* a row without a start has no duration either, and is left out by that */
		fill_int(v, b->rows, 0, wide);
		return 0;
	case FIELD_INT:
		fill_int(v, b->rows, INT_NONE, wide);
		return 0;
	case FIELD_DURATION:
		fill_duration(&b->values[l->start], v, b->rows, wide);
		return 0;
	case FIELD_ID:
		fill_id(lf, v, b->rows, narrow);
		return 0;
	case FIELD_GRAPH:
		fill_graph(l, v, b->rows, narrow);
		return 0;
	case FIELD_PROCESS:
	case FIELD_THREAD:
		fill_interned(lf, v, b->rows, worker, narrow);
		return 0;
	case FIELD_NAME:
		fill_name(l, v, b->rows, narrow);
		return 0;
	case FIELD_TEXT:
		if (text_numbers_add(lf->texts, v, b->rows, b->first_row, worker, e) < 0)
			return err_wrap(e, "'%s': table %s", l->trace->path, l->table->name);
		return 0;
	}
	return 0;
}
