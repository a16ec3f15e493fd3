/* Where in the page does somebody see what a piece of evidence says? */
#include "report/html/html_rows.h"

#include "base/mem.h"
#include "report/cell_text.h"
#include "report/html/html_page.h"

#include <ctype.h>
#include <stdlib.h>

/* What a row is looked for by. */
struct wanted {
	const struct buf *name; /* NULL: by when it began */
	int64_t at_ns;
};

/* A kernel that is a template may be named without its arguments: all of it is meant. */
static bool has_name(const struct cell *cell, const struct buf *name)
{
	SCOPED_BUF text = {0};

	if (cell->kind == CELL_TEXT)
		return str_starts(cell->s, buf_str(name).s) &&
		       (cell->s.len == name->len || cell->s.s[name->len] == '<');
	cell_add_raw(&text, cell);
	return str_eq(buf_str(&text), buf_str(name));
}

/* The script looks at the same cells: the first one, or the first one with a time. */
static bool is_meant(const struct table *t, const struct cell *cells, const struct wanted *w)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		if (w->name)
			return has_name(&cells[c], w->name);
		if (t->columns[c].unit == UNIT_TIME_NS)
			return cells[c].kind == CELL_INT && cells[c].i == w->at_ns;
	}
	return false;
}

static bool shows(const struct table *t, const struct wanted *w)
{
	struct cell *cells = mem_alloc(t->column_count, sizeof(*cells));
	bool found = false;

	for (uint64_t i = 0; !found && i < t->rows && i < HTML_MAX_ROWS; i++) {
		t->row(t->ctx, i, cells);
		found = is_meant(t, cells, w);
	}
	free(cells);
	return found;
}

/* In the tables of that name; without anything wanted, the first of them. */
static bool find_in(const struct report *r, const char *table, const struct wanted *w,
		    size_t *ret_block)
{
	for (size_t i = 0; i < r->block_count; i++) {
		const struct table *t = r->blocks[i].table;

		if (r->blocks[i].kind != BLOCK_TABLE || t->facts || !table ||
		    strcmp(t->name, table) != 0)
			continue;
		if (!w || shows(t, w)) {
			*ret_block = i;
			return true;
		}
	}
	return false;
}

static const char *rows_of(const struct finding *f)
{
	const struct finding_kind *kind = finding_kind(f->id);

	return kind ? kind->rows : NULL;
}

static bool find_kernel(const struct report *r, const struct finding *f, const struct evidence *v,
			struct html_rows *ret)
{
	const struct wanted w = {.name = &ret->name};

	buf_addstr(&ret->name, v->value.s);
	return find_in(r, rows_of(f), &w, &ret->block) || find_in(r, "kernels", &w, &ret->block);
}

static bool is_kernel(const struct evidence *v)
{
	return v->unit == UNIT_KERNEL && v->value.kind == CELL_TEXT;
}

/* A launch or a stretch of a kernel has no row, but the kernel has. */
static bool find_kernel_beside(const struct report *r, const struct finding *f,
			       struct html_rows *ret)
{
	for (size_t i = 0; i < f->evidence_count; i++) {
		if (is_kernel(&f->evidence[i]))
			return find_kernel(r, f, &f->evidence[i], ret);
	}
	return false;
}

/* "Rank 2 is late: …" */
static bool find_rank(const struct report *r, const struct finding *f, struct html_rows *ret)
{
	static const char word[] = "Rank ";
	const struct wanted w = {.name = &ret->name};
	const char *digit = f->title + sizeof(word) - 1;

	if (strncmp(f->title, word, sizeof(word) - 1) != 0)
		return false;
	for (; isdigit((unsigned char)*digit); digit++)
		buf_addc(&ret->name, *digit);
	return ret->name.len && find_in(r, "stragglers", &w, &ret->block);
}

/* What is true of all of the window stands in the row of each GPU, or nowhere. */
static bool find_whole(const struct report *r, const struct finding *f, struct html_rows *ret)
{
	static const char *const of_gpus[] = {"gpu_bound",    "dominant_kernel", "copy_bound",
					      "exposed_comm", "rank_skew",	 "pipeline_bubble"};

	if (strcmp(f->id, "straggler") == 0)
		return find_rank(r, f, ret);
	for (size_t i = 0; i < ARRAY_LEN(of_gpus); i++) {
		if (strcmp(f->id, of_gpus[i]) == 0)
			return find_in(r, "gpu_partition", NULL, &ret->block);
	}
	return false;
}

static bool is_whole(const struct report *r, const struct evidence *v)
{
	return r->has_window && v->start_ns <= r->window_start_ns && v->end_ns >= r->window_end_ns;
}

static bool find_time(const struct report *r, const struct finding *f, const struct evidence *v,
		      struct html_rows *ret)
{
	static const char *const of_times[] = {"gaps", "iterations", "iteration_outliers",
					       "worst_collectives"};
	const struct wanted w = {.at_ns = v->start_ns};

	ret->by_time = find_in(r, rows_of(f), &w, &ret->block);
	for (size_t i = 0; !ret->by_time && i < ARRAY_LEN(of_times); i++)
		ret->by_time = find_in(r, of_times[i], &w, &ret->block);
	return ret->by_time;
}

bool html_find_rows(const struct report *r, const struct finding *f, const struct evidence *v,
		    struct html_rows *ret)
{
	*ret = (struct html_rows){0};
	if (is_kernel(v))
		return find_kernel(r, f, v, ret);
	if (!v->has_when)
		return false;
	if (is_whole(r, v))
		return find_whole(r, f, ret);
	return find_time(r, f, v, ret) || find_kernel_beside(r, f, ret);
}
