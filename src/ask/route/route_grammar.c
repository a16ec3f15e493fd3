/* How much does what grammar has found in a question speak for a topic? */
#include "ask/route/route_scores.h"

#include "options/parse.h"

#include <ctype.h>
#include <string.h>

/* What was found by trying on questions of tests/ask that may be tuned on: how much that adds to
 * what the words say. */
static const double WHY = 9, WHY_OTHERS = 0.55, MOMENT = 4, WINDOW_ALONE = 3, CALL_NAME = 8,
		    OTHER_NAME = 4, STREAMS = 5, STEPS = 2, LIST = 4, HINT = 4, TELLS_RANKS = 4,
		    OTHERS = 0.6, SINGLE = 3, LACKS_PLACE = 0.6, HOST = 2, EACH = 60,
		    NOT_EACH = 0.3, BY_RANGE = 4, NOT_STEPS = 4, TELLS_MEASURE = 1;

/* "cudaMalloc", "cuLaunchKernel": names of CUDA's own calls look like nothing else. */
static bool names_call(const struct question *q)
{
	for (size_t i = 0; i < q->names.count; i++) {
		const struct str n = q->names.all[i];

		if (str_starts(n, "cuda") ||
		    (str_starts(n, "cu") && n.len > 3 && isupper((unsigned char)n.s[2])))
			return true;
	}
	return false;
}

/* "CUPTI_ACTIVITY_KIND_KERNEL": a table of the export. */
static bool names_table(const struct question *q)
{
	size_t capitals = 0;

	for (size_t i = 0; q->names.count && i < q->names.all[0].len; i++) {
		const unsigned char c = (unsigned char)q->names.all[0].s[i];

		if (!isupper(c) && c != '_' && !isdigit(c))
			return false;
		capitals += isupper(c) != 0;
	}
	return capitals >= 8;
}

static bool says_host(const struct question *q)
{
	return question_says(q, "host") || question_says(q, "wall");
}

/* "the range forward", not a range by its name alone: ranges tell something apart. */
static bool says_range(const struct question *q)
{
	return question_says(q, "range") || question_says(q, "ranges");
}

/* The longest one, the mean; "which range is the slowest" ranks what all of a name take. */
static bool asks_of_single(const struct question *q)
{
	const uint32_t single = 1u << MEASURE_LEAST | 1u << MEASURE_MEAN | 1u << MEASURE_MEDIAN |
				1u << MEASURE_P90 | 1u << MEASURE_P99 |
				(q->is_by_length ? 1u << MEASURE_MOST : 0);

	return (q->measures & single) != 0 && !question_says(q, "which");
}

static bool is_rank_topic(const struct document *d)
{
	return d->topic->subject && str_is_listed(STR_LIT("rank"), d->topic->subject);
}

/* Ranks are first of all what `ranks` is about; others have to be meant by their own words. */
static double ranks_score(const struct document *d, const struct question *q)
{
	const bool communicates = question_says(q, "nccl") || question_says(q, "communication") ||
				  question_says(q, "collective");

	return document_is_about(d, "ranks", NULL) && !communicates ? TELLS_RANKS
	       : is_rank_topic(d)				    ? TELLS_RANKS * 0.4
								    : TELLS_RANKS * 0.6;
}

/* Whether it knows no step, window or GPU, where one is asked about. */
static bool lacks_place(const struct document *d, const struct question *q)
{
	const struct option_parts parts = {.count = 1, .all = {{d->analysis->options, NULL}}};
	const char *name = q->steps.count			    ? "iteration"
			   : q->has_window || q->step_span.is_given ? "trim"
			   : q->devices.count			    ? "device"
								    : NULL;

	if (!name || (d->topic->row && strstr(d->topic->row, "{device}") &&
		      !question_names_steps(q) && !q->has_window))
		return false;
	return !d->analysis->options || !parts_find(&parts, name, strlen(name));
}

/* Whether the topic is the one that tells what is asked of single ops. */
static bool tells_each(const struct document *d, const struct question *q)
{
	static const char *const flags[] = {
		[EACH_BEYOND] = "summary", [EACH_SPREAD] = "total", [EACH_SHAPE] = "shapes"};
	const char *flag = d->topic->flag, *wanted = flags[q->work.each];

	if (q->work.each == EACH_CALL || q->work.each == EACH_RANGE)
		return document_is_about(d, "search", NULL);
	if (q->work.each == EACH_NONE || !document_is_about(d, "ops", NULL))
		return false;
	return flag && wanted ? strcmp(flag, wanted) == 0 : !flag && !wanted;
}

/* Copies that no kernel hides: that is part of a window, communication or not. */
static bool is_of_exposed_copies(const struct question *q)
{
	return q->work.kinds & WORK_COPY && q->intent != ASKS_WHY &&
	       !question_says(q, "communication") &&
	       question_says_any(q, ANY_OF("exposed", "hidden", "overlapped", "not overlapping"));
}

/* "which function makes the GPU wait": one of the program's own. */
static bool blames_function(const struct question *q)
{
	return question_says_any(q,
				 ANY_OF("which function", "what function", "which python function",
					"which functions", "function is", "which code")) &&
	       question_says_any(q, ANY_OF("idle", "wait", "waits", "waiting", "gap", "gaps",
					   "blame", "starve", "starved", "stall")) &&
	       !question_says_any(q, ANY_OF("cuda", "api", "nvtx", "kernel"));
}

/* "what share of the kernel time": of what the share is says which table has it. */
static bool is_of_kernel_time(const struct question *q)
{
	return q->measure == MEASURE_SHARE && !q->names.are_ranges &&
	       question_says_any(q, ANY_OF("kernel time", "kernel duration"));
}

/* Those that are longer are told one by one; a share of them may be known of the total. */
static bool is_total_of_longer(const struct document *d, const struct question *q)
{
	return q->threshold.is_given && q->measure != MEASURE_SHARE && !d->topic->filters;
}

/* A cause, a moment, a list, a single event: what is asked for suits some topics alone. */
static double add_intent(const struct document *d, const struct question *q, double words)
{
	double score = words;

	if (q->intent == ASKS_WHY)
		score = document_is_about(d, "findings", NULL) ? score + WHY : score * WHY_OTHERS;
	if (q->hints_at_why && document_is_about(d, "findings", NULL))
		score += q->wants_rows ? HINT / 2 : HINT;
	/* Sums of many launches began at no moment. */
	if (q->measure == MEASURE_MOMENT && q->intent == ASKS_WHEN &&
	    document_is_about(d, "kernels", NULL))
		score *= OTHERS;
	if (q->is_moment && document_is_about(d, "ops", NULL))
		score += MOMENT;
	else if (q->measure == MEASURE_MOMENT && q->names.count &&
		 document_is_about(d, "ops", NULL))
		score += OTHER_NAME;
	if (q->has_window && !q->is_moment && words < WINDOW_ALONE &&
	    document_is_about(d, "summary", "gpu_partition"))
		score += WINDOW_ALONE;
	if (says_range(q) && (q->work.kinds & WORK_COPY) &&
	    document_is_about(d, "copies_by_range", NULL))
		score += BY_RANGE;
	/* How long ranges are on the host says nothing of the GPU. */
	if ((says_range(q) || q->names.are_ranges) && question_says(q, "gpu") && !says_host(q) &&
	    (q->measure == MEASURE_TIME || q->intent == ASKS_COMPARE) &&
	    document_is_about(d, "nvtx", "nvtx"))
		score += BY_RANGE;
	/* How long single ranges are is known on the host. */
	if ((says_range(q) || q->names.are_ranges) && asks_of_single(q) &&
	    !question_says(q, "gpu") && !question_says(q, "kernel") &&
	    document_is_about(d, "ranges", NULL))
		score += 1.5 * NAMED_HEAD;
	if (d->topic->is_total && (q->top > 1 || is_total_of_longer(d, q)))
		score -= LIST;
	if (d->topic->is_total && q->is_ranked)
		score -= LIST / 2;
	if (q->wants_single && document_is_about(d, "ops", NULL))
		score += SINGLE;
	if (is_of_exposed_copies(q) && document_is_about(d, "summary", "gpu_partition"))
		score += 8 * WINDOW_ALONE;
	if (blames_function(q) && document_is_about(d, "code", NULL))
		score += 2 * STREAMS;
	if (is_of_kernel_time(q) && document_is_about(d, "kernels", NULL) && !d->topic->needs_all)
		score += 4 * NAMED_HEAD;
	/* Of the launches of a kernel some are longer: each has to be looked at. */
	if (tells_each(d, q))
		return score + EACH;
	/* What a flag brings is what grammar asks for, or not meant. */
	return d->topic->flag ? score * NOT_EACH : score;
}

static bool says_by_process(const struct question *q)
{
	return question_says(q, "by process") || question_says(q, "per process") ||
	       question_says(q, "each process");
}

/* How many kernels a step has is a number of the step. */
static bool counts_kernels(const struct question *q)
{
	return q->measure == MEASURE_COUNT && q->work.kinds == WORK_KERNEL && !q->names.count;
}

/* Of requests and tokens it is known how many there are and how long they take: no kernels. */
static bool is_of_work_alone(const struct document *d, const struct question *q)
{
	return document_is_about(d, "workload", NULL) &&
	       (counts_kernels(q) || (q->names.count && q->names.are_ranges));
}

/* Rows of steps and ranks tell how many kernels there are and how long they take: no copies, and
 * nothing of single kernels. */
static bool is_of_other_work(const struct question *q)
{
	const uint32_t single = 1u << MEASURE_MEAN | 1u << MEASURE_MEDIAN | 1u << MEASURE_P90 |
				1u << MEASURE_P99 | 1u << MEASURE_MOST | 1u << MEASURE_LEAST;

	return !q->is_per_step && !(q->head && str_is_listed(str_of(q->head), "step rank")) &&
	       (q->names.are_kernels || q->work.kinds & (WORK_COPY | WORK_MEMSET) ||
		(q->work.kinds == WORK_KERNEL && q->measures & single));
}

/* A number of all steps that are meant is no number of each of them: it is one of a window. */
static bool is_of_all_steps(const struct question *q)
{
	return counts_kernels(q) || question_says(q, "busy") || question_says(q, "idle") ||
	       question_says(q, "utilization");
}

static bool counts_streams(const struct question *q)
{
	return q->measure == MEASURE_COUNT && q->head && strcmp(q->head, "stream") == 0 &&
	       !q->streams.count;
}

static bool says_unit(const struct question *q)
{
	return question_says_any(q, ANY_OF("tensor", "sm", "sms", "dram", "pcie", "nvlink"));
}

/* What is told apart by stream, or range, is a table that can be grouped so. */
static double group_score(const struct document *d, const struct question *q)
{
	const char *by = question_group(q);
	const char *of = q->work.kinds & (WORK_COPY | WORK_MEMSET) ? "memory" : "kernels";

	if (!by)
		return 0;
	if (strcmp(by, "stream") == 0 || strcmp(by, "device") == 0)
		return !document_is_about(d, of, of) || d->topic->needs_all ? 0
		       : q->names_kernels				    ? 4 * STREAMS
									    : 2 * STREAMS;
	return says_unit(q) && document_is_about(d, "metrics", "metrics") ? 2 * STREAMS : 0;
}

/* Streams, steps and ranks: some topics tell them apart, others know none. */
static double add_place(const struct document *d, const struct question *q, double score)
{
	const bool is_of_stream = q->streams.count && q->work.each != EACH_BEYOND;

	/* What a stream is for is one question, how much time it takes another. */
	if (is_of_stream && q->work.kinds == WORK_KERNEL &&
	    (q->measure == MEASURE_ANY || q->measure == MEASURE_COUNT))
		score +=
			document_is_about(d, "kernels", NULL) && !d->topic->needs_all ? STREAMS : 0;
	else if (is_of_stream && q->work.kinds & (WORK_COPY | WORK_MEMSET))
		score += document_is_about(d, "memory", "memory") ? STREAMS : 0;
	else if (is_of_stream && !q->names.count &&
		 document_is_about(d, q->measure == MEASURE_ANY ? "streams" : "summary", "streams"))
		score += STREAMS;
	score += group_score(d, q);
	if (says_by_process(q) && document_is_about(d, "processes", NULL))
		score += STREAMS;
	if (counts_streams(q) && document_is_about(d, "summary", "streams"))
		score += STREAMS;
	if (!is_of_other_work(q) && !is_of_all_steps(q) &&
	    (q->not_steps.count || (q->step_span.is_given && q->step_span.last == UINT32_MAX)))
		score += document_is_about(d, "iters", "iterations") ? NOT_STEPS : 0;
	if (question_names_steps(q) && !is_of_other_work(q) &&
	    document_is_about(d, "iters", "iterations"))
		score += counts_kernels(q) ? 2 * STEPS : STEPS;
	else if (lacks_place(d, q))
		score *= LACKS_PLACE;
	if (q->is_of_samples && document_is_about(d, "metrics", "metrics_all"))
		score += EACH;
	/* Others know ranges by their names, steps know their own. */
	if (q->is_of_step_range && document_is_about(d, "iters", "iterations"))
		score += EACH;
	/* Of kernels by their names tables of ranks know nothing. */
	if (q->ranks.count && q->names.are_kernels && is_rank_topic(d))
		score *= OTHERS * OTHERS;
	else if (q->ranks.count && !is_of_other_work(q))
		score = d->topic->row && strstr(d->topic->row, "{rank}") ? score + ranks_score(d, q)
									 : score * OTHERS;
	return score;
}

/* Of a kernel by its name: how often, how long. */
static bool is_number_measure(enum measure m)
{
	return m == MEASURE_COUNT || m == MEASURE_TIME || m == MEASURE_MEAN ||
	       m == MEASURE_MEDIAN || m == MEASURE_P90 || m == MEASURE_P99 || m == MEASURE_MOST ||
	       m == MEASURE_LEAST || m == MEASURE_SHARE;
}

/* "does forward take longer than backward": rows of GPU time tell that of the host, too. */
static bool compares_times(const struct question *q)
{
	return q->intent == ASKS_COMPARE && q->names.count > 1 && !says_host(q) &&
	       (q->measure == MEASURE_ANY || q->measure == MEASURE_TIME);
}

/* A name is a call's, a range's or a kernel's: what lists those is meant. */
static double name_score(const struct document *d, const struct question *q)
{
	if (names_table(q))
		return document_is_about(d, "schema", NULL) ? CALL_NAME : 0;
	if (names_call(q))
		return document_is_about(d, "api", NULL) ? CALL_NAME : 0;
	/* What it launches is not what it takes on the host. */
	if (q->names.are_ranges && q->measure == MEASURE_COUNT &&
	    (q->work.kinds || question_says(q, "operation")))
		return document_is_about(d, "nvtx", "nvtx") ? CALL_NAME : 0;
	if (q->names.are_ranges) {
		/* Operations of NCCL are ranges on the host; no CUDA call is called so. */
		const bool is_sure = q->names.count > 1 || q->names.are_numbered ||
				     (str_starts(q->names.all[0], "nccl") &&
				      q->measure != MEASURE_BYTES && q->measure != MEASURE_RATE);
		const double name = is_sure ? CALL_NAME : OTHER_NAME;

		return document_is_about(d, "ranges", NULL) ? name + (says_host(q) ? HOST : 0)
		       : document_is_about(d, "nvtx", "nvtx")
			       ? name * (compares_times(q) ? 1.2 : 0.9)
			       : 0;
	}
	if (!q->names.count)
		return q->names_kernels && !says_range(q) &&
				       document_is_about(d, "kernels", NULL) && !d->topic->needs_all
			       ? NAMED_HEAD
			       : 0;
	if (q->names.are_kernels &&
	    (is_number_measure(q->measure) || q->ranks.count > 1 || q->streams.count > 1) &&
	    document_is_about(d, "kernels", NULL))
		return CALL_NAME;
	/* When it was is known of each launch alone. */
	if (q->measure == MEASURE_MOMENT && q->names.are_kernels)
		return document_is_about(d, "ops", "gpu_ops") ? 2 * CALL_NAME : 0;
	if (q->measure == MEASURE_MOMENT && document_is_about(d, "kernels", NULL))
		return 0;
	return document_is_about(d, "kernels", NULL) ? OTHER_NAME
	       : document_is_about(d, "nvtx", "nvtx") || document_is_about(d, "search", NULL)
		       ? OTHER_NAME * 0.6
	       : document_is_about(d, "ranges", NULL) ? OTHER_NAME * 0.4
						      : 0;
}

/* Rows that are told with the measure that is asked for answer better than others. */
static double measure_score(const struct document *d, const struct question *q)
{
	const char *key = q->measure == MEASURE_MEAN	? "{avg"
			  : q->measure == MEASURE_MOST	? "{max"
			  : q->measure == MEASURE_SHARE ? "pct}"
							: NULL;

	return key && d->topic->row && strstr(d->topic->row, key) ? TELLS_MEASURE : 0;
}

/* What several words say together is what one topic tells. */
static double about_score(const struct document *d, const struct question *q)
{
	static const struct {
		const char *analysis, *table;
	} topics[] = {[ABOUT_CAPTURE_LENGTH] = {"info", "capture"},
		      [ABOUT_GRAPH_KERNELS] = {"graphs", "graphs"},
		      [ABOUT_OS_CALLS] = {"stats", NULL},
		      [ABOUT_IDLE_CALL] = {"findings", NULL}};

	return topics[q->about].analysis && document_is_about(d, topics[q->about].analysis,
							      topics[q->about].table)
		       ? EACH
		       : 0;
}

double route_grammar_score(const struct document *d, const struct question *q, double words)
{
	const double of_words = is_of_work_alone(d, q) ? words * OTHERS : words;

	return add_place(d, q, add_intent(d, q, of_words)) + name_score(d, q) +
	       measure_score(d, q) + about_score(d, q);
}
