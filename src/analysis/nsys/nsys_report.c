/* What do NVIDIA's reports share: tables, sums by name, how ranges and grids are written? */
#include "analysis/nsys/nsys_report.h"

#include "analysis/grouping.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/strings.h"
#include "trace/system/labels.h"

#include <stdio.h>
#include <stdlib.h>

void trace_report(struct report *r, const struct analysis *a, const struct column *columns,
		  size_t column_count, uint64_t rows,
		  void (*row)(const void *ctx, uint64_t i, struct cell *cells), const void *ctx)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = a->name,
		.title = a->title,
		.columns = columns,
		.column_count = column_count,
		.rows = rows,
		.total_rows = rows,
		.row = row,
		.ctx = ctx,
		.nsys = true,
	};
	report_table(r, table);
}

uint32_t *order_unless_sorted(const int64_t *start_ns, uint64_t count)
{
	uint64_t i = 1;

	while (i < count && start_ns[i - 1] <= start_ns[i])
		i++;
	return i < count ? sort_new_order(start_ns, count) : NULL;
}

struct str range_style(uint32_t event_type)
{
	return nvtx_is_push_pop(event_type) ? STR_LIT("PushPop") : STR_LIT("StartEnd");
}

void range_add_stack(struct buf *b, const struct range_forest *f, uint32_t range)
{
	uint32_t chain[DEEPEST_SHOWN];
	size_t depth = 0;

	for (; range != RANGE_NONE && depth < DEEPEST_SHOWN; range = f->ranges[range].parent)
		chain[depth++] = range;
	while (depth)
		buf_addf(b, ":%lld", (long long)range_id(f, chain[--depth]));
}

int shape_require(struct trace *t, struct err *e)
{
	for (int c = COL_GRID_X; c <= COL_BLOCK_Z; c++) {
		if (trace_require_column(t, TRACE_KERNELS, (enum trace_column)c, e) < 0)
			return -1;
	}
	return 0;
}

struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES])
{
	if (dimensions[0][kernel] == ID_NONE || dimensions[1][kernel] == ID_NONE ||
	    dimensions[2][kernel] == ID_NONE)
		return STR_LIT("");
	int len = snprintf(out, SHAPE_BYTES, "%4u %4u %4u", dimensions[0][kernel],
			   dimensions[1][kernel], dimensions[2][kernel]);

	return (struct str){out, (size_t)len};
}

/* Where did the time go, line by line, as NVIDIA's *_sum reports say it? */

void sum_lines_add(struct sum_lines *l, struct sum_line line)
{
	MEM_GROW(l->lines, l->cap, l->count + 1);
	l->lines[l->count++] = line;
}

void sum_lines_free(struct sum_lines *l)
{
	free(l->lines);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct sum_line *x = a, *y = b;
	int c;

	(void)ctx;
	if (x->s.total != y->s.total)
		return x->s.total > y->s.total ? -1 : 1;
	if ((c = str_cmp(x->category, y->category)) || (c = str_cmp(x->name, y->name)) ||
	    (c = str_cmp(x->grid, y->grid)))
		return c;
	return str_cmp(x->block, y->block);
}

void sum_lines_sort(struct sum_lines *l)
{
	sort_stable(l->lines, l->count, sizeof(*l->lines), compare_lines, NULL);
}

static void add_groups(struct trace *t, const struct grouping *g, uint64_t events,
		       struct str category, struct str (*name)(const struct trace *, uint32_t),
		       struct sum_lines *l)
{
	struct summary *sums = mem_alloc(g->count, sizeof(*sums));

	summarize(g->duration_ns, g->group, events, g->count, sums);
	for (size_t i = 0; i < g->count; i++)
		sum_lines_add(l, (struct sum_line){.s = sums[i],
						   .category = category,
						   .name = name(t, g->keys[i].name)});
	free(sums);
}

static int add_named(struct trace *t, enum trace_kind kind, const uint32_t *names,
		     const uint32_t *alias, struct str category,
		     struct str (*name)(const struct trace *, uint32_t), struct sum_lines *l,
		     struct err *e)
{
	const struct scope everything = {0};
	struct grouping g;

	if (grouping_make_aliased(t, kind, names, alias, &everything, BY_NONE, &g, e) < 0)
		return -1;
	add_groups(t, &g, t->events[kind].count, category, name, l);
	grouping_free(&g);
	return 0;
}

int sum_add_kernels(struct trace *t, const struct naming_args *n, struct sum_lines *l,
		    struct err *e)
{
	struct kernel_names names;
	int result;

	if (!t->events[TRACE_KERNELS].table)
		return 0;
	if (kernel_names_read(t, n, NULL, &names, e) < 0)
		return -1;
	result = add_named(t, TRACE_KERNELS, names.of_kernel, NULL, STR_LIT("CUDA_KERNEL"),
			   trace_name, l, e);
	kernel_names_free(&names);
	return result;
}

static struct str memcpy_name(const struct trace *t, uint32_t kind)
{
	(void)t;
	return label_memcpy(kind);
}

static struct str memset_name(const struct trace *t, uint32_t unused)
{
	(void)t;
	(void)unused;
	return LABEL_MEMSET;
}

int sum_add_memory(struct trace *t, struct sum_lines *l, struct err *e)
{
	struct events *copies = &t->events[TRACE_MEMCPYS], *sets = &t->events[TRACE_MEMSETS];
	const uint32_t columns = COL_BIT(COL_DURATION) | COL_BIT(COL_COPY_KIND);
	uint32_t *same;
	int result = 0;

	if (trace_load(t, TRACE_MEMCPYS, columns, e) < 0 ||
	    trace_require_column(t, TRACE_MEMCPYS, COL_COPY_KIND, e) < 0 ||
	    trace_load(t, TRACE_MEMSETS, COL_BIT(COL_DURATION), e) < 0)
		return -1;
	if (copies->count)
		result = add_named(t, TRACE_MEMCPYS, copies->copy_kind, NULL,
				   STR_LIT("MEMORY_OPER"), memcpy_name, l, e);
	if (result == 0 && sets->count) {
		same = mem_zalloc(sets->count, sizeof(*same));
		result = add_named(t, TRACE_MEMSETS, same, NULL, STR_LIT("MEMORY_OPER"),
				   memset_name, l, e);
		free(same);
	}
	return result;
}

static struct str shown_api_name(const struct trace *t, uint32_t name)
{
	return label_api(trace_name(t, name));
}

/* For the number of each name, that of the name shown. */
static uint32_t *shown_names(struct trace *t)
{
	size_t known = t->names.count;
	uint32_t *shown = mem_alloc(known, sizeof(*shown));
	TRACE_LOCK_SCOPE(t);

	for (size_t i = 0; i < known; i++)
		shown[i] = strings_add_text(t, shown_api_name(t, (uint32_t)i));
	return shown;
}

int sum_add_api(struct trace *t, bool by_shown_name, struct sum_lines *l, struct err *e)
{
	struct events *ev = &t->events[TRACE_API];
	uint32_t *shown = NULL;
	int result;

	if (trace_load(t, TRACE_API, COL_BIT(COL_NAME) | COL_BIT(COL_DURATION), e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_NAME, e) < 0)
		return -1;
	if (!ev->count)
		return 0;
	if (by_shown_name)
		shown = shown_names(t);
	result =
		add_named(t, TRACE_API, ev->name, shown, STR_LIT("CUDA_API"), shown_api_name, l, e);
	free(shown);
	return result;
}

void sum_report(struct report *r, const struct analysis *a, struct sum_lines *l,
		const struct column *columns, size_t column_count)
{
	struct rows *rows = report_new_rows(r, a->name, a->title, columns, column_count);
	size_t tail = column_count - SUM_HEAD_COLUMNS;
	double total = 0;

	rows->table.nsys = true;
	sum_lines_sort(l);
	for (size_t i = 0; i < l->count; i++)
		total += (double)l->lines[i].s.total;
	for (size_t i = 0; i < l->count; i++) {
		const struct sum_line *line = &l->lines[i];
		double share = (double)line->s.total * 100 / total;

		rows_add(rows, total != 0 ? cell_real(share) : cell_null());
		rows_add(rows, cell_int(line->s.total));
		rows_add(rows, cell_int((int64_t)line->s.count));
		rows_add(rows, cell_real(line->s.mean));
		rows_add(rows, cell_real(line->s.p50));
		rows_add(rows, cell_int(line->s.min));
		rows_add(rows, cell_int(line->s.max));
		rows_add(rows, cell_real(line->s.stddev));
		if (tail == 2)
			rows_add(rows, cell_str(line->category));
		if (tail == 3) {
			rows_add(rows, cell_str(line->grid));
			rows_add(rows, cell_str(line->block));
		}
		rows_add(rows, cell_str(line->name));
	}
}
