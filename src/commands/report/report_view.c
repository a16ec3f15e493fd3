/* How do the parts of a report become one that people read? */
#include "base/mem.h"
#include "commands/report/report_summary.h"
#include "options/args.h"
#include "report/chart.h"
#include "report/finding.h"
#include "text/units.h"

#include <stdlib.h>

struct section {
	const char *title; /* NULL: it goes on with the one before */
	enum part_id part;
	uint64_t rows;		     /* of each table; 0: as many as kernels are asked for */
	const char *const tables[6]; /* the tables shown, in their order; none: all */
};

/* What a run is about, on paper too. Parts of another make are added where their place is. */
static const struct section findings_section = {"Findings", PART_FINDINGS, 10, {NULL}};
static const struct section main_sections[] = {
	{"Steps of the run", PART_STEPS, 10, {NULL}},
	{"Where the GPU time went", PART_SUMMARY, 10, {"gpu_partition", "streams", NULL}},
	{"Source code", PART_CODE, 10, {NULL}},
	{"Overlap of compute and communication", PART_OVERLAP, 10, {NULL}},
	{"Communication", PART_COMM, 10, {NULL}},
	{"Ranks and stragglers", PART_RANKS, 16, {NULL}},
	{NULL, PART_STRAGGLERS, 10, {NULL}},
	{"Categories", PART_CATEGORIES, 20, {NULL}},
};

/* Under the bars of each GPU's time, where it was measured. */
static const struct section counters_section = {NULL, PART_COUNTERS, 10, {"metrics", NULL}};

/* What to look up. */
static const struct section more_sections[] = {
	{"Top kernels", PART_KERNELS, 0, {NULL}},
	{"Model FLOPs utilisation",
	 PART_MFU,
	 10,
	 {"mfu", "flops_prefill", "flops_decode", "flops_step", NULL}},
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

/* What a summary has of them, few rows each. */
static const struct section brief_sections[] = {
	{"Steps of the run", PART_STEPS, 4, {"iteration_summary", NULL}},
	{"Overlap of compute and communication", PART_OVERLAP, 4, {"overlap", NULL}},
	{"Communication", PART_COMM, 4, {"nccl", NULL}},
	{"Ranks and stragglers", PART_STRAGGLERS, 4, {"stragglers", NULL}},
	{"Categories", PART_CATEGORIES, 6, {NULL}},
};

/* A page has room, and a box to search in. */
enum { ROWS_OF_PAGE = 5 };

#define NONE "none in this window"

struct viewing {
	const struct parts *parts;
	struct report *view;
	bool page;
	bool brief; /* tables alone, and what they are about */
};

static const char *title_in(const struct section *sections, size_t count, enum part_id part)
{
	for (size_t i = 0; i < count; i++) {
		if (sections[i].part == part)
			return sections[i].title ? sections[i].title : sections[i - 1].title;
	}
	return NULL;
}

const char *parts_section(enum part_id part)
{
	const char *title = title_in(main_sections, ARRAY_LEN(main_sections), part);

	if (!title)
		title = title_in(more_sections, ARRAY_LEN(more_sections), part);
	if (title)
		return title;
	return part == PART_FINDINGS   ? findings_section.title
	       : part == PART_TIMINGS  ? "Phases and steps"
	       : part == PART_COUNTERS ? "Where the GPU time went"
				       : "Schema";
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
		{"code", "tables/source_lines.csv lists all"},
		{"ncu_kernels", "gpuwhy ncu FILE.csv TRACE lists all"},
		{"roofline", "gpuwhy roofline FILE.csv TRACE lists all"},
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (strcmp(table, files[i].table) == 0)
			return files[i].rest;
	}
	return arena_printf(&view->arena, "gpuwhy %s --format csv lists all", analysis);
}

static bool has_note(const struct report *r)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_NOTE)
			return true;
	}
	return false;
}

static bool ends_with_none(const struct report *view)
{
	const struct block *last = &view->blocks[view->block_count - 1];

	return last->kind == BLOCK_NOTE && strstr(last->text, NONE);
}

/*
 * Heads of columns without a row say less than words; a note of the part may say it already, and
 * so does the table before it, if that is empty, too.
 */
static void note_empty(struct report *view, const struct part *part, const struct table *t)
{
	if (ends_with_none(view) || (!t->title && has_note(&part->report)))
		return;
	report_note(view, "%s: %s.", t->title ? t->title : part->analysis->title, NONE);
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
	view_drop_columns(view, cut);
	report_table(view, cut);
	return cut;
}

/* What an analysis calls its answer ends with its window. */
static void add_subject(struct report *view, const char *title, const char *heading)
{
	const size_t len = title ? strlen(title) : 0;

	if (title && strncmp(heading, title, len) == 0 && strncmp(heading + len, ", ", 2) == 0)
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

/* What the findings begin with, the document does. */
static bool is_said_before(const struct viewing *v, const struct section *s, const char *note)
{
	const struct report *findings = &v->parts->all[PART_FINDINGS].report;

	if (s->part != PART_FINDINGS)
		return false;
	return (findings->verdict && strcmp(note, findings->verdict_text) == 0) ||
	       (findings->cost && strcmp(note, findings->cost->text) == 0);
}

static uint64_t rows_of(const struct viewing *v, const struct section *s)
{
	if (!s->rows)
		return v->parts->asked->kernel_limit;
	return v->page ? s->rows * ROWS_OF_PAGE : s->rows;
}

static void add_section(const struct viewing *v, const struct section *s);

static void add_block(const struct viewing *v, const struct section *s, const struct block *b)
{
	switch (b->kind) {
	case BLOCK_HEADING:
		if (s->part == PART_COUNTERS) /* they are part of a section that names the window */
			break;
		add_subject(v->view, s->title ? v->parts->all[s->part].analysis->title : NULL,
			    b->text);
		if (s->part == PART_KERNELS)
			add_all_devices(v->parts, v->view);
		break;
	case BLOCK_TABLE:
		if (!is_shown(s, b->table))
			break;
		if (b->table->rows)
			add_table(v->view, &v->parts->all[s->part], b->table, rows_of(v, s));
		else
			note_empty(v->view, &v->parts->all[s->part], b->table);
		break;
	case BLOCK_FINDING:
		report_finding(v->view, b->finding);
		if (v->page)
			v->view->blocks[v->view->block_count - 1].strip = b->strip;
		break;
	case BLOCK_CHART:
		if (!v->brief)
			report_chart(v->view, b->chart);
		if (s->part == PART_SUMMARY && b->chart->kind == CHART_SERIES)
			add_section(v, &counters_section);
		break;
	case BLOCK_NOTE:
		if (!v->brief && !is_said_before(v, s, b->text) && !summary_says(v->view, b->text))
			report_note(v->view, "%s", b->text);
		break;
	case BLOCK_LEAD:
	case BLOCK_ACTION:  /* only made here */
	case BLOCK_WARNING: /* has its place */
		break;
	}
}

/* Up to a second heading: what follows it is another section's. */
static void add_blocks(const struct viewing *v, const struct section *s)
{
	const struct report *r = &v->parts->all[s->part].report;
	size_t headings = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		headings += r->blocks[i].kind == BLOCK_HEADING;
		if (headings > 1)
			break;
		add_block(v, s, &r->blocks[i]);
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

static bool has_rows(const struct part *part, const char *table, uint64_t least)
{
	const struct table *t = part->made ? part_table(part, table) : NULL;

	return t && t->rows >= least;
}

/* Of a run that does not communicate, or has one rank, some parts have nothing to tell. */
static bool is_worth_it(const struct parts *p, enum part_id id)
{
	switch (id) {
	case PART_STEPS:
	case PART_CATEGORIES:
	case PART_CODE:
	case PART_COUNTERS:
		return p->all[id].made;
	case PART_OVERLAP:
	case PART_COMM:
		return has_rows(&p->all[PART_COMM], "nccl", 1);
	case PART_RANKS:
		return has_rows(&p->all[PART_RANKS], "ranks", 2);
	case PART_STRAGGLERS:
		return p->all[id].made;
	default:
		return part_is_asked(p, id);
	}
}

/* What each analysis says of itself is how its numbers were derived. */
static void add_derivation(const struct parts *p, struct report *view)
{
	report_heading(view, "How the numbers are computed");
	for (int i = 0; i < PARTS; i++) {
		const struct analysis *a = p->all[i].analysis;

		if (a && a->detail && is_worth_it(p, i))
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

static void add_section(const struct viewing *v, const struct section *s)
{
	const struct part *part = &v->parts->all[s->part];

	if (!is_worth_it(v->parts, s->part))
		return;
	if (s->title)
		report_heading(v->view, "%s", s->title);
	if (part->made)
		add_blocks(v, s);
	else if (!part->why_not)
		report_note(v->view, "Left out: --no-nvtx-kernel-map.");
	else
		report_note(v->view, "Not in this capture: %s.", part->why_not);
	if (s->part == PART_IDLE)
		note_gaps(v->view, part_table(part, "gaps"));
}

/* Several GPUs that exchange nothing: their kernels may have other names. */
static void note_silence(const struct viewing *v)
{
	const struct parts *p = v->parts;

	if (is_worth_it(p, PART_COMM) || !has_rows(&p->all[PART_RANKS], "ranks", 2))
		return;
	report_heading(v->view, "Communication");
	report_note(v->view, "Not in this capture: communication kernels that are known by name; "
			     "add more names with --comm REGEX.");
}

static void add_sections(const struct viewing *v, const struct section *sections, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sections[i].part == PART_RANKS)
			note_silence(v);
		add_section(v, &sections[i]);
	}
}

/* What follows is for a screen: on paper it would be many pages. */
static void add_details(const struct viewing *v)
{
	const size_t begin = v->view->block_count;

	add_sections(v, more_sections, ARRAY_LEN(more_sections));
	add_warnings(v->parts, v->view);
	add_derivation(v->parts, v->view);
	for (size_t i = begin; i < v->view->block_count; i++)
		v->view->blocks[i].detail = v->view->blocks[i].kind == BLOCK_HEADING;
}

void parts_view_verdict(const struct parts *p, struct report *view)
{
	const struct report *findings = &p->all[PART_FINDINGS].report;

	view->has_window = findings->has_window;
	view->window_start_ns = findings->window_start_ns;
	view->window_end_ns = findings->window_end_ns;
	view->window_span = findings->window_span;
	view->window_words = findings->window_words;
	view->window_steps = findings->window_steps;
	if (findings->verdict)
		report_lead(view, "%s", findings->verdict_text);
	summary_add_gain(p, view);
	if (findings->cost)
		report_note(view, "%s", findings->cost->text);
	if (findings->workload)
		report_note(view, "%s", findings->workload->text);
}

void parts_view_head(const struct parts *p, struct report *view)
{
	view->title = arena_printf(&view->arena, "GPU report: %s", str_last_part(view->trace.path));
	parts_view_verdict(p, view);
	add_origin(p, view);
}

int parts_view_sections(const struct parts *p, struct report *view, bool page, struct err *e)
{
	const struct viewing v = {.parts = p, .view = view, .page = page};

	summary_add_actions(p, view);
	add_section(&v, &findings_section);
	summary_add_timings(p, view);
	add_sections(&v, main_sections, ARRAY_LEN(main_sections));
	summary_add_kernels(p, view);
	add_details(&v);
	return summary_add_environment(p, view, e);
}

void parts_view_brief(const struct parts *p, struct report *view)
{
	const struct viewing v = {.parts = p, .view = view, .brief = true};

	add_sections(&v, brief_sections, ARRAY_LEN(brief_sections));
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
