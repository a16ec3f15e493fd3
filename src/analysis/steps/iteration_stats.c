/* Which steps are unlike the others, is there a trend, and what was left out? */
#include "analysis/steps/iteration_stats.h"

#include "analysis/numbers/summary.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "text/units.h"
#include "trace/ranges/fold.h"
#include "trace/system/labels.h"

#include <math.h>
#include <stdlib.h>

enum {
	TREND_STEPS = 8,    /* fewer show no trend */
	TREND_POINTS = 256, /* more steps are put together: every pair of points is looked at */
};

static const double outlier_mads = 5;	  /* above the median, in median absolute deviations */
static const double outlier_share = 0.05; /* above it, at least */
static const double trend_sigmas = 3;	  /* of the Kendall statistic */
static const double trend_share = 0.05;	  /* of the median, from the first step to the last */
static const double much_between = 0.02;  /* of the time from the first step to the last */
static const double long_between = 0.5;	  /* of the median step */

static const char *const idle_words[BLAMES] = {
	[BLAME_SYNC] = "synchronising with the GPU",
	[BLAME_COPY] = "in a copy or memset call",
	[BLAME_ALLOC] = "allocating memory or loading modules",
	[BLAME_LAUNCH] = "in launch calls",
	[BLAME_CUDA] = "in other CUDA calls",
	[BLAME_HOST] = "host code outside CUDA",
	[BLAME_QUEUED] = "queued on the GPU",
	[BLAME_OVERHEAD] = "profiler overhead",
	[BLAME_UNKNOWN] = "launch not in the trace",
	[BLAME_END] = "nothing left to launch",
};

static const char *const work_words[] = {
	[STEP_COMPUTE] = "compute",
	[STEP_COMM] = "exposed communication",
	[STEP_COPY] = "exposed copies",
};

int64_t step_part_ns(const struct step_time *t, int part)
{
	switch (part) {
	case STEP_COMPUTE:
		return t->ns[SLICE_COMPUTE] + t->ns[SLICE_NARROW];
	case STEP_COMM:
		return t->ns[SLICE_COMM];
	case STEP_COPY:
		return t->ns[SLICE_COPY];
	default:
		return t->idle_ns[part - STEP_IDLE];
	}
}

/* Means of up to TREND_POINTS runs of steps that follow one another. */
static size_t trend_points(const struct iteration *steps, size_t count, double *points)
{
	size_t n = count < TREND_POINTS ? count : TREND_POINTS;

	for (size_t i = 0; i < n; i++) {
		size_t begin = i * count / n, end = (i + 1) * count / n;

		points[i] = 0;
		for (size_t k = begin; k < end; k++)
			points[i] += (double)iteration_ns(&steps[k]) / (double)(end - begin);
	}
	return n;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Theil and Sen's slope, the median of those of all pairs; Kendall's S says whether it is clear. */
static void find_trend(const struct iteration *steps, size_t count, struct iteration_stats *ret)
{
	double points[TREND_POINTS], *slopes, s = 0, slope, sigma;
	size_t n = trend_points(steps, count, points), pairs = 0;

	if (count < TREND_STEPS || ret->p50_ns <= 0)
		return;
	slopes = mem_alloc(n * (n - 1) / 2, sizeof(*slopes));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			slopes[pairs++] = (points[k] - points[i]) / (double)(k - i);
			s += (points[k] > points[i]) - (points[k] < points[i]);
		}
	}
	qsort(slopes, pairs, sizeof(*slopes), compare_doubles);
	slope = slopes[pairs / 2] * (double)n / (double)count;
	free(slopes);
	sigma = sqrt((double)n * (double)(n - 1) * (double)(2 * n + 5) / 18);
	ret->has_trend = fabs(s) >= trend_sigmas * sigma &&
			 fabs(slope) * (double)(count - 1) >= trend_share * ret->p50_ns;
	ret->trend_pct = 100 * slope / ret->p50_ns;
}

/* `v` has room for a value of each step. */
static void find_parts(const struct iteration *steps, const struct step_time *times, int64_t *v,
		       struct iteration_stats *ret)
{
	for (int part = 0; part < STEP_PARTS; part++) {
		for (size_t i = 0; i < ret->count; i++)
			v[i] = step_part_ns(&times[i], part);
		ret->part_p50_ns[part] = sort_median(v, ret->count);
	}
	for (size_t i = 0; i < ret->count; i++)
		v[i] = (int64_t)steps[i].kernels;
	ret->kernels_p50 = sort_median(v, ret->count);
}

/* Where a window cuts steps out, the time between those that are left is not between steps. */
static void find_between(const struct iteration *steps, size_t count, struct iteration_stats *ret)
{
	for (size_t i = 0; i + 1 < count; i++) {
		int64_t ns = sat_sub(steps[i + 1].from_ns, steps[i].to_ns);

		if (steps[i + 1].number != steps[i].number + 1)
			continue;
		ret->between_ns = sat_add(ret->between_ns, ns);
		if (ns <= ret->longest_between_ns)
			continue;
		ret->longest_between_ns = ns;
		ret->longest_after = steps[i].number;
		ret->longest_at_ns = steps[i].to_ns;
	}
}

/* The median lies between two values where their number is even: nothing is rounded before. */
static double median_deviation(const struct iteration *steps, size_t count, double from_ns)
{
	double *off = mem_alloc(count, sizeof(*off)), result;

	for (size_t i = 0; i < count; i++)
		off[i] = fabs((double)iteration_ns(&steps[i]) - from_ns);
	qsort(off, count, sizeof(*off), compare_doubles);
	result = (off[(count - 1) / 2] + off[count / 2]) / 2;
	free(off);
	return result;
}

static double outlier_limit(const struct iteration_stats *s, double mad)
{
	double by_share = s->p50_ns * (1 + outlier_share);
	double by_mads = s->p50_ns + outlier_mads * mad;

	return by_mads > by_share ? by_mads : by_share;
}

void iteration_stats_make(const struct iteration *steps, const struct step_time *times,
			  size_t count, struct iteration_stats *ret)
{
	int64_t *v;

	*ret = (struct iteration_stats){.count = count};
	if (!count)
		return;
	v = mem_alloc(count, sizeof(*v));
	for (size_t i = 0; i < count; i++)
		v[i] = iteration_ns(&steps[i]);
	ret->p50_ns = sort_median(v, count);
	ret->p90_ns = quantile(v, count, 0.9);
	ret->min_ns = v[0];
	ret->max_ns = v[count - 1];
	ret->limit_ns = outlier_limit(ret, median_deviation(steps, count, ret->p50_ns));
	for (size_t i = 0; i < count; i++)
		ret->outliers += (double)iteration_ns(&steps[i]) > ret->limit_ns;
	find_parts(steps, times, v, ret);
	find_trend(steps, count, ret);
	find_between(steps, count, ret);
	free(v);
}

static double excess(const struct step_time *t, const struct iteration_stats *s, int part)
{
	return (double)step_part_ns(t, part) - s->part_p50_ns[part];
}

int step_culprit(const struct step_time *t, const struct iteration_stats *s)
{
	int most = 0;

	for (int part = 1; part < STEP_PARTS; part++) {
		if (excess(t, s, part) > excess(t, s, most))
			most = part;
	}
	return most;
}

/* The function of the longest call in a gap, of those that have the blame; NAME_NONE. */
static uint32_t gap_function(const struct gap_judge *j, const struct gap *gap, int blame)
{
	const struct thread_calls *threads = &j->threads;
	uint32_t thread, name = NAME_NONE;
	struct api_call call;
	int64_t longest_ns = 0;
	size_t near = 0, place;

	if (!j->joined || !attribution_call(&j->attribution, gap->kind, gap->row, &call))
		return NAME_NONE;
	thread = launches_origin(&j->attribution.launches, &call).thread;
	place = thread_calls_after(threads, thread, gap->start_ns, &near);
	place -= place > threads->begin[thread];
	for (; place < threads->begin[thread + 1]; place++) {
		size_t number = thread_calls_at(threads, place);
		int64_t start_ns = j->calls.start_ns[number];
		int64_t end_ns = sat_add(start_ns, calls_duration(&j->calls, number));

		if (start_ns >= gap->end_ns)
			break;
		if (start_ns < gap->start_ns)
			start_ns = gap->start_ns;
		if (j->blame_of_origin[calls_origin(&j->calls, number)] != blame ||
		    end_ns - start_ns <= longest_ns)
			continue;
		longest_ns = end_ns - start_ns;
		name = j->calls.origins[calls_origin(&j->calls, number)].name;
	}
	return name;
}

static bool is_whole_step(const struct iteration *step, const struct range *r)
{
	return r->start_ns == step->start_ns && r->end_ns == step->end_ns;
}

/* Where in the program, or in which call, as far as the longest gap tells. */
static void add_place(struct buf *b, const struct gap_judge *j, const struct iteration *step,
		      const struct gap *gap, int blame)
{
	const struct range *ranges = j->attribution.forest.ranges;
	const struct trace *t = j->trace;
	uint32_t name = NAME_NONE;

	if (gap->kind >= TRACE_KINDS || !gap->ns[blame])
		return;
	if (blame < GAP_CALLS)
		name = gap_function(j, gap, blame);
	if (name != NAME_NONE) {
		struct str function = label_api(trace_name(t, name));

		buf_addf(b, " (%.*s)", (int)function.len, function.s);
	}
	if (gap->range != RANGE_NONE && !is_whole_step(step, &ranges[gap->range])) {
		uint32_t row = ranges[gap->range].row;

		buf_adds(b, " in '");
		fold_add(b, trace_name(t, t->events[TRACE_NVTX].name[row]));
		buf_adds(b, "'");
	}
}

static void add_kernels(struct buf *b, const struct iteration *step,
			const struct iteration_stats *s)
{
	double more = (double)step->kernels - s->kernels_p50;

	if (more < 1)
		return;
	buf_adds(b, ", ");
	units_add_count(b, (int64_t)more);
	buf_adds(b, more >= 2 ? " more kernels" : " more kernel");
}

const char *step_cause(const struct iteration_times *x, const struct iteration *step,
		       const struct step_time *t, const struct iteration_stats *s,
		       struct arena *arena)
{
	int part = step_culprit(t, s);
	struct buf b = {0};
	const char *text;

	buf_adds(&b, part < STEP_IDLE ? work_words[part] : "idle");
	buf_adds(&b, " +");
	units_add_ns(&b, excess(t, s, part));
	if (part == STEP_COMPUTE)
		add_kernels(&b, step, s);
	if (part >= STEP_IDLE) {
		buf_addf(&b, ": %s", idle_words[part - STEP_IDLE]);
		add_place(&b, &x->judge, step, &t->longest, part - STEP_IDLE);
	}
	text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

/* Threads of one process, or of several. */
static void note_threads(struct report *r, const struct trace *t, const struct iterations *it)
{
	size_t steps = 0;

	for (size_t i = 0; i < it->apart_count; i++)
		steps += it->apart[i].steps;
	if (it->apart_count == 1)
		report_note(r,
			    "Left out: thread %u of the same process has %zu steps of its own; its "
			    "launches are not in any step here.",
			    thread_tid(t->thread_keys.keys[it->apart->thread]), steps);
	else if (it->apart_count)
		report_note(r,
			    "Left out: %zu other threads have %zu steps of their own; their "
			    "launches are not in any step here.",
			    it->apart_count, steps);
}

void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it)
{
	if (it->never_closed)
		report_note(
			r,
			"Left out: %zu range%s never closed, so the length of the step is unknown.",
			it->never_closed, it->never_closed == 1 ? " was" : "s were");
	note_threads(r, t, it);
	if (!it->joined && it->source != ITER_KERNELS)
		report_note(r,
			    "The work of each step is unknown without %s (%s): step times are host "
			    "times.",
			    trace_kind_title(TRACE_API), trace_kind_flag(TRACE_API));
	if (it->cut_steps)
		report_note(r,
			    "Left out: %zu repetition%s only partly captured: some kernels were "
			    "launched before the capture began or after it ended.",
			    it->cut_steps, it->cut_steps == 1 ? "" : "s");
}

static void add_between(struct buf *b, const struct iteration_stats *s, double span_ns)
{
	buf_adds(b, "Between steps: ");
	units_add_ns(b, (double)s->between_ns);
	buf_addf(b, ", %.1f %% of the time from the first step to the last",
		 100 * (double)s->between_ns / span_ns);
	buf_adds(b, "; the longest is ");
	units_add_ns(b, (double)s->longest_between_ns);
	buf_addf(b, ", after step %u, at ", s->longest_after);
	units_add_time(b, s->longest_at_ns);
}

/* Of several processes the one that has most. */
void iteration_note_between(struct report *r, const struct trace *t, const struct iterations *it,
			    const struct iteration_stats *stats)
{
	const struct iteration *steps;
	struct buf b = {0};
	size_t most = 0;
	double span_ns;

	for (size_t i = 1; i < it->lane_count; i++) {
		if (stats[i].between_ns > stats[most].between_ns)
			most = i;
	}
	steps = lane_steps(it, &it->lanes[most]);
	span_ns = (double)steps[it->lanes[most].count - 1].to_ns - (double)steps[0].from_ns;
	if (!stats[most].between_ns ||
	    ((double)stats[most].between_ns < much_between * span_ns &&
	     (double)stats[most].longest_between_ns <= long_between * stats[most].p50_ns))
		return;
	add_between(&b, &stats[most], span_ns);
	if (it->lane_count > 1 && it->lanes[most].process != ID_NONE)
		buf_addf(&b, ", in process %u",
			 process_pid(t->process_keys.keys[it->lanes[most].process]));
	report_note(r, "%s.", b.s);
	buf_free(&b);
}
