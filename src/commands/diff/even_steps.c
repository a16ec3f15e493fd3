/* Do the steps of all runs reach as far? */
#include "commands/diff/even_steps.h"

/* Steps may be whole only once they are read again, and pauses may count only then. */
enum { ROUNDS = 3 };

/* What steps of some runs are like. */
struct reaches {
	bool any[STEP_REACHES];
	bool pauses;			  /* some were left out of REACH_NEXT */
	bool has_steps[ENOUGH_STEPS + 1]; /* by account_steps_to_tell(): some run has so many */
};

static void add_run(struct reaches *r, const struct account *a)
{
	if (a->is_window)
		return;
	r->has_steps[account_steps_to_tell(a)] = true;
	r->any[a->reach] = true;
	r->pauses |= a->reach == REACH_NEXT && a->pauses;
}

static struct reaches reaches_of(const struct told_side *s)
{
	struct reaches r = {0};

	for (size_t i = 0; !s->list && i < s->kept_count; i++)
		add_run(&r, s->kept[i]);
	for (size_t i = 0; s->list && i < s->list->count; i++)
		add_run(&r, &s->list->all[i]);
	return r;
}

/* After the only step of a run nothing is known, and of two one alone has what follows it. */
static bool are_unevenly_few(const struct reaches *all)
{
	int counts = 0;

	for (int i = 0; i <= ENOUGH_STEPS; i++)
		counts += all->has_steps[i];
	return counts > 1;
}

/* What is to be asked of a side so that its steps are like the others'; ASKED_NOTHING: they are. */
static enum asked_reach find_asked(const struct reaches *own, const struct reaches *all,
				   const struct reaches *kept)
{
	const bool whole = all->any[REACH_NEXT] || all->any[REACH_ALL],
		   kept_whole = kept->any[REACH_NEXT] || kept->any[REACH_ALL];

	if ((kept->any[REACH_OWN] || are_unevenly_few(all)) && !kept_whole)
		return own->any[REACH_NEXT] || own->any[REACH_ALL] ? ASKED_OWN : ASKED_NOTHING;
	if (all->any[REACH_ALL] && (own->pauses || own->any[REACH_OWN]))
		return ASKED_ALL;
	return own->any[REACH_OWN] && whole ? ASKED_WHOLE : ASKED_NOTHING;
}

static int read_again(struct told_side *s, const struct run_args *a, enum asked_reach reach,
		      const struct input_args *in, struct err *e)
{
	struct run_args asked = *a;

	asked.reach = reach;
	account_list_free(s->list);
	return account_list_read(s->list, s->paths, s->count, &asked, s->trim, in, e);
}

static void join(struct reaches *to, const struct reaches *r)
{
	for (int i = 0; i < STEP_REACHES; i++)
		to->any[i] |= r->any[i];
	to->pauses |= r->pauses;
	for (int i = 0; i <= ENOUGH_STEPS; i++)
		to->has_steps[i] |= r->has_steps[i];
}

int even_steps(struct told_side *sides, size_t count, const struct run_args *a,
	       const struct input_args *in, struct err *e)
{
	bool changed = true;

	for (int round = 0; changed && round < ROUNDS; round++) {
		struct reaches all = {0}, kept = {0};

		changed = false;
		for (size_t i = 0; i < count; i++) {
			const struct reaches own = reaches_of(&sides[i]);

			join(&all, &own);
			if (!sides[i].list)
				join(&kept, &own);
		}
		for (size_t i = 0; i < count; i++) {
			const struct reaches own = reaches_of(&sides[i]);
			const enum asked_reach asked =
				sides[i].list ? find_asked(&own, &all, &kept) : ASKED_NOTHING;

			if (asked == ASKED_NOTHING)
				continue;
			if (read_again(&sides[i], a, asked, in, e) < 0)
				return -1;
			changed = true;
		}
	}
	return 0;
}
