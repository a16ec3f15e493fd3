/* What did the GPUs do, op by op? */
#include "analysis/events/event_filter.h"
#include "analysis/events/op_groups.h"
#include "analysis/gpu/gpu_work.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Which columns, in which order. */
struct choice {
	enum event_field fields[EVENT_FIELDS];
	size_t count;
	uint64_t bits;
};

struct ops_args {
	struct table_args table;
	struct comm_args comm;
	struct filter_args filter;
	const char *columns;	     /* keys of event_columns, with commas; or NULL */
	bool summary, total, shapes; /* summed up by name, all as one, by the shape of launches */
};

/* What the rows are made from. */
struct listing {
	struct event_fields fields;
	struct event_filter *filter;
	struct event_list list;
	struct choice shown;
};

static enum op_grouping grouping_of(const struct ops_args *a)
{
	return a->shapes    ? OPS_BY_SHAPE
	       : a->total   ? OPS_AS_ONE
	       : a->summary ? OPS_BY_NAME
			    : OPS_EACH;
}

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

static uint64_t sort_bit(const char *sort)
{
	enum event_field field = sort ? event_field_find(str_of(sort)) : EVENT_FIELDS;

	return field == EVENT_FIELDS ? 0 : EVENT_BIT(field);
}

static int gather(struct listing *l, struct trace *t, const struct ops_args *a, struct err *e)
{
	const char *sort = a->table.rows.sort;
	uint64_t wanted;

	if (choose_columns(&l->shown, a->columns, e) < 0 ||
	    (a->filter.expression && event_filter_parse(&l->filter, a->filter.expression, e) < 0))
		return -1;
	wanted = l->shown.bits | event_filter_fields(l->filter) |
		 (grouping_of(a) ? op_groups_fields(grouping_of(a)) : sort_bit(sort));
	if (event_fields_open(&l->fields, t, ALL_GPU_KINDS, wanted, &a->table.scope, e) < 0 ||
	    event_list_make(&l->list, &l->fields, passes_filter, l->filter, e) < 0)
		return -1;
	event_list_sort(&l->list, t);
	return sort && !grouping_of(a) ? sort_by(l, sort, e) : 0;
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
		return SHOW_PREFERRED;
	default:
		return SHOW;
	}
}

static void add_ops(struct report *r, struct listing *l, const struct ops_args *a)
{
	const uint64_t limit = a->table.rows.limit;
	struct column *columns = arena_alloc(&r->arena, l->shown.count, sizeof(*columns));
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	for (size_t i = 0; i < l->shown.count; i++) {
		columns[i] = event_columns[l->shown.fields[i]];
		if (!a->columns)
			columns[i].show = usual_show(l->shown.fields[i]);
	}
	*table = (struct table){
		.name = "gpu_ops",
		.kind = "op",
		.columns = columns,
		.column_count = l->shown.count,
		.rows = limit && limit < l->list.count ? limit : l->list.count,
		.total_rows = l->list.count,
		.row = make_row,
		.ctx = l,
		.drops_empty = !a->columns,
	};
	report_table(r, table);
}

static void free_listing(void *p)
{
	struct listing *l = p;

	event_list_free(&l->list);
	event_filter_free(l->filter);
	event_fields_close(&l->fields);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct ops_args *a = args;
	const struct scope *p = &a->table.scope;
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));
	struct analysis named = *self;

	if (grouping_of(a))
		named.order = "total time";
	report_on_free(r, free_listing, l);
	if (a->summary + a->total + a->shapes > 1)
		return err_set(e, ERR_USAGE, "give one of --summary, --total and --shapes");
	if (gather(l, t, a, e) < 0 || window_report(r, &named, t, p, &a->table.rows, e) < 0)
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
	if (l->fields.wanted & EVENT_LINES && !call_lines_any(&l->fields.lines))
		report_warning(r, "no op has a line: %s", CALL_LINES_MISSING);
	if (!l->list.count && a->filter.expression)
		report_note(r, "no op matches the filter");
	if (grouping_of(a))
		return op_groups_report(r, t, &a->table, &l->fields, &l->list, grouping_of(a), e);
	add_ops(r, l, a);
	return 0;
}

/* What completion offers for --columns. */
static const char *column_at(size_t i)
{
	return i < EVENT_FIELDS ? event_columns[i].key : NULL;
}

static const struct option_group ops_options = OPTIONS(
	struct ops_args, OPT_INCLUDE(struct ops_args, table, struct table_args, table_options),
	OPT_INCLUDE(struct ops_args, filter, struct filter_args, event_filter_options),
	{.type = OPTION_COLUMN,
	 .name = "columns",
	 .value = "KEY,…",
	 .wanted = "names of columns",
	 OPT_MEMBER(struct ops_args, columns, const char *),
	 .word_at = column_at,
	 .help = "columns to show, by their keys in --format json"},
	OPT_FLAG("summary", struct ops_args, summary, "group by name"),
	OPT_FLAG("total", struct ops_args, total, "all as one row: count, mean, percentiles"),
	OPT_FLAG("shapes", struct ops_args, shapes,
		 "kernels by name and launch: grid, block, registers, shared memory"),
	OPT_INCLUDE(struct ops_args, comm, struct comm_args, comm_options));

static const struct topic topics_gpu_ops[] = {
	{.table = "gpu_ops",
	 .words = "op ops operation event events single individual instance list every each first "
		  "last when running at moment timestamp start end began ended earliest latest "
		  "order sequence",
	 .questions = "what is the first kernel\n"
		      "when does the last kernel end\n"
		      "which single operation ran longest\n"
		      "what was running on the GPU at 1.2 s\n"
		      "list every operation between 10 and 20 ms\n"
		      "when did the first kernel start\n"
		      "what is the longest single kernel launch\n"
		      "which operation came last\n",
	 .row = "{name} runs for {duration_us}| from {start_ns} to {end_ns}|, on stream {stream} "
		"of GPU "
		"{device}|, in {nvtx_path}",
	 .by = "duration_us",
	 .work = "name",
	 .filters = true},
	{.table = "gpu_ops",
	 .words = "longer shorter larger smaller than above below over under exceed kernel copy "
		  "memset launch",
	 .questions = "how many kernels take longer than 1 ms\n"
		      "which kernel launches are shorter than 5 us\n"
		      "how many copies are larger than 1 MB\n",
	 .row = "{name}: {count} of them|, {total_ns} in all|, from {min_ns} to {max_ns}|, {bytes}",
	 .sum = "{count} of them, of {#} names, take {total_ns}|, from {min_ns} to {max_ns}|, "
		"{bytes}",
	 .by = "count",
	 .flag = "summary",
	 .work = "name",
	 .filters = true,
	 .none = "none"},
	{.table = "gpu_ops",
	 .words = "median percentile p50 p90 p99 typical distribution kernel copy launch duration",
	 .questions = "what is the median kernel duration\n"
		      "p99 of the kernel durations\n"
		      "how long does a typical kernel take\n",
	 .row = "all {count} of them take {total_ns}|, {avg_ns} on average|, {p50_ns} at the "
		"median|, from {min_ns} to {max_ns}|, {bytes}",
	 .flag = "total",
	 .is_total = true,
	 .filters = true,
	 .none = "none"},
	{.table = "launch_shapes",
	 .subject = "grid registers",
	 .words = "grid block blocks threads register registers shared memory smem dimension "
		  "launch configuration geometry size kernel",
	 .questions = "how many threads per block does the kernel use\n"
		      "what is the grid size of the kernel\n"
		      "how many registers does the kernel use\n"
		      "how much shared memory does the kernel use\n"
		      "which kernel uses the most registers\n"
		      "what is the launch configuration of the kernel\n",
	 .row = "{name} runs {blocks} blocks ({grid_x} × {grid_y} × {grid_z}) of {threads} threads "
		"({block_x} × {block_y} × {block_z})|, "
		"{registers} registers a thread|, {smem_bytes} of shared memory a block|, in "
		"{count} launches",
	 .by = "total_ns",
	 .flag = "shapes",
	 .none = "no kernel was launched"},
	{0},
};

const struct analysis analysis_gpu_ops = {
	.name = "ops",
	.span = SPAN_ALL,
	.title = "GPU ops",
	.order = "start",
	.summary = "every kernel, copy, memset and whole graph, one row each",
	.example = "gpuwhy ops trace.sqlite --filter 'name~gemm && duration_us>50' --limit 20",
	.detail = "--columns selects columns, --filter selects ops: a column, one of == != < <= > "
		  ">= ~ and a value, combined with && || ! and parentheses; ~ means 'contains', or "
		  "matches a /regular expression/. --summary groups by name, --total sums up all, "
		  "--shapes shows how kernels are launched. docs/filters.md lists "
		  "the columns. Ops that cross the window's edges are clipped.",
	.needs_any = ALL_GPU_KINDS,
	.options = &ops_options,
	.run = run,
	.topics = topics_gpu_ops,
};
