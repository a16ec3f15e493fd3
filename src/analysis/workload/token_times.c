/* What do a token and a first token take, once the program is warm? */
#include "analysis/steps/steady.h"
#include "analysis/workload/token_steps.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static void sort_values(int64_t *values, size_t count)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));

	sort_i64(values, scratch, count);
	free(scratch);
}

/* Where the run's steps do not say it: when the last of the slow decode steps at the start ends. */
static int64_t find_warm(const struct token_steps *s)
{
	struct iteration *steps = mem_zalloc(s->decode_count, sizeof(*steps));
	int64_t warm_ns = INT64_MIN;
	size_t cold;

	for (size_t i = 0; i < s->decode_count; i++) {
		steps[i].from_ns = s->decodes[i].own.start_ns;
		steps[i].to_ns = s->decodes[i].own.end_ns;
	}
	cold = steady_count_cold(steps, s->decode_count);
	if (cold)
		warm_ns = steps[cold - 1].to_ns;
	free(steps);
	return warm_ns;
}

/* From when to when decode steps count, and prefills. */
struct windows {
	struct span decodes, prefills;
};

/* The run's warm steps may be its decode steps: the prefill before them is warm, too. */
static struct windows find_windows(const struct token_steps *s, const struct scope *p)
{
	const struct span named = {p->from_ns, p->to_ns};
	struct windows w = {named, named};

	if (p->chosen == SPAN_WARM)
		w.prefills = (struct span){p->cold.count ? p->cold.to_ns : INT64_MIN, INT64_MAX};
	else if (p->span != SPAN_DEFAULT)
		w.decodes = w.prefills = (struct span){INT64_MIN, INT64_MAX};
	else if (p->chosen || !p->has_trim)
		w.decodes = w.prefills = (struct span){find_warm(s), INT64_MAX};
	return w;
}

static bool lies_in(struct span x, struct span window)
{
	return x.start_ns >= window.start_ns && x.end_ns <= window.end_ns;
}

/* Whether a prefill begins between two steps; `at` goes on from step to step. */
static bool is_interrupted(const struct token_steps *s, size_t i, size_t *at)
{
	const int64_t from_ns = s->decodes[i].own.start_ns;
	const int64_t to_ns = s->decodes[i + 1].own.start_ns;

	while (*at < s->prefill_count && s->prefills[*at].own.start_ns < from_ns)
		(*at)++;
	return *at < s->prefill_count && s->prefills[*at].own.start_ns < to_ns;
}

static void add_period(struct token_times *t, const struct token_step *s, int64_t ns, bool *known)
{
	if (!t->count)
		t->batch = s->batch;
	t->batch = t->batch == s->batch ? t->batch : 0;
	*known &= s->batch > 0;
	t->tokens += s->batch;
	t->speculative |= s->role == ROLE_VERIFY;
	t->total_ns = sat_add(t->total_ns, ns);
	t->periods[t->count++] = ns;
}

static void add_periods(struct token_times *t, const struct token_steps *s, struct span window)
{
	bool known = true;
	size_t at = 0;

	t->periods = mem_alloc(s->decode_count, sizeof(*t->periods));
	for (size_t i = 0; i + 1 < s->decode_count; i++) {
		const struct span *own = &s->decodes[i].own, *next = &s->decodes[i + 1].own;
		const bool interrupted = is_interrupted(s, i, &at);

		if (!lies_in(*own, window) || !lies_in(*next, window))
			continue;
		t->interrupted += interrupted;
		if (!interrupted)
			add_period(t, &s->decodes[i], sat_sub(next->start_ns, own->start_ns),
				   &known);
	}
	if (!known)
		t->tokens = t->batch = 0;
	sort_values(t->periods, t->count);
}

static void add_prefills(struct token_times *t, const struct token_steps *s, struct span window)
{
	t->prefill_ns = mem_alloc(s->prefill_count, sizeof(*t->prefill_ns));
	for (size_t i = 0; i < s->prefill_count; i++) {
		const struct span *own = &s->prefills[i].own;

		if (lies_in(*own, window))
			t->prefill_ns[t->prefill_count++] = sat_sub(own->end_ns, own->start_ns);
		else
			t->prefills_left_out++;
	}
	sort_values(t->prefill_ns, t->prefill_count);
}

void token_times_make(struct token_times *ret, const struct token_steps *s, const struct scope *p)
{
	const struct windows w = find_windows(s, p);

	*ret = (struct token_times){0};
	add_periods(ret, s, w.decodes);
	add_prefills(ret, s, w.prefills);
}

void token_times_of_steps(struct token_times *ret, const struct warm_steps *steps)
{
	*ret = (struct token_times){.periods = mem_alloc(steps->count, sizeof(int64_t))};
	for (size_t i = 0; i + 1 < steps->count; i++) {
		const int64_t ns = sat_sub(steps->all[i + 1].start_ns, steps->all[i].start_ns);

		ret->total_ns = sat_add(ret->total_ns, ns);
		ret->periods[ret->count++] = ns;
	}
	sort_values(ret->periods, ret->count);
}

void token_times_free(struct token_times *t)
{
	free(t->periods);
	free(t->prefill_ns);
	*t = (struct token_times){0};
}
