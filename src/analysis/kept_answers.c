/* Was this asked before? */
#include "analysis/kept_answers.h"

#include "base/mem.h"
#include "options/args.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

struct kept_answer {
	const struct kept_answers *kind;
	char *question;
	void *answer;
};

static void free_kept(void *p)
{
	struct kept_answer *kept = p;

	kept->kind->free_answer(kept->answer);
	free(kept->answer);
	free(kept->question);
}

/* What is asked, in the words of the options, and what no option says of the scope. */
static char *question_of(const struct kept_answers *k, const struct scope *p)
{
	struct buf b = {0};

	args_add_key(&b, k->options ? k->options : &scope_options, p);
	if (p->has_process)
		buf_addf(&b, "process=%u;", p->process);
	buf_addf(&b, "host_only=%d", p->host_only);
	return b.s;
}

bool kept_answers_find(const struct kept_answers *k, struct trace *t, const struct scope *p,
		       void *ret)
{
	const struct kept_answer *kept = trace_cache_find(t, k);
	char *question = kept ? question_of(k, p) : NULL;
	bool same = kept && strcmp(kept->question, question) == 0;

	free(question);
	if (same)
		memcpy(ret, kept->answer, k->size);
	return same;
}

bool kept_answers_any(const struct kept_answers *k, struct trace *t)
{
	return trace_cache_find(t, k);
}

bool kept_answers_add(const struct kept_answers *k, struct trace *t, const struct scope *p,
		      const void *answer)
{
	struct kept_answer *kept;

	if (!t->keeps_answers || kept_answers_any(k, t))
		return false;
	kept = mem_alloc(1, sizeof(*kept));
	*kept = (struct kept_answer){k, question_of(k, p), mem_alloc(1, k->size)};
	memcpy(kept->answer, answer, k->size);
	if (trace_cache_put(t, k, kept, free_kept))
		return true;
	free(kept->answer);
	free(kept->question);
	free(kept);
	return false;
}
