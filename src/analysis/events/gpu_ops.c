/* What did the GPUs do, op by op? */
#include "analysis/events/event_list.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Which columns, in which order. */
struct choice {
	enum event_field fields[EVENT_FIELDS];
	size_t count;
	uint64_t bits;
};

/* What the rows are made from. */
struct listing {
	struct event_fields fields;
	struct event_filter *filter;
	struct event_list list;
	struct choice shown;
};

static int choose(struct choice *c, struct str word, struct err *e)
{
	enum event_field field = event_field_find(word);

	if (field == EVENT_FIELDS)
		return event_field_unknown(word, "--columns", e);
	if (c->bits & EVENT_BIT(field))
		return err_set(e, ERR_USAGE, "--columns has %s twice", event_columns[field].key);
	c->bits |= EVENT_BIT(field);
	c->fields[c->count++] = field;
	return 0;
}

static void choose_usual(struct choice *c)
{
	for (int i = 0; EVENT_USUAL & EVENT_BIT(i); i++)
		c->fields[c->count++] = (enum event_field)i;
	c->bits = EVENT_USUAL;
}

static int choose_columns(struct choice *c, const char *text, struct err *e)
{
	while (text) {
		const char *comma = strchrnul(text, ',');

		if (choose(c, (struct str){text, (size_t)(comma - text)}, e) < 0)
			return -1;
		text = *comma ? comma + 1 : NULL;
	}
	if (!c->count)
		choose_usual(c);
	return 0;
}

static int passes_filter(void *ctx, struct event_fields *f, struct event_ref at, struct err *e)
{
	return event_filter_matches(ctx, f, at, e);
}

/* Numbers as keys that sort the largest first; what has none comes last. */
static int64_t sort_key(const struct cell *c)
{
	if (c->kind == CELL_INT)
		return c->i == INT64_MIN ? INT64_MAX : -c->i;
	return c->kind == CELL_REAL ? -llround(c->r * 1e3) : INT64_MAX;
}

static int sort_by(struct listing *l, const char *key, struct err *e)
{
	enum event_field field = event_field_find(str_of(key));
	int64_t *keys;

	if (field == EVENT_FIELDS)
		return event_field_unknown(str_of(key), "--sort", e);
	if (field == EVENT_START_NS)
		return 0;
	keys = mem_alloc(l->list.count, sizeof(*keys));
	for (size_t i = 0; i < l->list.count; i++) {
		struct cell c = event_field_get(&l->fields, event_list_at(&l->list, i), field);

		if (c.kind == CELL_TEXT) {
			free(keys);
			return err_set(e, ERR_USAGE, "--sort %s: ops are sorted by numbers", key);
		}
		keys[i] = sort_key(&c);
	}
	event_list_arrange(&l->list, keys);
	free(keys);
	return 0;
}

static uint64_t sort_bit(const struct params *p)
{
	enum event_field field = p->sort ? event_field_find(str_of(p->sort)) : EVENT_FIELDS;

	return field == EVENT_FIELDS ? 0 : EVENT_BIT(field);
}

static int gather(struct listing *l, struct trace *t, const struct params *p, struct err *e)
{
	uint64_t wanted;

	if (choose_columns(&l->shown, p->columns, e) < 0 ||
	    (p->filter && event_filter_parse(&l->filter, p->filter, e) < 0))
		return -1;
	wanted = l->shown.bits | event_filter_fields(l->filter) |
		 (p->summary ? EVENT_BIT(EVENT_NAME) | EVENT_BIT(EVENT_CLASS) : sort_bit(p));
	if (event_fields_open(&l->fields, t, ALL_GPU_KINDS, wanted, p, e) < 0 ||
	    event_list_make(&l->list, &l->fields, passes_filter, l->filter, e) < 0)
		return -1;
	event_list_sort(&l->list, t);
	return p->sort && !p->summary ? sort_by(l, p->sort, e) : 0;
}

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	struct event_ref at = event_list_at(&l->list, i);

	for (size_t c = 0; c < l->shown.count; c++)
		out[c] = event_field_get(&l->fields, at, l->shown.fields[c]);
}

/* Who names columns sees them. */
static enum column_show usual_show(enum event_field field)
{
	switch (field) {
	case EVENT_END_NS:
	case EVENT_PID:
	case EVENT_CORRELATION:
		return SHOW_IF_ROOM;
	case EVENT_CLASS:
		return SHOW_RATHER;
	default:
		return SHOW;
	}
}

static void add_ops(struct report *r, struct listing *l, const struct params *p)
{
	struct column *columns = arena_alloc(&r->arena, l->shown.count, sizeof(*columns));
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	for (size_t i = 0; i < l->shown.count; i++) {
		columns[i] = event_columns[l->shown.fields[i]];
		if (!p->columns)
			columns[i].show = usual_show(l->shown.fields[i]);
	}
	*table = (struct table){
		.name = "gpu_ops",
		.kind = "op",
		.columns = columns,
		.column_count = l->shown.count,
		.rows = p->limit && p->limit < l->list.count ? p->limit : l->list.count,
		.total_rows = l->list.count,
		.row = make_row,
		.ctx = l,
		.drops_empty = !p->columns,
	};
	report_table(r, table);
}

static const struct column name_column = {"name", "Name", UNIT_KERNEL, 0, "", SHOW};
static const struct column class_column = {"class", "Class", UNIT_NAME, 0, "class:", SHOW};

struct name_groups {
	struct strtab names;  /* by bytes */
	struct cell *classes; /* of each */
	uint32_t *group;      /* by op */
	int64_t *duration_ns;
	size_t cap;
};

/* A name is of one class. */
static void group_by_name(struct listing *l, struct name_groups *g)
{
	g->group = mem_alloc(l->list.count, sizeof(*g->group));
	g->duration_ns = mem_alloc(l->list.count, sizeof(*g->duration_ns));
	for (size_t i = 0; i < l->list.count; i++) {
		struct event_ref at = event_list_at(&l->list, i);

		g->group[i] = strtab_add(&g->names, event_field_get(&l->fields, at, EVENT_NAME).s);
		MEM_GROW(g->classes, g->cap, g->names.count);
		g->classes[g->group[i]] = event_field_get(&l->fields, at, EVENT_CLASS);
		g->duration_ns[i] = event_field_get(&l->fields, at, EVENT_DURATION_NS).i;
	}
}

static int add_summary(struct report *r, struct listing *l, struct trace *t, const struct params *p,
		       struct err *e)
{
	struct name_groups g = {0};
	struct summary *sums;
	struct time_table table = {.name = "gpu_ops",
				   .kind = "op",
				   .name_column = name_column,
				   .extra = &class_column,
				   .extra_count = 1};
	int result;

	group_by_name(l, &g);
	sums = mem_alloc(g.names.count, sizeof(*sums));
	summarize(g.duration_ns, g.group, l->list.count, g.names.count, sums);
	table.rows = mem_zalloc(g.names.count, sizeof(*table.rows));
	table.count = g.names.count;
	for (size_t i = 0; i < g.names.count; i++)
		table.rows[i] = (struct time_row){
			.name = g.names.items[i], .s = sums[i], .extra = {g.classes[i]}};
	result = time_table_report(r, t, p, &table, e);
	free(table.rows);
	free(sums);
	free(g.group);
	free(g.duration_ns);
	free(g.classes);
	strtab_free(&g.names);
	return result;
}

static void free_listing(void *p)
{
	struct listing *l = p;

	event_list_free(&l->list);
	event_filter_free(l->filter);
	event_fields_close(&l->fields);
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));
	struct analysis named = *self;
	struct params *asked = arena_alloc(&r->arena, 1, sizeof(*asked));

	/* Rows are made when they are printed. */
	*asked = *p;
	if (p->summary)
		named.order = "total time";
	report_on_free(r, free_listing, l);
	if (gather(l, t, asked, e) < 0 || window_report(r, &named, t, p, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		warn_without_times(r, l->list.without_times[kind], (enum trace_kind)kind);
	if (l->list.backwards)
		report_warning(r, "%llu op%s before %s: counted with zero duration",
			       (unsigned long long)l->list.backwards,
			       l->list.backwards == 1 ? " ends" : "s end",
			       l->list.backwards == 1 ? "it begins" : "they begin");
	if (l->fields.joins.why_not)
		report_warning(r, "no op has a thread, a call or a range: %s",
			       l->fields.joins.why_not);
	if (!l->list.count && p->filter)
		report_note(r, "no op matches the filter");
	if (p->summary)
		return add_summary(r, l, t, p, e);
	add_ops(r, l, p);
	return 0;
}

const struct analysis analysis_gpu_ops = {
	.name = "ops",
	.title = "GPU ops",
	.order = "start",
	.summary = "every kernel, copy, set and whole-graph launch, one row each",
	.detail =
		"--columns says what is shown, --filter which ops: a column, one of == != < <= > "
		">= "
		"~\nand a value, joined by && || ! and brackets; ~ is 'has in it', or /a regular\n"
		"expression/. --summary sums them up by name. docs/filters.md lists the columns.\n"
		"What a window cuts is shown as far as it lies inside.",
	.needs_any = ALL_GPU_KINDS,
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | PARAM_SORT | PARAM_COMM |
		  PARAM_FILTER | PARAM_COLUMNS,
	.run = run,
};
