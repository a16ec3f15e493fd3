/* Which definition of a step do two sides have in common? */
#include "commands/diff/common_steps.h"

#include "base/mem.h"
#include "diff/comparable.h"
#include "diff/same_period.h"

#include <stdlib.h>
#include <string.h>

/* Of each side's ops: so many are of kernels that the other has, too, where these are the same. */
static const double same_ops = 0.5;

static struct side_runs runs_of(const struct told_side *s, const struct account_list *list)
{
	if (!s->list)
		return (struct side_runs){.runs = s->kept, .run_count = s->kept_count};
	return (struct side_runs){.runs = list->refs, .run_count = list->count};
}

static bool are_unlike(const struct told_side sides[SIDES], const struct account_list lists[SIDES])
{
	const struct sides s = {.of = {runs_of(&sides[BEFORE], &lists[BEFORE]),
				       runs_of(&sides[AFTER], &lists[AFTER])}};

	return steps_are_unlike(&s);
}

static int read_lists(const struct told_side sides[SIDES], const struct run_args *a,
		      const struct input_args *in, struct account_list lists[SIDES], struct err *e)
{
	struct told_side read[SIDES] = {sides[BEFORE], sides[AFTER]};

	for (int i = 0; i < SIDES; i++) {
		struct told_side *s = &read[i];

		if (!s->list)
			continue;
		s->list = &lists[i];
		if (account_list_read(s->list, s->paths, s->count, a, s->trim, in, e) < 0)
			return -1;
	}
	return even_steps(read, SIDES, a, in, e);
}

/* 1: steps are now alike, and the lists hold them; 0: they are not, or a side has none of these. */
static int try_steps(const struct told_side sides[SIDES], const struct run_args *a,
		     const struct input_args *in, struct account_list lists[SIDES], struct err *e)
{
	struct err why = {0};

	if (read_lists(sides, a, in, lists, &why) == 0)
		return !are_unlike(sides, lists);
	if (why.code == ERR_INPUT)
		return 0;
	*e = why;
	return -1;
}

static void take_lists(struct told_side sides[SIDES], struct account_list lists[SIDES])
{
	for (int i = 0; i < SIDES; i++) {
		if (!sides[i].list)
			continue;
		account_list_free(sides[i].list);
		*sides[i].list = lists[i];
		lists[i] = (struct account_list){0};
	}
}

static uint64_t calls_of(const struct account *a, size_t leaf)
{
	return leaf_total(a, &a->leaves[leaf]).calls;
}

/* How many ops of the steps there are, or of these those of kernels that the other run has. */
static double count_ops(const struct account *a, const struct account *having)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < a->leaf_count; i++) {
		bool has = !having;

		for (size_t k = 0; !has && k < having->leaf_count; k++)
			has = strcmp(a->leaves[i].name, having->leaves[k].name) == 0;
		calls += has ? calls_of(a, i) : 0;
	}
	return (double)calls;
}

/* Repetitions of other kernels are no anchor that both sides have, and windows have none. */
static bool repeat_the_same(const struct told_side sides[SIDES],
			    const struct account_list lists[SIDES])
{
	const struct account *run[SIDES];

	for (int i = 0; i < SIDES; i++) {
		run[i] = runs_of(&sides[i], &lists[i]).runs[0];
		if (run[i]->is_window)
			return false;
	}
	return count_ops(run[BEFORE], run[AFTER]) >= same_ops * count_ops(run[BEFORE], NULL) &&
	       count_ops(run[AFTER], run[BEFORE]) >= same_ops * count_ops(run[AFTER], NULL);
}

static int try_and_take(struct told_side sides[SIDES], const struct run_args *a,
			const struct input_args *in, struct err *e)
{
	struct account_list lists[SIDES] = {{0}};
	int found = try_steps(sides, a, in, lists, e);

	if (found > 0 && !a->range && !repeat_the_same(sides, lists))
		found = 0;
	if (found > 0)
		take_lists(sides, lists);
	for (int i = 0; i < SIDES; i++)
		account_list_free(&lists[i]);
	return found;
}

/* The range that is the step of a side's first run, which stands for it; for free(). */
static char *range_of(const struct told_side *s)
{
	const struct str name = step_range_of(runs_of(s, s->list).runs[0]);
	struct buf b = {0};

	if (name.len)
		buf_add(&b, name.s, name.len);
	return b.s;
}

/* " It is there once after: one sample."; nothing where each side has several. */
static const char *say_once(struct report *r, const struct told_side sides[SIDES])
{
	bool once[SIDES];

	for (int i = 0; i < SIDES; i++) {
		const struct side_runs runs = runs_of(&sides[i], sides[i].list);

		once[i] = runs.run_count == 1 && runs.runs[0]->step_count == 1;
	}
	if (!once[BEFORE] && !once[AFTER])
		return "";
	return arena_printf(&r->arena, " There is one such step %s: one sample.",
			    !once[AFTER]    ? "before"
			    : !once[BEFORE] ? "after"
					    : "on either side");
}

/*
 * Whose range is tried first, whichever side comes first: what launches more is the whole step, and
 * the other a part that repeats in it. Of as much: see sides_compare().
 */
static enum side larger_side(const struct told_side sides[SIDES])
{
	const struct side_runs before = runs_of(&sides[BEFORE], sides[BEFORE].list),
			       after = runs_of(&sides[AFTER], sides[AFTER].list);
	const double x = ops_of_step(before.runs[0]), y = ops_of_step(after.runs[0]);

	if (x != y)
		return x > y ? BEFORE : AFTER;
	return sides_compare(before.runs, before.run_count, after.runs, after.run_count) > 0
		       ? AFTER
		       : BEFORE;
}

/* Of the way in which each side's steps were told at first, and what was taken instead. */
static void say_taken(struct report *r, const struct told_side sides[SIDES],
		      const char *const told[SIDES], const char *range)
{
	const char *shared =
		range ? arena_printf(&r->arena, "the range '%s'", range) : "repetitions of kernels";

	if (sides[BEFORE].list)
		report_note(r,
			    "Steps are %s before and %s after: both sides are compared by %s, "
			    "which both have.%s --range NAME or --marker REGEX names other steps.",
			    told[BEFORE], told[AFTER], shared, say_once(r, sides));
	else
		report_note(r,
			    "Steps are %s in the baseline and %s in the new runs, which are "
			    "therefore compared by %s.",
			    told[BEFORE], told[AFTER], shared);
}

int common_steps_find(struct told_side sides[SIDES], const struct run_args *a,
		      const struct input_args *in, struct report *r, struct err *e)
{
	struct account_list as_read[SIDES] = {{0}};
	const char *told[SIDES];
	struct run_args asked = *a;
	enum side larger;
	int found = 0;

	if (even_steps(sides, SIDES, a, in, e) < 0)
		return -1;
	for (int i = 0; i < SIDES; i++) {
		if (sides[i].list)
			as_read[i] = *sides[i].list;
	}
	if (a->range || a->phase || a->scope.marker || !are_unlike(sides, as_read))
		return 0;
	for (int i = 0; i < SIDES; i++)
		told[i] = arena_strdup(&r->arena,
				       step_definition_of(runs_of(&sides[i], &as_read[i]).runs[0]));
	/* What is the whole step of one side is meant as one of the other, though it is there once;
	 * what is held against a baseline is no single sample. */
	asked.reach = ASKED_WHOLE;
	asked.scope.once_will_do = sides[BEFORE].list != NULL;
	larger = larger_side(sides);
	for (int i = 0; i <= SIDES && !found; i++) {
		/* After the ranges of each side what kernels repeat. */
		SCOPED char *range = i < SIDES ? range_of(&sides[i == 0 ? larger : !larger]) : NULL;

		asked.range = range;
		asked.scope.by_kernels = i == SIDES;
		if (range || i == SIDES)
			found = try_and_take(sides, &asked, in, e);
		if (found > 0)
			say_taken(r, sides, told, range);
	}
	return found < 0 ? -1 : 0;
}
