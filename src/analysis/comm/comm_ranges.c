/* Which part of the program launched the communication that is exposed? */
#include "analysis/comm/comm_walk.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
	{"exposed_ns", "Exposed", UNIT_NS, 0, NULL, SHOW},
	{"exposed_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
};

struct range_sum {
	int64_t exposed_ns, total_ns;
	uint64_t count;
};

struct by_range {
	struct trace *trace;
	struct attribution at;
	struct range_names names;
	struct folded_names folded;
	bool fold;
	uint32_t *outside;	/* by range: itself, or the one around NCCL's; RANGE_NONE: none */
	struct range_sum *sums; /* by name; the last one is for no range */
	size_t count;
	uint64_t unlaunched; /* kernels whose call is not in the trace */
};

static bool is_of_nccl(const struct by_range *n, const struct range *x)
{
	uint32_t name = n->names.of_row[x->row];
	struct str text;

	if (name == NAME_NONE)
		return false;
	if (str_starts(n->names.names.items[name], "NCCL:"))
		return true;
	/* Some exports do not name domains. PyTorch's own are nccl:all_reduce and the like. */
	text = trace_name(n->trace, n->trace->events[TRACE_NVTX].name[x->row]);
	return str_starts(text, "nccl") && text.len > 4 && text.s[4] >= 'A' && text.s[4] <= 'Z';
}

/*
 * NCCL's own ranges say what was called, not where: the range around them counts. An outer range
 * comes before those inside, so that each looks at its parent alone, however deep they nest.
 */
static void skip_nccl(struct by_range *n)
{
	const struct range_forest *f = &n->at.forest;

	n->outside = mem_alloc(f->count, sizeof(*n->outside));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *x = &f->ranges[i];

		n->outside[i] = !is_of_nccl(n, x) ? (uint32_t)i
				: x->parent < i	  ? n->outside[x->parent]
						  : RANGE_NONE;
	}
}

static size_t group_of(const struct by_range *n, const struct comm_kernel *k)
{
	uint32_t range = attribution_range(&n->at, TRACE_KERNELS, k->row), name;

	if (range != RANGE_NONE)
		range = n->outside[range];
	if (range == RANGE_NONE)
		return n->count;
	name = n->names.of_row[n->at.forest.ranges[range].row];
	if (name == NAME_NONE)
		return n->count;
	return n->fold ? n->folded.of_name[name] : name;
}

/* The default domain has no name: ":text". */
static struct str shown_name(const struct by_range *n, size_t group)
{
	struct str full = n->fold ? n->folded.names.items[group] : n->names.names.items[group];

	return full.len && full.s[0] == ':' ? (struct str){full.s + 1, full.len - 1} : full;
}

/* Why a row has no name. */
static void tell_outside(struct report *r, const struct by_range *n)
{
	uint64_t outside = n->sums[n->count].count - n->unlaunched;

	if (outside)
		report_note(r,
			    "%llu kernels were launched outside any NVTX range: see the row "
			    "without a name",
			    (unsigned long long)outside);
	if (n->unlaunched)
		report_note(r,
			    "%llu kernels have no launch call in the trace, so their range is "
			    "unknown: see the row without a name",
			    (unsigned long long)n->unlaunched);
}

static void add_rows(struct report *r, struct rows *rows, const struct by_range *n)
{
	int64_t exposed_ns = 0;

	for (size_t i = 0; i <= n->count; i++)
		exposed_ns = sat_add(exposed_ns, n->sums[i].exposed_ns);
	for (size_t i = 0; i <= n->count; i++) {
		const struct range_sum *s = &n->sums[i];

		if (!s->count)
			continue;
		rows_add(rows, i == n->count ? cell_null()
					     : cell_str(arena_str(&r->arena, shown_name(n, i))));
		rows_add(rows, cell_int(s->exposed_ns));
		rows_add(rows, pct_cell(s->exposed_ns, exposed_ns));
		rows_add(rows, cell_int(s->total_ns));
		rows_add(rows, pct_cell(s->total_ns - s->exposed_ns, s->total_ns));
		rows_add(rows, cell_int((int64_t)s->count));
	}
	tell_outside(r, n);
}

static int open_ranges(struct by_range *n, bool no_fold, struct err *e)
{
	struct trace *t = n->trace;

	if (trace_require(t, TRACE_NVTX, e) < 0 || trace_require(t, TRACE_API, e) < 0 ||
	    attribution_make(t, NEEDS(TRACE_KERNELS), &n->at, e) < 0 ||
	    range_names_read(t, &n->names, e) < 0)
		return -1;
	skip_nccl(n);
	n->fold = !no_fold;
	if (n->fold)
		range_names_fold(t, &n->names, &n->folded);
	n->count = n->fold ? n->folded.names.count : n->names.names.count;
	n->sums = mem_zalloc(n->count + 1, sizeof(*n->sums));
	return 0;
}

int comm_ranges_report(struct report *r, struct trace *t, const struct comm_walk *w,
		       const struct row_choice *c, bool no_fold, struct err *e)
{
	struct by_range n = {.trace = t};
	int result = open_ranges(&n, no_fold, e);

	if (result == 0) {
		struct rows *rows = report_new_rows(r, "exposed_ranges", "Communication by range",
						    columns, ARRAY_LEN(columns));

		rows->table.kind = "range";
		for (size_t i = 0; i < w->kernel_count; i++) {
			struct range_sum *s = &n.sums[group_of(&n, &w->kernels[i])];
			struct api_call call;

			n.unlaunched +=
				!attribution_call(&n.at, TRACE_KERNELS, w->kernels[i].row, &call);
			s->count++;
			s->exposed_ns = sat_add(s->exposed_ns, w->kernels[i].exposed_ns);
			s->total_ns = sat_add(s->total_ns, comm_kernel_ns(&w->kernels[i]));
		}
		add_rows(r, rows, &n);
		result = rows_arrange(rows, c, "exposed_ns", e);
	}
	free(n.sums);
	free(n.outside);
	folded_names_free(&n.folded);
	range_names_free(&n.names);
	attribution_free(&n.at);
	return result;
}
