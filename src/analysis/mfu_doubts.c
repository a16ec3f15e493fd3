/* Can what was said of the work, and what came out, be? */
#include "analysis/mfu_answer.h"
#include "base/units.h"

/* A model that learned its positions has no others. */
static void warn_too_long(const struct mfu_answer *a)
{
	const struct model_work *w = &a->q->work;
	const uint64_t longest = a->rows.has_model ? a->rows.model.longest : 0;
	const unsigned long long length = w->seq + w->new_tokens;

	if (longest && length > longest)
		report_warning(a->report,
			       "the model knows %llu positions, and a sequence was said to have "
			       "%llu: --seq or --new-tokens is wrong, or the config is another's",
			       (unsigned long long)longest, length);
}

/* Whether `found` may be the steps of a decode: the first new token may be the prefill's. */
static bool fits_steps(uint64_t found, uint64_t steps)
{
	return found == steps || found + 1 == steps;
}

/* A window that is said to be one of something, and has several. */
static void note_in_window(const struct mfu_answer *a)
{
	const struct model_work *w = &a->q->work;
	const size_t found = a->rows.in_window;

	if (found < 2 || (w->mode == MODE_DECODE && fits_steps(found, w->new_tokens)))
		return;
	report_note(a->report,
		    "--mode takes the window for one %s, and %zu lie whole in it: %s measures each "
		    "of them.",
		    a->rows.work_names[0], found,
		    w->mode == MODE_TRAIN ? "--per step" : "--trim without --mode");
}

void mfu_doubt_said(const struct mfu_answer *a)
{
	warn_too_long(a);
	note_in_window(a);
}

void mfu_doubt_reached(const struct mfu_answer *a)
{
	struct buf b = {0};

	for (size_t i = 0; i < a->rows.count; i++) {
		const struct mfu_highest *highest = &a->highest[i];

		if (highest->pct <= 100)
			continue;
		buf_addf(&b, "%s'%s' ", b.len ? ", " : "", a->rows.rows[i].name);
		units_add_grouped(&b, highest->pct, 1);
		buf_addf(&b, " %% (%s)", highest->figure);
	}
	if (b.len)
		report_warning(a->report,
			       "more than 100 %% of the peak cannot be, and %s came out: --batch, "
			       "--seq, --new-tokens, --flops, --dtype or what a range holds does "
			       "not fit what ran",
			       b.s);
	buf_free(&b);
}
