/* Which launches do the rows of a CSV describe? */
#include "ncu/profiled.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The text once, in the report. */
static struct str keep_text(struct ncu_report *r, struct str text)
{
	const uint32_t number = strtab_keep(&r->texts, &r->arena, text);

	return r->texts.items[number];
}

uint32_t *launch_keys_find(struct launch_keys *keys, struct arena *a, const struct ncu_kernel *k)
{
	const size_t known = keys->keys.count;
	SCOPED_BUF b = {0};
	uint32_t number;

	buf_addstr(&b, k->id);
	buf_addc(&b, '\n');
	buf_addstr(&b, k->process);
	buf_addf(&b, "\n%u,%u,%u,%u,%u,%u\n", k->grid.x, k->grid.y, k->grid.z, k->block.x,
		 k->block.y, k->block.z);
	buf_addstr(&b, k->name);
	number = strtab_keep(&keys->keys, a, buf_str(&b));
	MEM_GROW(keys->last, keys->cap, number + 1);
	if (keys->keys.count > known)
		keys->last[number] = UINT32_MAX;
	return &keys->last[number];
}

void launch_keys_free(struct launch_keys *keys)
{
	free(keys->last);
	strtab_free(&keys->keys);
}

/* "(16, 1, 1)", "16x1x1" or "16": whole numbers, whatever is between them. */
static struct ncu_dim read_dim(struct str s)
{
	uint32_t values[3] = {0, 1, 1};
	size_t at = 0, count = 0;

	while (at < s.len && count < 3) {
		uint64_t n = 0;

		if (s.s[at] < '0' || s.s[at] > '9') {
			at++;
			continue;
		}
		for (; at < s.len && s.s[at] >= '0' && s.s[at] <= '9'; at++)
			n = n > UINT32_MAX ? n : n * 10 + (uint64_t)(s.s[at] - '0');
		values[count++] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	}
	if (!count)
		return (struct ncu_dim){0, 0, 0};
	return (struct ncu_dim){values[0], values[1], values[2]};
}

/* 9.0 is 90, 10.3 is 103. */
static int read_cc(struct str s)
{
	int major = 0;
	size_t at = 0;

	for (; at < s.len && at < 3 && s.s[at] >= '0' && s.s[at] <= '9'; at++)
		major = major * 10 + (s.s[at] - '0');
	if (at + 2 != s.len || s.s[at + 1] < '0' || s.s[at + 1] > '9')
		return 0;
	return major * 10 + (s.s[at + 1] - '0');
}

/* Fields behind a range's name: payload, colour and message, type and value each. */
enum { TAIL = 6 };

/* DOMAIN:NAME:none:none:none:none:none:none, where the name may have colons of its own. */
static struct str range_name(struct str s)
{
	const char *colon = s.len ? memchr(s.s, ':', s.len) : NULL;
	size_t end = s.len;

	if (!colon)
		return s;
	for (int i = 0; i < TAIL; i++) {
		const char *last = memrchr(colon + 1, ':', (size_t)(s.s + end - (colon + 1)));

		if (!last)
			break;
		end = (size_t)(last - s.s);
	}
	return (struct str){colon + 1, (size_t)(s.s + end - (colon + 1))};
}

/* "step/attn" of THREAD  "RANGE"  "RANGE" …, the outermost first. */
static void add_ranges(struct buf *b, struct str text)
{
	size_t at = 0;

	while (at < text.len) {
		const char *open = memchr(text.s + at, '"', text.len - at), *close;
		struct str name;

		if (!open)
			break;
		at = (size_t)(open + 1 - text.s);
		close = memchr(text.s + at, '"', text.len - at);
		if (!close)
			break;
		name = range_name((struct str){text.s + at, (size_t)(close - text.s) - at});
		if (b->len && name.len)
			buf_addc(b, '/');
		buf_addstr(b, name);
		at = (size_t)(close + 1 - text.s);
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "at::<unnamed>::f" is whole; in "f<unnamed>::T>" the bracket is f's own. */
static bool lacks_bracket(struct str name, size_t at)
{
	if (at && name.s[at - 1] == '<')
		return at > 1 && is_word(name.s[at - 2]);
	return !at || !is_word(name.s[at - 1]);
}

/*
 * ncu leaves out namespaces that all kernels of a report are in; of "at::native::<unnamed>::f" it
 * leaves out a bracket too much, "unnamed>::f", which is put back.
 */
static void add_kernel_name(struct buf *b, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		const struct str rest = {name.s + i, name.len - i};

		if (str_starts(rest, "unnamed>::") && lacks_bracket(name, i))
			buf_addc(b, '<');
		buf_addc(b, name.s[i]);
	}
}

static struct str kept(struct profiled *l, const struct page *p, enum page_column c)
{
	return keep_text(l->report, page_field(p, c));
}

static struct ncu_kernel describe(struct profiled *l, const struct page *p)
{
	SCOPED_BUF name = {0}, nvtx = {0};
	struct ncu_kernel k = {
		.id = kept(l, p, COL_ID),
		.process = kept(l, p, COL_PROCESS),
		.process_name = kept(l, p, COL_PROCESS_NAME),
		.device_name = kept(l, p, COL_DEVICE_NAME),
		.device = kept(l, p, COL_DEVICE),
		.stream = kept(l, p, COL_STREAM),
		.cc = read_cc(page_field(p, COL_CC)),
		.grid = read_dim(page_field(p, COL_GRID)),
		.block = read_dim(page_field(p, COL_BLOCK)),
		.raw = !p->details,
	};

	add_kernel_name(&name, page_field(p, COL_KERNEL));
	k.name = keep_text(l->report, buf_str(&name));
	add_ranges(&nvtx, page_field(p, COL_NVTX));
	k.nvtx = keep_text(l->report, buf_str(&nvtx));
	return k;
}

static struct launch *add_launch(struct profiled *l, const struct ncu_kernel *k)
{
	struct launch *x;

	MEM_GROW(l->all, l->cap, l->count + 1);
	x = &l->all[l->count++];
	*x = (struct launch){.kernel = *k};
	x->kernel.slots = arena_alloc(&l->report->arena, SLOTS, sizeof(double));
	slots_clear(x->kernel.slots);
	x->kernel.unsaid = arena_zalloc(&l->report->arena, SLOTS, sizeof(bool));
	return x;
}

/* "dram__bytes.sum (furlong)", once each; of many the first few are enough to look for. */
static void note_doubt(struct profiled *l, struct ncu_doubts *u, const struct metric *m)
{
	SCOPED_BUF b = {0};
	size_t known = 0;

	u->values++;
	buf_addstr(&b, m->name);
	if (m->unit.len)
		buf_addf(&b, " (%.*s)", STR_FMT(m->unit));
	while (known < u->column_count && !str_eq(u->columns[known], buf_str(&b)))
		known++;
	if (known == u->column_count && known < NCU_DOUBTED_COLUMNS)
		u->columns[u->column_count++] = keep_text(l->report, buf_str(&b));
	else if (known == u->column_count)
		u->more = true;
}

/* What ncu writes where it has nothing to say. */
static bool is_unsaid(struct str text)
{
	return !str_trimmed(text).len || str_holds(text, "n/a") || str_holds(text, "N/A");
}

/* A sum of which a part is unknown is unknown. */
static void leave_unsaid(struct ncu_kernel *k, const struct metric *m)
{
	if (m->slot < 0)
		return;
	k->unsaid[m->slot] = true;
	if (m->combine == COMBINE_ADD)
		k->slots[m->slot] = NAN;
}

static void put_value(struct profiled *l, struct launch *x, const struct page *p,
		      const struct metric *m, struct str text)
{
	struct ncu_kernel *k = &x->kernel;
	bool adds = m->combine == COMBINE_ADD;
	double value;

	if ((m->slot < 0 && !m->is_in_odd_unit) || (adds && x->added[m->bit]))
		return;
	if (adds)
		x->added[m->bit] = true;
	if (is_unsaid(text)) {
		leave_unsaid(k, m);
		return;
	}
	if (m->slot < 0 || !number_read(text, p->mark, &value) ||
	    (!(adds && k->unsaid[m->slot]) && !slots_put(k->slots, m, value))) {
		note_doubt(l, &l->report->unusable, m);
		leave_unsaid(k, m);
	}
}

/* More cells than titles: nobody knows which of them is one too many. */
static bool is_long(const struct page *p)
{
	return p->csv.count > p->width;
}

/* In the same unit it is the very same; another may be rounded to two decimals, as ncu does. */
static bool differs(const struct page *p, size_t column)
{
	const struct metric *a = &p->metrics[p->first[column]], *b = &p->metrics[column];
	struct str first = str_trimmed(p->csv.fields[p->first[column]]);
	struct str other = str_trimmed(p->csv.fields[column]);
	double x, y;

	if (is_unsaid(first) || is_unsaid(other))
		return false;
	if (b->slot < 0 || !number_read(first, p->mark, &x) || !number_read(other, p->mark, &y))
		return !str_eq(first, other);
	x *= a->factor;
	y *= b->factor;
	return fabs(x - y) > (a->factor == b->factor ? 0 : 0.01 * fmax(fabs(x), fabs(y)));
}

static void compare_columns(struct profiled *l, const struct page *p)
{
	for (size_t i = 0; i < p->metric_count && i < p->csv.count && !is_long(p); i++) {
		if (p->first[i] != i && differs(p, i))
			note_doubt(l, &l->report->repeated, &p->metrics[i]);
	}
}

static void read_raw(struct profiled *l, struct page *p)
{
	const struct ncu_kernel k = describe(l, p);
	struct launch *x = add_launch(l, &k);

	for (size_t i = 0; i < p->metric_count; i++)
		put_value(l, x, p, &p->metrics[i],
			  i < p->csv.count && !is_long(p) ? p->csv.fields[i] : STR_LIT(""));
	compare_columns(l, p);
}

/* Rows of one launch have the same key; without ids, a metric that comes again is another's. */
static struct launch *find_launch(struct profiled *l, const struct page *p, const struct metric *m)
{
	const struct ncu_kernel k = describe(l, p);
	uint32_t *number = launch_keys_find(&l->keys, &l->report->arena, &k);
	struct launch *last = *number == UINT32_MAX ? NULL : &l->all[*number];

	if (last && (k.id.len || !m || m->slot < 0 || isnan(last->kernel.slots[m->slot])))
		return last;
	*number = (uint32_t)l->count;
	return add_launch(l, &k);
}

static void add_rule(struct profiled *l, const struct page *p, struct ncu_kernel *k)
{
	struct ncu_rule *rule = arena_zalloc(&l->report->arena, 1, sizeof(*rule));

	*rule = (struct ncu_rule){
		.name = kept(l, p, COL_RULE),
		.type = kept(l, p, COL_RULE_TYPE),
		.section = kept(l, p, COL_SECTION),
		.text = kept(l, p, COL_RULE_TEXT),
		.speedup_type = kept(l, p, COL_SPEEDUP_TYPE),
	};
	if (!number_read(page_field(p, COL_SPEEDUP), p->mark, &rule->speedup_pct))
		rule->speedup_pct = NAN;
	if (k->last_rule)
		k->last_rule->next = rule;
	else
		k->rules = rule;
	k->last_rule = rule;
}

static void read_details(struct profiled *l, struct page *p)
{
	struct str name = page_field(p, COL_METRIC);
	const struct metric *m = name.len ? page_metric(p, name, page_field(p, COL_UNIT)) : NULL;
	struct launch *x = find_launch(l, p, m);

	if (m)
		put_value(l, x, p, m, is_long(p) ? STR_LIT("") : page_field(p, COL_VALUE));
	if (page_field(p, COL_RULE).len && !is_long(p))
		add_rule(l, p, &x->kernel);
}

/* What a program prints may lie between rows; a row has a kernel, and its number where it can. */
static bool is_row(const struct page *p)
{
	struct str id = page_field(p, COL_ID);

	if (!page_field(p, COL_KERNEL).len)
		return false;
	return p->at[COL_ID] == SIZE_MAX || (id.len && id.s[0] >= '0' && id.s[0] <= '9');
}

/* Of a details page the columns of rules may be left out: they come last, and few rows have any. */
static bool is_short(const struct page *p)
{
	return p->csv.count < (p->details ? p->at[COL_VALUE] + 1 : p->width);
}

static bool is_cut(const struct page *p)
{
	return p->csv.in_quotes || (p->csv.cut && is_short(p));
}

static int refuse_cut(const struct page *p, const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' ends in the middle of line %zu: it was cut short", path,
		p->csv.line);
	return err_hint(e, "write it again: ncu --import REPORT.ncu-rep --page %s --csv",
			p->details ? "details" : "raw");
}

/* A comma at the end of a line sets nothing apart. */
static void drop_empty_end(struct page *p)
{
	while (p->csv.count > p->width && !str_trimmed(p->csv.fields[p->csv.count - 1]).len)
		p->csv.count--;
}

static void read_record(struct profiled *l, struct page *p)
{
	if (page_is_header(&p->csv)) {
		page_take_header(p);
		return;
	}
	drop_empty_end(p);
	if (page_is_units(p)) {
		page_take_units(p, true);
		return;
	}
	if (!is_row(p)) {
		l->strange_lines++;
		return;
	}
	l->short_rows += is_short(p);
	l->long_rows += is_long(p);
	if (p->details) {
		read_details(l, p);
		return;
	}
	if (!p->ready)
		page_take_units(p, false);
	read_raw(l, p);
}

int profiled_read(struct profiled *l, struct page *p, const char *path, struct err *e)
{
	while (csv_next(&p->csv)) {
		if (is_cut(p))
			return refuse_cut(p, path, e);
		read_record(l, p);
		if (l->count > NCU_MOST_KERNELS)
			return err_set(e, ERR_INPUT,
				       "'%s' has more than %d launches: profile fewer", path,
				       NCU_MOST_KERNELS);
	}
	return 0;
}

void profiled_free(struct profiled *l)
{
	free(l->all);
	launch_keys_free(&l->keys);
}
