/* What do phases cost, asked a second time? */
#include "analysis/kept_answers.h"
#include "analysis/steps/phases.h"

static const struct option options[] = {
	OPT_SAME(scope_options),
	OPT_SAME(phase_options),
	OPT_END(),
};
static const struct option_group question = OPTION_GROUP(options, struct scope);

static void free_answer(void *phases)
{
	phases_free(phases);
}

static const struct kept_answers kept = {sizeof(struct phases), &question, free_answer};

int phases_read(struct trace *t, const struct scope *p, struct phases *ret, struct err *e)
{
	ret->shared = kept_answers_find(&kept, t, p, ret);
	if (ret->shared)
		return 0;
	if (phases_make(t, p, ret, e) < 0)
		return -1;
	ret->shared = kept_answers_add(&kept, t, p, ret);
	return 0;
}
