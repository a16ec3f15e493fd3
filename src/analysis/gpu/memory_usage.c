/* How much memory was in use, and when was it most? */
#include "analysis/gpu/memory_usage.h"

#include "analysis/cell_values.h"
#include "analysis/gpu/memory_series.h"
#include "analysis/gpu/steps.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/* A kind of memory whose peak is less than this part of the largest is not shown over time. */
enum { SHOWN_PART = 100 };

static const struct column usage_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"memory", "Memory", UNIT_NAME, 0, "", SHOW},
	{"peak_bytes", "Peak", UNIT_BYTES, 0, NULL, SHOW},
	{"peak_at_ns", "At", UNIT_TIME_NS, 0, NULL, SHOW},
	{"final_bytes", "Final", UNIT_BYTES, 0, NULL, SHOW},
	{"allocations", "Allocations", UNIT_COUNT, 0, NULL, SHOW},
	{"allocated_bytes", "Allocated", UNIT_BYTES, 0, NULL, SHOW_PREFERRED},
	{"frees", "Frees", UNIT_COUNT, 0, NULL, SHOW},
	{"freed_bytes", "Freed", UNIT_BYTES, 0, NULL, SHOW_PREFERRED},
};

static const struct column step_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"memory", "Memory", UNIT_NAME, 0, "", SHOW},
	{"from_ns", "From", UNIT_TIME_NS, 0, "from:", SHOW},
	{"to_ns", "To", UNIT_TIME_NS, 0, NULL, SHOW},
	{"max_bytes", "Max in use", UNIT_BYTES, 0, NULL, SHOW},
	{"end_bytes", "At the end", UNIT_BYTES, 0, NULL, SHOW},
};

/* What one kind of memory of one GPU did inside the window. */
struct series {
	const struct memory_series *of;
	uint64_t allocations, frees;
	int64_t allocated_bytes, freed_bytes;
	int64_t peak_bytes, peak_at_ns, final_bytes;
};

struct usage {
	struct memory_changes changes;
	struct series *series;
	size_t series_count;
	struct steps window; /* of one step */
	bool below_zero;
};

static void list_series(struct usage *u)
{
	u->series_count = u->changes.count;
	u->series = mem_zalloc(u->series_count, sizeof(*u->series));
	for (size_t i = 0; i < u->series_count; i++)
		u->series[i].of = &u->changes.all[i];
}

/* Without a trim: from the first change to the last one, which is inside. */
static void find_window(struct usage *u, const struct scope *p)
{
	u->window = (struct steps){p->from_ns, p->to_ns, 1};
	if (p->has_trim)
		return;
	for (size_t i = 0; i < u->series_count; i++) {
		const struct memory_series *s = u->series[i].of;
		int64_t from_ns = s->changes[0].at_ns;
		int64_t to_ns = sat_add(s->changes[s->count - 1].at_ns, 1);

		if (i == 0 || from_ns < u->window.from_ns)
			u->window.from_ns = from_ns;
		if (i == 0 || to_ns > u->window.to_ns)
			u->window.to_ns = to_ns;
	}
}

static void count_change(struct series *s, const struct memory_change *c)
{
	if (c->freed) {
		s->frees++;
		s->freed_bytes = sat_sub(s->freed_bytes, c->bytes);
	} else {
		s->allocations++;
		s->allocated_bytes = sat_add(s->allocated_bytes, c->bytes);
	}
}

/* What was allocated before the window is in use when it begins. */
static void measure(struct usage *u, struct series *s)
{
	int64_t in_use = 0;
	size_t i = 0;

	for (; i < s->of->count && s->of->changes[i].at_ns < u->window.from_ns; i++)
		in_use = sat_add(in_use, s->of->changes[i].bytes);
	s->peak_bytes = in_use;
	s->peak_at_ns = u->window.from_ns;
	for (; i < s->of->count && s->of->changes[i].at_ns < u->window.to_ns; i++) {
		count_change(s, &s->of->changes[i]);
		in_use = sat_add(in_use, s->of->changes[i].bytes);
		u->below_zero |= in_use < 0;
		if (in_use > s->peak_bytes) {
			s->peak_bytes = in_use;
			s->peak_at_ns = s->of->changes[i].at_ns;
		}
	}
	s->final_bytes = in_use;
}

static void add_series(struct rows *rows, const struct series *s)
{
	rows_add(rows, id_cell(s->of->device));
	rows_add(rows, text_or_null(label_memory_kind(s->of->memory)));
	rows_add(rows, cell_int(s->peak_bytes));
	rows_add(rows, cell_int(s->peak_at_ns));
	rows_add(rows, cell_int(s->final_bytes));
	rows_add(rows, cell_int((int64_t)s->allocations));
	rows_add(rows, cell_int(s->allocated_bytes));
	rows_add(rows, cell_int((int64_t)s->frees));
	rows_add(rows, cell_int(s->freed_bytes));
}

static void add_steps(struct rows *rows, const struct steps *steps, const struct series *s)
{
	int64_t in_use = 0;
	size_t next = 0;

	for (; next < s->of->count && s->of->changes[next].at_ns < steps->from_ns; next++)
		in_use = sat_add(in_use, s->of->changes[next].bytes);
	for (size_t i = 0; i < steps->count; i++) {
		int64_t to_ns = steps_edge(steps, i + 1), most = in_use;

		for (; next < s->of->count && s->of->changes[next].at_ns < to_ns; next++) {
			in_use = sat_add(in_use, s->of->changes[next].bytes);
			most = in_use > most ? in_use : most;
		}
		rows_add(rows, id_cell(s->of->device));
		rows_add(rows, text_or_null(label_memory_kind(s->of->memory)));
		rows_add(rows, cell_int(steps_edge(steps, i)));
		rows_add(rows, cell_int(to_ns));
		rows_add(rows, cell_int(most));
		rows_add(rows, cell_int(in_use));
	}
}

static int compare_series(const void *a, const void *b, void *ctx)
{
	const struct series *x = a, *y = b;

	(void)ctx;
	if (x->peak_bytes != y->peak_bytes)
		return x->peak_bytes < y->peak_bytes ? 1 : -1;
	if (x->of->device != y->of->device)
		return x->of->device < y->of->device ? -1 : 1;
	return (x->of->memory > y->of->memory) - (x->of->memory < y->of->memory);
}

static void add_over_time(struct report *r, const struct row_choice *c, const struct usage *u)
{
	struct rows *rows = report_new_rows(r, "memory_over_time", "Memory in use over time",
					    step_columns, ARRAY_LEN(step_columns));
	struct steps steps = u->window;
	size_t shown = 0;

	/* The largest peak is first. */
	while (shown < u->series_count &&
	       u->series[shown].peak_bytes >= u->series[0].peak_bytes / SHOWN_PART)
		shown++;
	steps.count = steps_count(c, shown);
	for (size_t i = 0; i < shown; i++)
		add_steps(rows, &steps, &u->series[i]);
}

static void add_answer(struct report *r, const struct table_args *a, struct usage *u)
{
	struct rows *rows = report_new_rows(r, "memory_usage", "Memory in use", usage_columns,
					    ARRAY_LEN(usage_columns));

	list_series(u);
	find_window(u, &a->scope);
	for (size_t i = 0; i < u->series_count; i++)
		measure(u, &u->series[i]);
	sort_stable(u->series, u->series_count, sizeof(*u->series), compare_series, NULL);
	for (size_t i = 0; i < u->series_count; i++)
		add_series(rows, &u->series[i]);
	rows_arrange_also(rows, &a->rows, NULL);
	add_over_time(r, &a->rows, u);
	if (u->below_zero)
		report_note(r, "more memory was freed than allocated: some was allocated before "
			       "the capture began, so memory in use is too low");
}

/* The rest of the answer stands without it: what is missing is a note. */
int memory_usage_report(struct report *r, struct trace *t, const struct table_args *a,
			struct err *e)
{
	struct usage u = {0};

	if (memory_changes_read(t, &a->scope, &u.changes, e) < 0)
		return -1;
	if (u.changes.missing.code)
		report_note(r, "%s", u.changes.missing.message);
	else
		add_answer(r, a, &u);
	free(u.series);
	memory_changes_free(&u.changes);
	return 0;
}
