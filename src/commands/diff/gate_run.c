/* Do runs keep what a baseline and rules ask of them? */
#include "commands/diff/gate_run.h"

#include "baseline/folder.h"
#include "cli/now.h"
#include "commands/diff/baseline_creep.h"
#include "commands/diff/common_steps.h"
#include "commands/diff/gate_output.h"
#include "commands/diff/kept_runs.h"
#include "commands/diff/same_run.h"
#include "diff/charts/diff_charts.h"
#include "diff/tables/diff_report.h"
#include "gate/gate.h"

enum { PEOPLE_ROWS = 10, PEOPLE_CHECKS = 20 };

static const struct option_word unknown_words[] = {
	{"fail", UNKNOWN_FAILS}, {"warn", UNKNOWN_WARNS}, {"pass", UNKNOWN_PASSES}, {NULL, 0}};

/* All that a gate is made of, on its way to an answer. */
struct gating_run {
	struct kept_baseline kept;
	struct account_list runs;
	struct rules rules;
	struct match_map map;
	struct diff diff;
	struct gate gate;
	char today[DAY_BYTES];
};

static int exit_code_of(const struct gate *g, enum on_unknown on_unknown)
{
	switch (gate_outcome(g)) {
	case CHECK_FAILED:
		return ERR_GATE;
	case CHECK_UNKNOWN:
		return on_unknown == UNKNOWN_FAILS ? ERR_CANNOT_TELL : 0;
	default:
		return 0;
	}
}

/* Whether a rule asks for findings that are new where they are, and the baseline does not know. */
static bool needs_places(const struct gating_run *x)
{
	bool lacks = false;

	for (size_t i = 0; i < x->kept.is.run_count; i++)
		lacks |= x->kept.is.runs[i]->facts.lacks_places;
	for (size_t i = 0; lacks && i < x->rules.count; i++) {
		if (x->rules.all[i].kind == RULE_FINDING &&
		    strcmp(x->rules.all[i].names.text, "new") == 0)
			return true;
	}
	return false;
}

static void add_notes(struct report *r, const struct gating_run *x, const struct gate_words *w,
		      enum on_unknown on_unknown)
{
	kept_runs_warn_old(r, w->baseline, &x->kept.is, x->today);
	baseline_warn_creep(r, w->baseline, &x->kept.is,
			    gate_tolerance(&x->rules, x->kept.is.runs, x->kept.is.run_count));
	if (gate_outcome(&x->gate) == CHECK_UNKNOWN && on_unknown == UNKNOWN_WARNS)
		report_warning(r, "%zu check%s cannot be told, which is not the same as passed",
			       x->gate.counts[CHECK_UNKNOWN],
			       x->gate.counts[CHECK_UNKNOWN] == 1 ? "" : "s");
	if (x->gate.unused_allowances)
		report_warning(r,
			       "'%s', line %zu: no check is called '%s', and nothing is allowed "
			       "by that (%zu such)",
			       x->rules.file, x->gate.unused_allowance->line,
			       x->gate.unused_allowance->check.text, x->gate.unused_allowances);
	if (x->rules.file && rules_step(&x->rules) && !rules_step(&x->rules)->line)
		report_note(r,
			    "%s has no rule for the step: --tolerance holds for it, and step: "
			    "off turns that off.",
			    x->rules.file);
	if (x->kept.is.run_count < 2)
		report_note(r,
			    "The baseline has one run, which says nothing of how runs differ: "
			    "gpuwhy baseline update %s TRACE… adds more.",
			    w->baseline);
	if (needs_places(x))
		report_note(r,
			    "An earlier gpuwhy saved the baseline, without where findings are: "
			    "gpuwhy baseline save %s --force TRACE… saves it again.",
			    w->baseline);
	if (x->diff.time.verdict == VERDICT_FASTER)
		report_note(r,
			    "An improvement: gpuwhy baseline update %s --accept --reason TEXT "
			    "TRACE… makes it what later runs are held against.",
			    w->baseline);
}

static bool is_format(const struct invocation *inv, const char *name)
{
	return strcmp(invocation_format(inv), name) == 0;
}

static int answer(struct invocation *inv, const struct gate_args *a, struct gating_run *x,
		  const char *baseline, struct err *e)
{
	SCOPED char *path = baseline_path(baseline);
	const bool people = gate_is_words(inv), one_table = is_format(inv, "csv");
	const struct gate_words w = {
		.baseline = baseline,
		.path = path,
		.rules = x->rules.file,
		.unknown = unknown_words[a->on_unknown].word,
		.exit_code = exit_code_of(&x->gate, a->on_unknown),
	};
	const struct diff_report_args d = {
		.people = people,
		.limit = a->rows.has_limit ? a->rows.limit : PEOPLE_ROWS,
		.tolerance = gate_tolerance(&x->rules, x->kept.is.runs, x->kept.is.run_count),
		.pictures = is_format(inv, "html") ? diff_add_charts : NULL,
		.folds = is_format(inv, "markdown"),
	};
	const struct gate_shown shown = {
		.people = people,
		.figures = !people && !one_table,
		.limit = !people	     ? 0
			 : a->rows.has_limit ? a->rows.limit
					     : PEOPLE_CHECKS,
	};

	gate_report(&inv->report, &x->gate, &w, &shown);
	if (!one_table && diff_report(&inv->report, &x->diff, &d, e) < 0)
		return -1;
	add_notes(&inv->report, x, &w, a->on_unknown);
	inv->exit_code = w.exit_code;
	return gate_output(inv, a, &x->gate, &w, e);
}

static int compare(struct invocation *inv, const struct gate_args *a, struct gating_run *x,
		   const char *baseline, struct err *e)
{
	const struct baseline *b = &x->kept.is;
	const struct sides lists = {.of = {{.runs = b->runs, .run_count = b->run_count},
					   {.runs = x->runs.refs, .run_count = x->runs.count}}};
	struct compare_options how = compare_args_options(&a->compare);

	how.tolerance = gate_tolerance(&x->rules, b->runs, b->run_count);
	if (compare_args_diff(&a->compare, &how, &lists, &x->map, &x->diff, e) < 0 ||
	    gate_make(&x->gate, &x->diff, &x->rules, x->today, e) < 0)
		return -1;
	runs_warn_of_both(&inv->report, &lists);
	compare_args_warn(&inv->report, &x->map, &x->diff);
	return answer(inv, a, x, baseline, e);
}

static int read_rules(struct gating_run *x, const struct gate_args *a, const char *file,
		      struct err *e)
{
	const double tolerance = compare_args_tolerance(&a->compare);
	const struct rule *step;

	if (!file) {
		rules_default(&x->rules, tolerance);
		return 0;
	}
	if (rules_read(&x->rules, file, tolerance, e) < 0)
		return -1;
	step = rules_step(&x->rules);
	if (a->compare.has_tolerance && step && step->line)
		return err_set(e, ERR_USAGE,
			       "--tolerance is the limit of the step, and '%s', line %zu, has one, "
			       "too: give one of them",
			       file, step->line);
	return 0;
}

/* The baseline is what it is: its steps are sought in the new runs. */
static int share_steps(struct invocation *inv, const struct gate_args *a, struct gating_run *x,
		       const struct gate_question *q, struct err *e)
{
	struct told_side sides[SIDES] = {
		{.kept = x->kept.is.runs, .kept_count = x->kept.is.run_count},
		{.list = &x->runs, .paths = q->paths, .count = q->count}};

	return a->compare.anyway ? even_steps(sides, SIDES, &a->run, &inv->input, e)
				 : common_steps_find(sides, &a->run, &inv->input, &inv->report, e);
}

static int run_gate(struct invocation *inv, const struct gate_args *a, struct gating_run *x,
		    const struct gate_question *q, struct err *e)
{
	if (now_text(x->today, sizeof(x->today), "%Y-%m-%d", e) < 0 ||
	    gate_output_check(inv, a, q, e) < 0 || read_rules(x, a, q->rules, e) < 0 ||
	    kept_runs_open(&x->kept, q->baseline, e) < 0)
		return -1;
	if (!a->compare.anyway && kept_runs_check_options(&x->kept.is, &a->run, e) < 0)
		return -1;
	if (account_list_read(&x->runs, q->paths, q->count, &a->run, NULL, &inv->input, e) < 0 ||
	    share_steps(inv, a, x, q, e) < 0)
		return -1;
	account_list_head(&inv->report, &x->runs, "after", "new captures");
	return compare(inv, a, x, q->baseline, e);
}

int gate_run(struct invocation *inv, const struct gate_args *a, const struct gate_question *q,
	     struct err *e)
{
	struct gating_run x = {0};
	const int result = run_gate(inv, a, &x, q, e);

	gate_free(&x.gate);
	diff_free(&x.diff);
	match_map_free(&x.map);
	rules_free(&x.rules);
	account_list_free(&x.runs);
	baseline_free(&x.kept);
	return result;
}

const struct option_group gate_run_options =
	OPTIONS(struct gate_args,
		OPT_WORD("on-unknown", struct gate_args, on_unknown, unknown_words,
			 "where it cannot be told (default: fail)"),
		OPT_FILE("junit", struct gate_args, junit, "FILE", "a file name", ACCESS_WRITES,
			 "also write a test report of JUnit's format"),
		OPT_FILE("sarif", struct gate_args, sarif, "FILE", "a file name", ACCESS_WRITES,
			 "also write SARIF 2.1.0, for code scanning"),
		OPT_FLAG("github", struct gate_args, github,
			 "also annotate a workflow of GitHub's, and its summary"),
		OPT_INCLUDE(struct gate_args, compare, struct compare_args, compare_arg_options),
		OPT_INCLUDE(struct gate_args, run, struct run_args, run_options),
		OPT_INCLUDE(struct gate_args, rows, struct row_choice, limit_options));
