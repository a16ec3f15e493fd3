/* Which of the chosen kernels has ncu not measured, and what is to be done about it? */
#include "analysis/counters/kernel_pattern.h"
#include "base/mem.h"
#include "commands/inspect/inspect.h"

static const struct column columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"look", "Run", UNIT_ID, 0, NULL, SHOW},
};

/* One whose kernel in the trace is not known may be any that has the same function. */
static bool may_be(const struct ncu_study *s, size_t group, struct str chosen)
{
	const struct ncu_traced *traced = ncu_join_traced(&s->join, group);

	if (traced)
		return str_eq(traced->name, chosen);
	return str_eq(kernel_pattern_base(s->groups.all[group].name), kernel_pattern_base(chosen));
}

bool inspect_misses(const struct ncu_study *s, struct str chosen)
{
	for (size_t g = 0; g < s->groups.count; g++) {
		if (may_be(s, g, chosen))
			return false;
	}
	return true;
}

static void warn(const struct inspection *x, size_t missing, struct report *r)
{
	report_warning(r,
		       "%zu of the %zu selected kernels %s not measured: this run's launch order "
		       "differs from the trace for %s, or it ended earlier. Use --launches N to "
		       "measure more launches",
		       missing, x->choice.count, missing == 1 ? "was" : "were",
		       missing == 1 ? "it" : "them");
}

void inspect_report_missing(const struct inspection *x, const struct ncu_study *s, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	struct rows *rows;
	size_t missing = 0;

	for (size_t i = 0; i < c->count; i++)
		missing += inspect_misses(s, c->all[i].name);
	if (!missing)
		return;
	warn(x, missing, r);
	rows = report_new_rows(r, "not_measured", "Not measured", columns, ARRAY_LEN(columns));
	for (size_t i = 0; i < c->count; i++) {
		if (!inspect_misses(s, c->all[i].name))
			continue;
		ROWS_ADD(rows, cell_str(c->all[i].name), cell_int(c->all[i].total_ns),
			 cell_int((int64_t)inspect_look_of(c, i) + 1));
	}
}
