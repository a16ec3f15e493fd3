/* What has ncu measured of the kernels that were chosen? */
#include "analysis/counters/kernel_pattern.h"
#include "base/mem.h"
#include "cli/output.h"
#include "commands/inspect/inspect.h"
#include "ncu/ncu.h"
#include "text/text.h"

#include <stdio.h>

static const struct column missing_columns[] = {
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

static void warn_of_missing(const struct inspection *x, size_t missing, struct report *r)
{
	report_warning(r,
		       "%zu of the %zu selected kernels %s not measured: this run's launch order "
		       "differs from the trace for %s, or it ended earlier. Use --launches N to "
		       "measure more launches",
		       missing, x->choice.count, missing == 1 ? "was" : "were",
		       missing == 1 ? "it" : "them");
}

/* Warns of chosen kernels that none of what was measured can be, and lists them. */
static void report_missing(const struct inspection *x, const struct ncu_study *s, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	struct rows *rows;
	size_t missing = 0;

	for (size_t i = 0; i < c->count; i++)
		missing += inspect_misses(s, c->all[i].name);
	if (!missing)
		return;
	warn_of_missing(x, missing, r);
	rows = REPORT_ROWS(r, "not_measured", "Not measured", missing_columns);
	for (size_t i = 0; i < c->count; i++) {
		if (!inspect_misses(s, c->all[i].name))
			continue;
		ROWS_ADD(rows, cell_str(c->all[i].name), cell_int(c->all[i].total_ns),
			 cell_int((int64_t)inspect_run_of(c, i) + 1));
	}
}

int inspect_read_run(struct inspection *x, const struct ncu_run *l, struct ncu_report *ncu,
		     struct err *e)
{
	const char *stem = arena_printf(&x->arena, "%s/%s", x->folder, l->name);

	return ncu_read(ncu, arena_printf(&x->arena, "%s.raw.csv", stem), e) < 0
		       ? -1
		       : ncu_read(ncu, arena_printf(&x->arena, "%s.details.csv", stem), e);
}

static int read_looks(struct inspection *x, struct ncu_report *ncu, struct err *e)
{
	for (size_t i = 0; i < x->ncu_run_count; i++) {
		if (x->ncu_runs[i].found && inspect_read_run(x, &x->ncu_runs[i], ncu, e) < 0)
			return -1;
	}
	return 0;
}

static int add_answer(struct inspection *x, struct ncu_study *s, struct err *e)
{
	struct invocation *inv = x->inv;
	const struct scope *p = &inspect_args(inv)->scope;

	if (ncu_study_head(s, "What Nsight Compute measured", inv->trace, p, &inv->report, e) < 0)
		return -1;
	report_missing(x, s, &inv->report);
	ncu_kernels_add(s, 0, false, &inv->report);
	ncu_rules_add(s, &inv->report);
	inv->report.brief = true;
	return output_report_if_read(&inv->report, presenter_find(invocation_format(inv)),
				     inv->output.path, inv->output.colour, e);
}

static void say_kept(const struct inspection *x)
{
	struct buf b = {0};

	buf_adds(&b, "gpuwhy: kept in ");
	text_add_safe(&b, str_of(x->folder));
	buf_adds(&b, "; gpuwhy roofline ");
	text_add_safe(&b, str_of(x->folder));
	buf_adds(&b, "/*.raw.csv ");
	text_add_safe(&b, str_of(x->inv->trace_path));
	fflush(stdout);
	fprintf(stderr, "%s shows how far they are from the GPU's limits\n", b.s);
	buf_free(&b);
}

int inspect_read(struct inspection *x, struct ncu_report *ncu, struct ncu_study *study,
		 struct err *e)
{
	return read_looks(x, ncu, e) < 0
		       ? -1
		       : ncu_study_make(study, ncu, x->inv->trace, &inspect_args(x->inv)->scope, e);
}

int inspect_show(struct inspection *x, struct err *e)
{
	struct ncu_report ncu = {0};
	struct ncu_study study = {0};
	int result = inspect_read(x, &ncu, &study, e);

	if (result == 0)
		result = add_answer(x, &study, e);
	if (result == 0)
		say_kept(x);
	ncu_study_free(&study);
	ncu_free(&ncu);
	return result;
}
