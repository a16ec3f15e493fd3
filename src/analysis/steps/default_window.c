/* Which window is an answer about where nobody names one? */
#include "analysis/scope.h"

#include "analysis/steps/iterations.h"
#include "analysis/steps/steady.h"
#include "analysis/window.h"

static void set_window(struct scope *s, enum span_choice chosen, int64_t from_ns, int64_t to_ns)
{
	s->has_trim = true;
	s->chosen = chosen;
	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

static int choose_warm(struct trace *t, struct scope *s, const struct span *gpu, struct report *r,
		       struct err *e)
{
	struct steady steady;

	if (steady_find(t, s, &r->arena, &steady, e) < 0)
		return e->absent && s->span == SPAN_DEFAULT ? 0 : -1;
	/* Ranges of a run whose launches nobody knows may lie where no GPU works. */
	if (steady.from_ns >= gpu->end_ns || steady.to_ns <= gpu->start_ns)
		return 0;
	set_window(s, SPAN_WARM, steady.from_ns, steady.to_ns);
	s->chosen_words = steady.how;
	s->steps_chart = steady.chart;
	s->cold = steady.cold;
	s->warm = steady.warm;
	return 0;
}

int default_window(struct trace *t, struct scope *s, enum span_choice otherwise, struct report *r,
		   struct err *e)
{
	const enum span_choice wanted = s->span ? s->span : otherwise;
	struct span gpu;

	if ((s->has_trim && !s->chosen) || s->chosen >= wanted)
		return 0;
	s->has_trim = false;
	s->chosen = SPAN_ALL;
	s->chosen_words = s->steps_chart = NULL;
	s->cold = (struct cold_steps){0};
	s->warm = (struct warm_steps){0};
	if (wanted == SPAN_ALL)
		return window_of_capture(t, &s->whole, e);
	if ((wanted == SPAN_WARM && iterations_load(t, e) < 0) ||
	    window_of_gpu_work(t, &gpu, e) < 0)
		return -1;
	if (wanted == SPAN_WARM && choose_warm(t, s, &gpu, r, e) < 0)
		return -1;
	if (s->chosen != SPAN_ALL)
		return 0;
	if (gpu.end_ns <= gpu.start_ns)
		return window_of_capture(t, &s->whole, e);
	set_window(s, SPAN_GPU, gpu.start_ns, gpu.end_ns);
	return 0;
}
