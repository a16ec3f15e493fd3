/* Which runs of ncu show what is to be seen? */
#include "analysis/counters/kernel_pattern.h"
#include "base/mem.h"
#include "commands/inspect/inspect.h"
#include "text/shell_words.h"

static const struct column command_columns[] = {
	{"command", "Command", UNIT_COMMAND, 0, "", SHOW},
};

static char *range_expression(struct inspection *x, const struct kernel_range *range)
{
	struct buf b = {0};
	char *text;

	if (!range->name.len)
		return NULL;
	ncu_range_add(&b, range->domain, range->name);
	text = arena_strdup(&x->arena, b.s);
	buf_free(&b);
	return text;
}

/* One of the run's kernels, by their demangled names or by the functions' own. */
static char *any_of(struct inspection *x, const struct profiling_run *run, bool functions)
{
	struct buf b = {0};
	char *text;

	buf_adds(&b, functions ? "^(" : "(");
	for (size_t i = 0; i < run->kernel_count; i++) {
		const struct chosen_kernel *k = &x->choice.all[run->kernels[i]];

		if (i)
			buf_addc(&b, '|');
		if (functions)
			kernel_pattern_add_literal(&b, kernel_pattern_base(k->name));
		else
			buf_adds(&b, k->pattern);
	}
	buf_adds(&b, functions ? ")$" : ")");
	text = arena_strdup(&x->arena, b.s);
	buf_free(&b);
	return text;
}

static void plan_by_name(struct inspection *x)
{
	struct ncu_run *all = arena_zalloc(&x->arena, x->choice.run_count, sizeof(*all));

	for (size_t i = 0; i < x->ncu_run_count; i++)
		all[i] = x->ncu_runs[i];
	for (size_t i = x->ncu_run_count; i < x->choice.run_count; i++) {
		const struct profiling_run *run = &x->choice.runs[i];

		all[i] = (struct ncu_run){
			.name = arena_printf(&x->arena, "look-%zu", i + 1),
			.pattern = any_of(x, run, false),
			.function = any_of(x, run, true),
			.range = range_expression(x, &run->range),
			.skip = run->skip,
			.count = run->count,
		};
	}
	x->ncu_runs = all;
	x->ncu_run_count = x->choice.run_count;
}

/* One run, in which ncu alone decides what an id means; where it counts no launches, we do. */
static void plan_by_id(struct inspection *x)
{
	const struct inspect_args *o = inspect_args(x->inv);
	struct ncu_run *one = arena_zalloc(&x->arena, 1, sizeof(*one));

	/* The first stands for all: which of them the id finds is not known. */
	x->choice.run_count = 1;
	x->choice.runs[0].kernel_count = 1;
	*one = (struct ncu_run){
		.name = "look-1",
		.id = o->id.text,
		.range = range_expression(x, &x->choice.runs[0].range),
		.count = o->id.has_invocation ? PROFILING_RUN_LAUNCHES : o->launches,
	};
	x->ncu_runs = one;
	x->ncu_run_count = 1;
}

void inspect_plan(struct inspection *x)
{
	if (inspect_by_id(x)) {
		plan_by_id(x);
		return;
	}
	plan_by_name(x);
}

/* Each try gives up one thing more. */
static struct ncu_request request_of(struct inspection *x, const struct ncu_run *l)
{
	return (struct ncu_request){
		.ncu = x->ncu,
		.settings = &x->settings,
		.id = l->id,
		.pattern = l->next >= TRY_BY_FUNCTION ? l->function : l->pattern,
		.by_function = l->next >= TRY_BY_FUNCTION,
		.range = l->next >= TRY_ANYWHERE ? NULL : l->range,
		.skip = l->next >= TRY_FROM_START ? 0 : l->skip,
		.count = l->count,
		.output = arena_printf(&x->arena, "%s/%s", x->folder, l->name),
	};
}

void inspect_argv(struct inspection *x, const struct ncu_run *l, struct string_list *ret)
{
	const struct string_list *o = &x->inv->words;
	const struct ncu_request q = request_of(x, l);

	ncu_request_argv(&q, o->all, o->count, &x->arena, ret);
}

static void add_command(struct rows *rows, struct report *r, struct string_list *argv)
{
	struct buf b = {0};

	words_add_quoted(&b, argv->all, argv->count);
	rows_add(rows, report_take_cell(r, &b));
	string_list_free(argv);
}

/* ncu makes no folder. */
static void add_mkdir(struct inspection *x, struct rows *rows, struct report *r)
{
	struct string_list argv = {0};

	string_list_add(&argv, "mkdir");
	string_list_add(&argv, "-p");
	string_list_add(&argv, x->folder);
	add_command(rows, r, &argv);
}

void inspect_report_commands(struct inspection *x, struct report *r)
{
	static const char *const pages[] = {"raw", "details"};
	struct rows *rows;

	if (!inspect_args(x->inv)->out_dir)
		report_note(r,
			    "Without --dry-run, reports go to a new folder in %s, named after the "
			    "time.",
			    x->folder);
	rows = REPORT_ROWS(r, "commands", NULL, command_columns);
	add_mkdir(x, rows, r);
	for (size_t i = 0; i < x->ncu_run_count; i++) {
		const char *stem = arena_printf(&x->arena, "%s/%s", x->folder, x->ncu_runs[i].name);
		struct string_list argv = {0};

		inspect_argv(x, &x->ncu_runs[i], &argv);
		add_command(rows, r, &argv);
		for (size_t p = 0; p < ARRAY_LEN(pages); p++) {
			ncu_import_argv(x->ncu, arena_printf(&x->arena, "%s.ncu-rep", stem),
					pages[p],
					arena_printf(&x->arena, "%s.%s.csv", stem, pages[p]),
					&x->arena, &argv);
			add_command(rows, r, &argv);
		}
	}
}
