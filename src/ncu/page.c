/* Which column of a CSV is what? */
#include "ncu/page.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const titles[PAGE_COLUMNS] = {
	[COL_ID] = "ID",
	[COL_PROCESS] = "Process ID",
	[COL_PROCESS_NAME] = "Process Name",
	[COL_NVTX] = "thread Domain:Push/Pop_Range",
	[COL_KERNEL] = "Kernel Name",
	[COL_STREAM] = "Stream",
	[COL_BLOCK] = "Block Size",
	[COL_GRID] = "Grid Size",
	[COL_DEVICE] = "Device",
	[COL_CC] = "CC",
	[COL_DEVICE_NAME] = "device__attribute_display_name",
	[COL_SECTION] = "Section Name",
	[COL_METRIC] = "Metric Name",
	[COL_UNIT] = "Metric Unit",
	[COL_VALUE] = "Metric Value",
	[COL_RULE] = "Rule Name",
	[COL_RULE_TYPE] = "Rule Type",
	[COL_RULE_TEXT] = "Rule Description",
	[COL_SPEEDUP_TYPE] = "Estimated Speedup Type",
	[COL_SPEEDUP] = "Estimated Speedup",
};

static bool is_titled(struct str field, enum page_column c)
{
	size_t len = strlen(titles[c]);

	field = str_trimmed(field);
	if (field.len < len || strncasecmp(field.s, titles[c], len) != 0)
		return false;
	/* What else stands in the title of ranges differs by version. */
	return field.len == len || c == COL_NVTX;
}

bool page_is_header(const struct csv *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (is_titled(c->fields[i], COL_KERNEL))
			return true;
	}
	return false;
}

static struct str skip_bom(struct str text)
{
	if (str_starts(text, "\xef\xbb\xbf"))
		return (struct str){text.s + 3, text.len - 3};
	return text;
}

/* Lines, not records: what a program printed before may hold any quotes. */
static bool try_header(struct page *p, struct str line, size_t at, size_t line_number)
{
	const struct str text = p->csv.text;
	bool found;

	p->csv.at = at;
	p->csv.next_line = line_number;
	p->csv.delimiter = csv_delimiter(line);
	p->csv.text.len = at + line.len;
	found = csv_next(&p->csv) && page_is_header(&p->csv);
	p->csv.text = text;
	if (found)
		page_take_header(p);
	return found;
}

bool page_open(struct page *p, struct str text)
{
	size_t at = 0, next, line_number = 1;

	*p = (struct page){.csv = {.text = skip_bom(text)}};
	text = p->csv.text;
	for (; at < text.len; at = next, line_number++) {
		struct str line = csv_line(text, at, &next);

		if (!str_holds(line, "ernel") && !str_holds(line, "ERNEL"))
			continue;
		if (try_header(p, line, at, line_number)) {
			p->csv.at = next;
			p->csv.next_line = line_number + 1;
			return true;
		}
	}
	p->csv.at = text.len;
	return false;
}

/* "Duration (us)", "gpu__time_duration.sum [us]": units that hands write into a heading. */
static struct str unit_in_title(struct str *title)
{
	const char close = title->len ? title->s[title->len - 1] : 0;
	const char *open = close == ')'	  ? memrchr(title->s, '(', title->len)
			   : close == ']' ? memrchr(title->s, '[', title->len)
					  : NULL;
	struct str unit;

	if (!open || open == title->s)
		return (struct str){"", 0};
	unit = (struct str){open + 1, (size_t)(title->s + title->len - 1 - (open + 1))};
	*title = str_trimmed((struct str){title->s, (size_t)(open - title->s)});
	return unit;
}

static void find_columns(struct page *p)
{
	for (size_t c = 0; c < PAGE_COLUMNS; c++) {
		p->at[c] = SIZE_MAX;
		for (size_t i = 0; i < p->csv.count && p->at[c] == SIZE_MAX; i++) {
			if (is_titled(p->csv.fields[i], (enum page_column)c))
				p->at[c] = i;
		}
	}
}

void page_take_header(struct page *p)
{
	find_columns(p);
	strtab_free(&p->names);
	p->names = (struct strtab){0};
	p->metric_count = 0;
	p->additive = 0;
	p->ready = false;
	p->details = p->at[COL_METRIC] != SIZE_MAX && p->at[COL_VALUE] != SIZE_MAX;
	p->width = p->csv.count;
	while (p->width && !str_trimmed(p->csv.fields[p->width - 1]).len)
		p->width--;
	if (p->details)
		return;
	MEM_GROW(p->header, p->header_cap, p->width);
	for (size_t i = 0; i < p->width; i++)
		p->header[i] = arena_str(&p->arena, str_trimmed(p->csv.fields[i]));
}

bool page_is_units(const struct page *p)
{
	return !p->details && !p->ready && !page_field(p, COL_KERNEL).len &&
	       !page_field(p, COL_ID).len && p->csv.count > 1;
}

static struct metric numbered(struct page *p, struct metric m)
{
	if (m.slot < 0 || m.combine != COMBINE_ADD)
		return m;
	/* No chip has as many paths. */
	if (p->additive == METRICS_ADDING)
		m.slot = -1;
	else
		m.bit = p->additive++;
	return m;
}

/* In whatever case hands write them, names are the same. */
static void add_name(struct buf *b, struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		buf_addc(b, (char)tolower((unsigned char)name.s[i]));
	buf_addc(b, '\n');
}

/* By title and place: "Memory Throughput" is a rate in one column and a share in another. */
static size_t first_of_metric(struct page *p, const struct metric *m, size_t column)
{
	const size_t known = p->names.count;
	SCOPED_BUF key = {0};
	uint32_t number;

	add_name(&key, m->name);
	buf_addf(&key, "%d", m->slot);
	number = strtab_keep(&p->names, &p->arena, buf_str(&key));
	MEM_GROW(p->columns, p->column_cap, number + 1);
	if (p->names.count > known)
		p->columns[number] = column;
	return p->columns[number];
}

static size_t first_of_identity(const struct page *p, size_t column)
{
	for (size_t c = 0; c < PAGE_COLUMNS; c++) {
		/* Ranges have several columns that differ in how their titles go on. */
		if (c != COL_NVTX && is_titled(p->header[column], (enum page_column)c))
			return p->at[c];
	}
	return column;
}

/* Only where the first column has no number the next one tells. */
static struct metric again(struct metric m, const struct metric *first)
{
	if (m.combine != COMBINE_ADD) {
		m.combine = COMBINE_FIRST;
		return m;
	}
	m.slot = first->slot;
	m.bit = first->bit;
	return m;
}

static void take_column(struct page *p, size_t i, struct metric m)
{
	const size_t first = m.slot < 0 ? first_of_identity(p, i) : first_of_metric(p, &m, i);

	p->first[i] = first;
	p->metrics[i] = first == i ? numbered(p, m) : again(m, &p->metrics[first]);
}

void page_take_units(struct page *p, bool has_units)
{
	MEM_GROW(p->first, p->first_cap, p->width);
	MEM_GROW(p->metrics, p->metric_cap, p->width);
	p->metric_count = p->width;
	for (size_t i = 0; i < p->width; i++) {
		struct str title = p->header[i], unit = {"", 0};

		if (has_units && i < p->csv.count)
			unit = arena_str(&p->arena, str_trimmed(p->csv.fields[i]));
		else if (!has_units)
			unit = unit_in_title(&title);
		take_column(p, i, metric_find(title, unit));
	}
	p->ready = true;
}

const struct metric *page_metric(struct page *p, struct str name, struct str unit)
{
	const size_t known = p->names.count;
	SCOPED_BUF key = {0};
	uint32_t number;

	add_name(&key, name);
	buf_addstr(&key, unit);
	number = strtab_keep(&p->names, &p->arena, buf_str(&key));
	MEM_GROW(p->metrics, p->metric_cap, number + 1);
	if (p->names.count > known)
		p->metrics[number] = numbered(
			p, metric_find(arena_str(&p->arena, name), arena_str(&p->arena, unit)));
	return &p->metrics[number];
}

struct str page_field(const struct page *p, enum page_column c)
{
	if (p->at[c] >= p->csv.count)
		return (struct str){"", 0};
	return str_trimmed(p->csv.fields[p->at[c]]);
}

bool page_is_identity(const struct page *p, size_t column)
{
	for (size_t c = 0; c < PAGE_COLUMNS; c++) {
		if (p->at[c] == column)
			return c != COL_VALUE && c != COL_SPEEDUP;
	}
	return false;
}

void page_free(struct page *p)
{
	csv_free(&p->csv);
	strtab_free(&p->names);
	arena_free(&p->arena);
	free(p->header);
	free(p->first);
	free(p->columns);
	free(p->metrics);
}
