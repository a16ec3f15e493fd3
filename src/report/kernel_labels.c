/* What are the kernels of an answer called, so that no two look the same? */
#include "report/kernel_labels.h"

#include "base/mem.h"
#include "report/chart.h"
#include "report/finding.h"
#include "report/kernel_name.h"
#include "report/report.h"
#include "report/tell_apart.h"

#include <stdlib.h>

enum {
	ROWS_READ = 2000,    /* of each table, to know its names before the first is shown */
	NAMES_KEPT = 100000, /* a trace may have any number of names: memory has an end */
};

/* A kernel, by the number of its full name. */
struct kernel_label {
	uint32_t short_name;
	uint32_t number;   /* among those of one short name, from 1 */
	const char *apart; /* NULL: the number tells */
};

static uint32_t count_alike(struct kernel_labels *l, uint32_t short_name)
{
	const size_t had = l->alike_cap;

	MEM_GROW(l->alike, l->alike_cap, l->shorts.count);
	memset(l->alike + had, 0, (l->alike_cap - had) * sizeof(*l->alike));
	return ++l->alike[short_name];
}

/* NULL: there is no more room for new ones. */
static const struct kernel_label *find_label(struct kernel_labels *l, struct str name)
{
	const size_t had = l->names.count;
	SCOPED_BUF brief = {0};
	uint32_t id, short_name;

	if (had >= NAMES_KEPT)
		return NULL;
	id = strtab_keep(&l->names, &l->arena, name);
	if (l->names.count > had) {
		kernel_name_add_short(&brief, name);
		short_name = strtab_keep(&l->shorts, &l->arena, buf_str(&brief));
		MEM_GROW(l->labels, l->label_cap, l->names.count);
		l->labels[id] = (struct kernel_label){short_name, count_alike(l, short_name), NULL};
	}
	return &l->labels[id];
}

static void read_cell(struct kernel_labels *l, enum unit unit, const struct cell *c)
{
	if (unit == UNIT_KERNEL && c->kind == CELL_TEXT && !c->literal)
		find_label(l, c->s);
}

static void read_table(struct kernel_labels *l, const struct table *t)
{
	struct cell *cells;
	bool any = false;

	for (size_t c = 0; c < t->column_count; c++)
		any |= t->columns[c].unit == UNIT_KERNEL && t->columns[c].show != MACHINE_ONLY;
	if (!any || t->nsys)
		return;
	cells = mem_zalloc(t->column_count, sizeof(*cells));
	for (uint64_t i = 0; i < t->rows && i < ROWS_READ; i++) {
		t->row(t->ctx, i, cells);
		for (size_t c = 0; c < t->column_count; c++) {
			if (t->columns[c].show != MACHINE_ONLY)
				read_cell(l, t->columns[c].unit, &cells[c]);
		}
	}
	free(cells);
}

static void read_block(struct kernel_labels *l, const struct block *b)
{
	if (b->kind == BLOCK_TABLE)
		read_table(l, b->table);
	for (size_t i = 0; b->kind == BLOCK_FINDING && i < b->finding->evidence_count; i++)
		read_cell(l, b->finding->evidence[i].unit, &b->finding->evidence[i].value);
	for (size_t i = 0; b->kind == BLOCK_CHART && b->chart->labels && i < b->chart->count; i++) {
		struct cell label = cell_str(b->chart->labels[i]);

		read_cell(l, b->chart->label_unit, &label);
	}
}

/* All kernels of one short name, which are several. */
static void label_alike(struct kernel_labels *l, const uint32_t *ids, size_t count)
{
	struct str *names = mem_alloc(count, sizeof(*names));
	const char **apart = mem_alloc(count, sizeof(const char *));

	for (size_t i = 0; i < count; i++)
		names[i] = l->names.items[ids[i]];
	tell_apart(names, count, &l->arena, apart);
	for (size_t i = 0; i < count; i++)
		l->labels[ids[i]].apart = apart[i];
	free(apart);
	free(names);
}

/* Kernels of one short name stand together, in the order in which they came. */
static void label_all(struct kernel_labels *l)
{
	uint32_t *ids = mem_alloc(l->names.count, sizeof(*ids));
	size_t *begin = mem_zalloc(l->shorts.count + 1, sizeof(*begin));

	for (size_t s = 0; s < l->shorts.count; s++)
		begin[s + 1] = begin[s] + l->alike[s];
	for (size_t i = 0; i < l->names.count; i++)
		ids[begin[l->labels[i].short_name] + l->labels[i].number - 1] = (uint32_t)i;
	for (size_t s = 0; s < l->shorts.count; s++) {
		if (l->alike[s] > 1)
			label_alike(l, ids + begin[s], l->alike[s]);
	}
	free(begin);
	free(ids);
}

void kernel_labels_make(struct kernel_labels *l, const struct report *r)
{
	*l = (struct kernel_labels){0};
	for (size_t i = 0; i < r->block_count; i++)
		read_block(l, &r->blocks[i]);
	label_all(l);
}

void kernel_labels_add_short(struct kernel_labels *l, struct buf *b, struct str name)
{
	const struct kernel_label *label = find_label(l, name);

	if (!label) {
		kernel_name_add_short(b, name);
		return;
	}
	buf_addstr(b, l->shorts.items[label->short_name]);
	if (label->apart && label->apart[0])
		buf_addf(b, " [%s]", label->apart);
	else if (!label->apart && label->number > 1)
		buf_addf(b, " [#%u]", label->number);
}

void kernel_labels_free(struct kernel_labels *l)
{
	strtab_free(&l->names);
	strtab_free(&l->shorts);
	free(l->labels);
	free(l->alike);
	arena_free(&l->arena);
	*l = (struct kernel_labels){0};
}
