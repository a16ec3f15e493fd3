/* How do the parts of a report become one that people read? */
#include "base/mem.h"
#include "cli/report_parts.h"
#include "report/chart.h"
#include "report/finding.h"

#include <stdlib.h>

struct section {
	const char *title;
	enum part_id part;
	uint64_t rows;		     /* of each table; 0: as many as kernels are asked for */
	const char *const tables[6]; /* the tables shown, in their order; none: all */
};

static const struct section sections[] = {
	{"What to do next", PART_FINDINGS, 10, {NULL}},
	{"Where the GPU time went", PART_SUMMARY, 10, {"gpu_partition", "streams", NULL}},
	{"Top kernels", PART_KERNELS, 0, {NULL}},
	{"Processes", PART_PROCESSES, 10, {NULL}},
	{"Launches", PART_LAUNCHES, 10, {"launch_rates", "tiny_kernels", "launches", NULL}},
	{"Synchronisation", PART_SYNC, 10, {NULL}},
	{"Idle GPUs and gaps", PART_IDLE, 10, {NULL}},
	{"NVTX: GPU time by range", PART_NVTX, 15, {NULL}},
	{"NVTX: time on the host by range", PART_RANGES, 15, {NULL}},
	{"Phases", PART_PHASES, 15, {NULL}},
	{"CUDA graphs", PART_GRAPHS, 10, {NULL}},
	{"Memory operations", PART_MEMORY, 10, {NULL}},
	{"What this capture can answer", PART_DOCTOR, 20, {NULL}},
};

static bool is_shown(const struct section *s, const struct table *t)
{
	if (!s->tables[0])
		return true;
	for (size_t i = 0; i < ARRAY_LEN(s->tables) && s->tables[i]; i++) {
		if (strcmp(s->tables[i], t->name) == 0)
			return true;
	}
	return false;
}

/* The same rows, the first of them: tables come sorted. */
static void add_table(struct report *view, const struct table *t, uint64_t limit)
{
	struct table *cut = arena_alloc(&view->arena, 1, sizeof(*cut));

	*cut = *t;
	if (limit && cut->rows > limit)
		cut->rows = limit;
	report_table(view, cut);
}

static void add_blocks(struct report *view, const struct section *s, const struct part *part,
		       uint64_t limit)
{
	for (size_t i = 0; i < part->report.block_count; i++) {
		const struct block *b = &part->report.blocks[i];

		switch (b->kind) {
		case BLOCK_TABLE:
			if (is_shown(s, b->table))
				add_table(view, b->table, limit);
			break;
		case BLOCK_FINDING:
			report_finding(view, b->finding);
			break;
		case BLOCK_CHART:
			report_chart(view, b->chart);
			break;
		case BLOCK_NOTE:
			report_note(view, "%s", b->text);
			break;
		default: /* headings are ours; warnings stand at the top */
			break;
		}
	}
}

enum { CHART_KERNELS = 12 };

static void add_kernel_chart(struct report *view, const struct table *t)
{
	int name = t ? table_column(t, "kernel") : -1, total = t ? table_column(t, "total_ns") : -1;
	uint64_t count = t && t->rows < CHART_KERNELS ? t->rows : CHART_KERNELS;
	struct cell *cells;
	struct chart *c;

	if (name < 0 || total < 0 || !t->rows)
		return;
	c = report_new_chart(view, CHART_BARS, "Kernels by total time", UNIT_NS, count, NULL, 1);
	c->label_unit = UNIT_KERNEL;
	cells = mem_zalloc(t->column_count, sizeof(*cells));
	for (uint64_t i = 0; i < count; i++) {
		t->row(t->ctx, i, cells);
		c->labels[i] = arena_str(&view->arena, cells[name].s);
		*chart_item(c, i) = (double)cells[total].i;
	}
	free(cells);
}

/* Scripts get the longest gaps only: there can be as many as kernels. */
static void note_cut_gaps(struct report *view, const struct table *gaps)
{
	if (gaps && gaps->rows < gaps->total_rows)
		report_note(view, "tables/gpu_idle_gaps.csv has the %llu longest of %llu gaps.",
			    (unsigned long long)gaps->rows, (unsigned long long)gaps->total_rows);
}

static void add_section(const struct parts *p, const struct section *s, struct report *view)
{
	const struct part *part = &p->all[s->part];

	if (!part->made && !part->why_not)
		return;
	report_heading(view, "%s", s->title);
	if (s->part == PART_KERNELS)
		add_kernel_chart(view, part_table(part, "kernels"));
	if (s->part == PART_IDLE)
		note_cut_gaps(view, part_table(part, "gaps"));
	if (part->made)
		add_blocks(view, s, part, s->rows ? s->rows : p->options->kernel_limit);
	else
		report_note(view, "Not in this capture: %s.", part->why_not);
}

static void add_warnings(const struct parts *p, struct report *view)
{
	size_t count = 0;

	for (int i = 0; i < PARTS; i++) {
		const struct report *r = &p->all[i].report;

		for (size_t b = 0; b < r->block_count; b++) {
			if (r->blocks[b].kind != BLOCK_WARNING)
				continue;
			if (!count++)
				report_heading(view, "Warnings");
			report_warning(view, "%s", r->blocks[b].text);
		}
	}
}

/* What each analysis says of itself is how its numbers were derived. */
static void add_derivation(const struct parts *p, struct report *view)
{
	report_heading(view, "How each number was derived");
	for (int i = 0; i < PARTS; i++) {
		const struct analysis *a = p->all[i].analysis;

		if (a && a->detail)
			report_note(view, "%s (gpuwhy %s): %s", a->title, a->name, a->detail);
	}
}

void parts_view(const struct parts *p, struct report *view)
{
	const struct report *findings = &p->all[PART_FINDINGS].report;

	view->has_window = findings->has_window;
	view->window_start_ns = findings->window_start_ns;
	view->window_end_ns = findings->window_end_ns;
	add_warnings(p, view);
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		add_section(p, &sections[i], view);
	add_derivation(p, view);
}
