/* Was this asked before? */
#include "analysis/kept_answers.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

struct kept_answer {
	const struct kept_answers *kind;
	struct scope asked;
	void *answer;
};

static void free_kept(void *p)
{
	struct kept_answer *kept = p;

	kept->kind->free_answer(kept->answer);
	free(kept->answer);
}

static bool is_answer(const struct kept_answer *kept, const struct scope *p)
{
	if (!kept->kind->answers)
		return scope_same_question(&kept->asked, p);
	return kept->kind->answers(kept->answer, &kept->asked, p);
}

bool kept_answers_find(const struct kept_answers *k, struct trace *t, const struct scope *p,
		       void *ret)
{
	const struct kept_answer *kept = trace_cache_find(t, k);

	if (!kept || !is_answer(kept, p))
		return false;
	memcpy(ret, kept->answer, k->size);
	return true;
}

bool kept_answers_any(const struct kept_answers *k, struct trace *t)
{
	return trace_cache_find(t, k);
}

bool kept_answers_add(const struct kept_answers *k, struct trace *t, const struct scope *p,
		      const void *answer)
{
	struct kept_answer *kept;

	if (!t->uses_cache || kept_answers_any(k, t))
		return false;
	kept = mem_alloc(1, sizeof(*kept));
	*kept = (struct kept_answer){k, *p, mem_alloc(1, k->size)};
	memcpy(kept->answer, answer, k->size);
	if (trace_cache_put(t, k, kept, free_kept))
		return true;
	free(kept->answer);
	free(kept);
	return false;
}
