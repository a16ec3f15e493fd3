/* Which analyses are there, and what do they need? */
#include "analysis/filters.h"
#include "analysis/steps/iteration_window.h"
#include "base/mem.h"

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "analysis/list.def"
#undef ANALYSIS

static const struct analysis *const analyses[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analysis/list.def"
#undef ANALYSIS
};

const struct analysis *analysis_at(size_t i)
{
	return i < ARRAY_LEN(analyses) ? analyses[i] : NULL;
}

const struct analysis *analysis_find(const char *name, bool nsys)
{
	for (size_t i = 0; i < ARRAY_LEN(analyses); i++) {
		if (analyses[i]->nsys == nsys && strcmp(analyses[i]->name, name) == 0)
			return analyses[i];
	}
	return NULL;
}

/* Of several kinds, one of which would do, the error names the last: the most telling one. */
static int require_any(struct trace *t, unsigned kinds, struct err *e)
{
	int found = kinds ? -1 : 0;

	for (int k = TRACE_KINDS - 1; k >= 0 && found < 0; k--) {
		if (kinds & NEEDS(k))
			found = trace_require(t, (enum trace_kind)k, e);
	}
	return found;
}

static int run_iteration(const struct analysis *a, struct trace *t, const struct params *p,
			 struct report *r, struct err *e)
{
	struct params window = *p;

	if (iteration_window(t, &window, a->host, r, e) < 0)
		return -1;
	return a->run(a, t, &window, r, e);
}

int analysis_run(const struct analysis *a, struct trace *t, const struct params *p,
		 struct report *r, struct err *e)
{
	for (int k = 0; k < TRACE_KINDS; k++) {
		if (a->needs & NEEDS(k) && trace_require(t, (enum trace_kind)k, e) < 0)
			return -1;
	}
	if (require_any(t, a->needs_any, e) < 0 || filters_check(t, p, e) < 0)
		return -1;
	/* Where each rank has a window of its own, each has its own step. */
	if (p->has_iteration && a->params & PARAM_TRIM && !(a->params & PARAM_ANCHOR))
		return run_iteration(a, t, p, r, e);
	return a->run(a, t, p, r, e);
}
