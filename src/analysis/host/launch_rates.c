/* How many launches per second, of how small kernels? */
#include "analysis/host/launch_rates.h"

#include "analysis/cell_values.h"
#include "analysis/kept_answers.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>

static const struct column rate_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"over_ns", "Time span", UNIT_NS, 0, NULL, SHOW},
	{"launches_per_s", "Per second", UNIT_RATIO, 0, NULL, SHOW},
	{"graph_launches", "Graph launches", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"kernel_p50_ns", "Kernel p50", UNIT_NS, 0, NULL, SHOW},
	{"under_5us_pct", "% < 5 µs", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"under_10us_pct", "% < 10 µs", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"under_20us_pct", "% < 20 µs", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"storm", "Storm", UNIT_BOOL, 0, NULL, SHOW},
};

static const struct column tiny_columns[] = {
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"launches_pct", "% of launches", UNIT_PERCENT, 0, NULL, SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW},
	{"p90_ns", "p90", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"max_ns", "Max", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

static const int64_t under_ns[LAUNCH_UNDERS] = {5000, 10000, 20000};

struct rates {
	struct trace *trace;
	const struct launch_list *list;
	const struct grouping *names; /* of kernels; NULL: nobody asks by name */
	const struct line_groups *lines;
	const struct summary *launched; /* by group of `names`; NULL: not known */
	struct launch_rate *pairs;
	struct summary *tiny; /* by group of `names`: kernels launched one by one */
	uint64_t launches;
};

/* The kernels that were launched one by one: by pair, and by name where somebody asks. */
static void read_singles(const void *ctx, size_t begin, size_t end, struct batch *b)
{
	const struct rates *x = ctx;
	struct process_gpu_cursor cursor = PROCESS_GPU_CURSOR_START;

	for (int k = 0; k < (x->names ? 2 : 1); k++) {
		b[k].value = x->trace->events[TRACE_KERNELS].duration_ns + begin;
		b[k].group = b[k].groups;
	}
	for (size_t i = begin; i < end; i++) {
		uint32_t pair = launch_list_single(x->list, &cursor, i);

		b[0].groups[i - begin] = pair;
		if (x->names)
			b[1].groups[i - begin] = pair == ID_NONE ? GROUP_NONE : x->names->group[i];
	}
}

static void count_under(const struct by_group *v, size_t group, struct launch_rate *rate)
{
	uint64_t limit[LAUNCH_UNDERS], under[LAUNCH_UNDERS] = {0};

	for (int u = 0; u < LAUNCH_UNDERS; u++)
		limit[u] = under_ns[u] > v->base ? (uint64_t)under_ns[u] - (uint64_t)v->base : 0;
	for (size_t i = v->begin[group]; i < v->begin[group + 1]; i++) {
		for (int u = 0; u < LAUNCH_UNDERS; u++)
			under[u] += offset_at(v->offsets, v->wide, i) < limit[u];
	}
	memcpy(rate->under, under, sizeof(under));
}

static void measure_pairs(struct rates *x, const struct by_group *v)
{
	double *medians = mem_alloc(v->groups, sizeof(*medians));

	medians_by_group(v, medians);
	for (size_t i = 0; i < v->groups; i++) {
		count_under(v, i, &x->pairs[i]);
		x->pairs[i].kernels = v->begin[i + 1] - v->begin[i];
		x->pairs[i].kernel_p50_ns = medians[i];
	}
	free(medians);
}

static void measure_singles(struct rates *x)
{
	struct by_group values[] = {{.groups = x->list->pairs.count},
				    {.groups = x->names ? x->names->count : 0}};

	by_group_make(values, x->names ? 2 : 1, read_singles, x,
		      x->trace->events[TRACE_KERNELS].count);
	measure_pairs(x, &values[0]);
	by_group_free(&values[0]);
	if (!x->names)
		return;
	x->tiny = mem_alloc(values[1].groups, sizeof(*x->tiny));
	summarize_by_group(&values[1], x->tiny);
	by_group_free(&values[1]);
}

static uint64_t count_singles(const struct rates *x)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < x->trace->events[TRACE_KERNELS].count / 64 + 1; i++)
		count += (uint64_t)__builtin_popcountll(x->list->single[i]);
	return count;
}

/*
 * Whether all kernels were launched one by one, by one process on one GPU, as usual without graphs:
 * what is asked of them by name is known then, and by pair they are the column as it lies.
 */
static bool are_alike(const struct rates *x)
{
	const uint64_t kernels = x->trace->events[TRACE_KERNELS].count;
	uint64_t launched = 0;

	if (!x->launched || x->list->pairs.count != 1 || count_singles(x) != kernels)
		return false;
	for (size_t i = 0; i < x->names->count; i++) {
		if (x->launched[i].min < 0)
			return false;
		launched += x->launched[i].count;
	}
	return launched == kernels;
}

static void measure_alike(struct rates *x)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	size_t begin[] = {0, ev->count};
	const struct by_group column = {
		.groups = 1, .wide = true, .offsets = ev->duration_ns, .begin = begin};

	measure_pairs(x, &column);
	x->tiny = mem_alloc(x->names->count, sizeof(*x->tiny));
	memcpy(x->tiny, x->launched, x->names->count * sizeof(*x->tiny));
}

/* Launches per second from the first to the last, which ends the time; 0: there is none. */
double launch_rate_per_s(const struct launch_rate *rate)
{
	double over_ns = (double)sat_sub(rate->all.last_ns, rate->all.first_ns);

	return over_ns > 0 ? (double)(rate->all.launches - 1) * 1e9 / over_ns : 0;
}

bool launch_rate_is_storm(const struct launch_rate *rate)
{
	double per_s = launch_rate_per_s(rate), p50 = rate->kernel_p50_ns;

	if (!rate->kernels || rate->all.launches < STORM_LAUNCHES ||
	    sat_sub(rate->all.last_ns, rate->all.first_ns) < STORM_NS)
		return false;
	return (per_s >= STORM_RATE && p50 <= STORM_KERNEL_NS) ||
	       (per_s >= STORM_HIGH_RATE && p50 <= STORM_HIGH_KERNEL_NS);
}

static void add_rate(struct rows *rows, const struct rates *x, uint32_t pair)
{
	const struct launch_rate *rate = &x->pairs[pair];
	double per_s = launch_rate_per_s(rate);

	rows_add(rows, process_gpu_pid_cell(&x->list->pairs, pair));
	rows_add(rows, process_gpu_device_cell(&x->list->pairs, pair));
	rows_add(rows, cell_int((int64_t)rate->all.launches));
	rows_add(rows, cell_int(sat_sub(rate->all.last_ns, rate->all.first_ns)));
	rows_add(rows, per_s > 0 ? cell_real(per_s) : cell_null());
	rows_add(rows, cell_int((int64_t)rate->all.graphs));
	rows_add(rows, cell_int((int64_t)rate->kernels));
	rows_add(rows, rate->kernels ? cell_real(rate->kernel_p50_ns) : cell_null());
	for (int u = 0; u < LAUNCH_UNDERS; u++)
		rows_add(rows, pct_cell((int64_t)rate->under[u], (int64_t)rate->kernels));
	rows_add(rows, cell_int(launch_rate_is_storm(rate)));
}

static void note_storm(struct report *r, const struct rates *x, const struct process_gpu *pair,
		       const struct launch_rate *rate)
{
	struct buf b = {0};

	buf_addf(&b, "launch storm: %.0f launches per second", launch_rate_per_s(rate));
	if (pair->process != ID_NONE)
		buf_addf(&b, " by process %u",
			 process_pid(x->trace->process_keys.keys[pair->process]));
	if (pair->device != ID_NONE)
		buf_addf(&b, " on device %u", pair->device);
	buf_adds(&b, ", median kernel ");
	units_add_ns(&b, rate->kernel_p50_ns);
	report_note(r, "%s: use CUDA graphs or fused kernels to relieve the host", b.s);
	buf_free(&b);
}

static void report_rates(struct report *r, const struct row_choice *c, const struct rates *x)
{
	struct rows *rows = report_new_rows(r, "launch_rates", "Launch rate", rate_columns,
					    ARRAY_LEN(rate_columns));

	for (size_t i = 0; i < x->list->pairs.count; i++) {
		if (x->pairs[i].all.launches)
			add_rate(rows, x, (uint32_t)i);
	}
	rows_arrange_also(rows, c, "launches");
	for (size_t i = 0; i < x->list->pairs.count; i++) {
		if (launch_rate_is_storm(&x->pairs[i]))
			note_storm(r, x, &x->list->pairs.all[i], &x->pairs[i]);
	}
}

static struct rows *new_tiny_table(struct report *r, enum group_by by,
				   const struct line_groups *lines)
{
	size_t most = 1 + 3 + ARRAY_LEN(tiny_columns) + LINE_COLUMNS, n = 0;
	struct column *columns = arena_alloc(&r->arena, most, sizeof(*columns));

	columns[n++] = (struct column){"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW};
	n += by_columns(by, columns + n);
	memcpy(columns + n, tiny_columns, sizeof(tiny_columns));
	n += ARRAY_LEN(tiny_columns);
	n += line_groups_columns(lines, columns + n);
	return report_new_rows(r, "tiny_kernels", "Kernels with a median of at most 10 µs", columns,
			       n);
}

static void add_tiny(struct rows *rows, const struct rates *x, const struct summary *s)
{
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, pct_cell((int64_t)s->count, (int64_t)x->launches));
	rows_add(rows, cell_int(s->total));
	rows_add(rows, cell_real(s->p50));
	rows_add(rows, cell_real(s->p90));
	rows_add(rows, cell_int(s->max));
}

static void report_tiny(struct report *r, const struct grouped_args *a, const struct rates *x)
{
	struct rows *rows = new_tiny_table(r, a->by, x->lines);
	const struct grouping *g = x->names;

	for (size_t i = 0; i < g->count; i++) {
		const struct group_key *key = &g->keys[i];
		struct cell by[3], line[LINE_COLUMNS];
		size_t n = by_cells(a->by, x->trace, key, by);

		if (!x->tiny[i].count || x->tiny[i].p50 > TINY_KERNEL_NS)
			continue;
		rows_add(rows,
			 cell_str(trace_name(x->trace, line_groups_name(x->lines, key->name))));
		for (size_t c = 0; c < n; c++)
			rows_add(rows, by[c]);
		add_tiny(rows, x, &x->tiny[i]);
		n = line_groups_cells(x->lines, &r->arena, key->name, line);
		for (size_t c = 0; c < n; c++)
			rows_add(rows, line[c]);
	}
	rows_arrange_also(rows, &a->table.rows, "launches");
}

static void measure(struct rates *x)
{
	x->pairs = mem_zalloc(x->list->pairs.count, sizeof(*x->pairs));
	for (size_t i = 0; i < x->list->pairs.count; i++) {
		x->pairs[i].all = x->list->at[i];
		x->launches += x->list->at[i].launches;
	}
	if (are_alike(x))
		measure_alike(x);
	else
		measure_singles(x);
}

static void free_answer(void *rates)
{
	launch_rates_free(rates);
}

static const struct kept_answers kept = {sizeof(struct launch_rates), NULL, free_answer};

static void list_rates(const struct rates *x, struct launch_rates *ret)
{
	*ret = (struct launch_rates){.count = x->list->pairs.count};
	ret->all = mem_alloc(ret->count, sizeof(*ret->all));
	for (size_t i = 0; i < ret->count; i++)
		ret->all[i] = (struct process_gpu_rate){x->list->pairs.all[i], x->pairs[i]};
}

int launch_rates_read(struct trace *t, const struct launches *joined, const struct scope *p,
		      struct launch_rates *ret, struct err *e)
{
	struct launch_list list;
	struct rates x = {.trace = t, .list = &list};

	*ret = (struct launch_rates){0};
	ret->shared = kept_answers_find(&kept, t, p, ret);
	if (ret->shared)
		return 0;
	if (launch_list_make(t, joined, p, &list, e) < 0)
		return -1;
	measure(&x);
	list_rates(&x, ret);
	free(x.pairs);
	launch_list_free(&list);
	return 0;
}

void launch_rates_free(struct launch_rates *r)
{
	if (!r->shared)
		free(r->all);
	*r = (struct launch_rates){0};
}

void launch_rates_report(struct report *r, struct trace *t, const struct grouped_args *a,
			 const struct launch_list *l, const struct grouping *g,
			 const struct line_groups *lines, const struct summary *launched)
{
	struct rates x = {.trace = t, .list = l, .names = g, .lines = lines, .launched = launched};
	struct launch_rates rates;

	measure(&x);
	/* Where several analyses ask, the trace remembers them. */
	list_rates(&x, &rates);
	rates.shared = kept_answers_add(&kept, t, &a->table.scope, &rates);
	launch_rates_free(&rates);
	report_rates(r, &a->table.rows, &x);
	report_tiny(r, a, &x);
	free(x.tiny);
	free(x.pairs);
}
