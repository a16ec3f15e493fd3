/* nsys: when did each NVTX push/pop range run, and inside which others? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/nsys/nsys_report.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"start_ns", "Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"end_ns", "End (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"duration_ns", "Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"children_ns", "DurChild (ns)", UNIT_NS, 0, NULL, SHOW},
	{"self_ns", "DurNonChild (ns)", UNIT_NS, 0, NULL, SHOW},
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"tid", "TID", UNIT_ID, 0, NULL, SHOW},
	{"level", "Lvl", UNIT_ID, 0, NULL, SHOW},
	{"children", "NumChild", UNIT_COUNT, 0, NULL, SHOW},
	{"range_id", "RangeId", UNIT_ID, 0, "", SHOW},
	{"parent_id", "ParentId", UNIT_ID, 0, NULL, SHOW},
	{"range_stack", "RangeStack", UNIT_NAME, 0, NULL, SHOW},
	{"name_tree", "NameTree", UNIT_NAME, 0, NULL, SHOW},
};

/* The direct children of a range. */
struct brood {
	int64_t total_ns;
	uint32_t count;
};

struct listing {
	const struct trace *trace;
	struct range_forest forest;
	struct range_names names;
	struct brood *broods; /* by range */
	uint32_t *order;
	struct buf stack, tree; /* of the row made last */
};

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	uint32_t at = l->order[i];
	const struct range *r = &l->forest.ranges[at];
	const struct brood *children = &l->broods[at];
	int64_t duration = sat_sub(r->end_ns, r->start_ns);
	struct str name = l->names.names.items[l->names.of_row[r->row]];

	buf_clear(&l->stack);
	range_add_stack(&l->stack, &l->forest, at);
	buf_clear(&l->tree);
	buf_addn(&l->tree, '-', 2 * (size_t)(r->level < DEEPEST_SHOWN ? r->level : DEEPEST_SHOWN));
	buf_addstr(&l->tree, name);
	*out++ = cell_int(r->start_ns);
	*out++ = cell_int(r->end_ns);
	*out++ = cell_int(duration);
	*out++ = cell_int(children->total_ns);
	*out++ = cell_int(sat_sub(duration, children->total_ns));
	*out++ = cell_str(name);
	*out++ = pid_cell(l->trace, r->thread);
	*out++ = tid_cell(l->trace, r->thread);
	*out++ = cell_int(r->level);
	*out++ = cell_int(children->count);
	*out++ = cell_int(range_id(&l->forest, at));
	*out++ = r->parent == RANGE_NONE ? cell_null() : cell_int(range_id(&l->forest, r->parent));
	*out++ = cell_str(buf_str(&l->stack));
	*out++ = cell_str(buf_str(&l->tree));
}

static void count_children(struct listing *l)
{
	const struct range *ranges = l->forest.ranges;

	l->broods = mem_zalloc(l->forest.count, sizeof(*l->broods));
	for (size_t i = 0; i < l->forest.count; i++) {
		struct brood *b;

		if (ranges[i].parent == RANGE_NONE)
			continue;
		b = &l->broods[ranges[i].parent];
		b->count++;
		b->total_ns = sat_add(b->total_ns, sat_sub(ranges[i].end_ns, ranges[i].start_ns));
	}
}

static void order_by_start(struct listing *l)
{
	size_t n = l->forest.count;
	int64_t *start = mem_alloc(n, sizeof(*start));

	for (size_t i = 0; i < n; i++)
		start[i] = l->forest.ranges[i].start_ns;
	l->order = sort_new_order(start, n);
	free(start);
}

static void free_listing(void *p)
{
	struct listing *l = p;

	range_forest_free(&l->forest);
	range_names_free(&l->names);
	free(l->broods);
	free(l->order);
	buf_free(&l->stack);
	buf_free(&l->tree);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	l->trace = t;
	report_on_free(r, free_listing, l);
	if (range_names_read(t, &l->names, e) < 0 ||
	    range_forest_build(t, FOREST_PUSH_POP, &l->forest, e) < 0)
		return -1;
	count_children(l);
	order_by_start(l);
	trace_report(r, self, columns, ARRAY_LEN(columns), l->forest.count, make_row, l);
	return 0;
}

NSYS_REPORT(nvtx_pushpop_trace, "NVTX Push/Pop Range Trace",
	    "every NVTX push/pop range with its stack", run, .needs = NEEDS(TRACE_NVTX));
