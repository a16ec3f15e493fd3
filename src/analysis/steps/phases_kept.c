/* What do phases cost, asked a second time? */
#include "analysis/kept_answers.h"
#include "analysis/steps/phases.h"
#include "analysis/window.h"

/* A run of the program is given one map. */
static bool answers(const void *answer, const struct scope *asked, const struct scope *p)
{
	(void)answer;
	return scope_same_question(asked, p) && asked->phase_map == p->phase_map &&
	       asked->host_only == p->host_only;
}

static void free_answer(void *phases)
{
	phases_free(phases);
}

static const struct kept_answers kept = {sizeof(struct phases), answers, free_answer};

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
