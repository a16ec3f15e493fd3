/* Samples of counters shared out by the time that they stand for. */
#include "analysis/metrics/metric_sums.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Of a sample's time: as much of it makes the sample the stretches' own. */
static const double nearly_all = 0.9;

struct weighted {
	double weight, sum, squares;
	size_t count;
};

struct accumulator {
	size_t columns[METRIC_KINDS];
	struct weighted all[METRIC_KINDS];
	size_t samples;
};

void metric_columns(const struct measured_gpu *g, size_t ret[METRIC_KINDS])
{
	for (int kind = 0; kind < METRIC_KINDS; kind++)
		ret[kind] = SIZE_MAX;
	for (size_t i = 0; i < g->metrics; i++) {
		const enum metric_kind kind = metric_kind(g->names[i]);

		if (kind != METRIC_KINDS && ret[kind] == SIZE_MAX)
			ret[kind] = i;
	}
}

static void add_sample(struct accumulator *a, const struct measured_gpu *g, size_t sample,
		       double weight)
{
	a->samples++;
	for (int kind = 0; kind < METRIC_KINDS; kind++) {
		double value;

		if (a->columns[kind] == SIZE_MAX)
			continue;
		value = metric_sound((enum metric_kind)kind,
				     gpu_metric(g, sample, a->columns[kind]));
		if (isnan(value))
			continue;
		a->all[kind].weight += weight;
		a->all[kind].sum += weight * value;
		a->all[kind].squares += weight * value * value;
		a->all[kind].count++;
	}
}

/* Of the mean of so many values. */
static double standard_error(const struct weighted *w)
{
	const double mean = w->sum / w->weight;
	const double variance = w->squares / w->weight - mean * mean;

	return w->count > 1 && variance > 0 ? sqrt(variance / (double)(w->count - 1)) : 0;
}

static void average(const struct accumulator *a, struct metric_average *ret)
{
	for (int kind = 0; kind < METRIC_KINDS; kind++) {
		const struct weighted *w = &a->all[kind];

		ret->value[kind] = w->weight > 0 ? w->sum / w->weight : NAN;
		if (kind < METRIC_SHARES && w->weight > 0)
			ret->uncertain = fmax(ret->uncertain, standard_error(w));
	}
}

/* How much of a sample's time lies in the stretches; `at` is where the last search ended. */
static int64_t covered_ns(struct span sample, const struct span *spans, size_t count, size_t *at)
{
	int64_t ns = 0;

	while (*at < count && spans[*at].end_ns <= sample.start_ns)
		++*at;
	for (size_t i = *at; i < count && spans[i].start_ns < sample.end_ns; i++)
		ns = sat_add(ns, span_overlap(spans[i], sample));
	return ns;
}

/* The first sample from i on whose time reaches a moment; most lie in stretches of others. */
static size_t reach(const struct measured_gpu *g, size_t i, int64_t at_ns)
{
	const size_t after = BISECT(i, g->samples, k, g->at_ns[k] <= at_ns);

	return after > i ? after - 1 : i;
}

struct metric_average metric_average(const struct measured_gpu *g, const struct span *spans,
				     size_t count)
{
	struct metric_average found = {.bound = BOUND_UNKNOWN};
	struct accumulator own = {0};
	const struct accumulator none = {0};
	size_t at = 0, i = 0;

	metric_columns(g, own.columns);
	for (; at < count && i < g->samples && g->at_ns[i] < spans[count - 1].end_ns; i++) {
		struct span time;
		int64_t ns;

		if (g->at_ns[i] < spans[at].start_ns)
			i = reach(g, i, spans[at].start_ns);
		time = gpu_metric_span(g, i);
		ns = covered_ns(time, spans, count, &at);
		if (!ns)
			continue;
		found.touched++;
		if ((double)ns >= nearly_all * (double)sat_sub(time.end_ns, time.start_ns))
			add_sample(&own, g, i, (double)ns);
	}
	found.samples = own.samples;
	average(own.samples >= METRIC_SAMPLES_MIN ? &own : &none, &found);
	found.bound = metric_bound(found.value);
	return found;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *s = a, *t = b;

	if (s->start_ns != t->start_ns)
		return s->start_ns < t->start_ns ? -1 : 1;
	return (s->end_ns > t->end_ns) - (s->end_ns < t->end_ns);
}

size_t spans_join(struct span *spans, size_t count)
{
	size_t kept = 0;

	qsort(spans, count, sizeof(*spans), compare_spans);
	for (size_t i = 0; i < count; i++) {
		if (spans[i].end_ns <= spans[i].start_ns)
			continue;
		if (kept && spans[i].start_ns <= spans[kept - 1].end_ns) {
			if (spans[i].end_ns > spans[kept - 1].end_ns)
				spans[kept - 1].end_ns = spans[i].end_ns;
		} else {
			spans[kept++] = spans[i];
		}
	}
	return kept;
}
