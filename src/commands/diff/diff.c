/* gpuwhy diff: did it get faster, by how much, because of what, and how sure is that? */
#include "diff/diff.h"

#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "commands/diff/account_list.h"
#include "commands/diff/common_steps.h"
#include "commands/diff/compare_args.h"
#include "commands/diff/same_run.h"
#include "diff/charts/diff_charts.h"
#include "diff/tables/diff_report.h"
#include "diff/tables/diff_runs.h"
#include "text/shell_words.h"
#include "text/text.h"

#include <stdlib.h>

struct diff_args {
	struct run_args run;
	struct compare_args compare;
	struct scope trim[SIDES];
	struct row_choice rows;
	enum diff_view view;
};

enum { PEOPLE_ROWS = 8, TITLE_NAME = 60 };

/* `diff A B`, or lists with "--" between them; folders of runs are then their traces. */
static int split_words(struct invocation *inv, struct err *e)
{
	const size_t count = inv->words.count;

	if (!inv->words_after && count == 2)
		inv->words_after = 1;
	if (inv->words_after && inv->words_after < count)
		return invocation_settle_words(inv, 0, e);
	if (inv->words_after)
		err_set(e, ERR_USAGE, "diff needs a trace before '--'");
	else if (count > 2)
		err_set(e, ERR_USAGE, "which of the %zu traces are before the change is not said",
			count);
	else
		err_set(e, ERR_USAGE, "diff needs two traces");
	return err_hint(e, "gpuwhy diff BEFORE AFTER, or BEFORE… -- AFTER…");
}

static bool is_format(const struct invocation *inv, const char *name)
{
	return strcmp(invocation_format(inv), name) == 0;
}

/* Both captures side by side: of several on a side, the one whose steps are the usual ones; a pair
 * if there are pairs. */
static const char *next_command(struct invocation *inv, const struct diff *d)
{
	struct buf b = {0};

	buf_adds(&b, "gpuwhy timeline ");
	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		buf_adds(&b, side == AFTER ? " -- " : "");
		word_add_quoted(&b, s->runs[diff_usual_run(d, (enum side)side)]->path);
	}
	return report_take_text(&inv->report, &b);
}

static void add_side(struct buf *b, const struct side_runs *s)
{
	text_add_elided(b, str_of(s->runs[0]->name), TITLE_NAME);
	if (s->run_count > 1)
		buf_addf(b, " and %zu more", s->run_count - 1);
}

static const char *make_title(struct invocation *inv, const struct diff *d)
{
	struct buf b = {0};

	buf_adds(&b, "diff: ");
	add_side(&b, &d->sides.of[BEFORE]);
	buf_adds(&b, " → ");
	add_side(&b, &d->sides.of[AFTER]);
	return report_take_text(&inv->report, &b);
}

/* What the report refers to: it is there as long as the report. */
struct compared {
	struct account_list lists[SIDES];
	struct match_map map;
	struct diff diff;
};

static void compared_free(void *what)
{
	struct compared *c = what;

	diff_free(&c->diff);
	match_map_free(&c->map);
	account_list_free(&c->lists[BEFORE]);
	account_list_free(&c->lists[AFTER]);
	free(c);
}

static int tell(struct invocation *inv, struct diff *d, struct err *e)
{
	const struct diff_args *o = inv->args;
	const struct diff_report_args a = {
		.view = o->view,
		.people = is_format(inv, "text") || is_format(inv, "markdown"),
		.limit = o->rows.has_limit ? o->rows.limit : PEOPLE_ROWS,
		.tolerance = compare_args_tolerance(&o->compare),
		.pictures = is_format(inv, "html") ? diff_add_charts : NULL,
		.one_table = is_format(inv, "csv"),
		.folds = is_format(inv, "markdown"),
		.title = is_format(inv, "html") || is_format(inv, "markdown") ? make_title(inv, d)
									      : NULL,
		.next = next_command(inv, d),
	};

	inv->report.fits_screen =
		is_format(inv, "text") && o->view == VIEW_OVERVIEW && !o->rows.has_limit;
	return diff_report(&inv->report, d, &a, e);
}

static int compare(struct invocation *inv, struct compared *c, struct err *e)
{
	const struct diff_args *o = inv->args;
	const struct compare_options how = compare_args_options(&o->compare);
	const struct account_list *before = &c->lists[BEFORE], *after = &c->lists[AFTER];
	const struct sides lists = {.of = {{.runs = before->refs, .run_count = before->count},
					   {.runs = after->refs, .run_count = after->count}}};

	account_list_head(&inv->report, before, "before", "captures before");
	account_list_head(&inv->report, after, "after", "captures after");
	if (compare_args_diff(&o->compare, &how, &lists, &c->map, &c->diff, e) < 0)
		return -1;
	runs_warn_of_both(&inv->report, &lists);
	compare_args_warn(&inv->report, &c->map, &c->diff);
	return tell(inv, &c->diff, e);
}

static const struct scope *side_trim(const struct diff_args *o, enum side side)
{
	return o->trim[side].has_trim ? &o->trim[side] : NULL;
}

/* Each side's runs; where their steps are not the same work, those that both have in common. */
static int read_sides(struct invocation *inv, struct told_side sides[SIDES], struct err *e)
{
	const struct diff_args *o = inv->args;
	struct run_args asked = o->run;

	asked.with_ops = is_format(inv, "html");
	asked.scope.once_will_do = true; /* that is one sample, and tells nothing for sure */
	for (int i = 0; i < SIDES; i++) {
		const struct told_side *s = &sides[i];

		if (account_list_read(s->list, s->paths, s->count, &asked, s->trim, &inv->input,
				      e) < 0)
			return -1;
	}
	return o->compare.anyway ? even_steps(sides, SIDES, &asked, &inv->input, e)
				 : common_steps_find(sides, &asked, &inv->input, &inv->report, e);
}

/* Of the traces that the words name, those before the change first. */
static int compare_words(struct invocation *inv, struct err *e)
{
	const struct diff_args *o = inv->args;
	const char *const *words = inv->words.all;
	const size_t n = inv->words.count - inv->words_after;
	struct compared *c = mem_zalloc(1, sizeof(*c));
	struct told_side sides[SIDES] = {{.list = &c->lists[BEFORE],
					  .paths = words,
					  .count = n,
					  .trim = side_trim(o, BEFORE)},
					 {.list = &c->lists[AFTER],
					  .paths = words + n,
					  .count = inv->words_after,
					  .trim = side_trim(o, AFTER)}};

	report_on_free(&inv->report, compared_free, c);
	return read_sides(inv, sides, e) < 0 ? -1 : compare(inv, c, e);
}

static int answer(struct invocation *inv, struct err *e)
{
	return split_words(inv, e) < 0 ? -1 : compare_words(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	if (split_words(inv, e) < 0)
		return -1;
	for (size_t i = 0; inv->output.path && i < inv->words.count; i++) {
		if (output_spare_trace(inv->output.path, inv->words.all[i], e) < 0)
			return -1;
	}
	if (compare_words(inv, e) < 0)
		return -1;
	e->output = invocation_present(inv, e) < 0;
	return e->output ? -1 : 0;
}

static const struct option_word view_words[] = {{"row", VIEW_ROWS},
						{"class", VIEW_CLASS},
						{"range", VIEW_RANGE},
						{"kernel", VIEW_KERNEL},
						{"category", VIEW_CATEGORY},
						{"host", VIEW_HOST},
						{"kind", VIEW_KIND},
						{"run", VIEW_RUN},
						{"step", VIEW_STEP},
						{"finding", VIEW_FINDING},
						{"rank", VIEW_RANK},
						{"collective", VIEW_COLLECTIVE},
						{NULL, 0}};

#define OPT_SIDE_TRIM(n, s, h)                                                                  \
	{                                                                                       \
		.type = OPTION_WINDOW, .name = (n), .value = "FROM TO",                         \
		.at = offsetof(struct diff_args, trim[s].from_ns), .size = 2 * sizeof(int64_t), \
		.given = offsetof(struct diff_args, trim[s].has_trim), .help = (h)              \
	}

static const struct option options[] = {
	OPT_INCLUDE(struct diff_args, compare, struct compare_args, compare_arg_options),
	OPT_WORD("by", struct diff_args, view, view_words, "show the change by this"),
	OPT_INCLUDE(struct diff_args, run, struct run_args, run_options),
	OPT_SIDE_TRIM("trim-before", BEFORE, "--trim of the captures before alone"),
	OPT_SIDE_TRIM("trim-after", AFTER, "--trim of the captures after alone"),
	OPT_INCLUDE(struct diff_args, rows, struct row_choice, limit_options),
	OPT_END(),
};
static const struct option_group diff_options = {options, sizeof(struct diff_args), NULL, NULL};

const struct command command_diff = {
	.name = "diff",
	.operand = "BEFORE… -- AFTER…",
	.summary = "did it get faster, by how much, because of what, and how sure is that",
	.detail = "Compares warm steps with warm steps, whatever the captures' lengths. Every "
		  "nanosecond of a step belongs to one row, by class, range and kernel, or by "
		  "what the host did while the GPU was idle; the changes of rows add up to that "
		  "of the step.\n\n"
		  "Runs of one program differ: steps of one run say nothing of others. With one "
		  "capture a side, and no --run-sd, the verdict is \"cannot tell\", unless kernels "
		  "came or went. Give several captures a side, with -- between.",
	.example = "gpuwhy diff base1.sqlite base2.sqlite -- new1.sqlite new2.sqlite",
	.options = &diff_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.has_sides = true,
	.answer = answer,
	.run = run,
};
