/* On what did the program run, as far as the trace says? */
#include "base/mem.h"
#include "commands/report/report_summary.h"
#include "text/units.h"
#include "trace/system/system_facts.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"gpus", "GPUs", UNIT_NAME, 0, "", SHOW},
	{"driver", "NVIDIA driver", UNIT_NAME, 0, NULL, SHOW},
	{"cuda", "CUDA driver API", UNIT_NAME, 0, NULL, SHOW},
	{"program", "Program", UNIT_NAME, 0, NULL, SHOW},
	{"host", "Host", UNIT_NAME, 0, NULL, SHOW},
	{"os", "Operating system", UNIT_NAME, 0, NULL, SHOW},
	{"recorded_by", "Recorded by", UNIT_NAME, 0, NULL, SHOW},
	{"captured_at", "Captured (UTC)", UNIT_NAME, 0, NULL, SHOW},
	{"span_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
};

static struct cell str_cell(struct report *view, struct str s)
{
	return s.len ? cell_str(arena_str(&view->arena, s)) : cell_null();
}

/* Where it lies is nobody's business who reads a report. */
static struct str without_folders(struct str path)
{
	const char *slash = path.len ? memrchr(path.s, '/', path.len) : NULL;
	size_t skipped = slash ? (size_t)(slash + 1 - path.s) : 0;

	return (struct str){path.s + skipped, path.len - skipped};
}

/* How many processes have each name; the caller frees the counts. */
static size_t *count_names(const struct table *t, struct strtab *names)
{
	size_t *counts = mem_zalloc(t->rows + 1, sizeof(*counts));

	for (uint64_t i = 0; i < t->rows; i++) {
		struct cell name = table_cell(t, i, "process");

		if (name.kind == CELL_TEXT && name.s.len)
			counts[strtab_add(names, without_folders(name.s))]++;
	}
	return counts;
}

/* "4 × python3, trainer": the processes that did something. */
static struct cell program_cell(const struct parts *p, struct report *view)
{
	const struct table *t = part_table(&p->all[PART_PROCESSES], "processes");
	struct strtab names = {0};
	struct buf b = {0};
	size_t *counts;

	if (!t)
		return cell_null();
	counts = count_names(t, &names);
	for (size_t i = 0; i < names.count; i++) {
		buf_adds(&b, i ? ", " : "");
		if (counts[i] > 1)
			buf_addf(&b, "%zu × ", counts[i]);
		buf_addstr(&b, names.items[i]);
	}
	strtab_free(&names);
	free(counts);
	return report_take_cell(view, &b);
}

static struct cell host_cell(struct report *view, const struct system_facts *f)
{
	struct buf b = {0};

	if (f->cores > 0) {
		units_add_count(&b, f->cores);
		buf_adds(&b, f->cores == 1 ? " core" : " cores");
	}
	/* What an export does not know it may call so. */
	if (f->cpu.len && !str_eq(f->cpu, STR_LIT("unknown"))) {
		buf_adds(&b, b.len ? " of " : "");
		buf_addstr(&b, f->cpu);
	}
	return report_take_cell(view, &b);
}

static struct cell gpus_cell(const struct parts *p, struct report *view)
{
	struct buf b = {0};

	parts_add_gpus(&b, p, "");
	return report_take_cell(view, &b);
}

static void note_missing(struct report *view, const struct rows *rows)
{
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		if (rows->cells[i].kind == CELL_NULL)
			buf_addf(&b, "%s%s", b.len ? ", " : "", columns[i].title);
	}
	if (b.len)
		report_note(view, "Not in this capture: %s.", b.s);
	buf_free(&b);
}

int summary_environment(const struct parts *p, struct report *view, const struct rows **ret,
			struct err *e)
{
	const struct report_trace *trace = &view->trace;
	struct system_facts f;
	struct rows *rows;

	if (system_facts_read(p->trace, &f, e) < 0)
		return -1;
	rows = REPORT_ROWS(view, "environment", NULL, columns);
	rows->table.facts = true;
	ROWS_ADD(rows, gpus_cell(p, view), str_cell(view, f.driver), str_cell(view, str_of(f.cuda)),
		 program_cell(p, view), host_cell(view, &f), str_cell(view, f.os),
		 trace->tool ? cell_text(trace->tool) : cell_null(), str_cell(view, f.captured_at),
		 trace->has_span ? cell_int(trace->span_ns) : cell_null());
	*ret = rows;
	return 0;
}

int summary_add_environment(const struct parts *p, struct report *view, struct err *e)
{
	const struct rows *rows;

	report_heading(view, "Environment");
	if (summary_environment(p, view, &rows, e) < 0)
		return -1;
	note_missing(view, rows);
	return 0;
}
