/* Which runs of ncu show what is to be seen, and how are they told to people? */
#include "analysis/kernel_pattern.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/inspect.h"

static const struct column kernel_columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"share_percent", "Share", UNIT_PERCENT, 1, NULL, SHOW},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"mean_ns", "Mean", UNIT_NS, 0, NULL, SHOW},
	{"launch", "No. in run", UNIT_COUNT, 0, NULL, SHOW_RATHER},
	{"look", "Run", UNIT_ID, 0, NULL, SHOW_RATHER},
};

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

/* One of the look's kernels, by their demangled names or by the functions' own. */
static char *any_of(struct inspection *x, const struct kernel_look *look, bool functions)
{
	struct buf b = {0};
	char *text;

	buf_adds(&b, functions ? "^(" : "(");
	for (size_t i = 0; i < look->kernel_count; i++) {
		const struct chosen_kernel *k = &x->choice.all[look->kernels[i]];

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

void inspect_plan(struct inspection *x)
{
	x->look_count = x->choice.look_count;
	x->looks = arena_zalloc(&x->arena, x->look_count, sizeof(*x->looks));
	for (size_t i = 0; i < x->look_count; i++) {
		const struct kernel_look *look = &x->choice.looks[i];

		x->looks[i] = (struct look){
			.name = arena_printf(&x->arena, "look-%zu", i + 1),
			.pattern = any_of(x, look, false),
			.function = any_of(x, look, true),
			.range = range_expression(x, &look->range),
			.skip = look->skip,
			.count = look->count,
		};
	}
}

/* Each try gives up one thing more. */
static struct ncu_request request_of(struct inspection *x, const struct look *l)
{
	return (struct ncu_request){
		.ncu = x->ncu,
		.settings = &x->settings,
		.pattern = l->next >= LOOK_BY_FUNCTION ? l->function : l->pattern,
		.by_function = l->next >= LOOK_BY_FUNCTION,
		.range = l->next >= LOOK_ANYWHERE ? NULL : l->range,
		.skip = l->next >= LOOK_FROM_START ? 0 : l->skip,
		.count = l->count,
		.output = arena_printf(&x->arena, "%s/%s", x->folder, l->name),
	};
}

void inspect_argv(struct inspection *x, const struct look *l, struct words *ret)
{
	const struct options *o = &x->inv->options;
	const struct ncu_request q = request_of(x, l);

	ncu_request_argv(&q, o->words, o->word_count, &x->arena, ret);
}

static void note_where(const struct kernel_choice *c, struct report *r)
{
	if (!c->steady_count)
		report_note(r, "Each is looked at in the middle of its launches.");
	else if (c->steady_count == c->count)
		report_note(r, "Each is looked at in the middle of the steady part: %s.",
			    c->steady);
	else
		report_note(r,
			    "Looked at in the middle of the steady part (%s): %zu of %zu, which "
			    "are launched there; the others in the middle of their launches.",
			    c->steady, c->steady_count, c->count);
}

static void note_choice(const struct inspection *x, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	int64_t chosen = 0;
	struct buf b = {0};

	for (size_t i = 0; i < c->count; i++)
		chosen = sat_add(chosen, c->all[i].total_ns);
	buf_addf(&b, "%zu of %llu kernels, those that take the most time: ", c->count,
		 (unsigned long long)c->names);
	units_add_ns(&b, (double)chosen);
	buf_adds(&b, " of ");
	units_add_ns(&b, (double)c->kernel_ns);
	report_note(r, "%s.", b.s);
	buf_free(&b);
	note_where(c, r);
	if (c->processes > 1)
		report_note(r,
			    "%llu processes launch them: launches are counted in the one that is "
			    "looked at.",
			    (unsigned long long)c->processes);
	if (x->look_count == 1)
		report_note(r, "One run of the program under ncu shows all of them.");
	else
		report_note(r,
			    "The program runs %zu times under ncu: not all are launched close "
			    "together.",
			    x->look_count);
}

size_t inspect_look_of(const struct kernel_choice *c, size_t kernel)
{
	for (size_t i = 0; i < c->look_count; i++) {
		for (size_t k = 0; k < c->looks[i].kernel_count; k++) {
			if (c->looks[i].kernels[k] == kernel)
				return i;
		}
	}
	return 0;
}

void inspect_report_choice(const struct inspection *x, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	struct rows *rows;

	note_choice(x, r);
	rows = report_new_rows(r, "kernels", NULL, kernel_columns, ARRAY_LEN(kernel_columns));
	for (size_t i = 0; i < c->count; i++) {
		const struct chosen_kernel *k = &c->all[i];

		rows_add(rows, cell_str(k->name));
		rows_add(rows, cell_int(k->total_ns));
		rows_add(rows, c->kernel_ns > 0 ? cell_real(100.0 * (double)k->total_ns /
							    (double)c->kernel_ns)
						: cell_null());
		rows_add(rows, cell_int((int64_t)k->launches));
		rows_add(rows, cell_real((double)k->total_ns / (double)k->launches));
		rows_add(rows, cell_int((int64_t)k->number + 1));
		rows_add(rows, cell_int((int64_t)inspect_look_of(c, i) + 1));
	}
}

static void add_command(struct rows *rows, struct report *r, struct words *argv)
{
	struct buf b = {0};

	words_add_quoted(&b, argv->all, argv->count);
	rows_add(rows, cell_str(arena_str(&r->arena, buf_str(&b))));
	buf_free(&b);
	words_free(argv);
}

/* ncu makes no folder. */
static void add_mkdir(struct inspection *x, struct rows *rows, struct report *r)
{
	struct words argv = {0};

	words_add(&argv, "mkdir");
	words_add(&argv, "-p");
	words_add(&argv, x->folder);
	add_command(rows, r, &argv);
}

void inspect_report_commands(struct inspection *x, struct report *r)
{
	static const char *const pages[] = {"raw", "details"};
	struct rows *rows;

	if (!x->inv->options.out_dir)
		report_note(r,
			    "Without --dry-run reports go to a new folder in %s, named by the "
			    "time.",
			    x->folder);
	rows = report_new_rows(r, "commands", NULL, command_columns, ARRAY_LEN(command_columns));
	add_mkdir(x, rows, r);
	for (size_t i = 0; i < x->look_count; i++) {
		const char *stem = arena_printf(&x->arena, "%s/%s", x->folder, x->looks[i].name);
		struct words argv = {0};

		inspect_argv(x, &x->looks[i], &argv);
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
