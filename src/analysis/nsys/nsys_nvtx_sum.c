/* nsys: how long did the NVTX ranges of each name take? */
#include "analysis/nsys/nsys_report.h"
#include "analysis/nsys/sum_report.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct column range_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
};

static const struct column styled_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"style", "Style", UNIT_NAME, 0, "", SHOW},
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
};

enum style { PUSH_POP = 1, START_END = 2 };

static void add_style(const struct events *ev, const struct range_names *names, enum style style,
		      struct sum_lines *l)
{
	bool (*wanted)(uint32_t) = style == PUSH_POP ? nvtx_is_push_pop : nvtx_is_start_end;
	struct str label = range_style(style == PUSH_POP ? NVTX_PUSH_POP : NVTX_START_END);
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary *sums = mem_alloc(names->names.count, sizeof(*sums));

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = wanted(ev->event_type[i]) ? names->of_row[i] : GROUP_NONE;
	summarize(ev->duration_ns, group, ev->count, names->names.count, sums);
	for (size_t i = 0; i < names->names.count; i++) {
		if (sums[i].count)
			sum_lines_add(l, (struct sum_line){.s = sums[i],
							   .category = label,
							   .name = names->names.items[i]});
	}
	free(sums);
	free(group);
}

/* The names must outlive the report. */
static void keep_names(struct report *r, struct sum_lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->lines[i].name = arena_str(&r->arena, l->lines[i].name);
}

static int collect(struct trace *t, struct report *r, unsigned styles, struct sum_lines *l,
		   struct err *e)
{
	struct range_names names;

	if (range_names_read(t, &names, e) < 0)
		return -1;
	if (styles & PUSH_POP)
		add_style(&t->events[TRACE_NVTX], &names, PUSH_POP, l);
	if (styles & START_END)
		add_style(&t->events[TRACE_NVTX], &names, START_END, l);
	keep_names(r, l);
	range_names_free(&names);
	if (l->count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' does not contain NVTX %s ranges", t->path,
		styles == PUSH_POP    ? "push/pop"
		: styles == START_END ? "start/end"
				      : "push/pop or start/end");
	e->absent = true;
	return err_hint(e, "annotate the program with NVTX and capture it with: nsys profile %s …",
			trace_kind_flag(TRACE_NVTX));
}

static int sum_styles(const struct analysis *self, struct trace *t, struct report *r,
		      unsigned styles, struct err *e)
{
	struct sum_lines lines = {0};
	int result = collect(t, r, styles, &lines, e);

	if (result == 0 && styles == (PUSH_POP | START_END))
		sum_report(r, self, &lines, styled_columns, ARRAY_LEN(styled_columns));
	else if (result == 0)
		sum_report(r, self, &lines, range_columns, ARRAY_LEN(range_columns));
	sum_lines_free(&lines);
	return result;
}

static int run_all(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, PUSH_POP | START_END, e);
}

static int run_push_pop(const struct analysis *self, struct trace *t, const void *args,
			struct report *r, struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, PUSH_POP, e);
}

static int run_start_end(const struct analysis *self, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, START_END, e);
}

NSYS_REPORT(nvtx_sum, "NVTX Range Summary", "NVTX ranges by total time", run_all,
	    .needs = NEEDS(TRACE_NVTX));

NSYS_REPORT(nvtx_pushpop_sum, "NVTX Push/Pop Range Summary", "NVTX push/pop ranges by total time",
	    run_push_pop, .needs = NEEDS(TRACE_NVTX));

NSYS_REPORT(nvtx_startend_sum, "NVTX Start/End Range Summary",
	    "NVTX start/end ranges by total time", run_start_end, .needs = NEEDS(TRACE_NVTX));
