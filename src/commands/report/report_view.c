/* How do the parts of a report become one that people read? */
#include "base/mem.h"
#include "commands/report/report_parts.h"
#include "options/args.h"
#include "report/chart.h"
#include "report/finding.h"
#include "text/units.h"

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
	{"Duration of phases and steps", PART_TIMINGS, 10, {NULL}},
	{"Model FLOPs utilisation",
	 PART_MFU,
	 10,
	 {"mfu", "flops_prefill", "flops_decode", "flops_step", NULL}},
	{"Top kernels", PART_KERNELS, 0, {NULL}},
	{"What Nsight Compute measured", PART_NCU, 10, {NULL}},
	{"Processes", PART_PROCESSES, 10, {NULL}},
	{"Launches", PART_LAUNCHES, 10, {"launch_rates", "tiny_kernels", "launches", NULL}},
	{"Synchronisation", PART_SYNC, 10, {NULL}},
	{"Idle GPUs and gaps", PART_IDLE, 10, {NULL}},
	{"NVTX: GPU time by range", PART_NVTX, 15, {NULL}},
	{"NVTX: host time by range", PART_RANGES, 15, {NULL}},
	{"Phases", PART_PHASES, 15, {NULL}},
	{"CUDA graphs", PART_GRAPHS, 10, {NULL}},
	{"Memory operations", PART_MEMORY, 10, {NULL}},
	{"What this capture can answer", PART_DOCTOR, 20, {NULL}},
};

const char *parts_section(enum part_id part)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		if (sections[i].part == part)
			return sections[i].title;
	}
	return "Schema";
}

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

/* Where the rows are that are not shown here: a file of the report, or a command. */
static const char *rest_of(struct report *view, const char *analysis, const char *table)
{
	static const struct {
		const char *table, *rest;
	} files[] = {
		{"kernels", "tables/kernels.csv lists all"},
		{"ranges", "tables/nvtx_ranges.csv lists all"},
		{"gaps", "tables/gpu_idle_gaps.csv lists more"},
		{"ncu_kernels", "gpuwhy ncu FILE.csv TRACE lists all"},
		{"roofline", "gpuwhy roofline FILE.csv TRACE lists all"},
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (strcmp(table, files[i].table) == 0)
			return files[i].rest;
	}
	return arena_printf(&view->arena, "gpuwhy %s --format csv lists all", analysis);
}

/* The same rows, the first of them: tables come sorted. */
static struct table *add_table(struct report *view, const struct part *part, const struct table *t,
			       uint64_t limit)
{
	struct table *cut = arena_alloc(&view->arena, 1, sizeof(*cut));

	*cut = *t;
	if (limit && cut->rows > limit)
		cut->rows = limit;
	cut->rest = rest_of(view, part->analysis->name, t->name);
	report_table(view, cut);
	return cut;
}

/* What an analysis calls its answer ends with its window. */
static void add_subject(struct report *view, const struct section *s, const char *heading)
{
	size_t len = strlen(s->title);

	if (strncmp(heading, s->title, len) == 0 && strncmp(heading + len, ", ", 2) == 0)
		report_note(view, "Window: %s", heading + len + 2);
	else
		report_note(view, "%s", heading);
}

enum { CHART_KERNELS = 12 };

static void add_kernel_chart(struct report *view, const struct table *t)
{
	uint64_t count = t && t->rows < CHART_KERNELS ? t->rows : CHART_KERNELS;
	struct chart *c;

	if (!t || !t->rows)
		return;
	c = report_new_chart(view, CHART_BARS, "Kernels by total time", UNIT_NS, count, NULL, 1);
	c->label_unit = UNIT_KERNEL;
	for (uint64_t i = 0; i < count; i++) {
		c->labels[i] = arena_str(&view->arena, table_cell(t, i, "kernel").s);
		*chart_item(c, i) = (double)table_cell(t, i, "total_ns").i;
	}
}

/* A kernel's share of all devices comes first; it is one that the table by device splits. */
static void add_all_devices(const struct parts *p, struct report *view)
{
	const struct part *summary = &p->all[PART_SUMMARY];
	const struct table *devices = part_table(summary, "gpu_partition");
	const struct table *kernels = part_table(summary, "kernels");
	struct table *cut;

	add_kernel_chart(view, kernels);
	if (!devices || devices->rows < 2 || !kernels)
		return;
	cut = add_table(view, summary, kernels, p->asked->kernel_limit);
	cut->title = "Over all devices";
	cut->rest = "gpuwhy kernels --format csv lists all";
	report_note(view, "The same by device:");
}

static void add_block(const struct parts *p, const struct section *s, const struct block *b,
		      struct report *view)
{
	const struct part *part = &p->all[s->part];

	switch (b->kind) {
	case BLOCK_HEADING:
		add_subject(view, s, b->text);
		if (s->part == PART_KERNELS)
			add_all_devices(p, view);
		break;
	case BLOCK_TABLE:
		if (is_shown(s, b->table))
			add_table(view, part, b->table, s->rows ? s->rows : p->asked->kernel_limit);
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
	case BLOCK_WARNING: /* stands at the top */
		break;
	}
}

/* Up to a second heading: what follows it is another section's. */
static void add_blocks(const struct parts *p, const struct section *s, struct report *view)
{
	const struct report *r = &p->all[s->part].report;
	size_t headings = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		headings += r->blocks[i].kind == BLOCK_HEADING;
		if (headings > 1)
			break;
		add_block(p, s, &r->blocks[i], view);
	}
}

/* Scripts get the longest gaps only: there can be as many as kernels. */
static void note_gaps(struct report *view, const struct table *gaps)
{
	if (!gaps)
		return;
	if (gaps->rows < gaps->total_rows)
		report_note(view, "tables/gpu_idle_gaps.csv lists the %llu longest of %llu gaps.",
			    (unsigned long long)gaps->rows, (unsigned long long)gaps->total_rows);
	else
		report_note(view, "tables/gpu_idle_gaps.csv lists all gaps: %llu.",
			    (unsigned long long)gaps->total_rows);
}

static void add_section(const struct parts *p, const struct section *s, struct report *view)
{
	const struct part *part = &p->all[s->part];

	if (!part_is_asked(p, s->part))
		return;
	report_heading(view, "%s", s->title);
	if (part->made)
		add_blocks(p, s, view);
	else if (!part->why_not)
		report_note(view, "Left out: --no-nvtx-kernel-map.");
	else
		report_note(view, "Not in this capture: %s.", part->why_not);
	if (s->part == PART_IDLE)
		note_gaps(view, part_table(part, "gaps"));
}

static void add_warnings(const struct parts *p, struct report *view)
{
	struct strtab warnings;

	parts_warnings(p, &view->arena, &warnings);
	if (warnings.count)
		report_heading(view, "Warnings");
	for (size_t i = 0; i < warnings.count; i++)
		report_warning(view, "%s", warnings.items[i].s);
	strtab_free(&warnings);
}

/* Text that was broken and indented for a terminal, as one line. */
static const char *one_line(struct report *view, const char *text)
{
	char *line = arena_strdup(&view->arena, text), *end = line;

	for (const char *c = text; *c; c++) {
		bool space = *c == ' ' || *c == '\n';

		if (!space)
			*end++ = *c;
		else if (end > line && end[-1] != ' ')
			*end++ = ' ';
	}
	*end = '\0';
	return line;
}

/* What each analysis says of itself is how its numbers were derived. */
static void add_derivation(const struct parts *p, struct report *view)
{
	report_heading(view, "How the numbers are computed");
	for (int i = 0; i < PARTS; i++) {
		const struct analysis *a = p->all[i].analysis;

		if (a && a->detail)
			report_note(view, "%s (gpuwhy %s): %s", a->title, a->name,
				    one_line(view, a->detail));
	}
}

static struct str gpu_name(struct arena *a, const struct table *devices, uint64_t i)
{
	struct cell name = table_cell(devices, i, "gpu");

	return name.kind == CELL_TEXT ? arena_str(a, name.s) : str_of("unnamed GPU");
}

void parts_add_gpus(struct buf *b, const struct parts *p, const char *before)
{
	const struct table *devices = part_table(&p->all[PART_SUMMARY], "gpu_partition");
	struct arena names = {0};

	for (uint64_t i = 0, next; devices && i < devices->rows; i = next) {
		struct str name = gpu_name(&names, devices, i);

		for (next = i + 1; next < devices->rows; next++) {
			if (!str_eq(name, gpu_name(&names, devices, next)))
				break;
		}
		buf_adds(b, i ? ", " : before);
		if (next - i > 1)
			buf_addf(b, "%llu × ", (unsigned long long)(next - i));
		buf_addstr(b, name);
	}
	arena_free(&names);
}

/* What recorded it, on what, for how long. */
static void add_origin(const struct parts *p, struct report *view)
{
	struct buf b = {0};

	buf_adds(&b, view->trace.tool ? view->trace.tool : "unknown profiler");
	parts_add_gpus(&b, p, " · ");
	if (view->trace.has_span) {
		buf_adds(&b, " · capture of ");
		units_add_ns(&b, (double)view->trace.span_ns);
	}
	report_note(view, "%s", b.s);
	buf_free(&b);
}

void parts_view_verdict(const struct parts *p, struct report *view)
{
	const struct report *findings = &p->all[PART_FINDINGS].report;

	if (findings->verdict)
		report_note(view, "%s", findings->verdict_text);
	if (findings->workload)
		report_note(view, "%s", findings->workload->text);
}

void parts_view_head(const struct parts *p, struct report *view)
{
	const struct report *first = &p->all[PART_FINDINGS].report;

	view->title = arena_printf(&view->arena, "GPU report: %s", str_last_part(view->trace.path));
	view->has_window = first->has_window;
	view->window_start_ns = first->window_start_ns;
	view->window_end_ns = first->window_end_ns;
	view->window_span = first->window_span;
	view->window_words = first->window_words;
	parts_view_verdict(p, view);
	add_origin(p, view);
}

void parts_view_sections(const struct parts *p, struct report *view, bool with_timings)
{
	add_warnings(p, view);
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		if (with_timings || sections[i].part != PART_TIMINGS)
			add_section(p, &sections[i], view);
	}
	add_derivation(p, view);
}

/* What more sections than these say is true of the report. */
enum { SECTIONS_NAMED = 3 };

struct said {
	struct strtab texts;
	uint32_t *by; /* by text: a bit for each part */
	size_t cap;
};

static void collect(struct said *s, const struct parts *p)
{
	for (int i = 0; i < PARTS; i++) {
		const struct report *r = &p->all[i].report;

		for (size_t k = 0; k < r->block_count; k++) {
			size_t known = s->texts.count;
			uint32_t text;

			if (r->blocks[k].kind != BLOCK_WARNING)
				continue;
			text = strtab_add(&s->texts, str_of(r->blocks[k].text));
			MEM_GROW(s->by, s->cap, s->texts.count);
			if (s->texts.count > known)
				s->by[text] = 0;
			s->by[text] |= 1U << i;
		}
	}
}

static char *with_sections(struct arena *a, struct str text, uint32_t by)
{
	struct buf b = {0};
	char *whole;

	for (int i = 0; i < PARTS && __builtin_popcount(by) <= SECTIONS_NAMED; i++) {
		if (by & 1U << i)
			buf_addf(&b, "%s%s", b.len ? "; " : "", parts_section(i));
	}
	if (b.len)
		buf_adds(&b, ": ");
	buf_addstr(&b, text);
	whole = arena_strdup(a, b.s);
	buf_free(&b);
	return whole;
}

void parts_warnings(const struct parts *p, struct arena *a, struct strtab *ret)
{
	struct said s = {0};

	*ret = (struct strtab){0};
	collect(&s, p);
	for (size_t i = 0; i < s.texts.count; i++)
		strtab_add(ret, str_of(with_sections(a, s.texts.items[i], s.by[i])));
	strtab_free(&s.texts);
	free(s.by);
}
