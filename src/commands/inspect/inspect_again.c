/* What is looked at once more, by itself? */
#include "base/mem.h"
#include "cli/say.h"
#include "commands/inspect/inspect.h"

#include <stdio.h>

/* Chosen kernels that runs for several have not shown; how many. */
static int find_missed(struct inspection *x, bool *missed, size_t *ret_count, struct err *e)
{
	const struct kernel_choice *c = &x->choice;
	struct ncu_report ncu = {0};
	struct ncu_study study = {0};
	int result = inspect_read(x, &ncu, &study, e);

	*ret_count = 0;
	for (size_t i = 0; result == 0 && i < c->count; i++) {
		missed[i] = c->runs[inspect_run_of(c, i)].kernel_count > 1 &&
			    inspect_misses(&study, c->all[i].name);
		*ret_count += missed[i];
	}
	ncu_study_free(&study);
	ncu_free(&ncu);
	return result;
}

/* A run of another choice, which answers the same question for each kernel by itself. */
static struct profiling_run copy_run(struct arena *a, const struct profiling_run *from,
				     uint32_t kernel)
{
	struct profiling_run run = *from;

	run.kernels = arena_alloc(a, 1, sizeof(*run.kernels));
	run.kernels[0] = kernel;
	run.range = (struct kernel_range){arena_str(a, from->range.domain),
					  arena_str(a, from->range.name)};
	return run;
}

static int add_runs(struct inspection *x, const bool *missed, size_t count, struct err *e)
{
	struct kernel_question q = inspect_question(x);
	struct kernel_choice *c = &x->choice, alone;
	struct profiling_run *runs = arena_zalloc(&c->arena, c->run_count + count, sizeof(*runs));
	int result;

	for (size_t i = 0; i < c->run_count; i++)
		runs[i] = c->runs[i];
	c->runs = runs;
	q.each = true;
	result = kernel_choice_make(&alone, x->inv->trace, &q, e);
	for (size_t i = 0; result == 0 && i < c->count; i++) {
		if (!missed[i])
			continue;
		runs[c->run_count++] =
			copy_run(&c->arena, &alone.runs[inspect_run_of(&alone, i)], (uint32_t)i);
		c->all[i].number = alone.all[i].number;
	}
	kernel_choice_free(&alone);
	return result;
}

static bool any_found(const struct inspection *x)
{
	for (size_t i = 0; i < x->ncu_run_count; i++) {
		if (x->ncu_runs[i].found)
			return true;
	}
	return false;
}

/* What was measured before is worth telling in any case. */
static int go_on_without(struct inspection *x, struct err *e)
{
	if (!any_found(x))
		return -1;
	say_error(e);
	x->inv->exit_code = x->inv->exit_code ? x->inv->exit_code : (int)e->code;
	return 0;
}

/* The program may have taken away what an earlier run of it left. */
static void leave_out_unreadable(struct inspection *x)
{
	for (size_t i = 0; i < x->ncu_run_count; i++) {
		struct ncu_report ncu = {0};
		struct err ignored;

		x->ncu_runs[i].found = x->ncu_runs[i].found &&
				       inspect_read_run(x, &x->ncu_runs[i], &ncu, &ignored) == 0;
		ncu_free(&ncu);
	}
}

static void say_again(const struct inspection *x)
{
	fprintf(stderr,
		"gpuwhy: ncu did not measure %zu of the selected kernels%s: running once more for "
		"each\n",
		x->again,
		x->unread.code ? "" : ", because the launch order differs from the trace");
}

int inspect_run_again(struct inspection *x, struct err *e)
{
	bool *missed = arena_zalloc(&x->arena, x->choice.count, sizeof(*missed));
	const size_t made = x->ncu_run_count;

	if (x->stopped && x->unread.code) {
		*e = x->unread;
		return go_on_without(x, e);
	}
	if (x->stopped)
		return 0;
	/* Also where another run has shown its kernels. */
	if (x->unread.code)
		say_warning(x->unread.message);
	if (find_missed(x, missed, &x->again, e) < 0) {
		leave_out_unreadable(x);
		return go_on_without(x, e);
	}
	if (!x->again)
		return 0;
	say_again(x);
	if (add_runs(x, missed, x->again, e) < 0) {
		x->again = 0;
		return go_on_without(x, e);
	}
	inspect_plan(x);
	return inspect_run_from(x, made, e) < 0 ? go_on_without(x, e) : 0;
}
