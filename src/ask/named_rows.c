/* Which rows are called what was said? */
#include "ask/named_rows.h"

#include "ask/asked_column.h"
#include "ask/said_name.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

int rows_name_column(const struct table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].unit == UNIT_KERNEL)
			return (int)c;
	}
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].unit == UNIT_NAME)
			return (int)c;
	}
	return -1;
}

/* Which of the rows that fit at all are kept. */
enum keeps { KEEP_BEST, KEEP_ALL };

/* Keeps rows whose name fits so well; false where none does, and all are kept. */
static bool keep_fitting(struct chosen_rows *r, int column, const struct str *said, size_t count,
			 enum name_fit least, enum keeps keeps)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	enum name_fit *fits = mem_alloc(r->count + 1, sizeof(*fits));
	struct name_fits known = {0};
	bool *is_kept = mem_zalloc(r->count + 1, sizeof(*is_kept)), any = false;
	size_t n = 0;

	for (size_t s = 0; s < count; s++) {
		enum name_fit best = least;

		name_fits_begin(&known, said[s]);
		for (size_t i = 0; i < r->count; i++) {
			r->table->row(r->table->ctx, r->rows[i], cells);
			fits[i] = cells[column].kind == CELL_TEXT
					  ? name_fits_find(&known, cells[column].s)
					  : FIT_NONE;
			best = fits[i] > best && keeps == KEEP_BEST ? fits[i] : best;
		}
		for (size_t i = 0; i < r->count; i++) {
			is_kept[i] |= fits[i] >= best && fits[i] > FIT_NONE;
			any |= is_kept[i];
		}
	}
	for (size_t i = 0; any && i < r->count; i++) {
		if (is_kept[i])
			r->rows[n++] = r->rows[i];
	}
	r->count = any ? n : r->count;
	r->by_name |= any;
	name_fits_end(&known);
	free(is_kept);
	free(fits);
	free(cells);
	return any;
}

/* Those that fit best. */
static bool keep_named(struct chosen_rows *r, int column, const struct str *said, size_t count,
		       enum name_fit least)
{
	return keep_fitting(r, column, said, count, least, KEEP_BEST);
}

/* What a word that is no name by its looks may be part of: "gemm", "forward"; empty: of nothing. */
static struct str plain_name(const struct question *q, size_t i, bool *ret_is_common)
{
	const struct word *w = &q->words.all[i];

	*ret_is_common = word_is_common(w);
	if (w->is_stop || w->is_quoted || q->is_used[i] || q->is_place[i] ||
	    (strlen(w->text) < 3 && !str_is_listed(str_of(w->text), "sm rx tx")) ||
	    (w->text[0] >= '0' && w->text[0] <= '9'))
		return (struct str){0};
	/* "memsets" is a memset, "copies" are a copy. */
	return str_of(strncmp(w->text, w->stem, strlen(w->stem)) == 0 ||
				      str_ends(str_of(w->text), "ies")
			      ? w->stem
			      : w->text);
}

/* What was said in place of a term may be the name: "attn" is attention, and a range. */
/* "h2d", where rows are of copies: those of that direction are kept already. */
static bool is_direction(const struct question *q, const struct topic *topic, const char *word)
{
	return topic->work && q->work.direction && str_is_listed(str_of(word), "h2d d2h d2d p2p");
}

static bool keep_said(struct chosen_rows *r, int column, const struct question *q, size_t i,
		      struct str name)
{
	const struct word *w = &q->words.all[i];
	/* "gemm kernels": who says so means part of a name. Any word is part of some name. */
	const bool may_be_part = i + 1 < q->words.count &&
				 str_is_listed(str_of(q->words.all[i + 1].stem),
					       "kernel rang call copy function collective");
	const bool is_class = i + 1 < q->words.count &&
			      str_is_listed(str_of(q->words.all[i + 1].text), "kernels") &&
			      !w->is_term;

	/* "flash kernels" are all that have it. */
	if (is_class)
		return keep_fitting(r, column, &name, 1, FIT_PART, KEEP_ALL);
	return keep_named(r, column, &(struct str){w->text, strlen(w->text)}, 1, FIT_WORD) ||
	       keep_named(r, column, &name, 1, may_be_part ? FIT_PART : FIT_WORD) ||
	       (w->is_term && w->said.len >= 3 && keep_named(r, column, &w->said, 1, FIT_WORD));
}

static bool joins_names(const struct question *q, size_t i)
{
	return words_at(&q->words, i, "and") || words_at(&q->words, i, "or");
}

/* "which of fwd, bwd and opt": what another row is called, and none of those that are kept. */
static bool add_named(struct chosen_rows *r, int column, const uint64_t *all, size_t count,
		      struct str name, enum name_fit least)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	bool *is_kept = mem_zalloc(r->table->rows + 1, sizeof(*is_kept));
	const size_t before = r->count;

	for (size_t i = 0; i < r->count; i++)
		is_kept[r->rows[i]] = true;
	for (size_t i = 0; r->by_name && i < count; i++) {
		r->table->row(r->table->ctx, all[i], cells);
		if (cells[column].kind == CELL_TEXT && name_fit(cells[column].s, name) >= least &&
		    !is_kept[all[i]])
			r->rows[r->count++] = all[i];
	}
	free(is_kept);
	free(cells);
	return r->count > before;
}

/* Ops are of a class: "the first kernel" is no copy and no memset. */
static void drop_class(struct chosen_rows *r, struct str class)
{
	const int column = table_column(r->table, "class");
	struct cell *cells;
	size_t n = 0;

	if (column < 0)
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[column].kind != CELL_TEXT || !str_eq(cells[column].s, class))
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	free(cells);
}

/* A word may say what a row is by another text of it: "pinned" is where a copy comes from. The
 * column; -1: none has it. */
static int keep_described(struct chosen_rows *r, int name_column, const struct topic *topic,
			  struct str word, const char *not_key)
{
	for (size_t c = 0; c < r->table->column_count; c++) {
		const struct column *column = &r->table->columns[c];
		SCOPED_BUF told = {0};

		buf_addf(&told, "{%s}", column->key);
		if ((int)c != name_column && !column_is_number(column) &&
		    strcmp(column->key, not_key) != 0 && strstr(topic->row, told.s) &&
		    keep_named(r, (int)c, &word, 1, FIT_WORD))
			return (int)c;
	}
	return -1;
}

/* "to pageable memory" is no source, "from pinned memory" no destination: the column that is not
 * meant; "": either may be. */
static const char *other_end(const struct question *q, size_t i)
{
	return !i									? ""
	       : words_at(&q->words, i - 1, "to") || words_at(&q->words, i - 1, "into") ? "source"
	       : words_at(&q->words, i - 1, "from") ? "destination"
						    : "";
}

/* What is compared is two: where words name one row alone, the other is not known by its name. */
static void keep_both(struct chosen_rows *r, int column, const struct str *said, size_t count)
{
	uint64_t *all = mem_alloc(r->count + 1, sizeof(*all));
	const size_t before = r->count;

	memcpy(all, r->rows, before * sizeof(*all));
	if (keep_named(r, column, said, count, FIT_PART) && r->count == 1) {
		memcpy(r->rows, all, before * sizeof(*all));
		r->count = before;
	}
	free(all);
}

/* Rows as they were. */
struct row_list {
	uint64_t *rows;
	size_t count;
};

static void list_rows(struct row_list *l, const struct chosen_rows *r)
{
	memcpy(l->rows, r->rows, r->count * sizeof(*l->rows));
	l->count = r->count;
}

/* What plain words have named so far. */
struct plain_names {
	struct row_list all, before; /* at first; before the last word that has named some */
	size_t named;		     /* after that word; 0: there is none */
	struct row_list undescribed; /* before the last word that is another text of some */
	size_t described;	     /* after that word; 0: there is none */
	int column;		     /* of that text */
};

/* "fwd and bwd": what the word before has left out is named by this one. */
static bool add_joined(struct chosen_rows *r, int column, const struct plain_names *p,
		       struct str said)
{
	return add_named(r, column, p->all.rows, p->all.count, said, FIT_WHOLE) ||
	       add_named(r, column, p->before.rows, p->before.count, said, FIT_WORD);
}

/* "into pageable memory and how many into pinned": both, as rows are of the one or the other. */
static bool add_described(struct chosen_rows *r, const struct plain_names *p,
			  const struct question *q, size_t i)
{
	bool is_joined = false;

	for (size_t at = p->described; p->described && at < i; at++)
		is_joined |= joins_names(q, at);
	return is_joined && add_named(r, p->column, p->undescribed.rows, p->undescribed.count,
				      str_of(q->words.all[i].text), FIT_WORD);
}

/* By a text that is no name. */
static bool keep_other_text(struct chosen_rows *r, int name_column, const struct topic *topic,
			    const struct question *q, struct plain_names *p, size_t i,
			    const struct row_list *now)
{
	const struct word *w = &q->words.all[i];
	int column = keep_described(r, name_column, topic, str_of(w->text), other_end(q, i));

	if (column < 0 && w->is_term)
		column = keep_described(r, name_column, topic, w->said, other_end(q, i));
	if (column < 0)
		return add_described(r, p, q, i);
	memcpy(p->undescribed.rows, now->rows, now->count * sizeof(*now->rows));
	p->undescribed.count = now->count;
	p->described = i + 1;
	p->column = column;
	return true;
}

/* Each word says more of what is meant. */
static void keep_word(struct chosen_rows *r, int column, const struct topic *topic,
		      const struct question *q, struct plain_names *p, size_t i, struct str name)
{
	const struct word *w = &q->words.all[i];
	const bool is_next = p->named && p->named == i - (i && joins_names(q, i - 1));
	struct row_list now = {mem_alloc(r->count + 1, sizeof(*now.rows)), 0};

	list_rows(&now, r);
	if (keep_said(r, column, q, i, name)) {
		memcpy(p->before.rows, now.rows, now.count * sizeof(*now.rows));
		p->before.count = now.count;
		p->named = i + 1;
	} else if (is_next && add_joined(r, column, p, w->said)) {
		p->named = i + 1;
	}
	r->reads[i] = p->named == i + 1 || keep_other_text(r, column, topic, q, p, i, &now);
	free(now.rows);
}

/* Any question has such words: they are a row's name, or mean none. */
static void keep_common(struct chosen_rows *r, int column, struct str name)
{
	if (strcmp(r->table->columns[column].key, "kind") == 0)
		keep_named(r, column, &name, 1, FIT_PART);
	else if (str_eq(name, STR_LIT("kernel")))
		drop_class(r, STR_LIT("copy"));
}

/* In a comparison each word is another one. */
static void keep_plain(struct chosen_rows *r, int column, const struct topic *topic,
		       const struct question *q)
{
	struct plain_names p = {.all.rows = mem_alloc(r->count + 1, sizeof(*p.all.rows)),
				.before.rows = mem_alloc(r->count + 1, sizeof(*p.all.rows)),
				.undescribed.rows = mem_alloc(r->count + 1, sizeof(*p.all.rows))};
	struct str together[ASKED_MOST * 2];
	size_t count = 0;

	list_rows(&p.all, r);
	for (size_t i = 0; i < q->words.count; i++) {
		bool is_common;
		const struct str name = plain_name(q, i, &is_common);

		if (!name.len)
			continue;
		if (is_direction(q, topic, q->words.all[i].text)) {
			r->reads[i] = true;
		} else if (is_common) {
			keep_common(r, column, name);
		} else if (q->intent != ASKS_COMPARE) {
			keep_word(r, column, topic, q, &p, i, name);
		} else if (count + 1 < ASKED_MOST * 2) {
			r->reads[i] = true;
			together[count++] = name;
			if (q->words.all[i].is_term && q->words.all[i].said.len >= 3)
				together[count++] = q->words.all[i].said;
		}
	}
	if (count)
		keep_both(r, column, together, count);
	free(p.all.rows);
	free(p.before.rows);
	free(p.undescribed.rows);
}

/* Whether one of the words from there up to the end is (part of) the name. */
static bool is_named_by(struct str name, const struct question *q, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		if (!w->is_stop && !word_is_common(w) &&
		    name_fit(name, w->is_quoted ? w->said : str_of(w->text)) >= FIT_WORD)
			return true;
	}
	return false;
}

/* "the gap between the upload and the add kernel": what is before it, and what is after. False:
 * that is not asked, or there is none. */
static bool keep_between(struct chosen_rows *r, const struct question *q)
{
	const int before = table_column(r->table, "before"),
		  after = table_column(r->table, "after");
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	size_t from = 0, and, n = 0;

	while (from < q->words.count && !words_at(&q->words, from, "between"))
		from++;
	for (and = from; and < q->words.count && !words_at(&q->words, and, "and");)
		and++;
	for (size_t i = 0; before >= 0 && after >= 0 && and < q->words.count && i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[before].kind == CELL_TEXT && cells[after].kind == CELL_TEXT &&
		    is_named_by(cells[before].s, q, from, and) &&
		    is_named_by(cells[after].s, q, and, q->words.count))
			r->rows[n++] = r->rows[i];
	}
	free(cells);
	if (!n)
		return false;
	r->count = n;
	r->by_name = true;
	for (size_t i = from; i < q->words.count; i++)
		r->reads[i] = true;
	return true;
}

void rows_keep_named(struct chosen_rows *r, const struct topic *topic, const struct question *q)
{
	const int column = rows_name_column(r->table);

	if (column < 0) {
		r->has_missed = q->names.count > 0;
		return;
	}
	if (keep_between(r, q))
		return;
	if (!q->names.count) {
		keep_plain(r, column, topic, q);
		return;
	}
	/* "is few_blocks among the top 4": the first ones are asked for, it may be one. */
	if (q->top > q->names.count && q->names.is_whole[0])
		return;
	r->has_missed = !keep_fitting(r, column, q->names.all, q->names.count,
				      q->names.is_pattern[0] ? FIT_PART
				      : q->names.is_whole[0] ? FIT_WORD
							     : FIT_NEAR,
				      q->names.is_pattern[0] ? KEEP_ALL : KEEP_BEST);
	r->missed = q->names.all[0];
}
