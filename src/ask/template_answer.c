/* Which kernel is first where all instances of a template count as one? */
#include "ask/asking.h"
#include "ask/named_rows.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "report/kernel_name.h"
#include "text/strtab.h"

#include <stdlib.h>

/* Names of kernels without their template arguments, and what all of a name take. */
struct templates {
	struct strtab names;
	struct arena arena;
	int64_t *total_ns; /* by name */
	size_t cap;
};

/* "vectorized_elementwise_kernel" of all that are made of it; its number. */
static uint32_t template_of(struct templates *t, struct str kernel)
{
	SCOPED_BUF name = {0};
	struct str base;

	kernel_name_add_short(&name, kernel);
	base = buf_str(&name);
	for (size_t i = 1; i < base.len; i++) {
		if (base.s[i] == '<')
			base.len = i;
	}
	return strtab_keep(&t->names, &t->arena, base);
}

static void add_row(struct templates *t, struct str kernel, int64_t ns)
{
	const uint32_t number = template_of(t, kernel);
	const size_t had = t->cap;

	MEM_GROW(t->total_ns, t->cap, number + 1);
	for (size_t i = had; i < t->cap; i++)
		t->total_ns[i] = 0;
	t->total_ns[number] = sat_add(t->total_ns[number], ns);
}

static void add_rows(struct templates *t, const struct chosen_rows *r, int name, int total)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));

	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[name].kind == CELL_TEXT && cells[total].kind == CELL_INT)
			add_row(t, cells[name].s, cells[total].i);
	}
	free(cells);
}

/* Whether one kernel is asked for, the first by all that it takes. */
static bool asks_first(const struct question *q, const struct chosen_rows *r)
{
	const char *key = r->column >= 0 ? r->table->columns[r->column].key : "";

	return strcmp(r->table->name, "kernels") == 0 && q->wants_rows && q->top < 2 && !q->nth &&
	       !q->least_first && q->intent != ASKS_COMPARE && !r->by_name &&
	       table_column(r->table, "device") < 0 && table_column(r->table, "pid") < 0 &&
	       str_is_listed(str_of(key), "total_ns pct");
}

void asking_tell_template(struct asking *a, const struct chosen_rows *r)
{
	const int name = rows_name_column(r->table), total = table_column(r->table, "total_ns");
	struct templates t = {0};
	uint32_t most = 0;

	if (!asks_first(&a->question, r) || name < 0 || total < 0)
		return;
	add_rows(&t, r, name, total);
	for (uint32_t i = 1; i < t.names.count; i++)
		most = t.total_ns[i] > t.total_ns[most] ? i : most;
	/* The rows come by what they take: the first name is that of the first row. */
	if (most)
		sentences_add_template(&a->told, r->table, total, t.names.items[most],
				       t.total_ns[most]);
	strtab_free(&t.names);
	arena_free(&t.arena);
	free(t.total_ns);
}
