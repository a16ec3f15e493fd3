/* How long do ranks wait for each other? */
#include "diff/waits/run_waits.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "text/text.h"
#include "traces/answer.h"

#include <stdlib.h>
#include <string.h>

/* A table of an answer, and the row of it that is read. */
struct reading {
	const struct table *table;
	struct cell *cells;
};

static const struct cell *cell_of(const struct reading *r, const char *key)
{
	static const struct cell none = {.kind = CELL_NULL};

	for (size_t c = 0; c < r->table->column_count; c++) {
		if (strcmp(r->table->columns[c].key, key) == 0)
			return &r->cells[c];
	}
	return &none;
}

static int64_t int_of(const struct reading *r, const char *key)
{
	const struct cell *c = cell_of(r, key);

	return c->kind == CELL_INT ? c->i : 0;
}

static struct wait read_rank(const struct reading *r, struct arena *arena)
{
	const struct cell *rank = cell_of(r, "rank");
	const bool known = rank->kind == CELL_INT;

	return (struct wait){
		arena_printf(arena, "%s %lld", known ? "rank" : "device",
			     (long long)(known ? rank->i : int_of(r, "device"))),
		{[WAIT_NS] = int_of(r, "imposed_ns"),
		 [WAIT_COUNT] = int_of(r, "last"),
		 [WAIT_LATE_NS] = int_of(r, "late_ns"),
		 [WAIT_OWN_NS] = int_of(r, "waited_ns")},
	};
}

static struct wait read_collective(const struct reading *r, struct arena *arena)
{
	const struct cell *name = cell_of(r, "collective");

	return (struct wait){
		name->kind == CELL_TEXT ? text_valid(arena, name->s) : "collective",
		{[WAIT_NS] = int_of(r, "wait_ns"), [WAIT_COUNT] = int_of(r, "collectives")},
	};
}

static int by_name(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct wait *)a)->name, ((const struct wait *)b)->name);
}

void wait_list_sort(struct wait_list *l)
{
	size_t kept = 0;

	sort_stable(l->all, l->count, sizeof(*l->all), by_name, NULL);
	for (size_t i = 0; i < l->count; i++) {
		if (!kept || by_name(&l->all[kept - 1], &l->all[i], NULL) != 0) {
			l->all[kept++] = l->all[i];
			continue;
		}
		for (int k = 0; k < WAIT_FIGURES; k++)
			l->all[kept - 1].figures[k] =
				sat_add(l->all[kept - 1].figures[k], l->all[i].figures[k]);
	}
	l->count = kept;
}

const struct wait *wait_list_find(const struct wait_list *l, const char *name)
{
	const size_t at = BISECT(0, l->count, i, strcmp(l->all[i].name, name) < 0);

	return at < l->count && strcmp(l->all[at].name, name) == 0 ? &l->all[at] : NULL;
}

/* A rank may have several rows, by its GPUs or processes; so may a type of collectives. */
static struct wait_list list_waits(const struct table *t, struct arena *arena,
				   struct wait (*read)(const struct reading *r,
						       struct arena *arena))
{
	SCOPED struct cell *cells = t ? mem_alloc(t->column_count, sizeof(*cells)) : NULL;
	struct wait_list l = {.all = arena_alloc(arena, t ? t->rows : 0, sizeof(*l.all))};

	for (; t && l.count < t->rows; l.count++) {
		t->row(t->ctx, l.count, cells);
		l.all[l.count] = read(&(struct reading){t, cells}, arena);
	}
	wait_list_sort(&l);
	return l;
}

int run_waits_read(struct run_waits *ret, struct trace *t, const struct scope *steps,
		   struct arena *arena, struct err *e)
{
	const struct capture all = {.trace = t, .scope = *steps, .is_asked = true};
	struct answer answer;
	int result = answer_make(&answer, &all, "stragglers", NULL, e);

	*ret = (struct run_waits){0};
	if (result == 0) {
		const struct table *ranks = report_find_table(&answer.report, "stragglers");

		ret->known = ranks != NULL;
		ret->ranks = list_waits(ranks, arena, read_rank);
		ret->collectives = list_waits(report_find_table(&answer.report, "collectives"),
					      arena, read_collective);
	}
	answer_free(&answer);
	return result == 0 ? 0 : err_forgive_absent(e);
}
