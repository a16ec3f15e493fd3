/* Which analyses are there, and what do they need? */
#include "analysis/analysis.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "options/args.h"
#include "trace/ranges/attribution.h"
#include "trace/system/diagnostics.h"

#include <stdlib.h>

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

/* Where CUDA was traced and the profiler itself says that no call was seen, tracing it is no help.
 */
static int refuse(struct trace *t, unsigned kinds, struct err *e)
{
	struct diagnostics d;
	struct err ignored;

	if (!e->absent || !(kinds & (NEEDS_GPU_WORK | NEEDS(TRACE_API))) ||
	    t->events[TRACE_API].table || diagnostics_read(t, NULL, &d, &ignored) < 0 ||
	    !d.count[DIAGNOSTIC_CUDA_NOT_STARTED])
		return -1;
	return err_hint(e, "CUDA was traced, but no CUDA call was seen: the program did not get "
			   "as far as CUDA, ran it in a process that was not followed, or nsys is "
			   "older than the driver; gpuwhy doctor tells more");
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

/* Filters of what the trace does not have are refused; what was asked for becomes a window. */
static int settle(const struct analysis *a, struct trace *t, struct scope *s, struct report *r,
		  struct err *e)
{
	if (filters_check(t, s, e) < 0 || window_check(t, s, e) < 0)
		return -1;
	if (s->has_iteration)
		return a->steps_by_rank ? 0 : iteration_window(t, s, a->host, r, e);
	if (!group_has(a->options, &window_options))
		return 0;
	if (default_window(t, s, a->span ? a->span : SPAN_WARM, r, e) < 0)
		return -1;
	/* No GPU work lies outside: who looks at all of it takes ranges around it as they are. */
	if (a->span == SPAN_GPU && s->chosen == SPAN_GPU)
		s->has_trim = false;
	return 0;
}

static int run(const struct analysis *a, analysis_answer *answer, struct trace *t, const void *args,
	       struct report *r, struct err *e)
{
	void *mine = NULL;
	struct scope *s;

	if (a->prepare && a->prepare(t, e) < 0)
		return -1;
	if (a->options) {
		mine = arena_alloc(&r->arena, 1, a->options->size);
		memcpy(mine, args, a->options->size);
		s = args_scope(a->options, mine);
		if (s && settle(a, t, s, r, e) < 0)
			return -1;
	}
	return answer(a, t, mine, r, e);
}

/* What is there may be an answer, too; where that is nothing, what is missing is the error. */
static int run_otherwise(const struct analysis *a, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	struct err other;

	if (!a->otherwise || !e->absent)
		return refuse(t, a->needs_any, e);
	other = (struct err){0};
	if (run(a, a->otherwise, t, args, r, &other) == 0) {
		*e = other;
		return 0;
	}
	if (other.absent)
		return refuse(t, a->needs_any, e);
	*e = other;
	return -1;
}

int analysis_run(const struct analysis *a, struct trace *t, const void *args, struct report *r,
		 struct err *e)
{
	const bool shared = t->uses_cache;
	int result;

	for (int k = 0; k < TRACE_KINDS; k++) {
		if (a->needs & NEEDS(k) && trace_require(t, (enum trace_kind)k, e) < 0)
			return refuse(t, NEEDS(k), e);
	}
	if (require_any(t, a->needs_any, e) < 0)
		return run_otherwise(a, t, args, r, e);
	if (a->joins)
		attribution_begin_sharing(t);
	result = run(a, a->run, t, args, r, e);
	if (a->joins)
		attribution_end_sharing(t, shared);
	return result;
}
