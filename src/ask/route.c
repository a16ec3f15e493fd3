/* Which topics does a question fit? */
#include "ask/route.h"

#include "ask/learned.h"
#include "ask/named_rows.h"
#include "base/mem.h"
#include "options/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/*
 * What was found by trying on questions of tests/ask that may be tuned on: how much what grammar
 * has found adds to what the words say, and below which score, or share of words that are known, a
 * question is about something else.
 */
static const double WHY = 9, WHY_OTHERS = 0.55, MOMENT = 4, WINDOW_ALONE = 3, CALL_NAME = 8,
		    OTHER_NAME = 4, LEAST_SCORE = 2.2, LEAST_KNOWN = 0.45, LEAST_KNOWN_WHY = 0.05,
		    LEAST_ANCHORED = 0.34, STREAMS = 5, STEPS = 2, PLACE = 0.3, SAME = 5,
		    ALMOST = 0.9, SURE_SCORE = 3.5, SURE_LEAD = 1.6, SURE_COVER = 0.7,
		    UNKNOWN_RARITY = 3.2, STOP_RARITY = 0.35, HEAD = 2.5, LIKE_ALONE = 0.5,
		    LIST = 4, HINT = 4, TELLS_RANKS = 4, OTHERS = 0.6, NAMED = 2, SINGLE = 3,
		    LIKE = 4, SUBJECT = 1.5, LACKS_PLACE = 0.6, HOST = 2, HEAD_SHARE = 0.6,
		    EACH = 60, NOT_EACH = 0.3, BY_RANGE = 4, NAMED_HEAD = 3, NOT_STEPS = 4,
		    TELLS_MEASURE = 1;

static bool is_about(const struct document *d, const char *analysis, const char *table)
{
	return strcmp(d->analysis->name, analysis) == 0 &&
	       (!table || (d->topic->table && strcmp(d->topic->table, table) == 0));
}

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

	return is_about(d, "ranks", NULL) && !communicates ? TELLS_RANKS
	       : is_rank_topic(d)			   ? TELLS_RANKS * 0.4
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
		return is_about(d, "search", NULL);
	if (q->work.each == EACH_NONE || !is_about(d, "ops", NULL))
		return false;
	return flag && wanted ? strcmp(flag, wanted) == 0 : !flag && !wanted;
}

/* Copies that no kernel hides: that is part of a window, communication or not. */
static bool is_of_exposed_copies(const struct question *q)
{
	return q->work.kinds & WORK_COPY && !question_says(q, "communication") &&
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
		score = is_about(d, "findings", NULL) ? score + WHY : score * WHY_OTHERS;
	if (q->hints_at_why && is_about(d, "findings", NULL))
		score += q->wants_rows ? HINT / 2 : HINT;
	/* Sums of many launches began at no moment. */
	if (q->measure == MEASURE_MOMENT && q->intent == ASKS_WHEN && is_about(d, "kernels", NULL))
		score *= OTHERS;
	if (q->is_moment && is_about(d, "ops", NULL))
		score += MOMENT;
	else if (q->measure == MEASURE_MOMENT && q->names.count && is_about(d, "ops", NULL))
		score += OTHER_NAME;
	if (q->has_window && !q->is_moment && words < WINDOW_ALONE &&
	    is_about(d, "summary", "gpu_partition"))
		score += WINDOW_ALONE;
	if (says_range(q) && (q->work.kinds & WORK_COPY) && is_about(d, "copies_by_range", NULL))
		score += BY_RANGE;
	/* How long single ranges are is known on the host. */
	if ((says_range(q) || q->names.are_ranges) && asks_of_single(q) &&
	    !question_says(q, "gpu") && !question_says(q, "kernel") && is_about(d, "ranges", NULL))
		score += 1.5 * NAMED_HEAD;
	if (d->topic->is_total && (q->top > 1 || is_total_of_longer(d, q)))
		score -= LIST;
	if (d->topic->is_total && q->is_ranked)
		score -= LIST / 2;
	if (q->wants_single && is_about(d, "ops", NULL))
		score += SINGLE;
	if (is_of_exposed_copies(q) && is_about(d, "summary", "gpu_partition"))
		score += 4 * WINDOW_ALONE;
	if (blames_function(q) && is_about(d, "code", NULL))
		score += 2 * STREAMS;
	if (is_of_kernel_time(q) && is_about(d, "kernels", NULL) && !d->topic->needs_all)
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
	return is_about(d, "workload", NULL) &&
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
		return is_about(d, of, of) && !d->topic->needs_all ? 2 * STREAMS : 0;
	return says_unit(q) && is_about(d, "metrics", "metrics") ? 2 * STREAMS : 0;
}

/* Streams, steps and ranks: some topics tell them apart, others know none. */
static double add_place(const struct document *d, const struct question *q, double score)
{
	const bool is_of_stream = q->streams.count && q->work.each != EACH_BEYOND;

	/* What a stream is for is one question, how much time it takes another. */
	if (is_of_stream && q->work.kinds == WORK_KERNEL &&
	    (q->measure == MEASURE_ANY || q->measure == MEASURE_COUNT))
		score += is_about(d, "kernels", NULL) && !d->topic->needs_all ? STREAMS : 0;
	else if (is_of_stream && q->work.kinds & (WORK_COPY | WORK_MEMSET))
		score += is_about(d, "memory", "memory") ? STREAMS : 0;
	else if (is_of_stream && !q->names.count &&
		 is_about(d, q->measure == MEASURE_ANY ? "streams" : "summary", "streams"))
		score += STREAMS;
	score += group_score(d, q);
	if (says_by_process(q) && is_about(d, "processes", NULL))
		score += STREAMS;
	if (counts_streams(q) && is_about(d, "summary", "streams"))
		score += STREAMS;
	if (!is_of_other_work(q) && !is_of_all_steps(q) &&
	    (q->not_steps.count || (q->step_span.is_given && q->step_span.last == UINT32_MAX)))
		score += is_about(d, "iters", "iterations") ? NOT_STEPS : 0;
	if (question_names_steps(q) && !is_of_other_work(q) && is_about(d, "iters", "iterations"))
		score += counts_kernels(q) ? 2 * STEPS : STEPS;
	else if (lacks_place(d, q))
		score *= LACKS_PLACE;
	if (q->ranks.count && !is_of_other_work(q))
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

/* A name is a call's, a range's or a kernel's: what lists those is meant. */
static double name_score(const struct document *d, const struct question *q)
{
	if (names_table(q))
		return is_about(d, "schema", NULL) ? CALL_NAME : 0;
	if (names_call(q))
		return is_about(d, "api", NULL) ? CALL_NAME : 0;
	/* What it launches is not what it takes on the host. */
	if (q->names.are_ranges && q->measure == MEASURE_COUNT &&
	    (q->work.kinds || question_says(q, "operation")))
		return is_about(d, "nvtx", "nvtx") ? CALL_NAME : 0;
	if (q->names.are_ranges) {
		const double name =
			q->names.count > 1 || q->names.are_numbered ? CALL_NAME : OTHER_NAME;

		return is_about(d, "ranges", NULL)   ? name + (says_host(q) ? HOST : 0)
		       : is_about(d, "nvtx", "nvtx") ? name * 0.9
						     : 0;
	}
	if (!q->names.count)
		return q->names_kernels && !says_range(q) && is_about(d, "kernels", NULL) &&
				       !d->topic->needs_all
			       ? NAMED_HEAD
			       : 0;
	if (q->names.are_kernels && is_number_measure(q->measure) && is_about(d, "kernels", NULL))
		return CALL_NAME;
	/* When it was is known of each launch alone. */
	if (q->measure == MEASURE_MOMENT && q->names.are_kernels)
		return is_about(d, "ops", "gpu_ops") ? 2 * CALL_NAME : 0;
	if (q->measure == MEASURE_MOMENT && is_about(d, "kernels", NULL))
		return 0;
	return is_about(d, "kernels", NULL)				    ? OTHER_NAME
	       : is_about(d, "nvtx", "nvtx") || is_about(d, "search", NULL) ? OTHER_NAME * 0.6
	       : is_about(d, "ranges", NULL)				    ? OTHER_NAME * 0.4
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

static double grammar_score(const struct document *d, const struct question *q, double words)
{
	const double of_words = is_of_work_alone(d, q) ? words * OTHERS : words;

	return add_place(d, q, add_intent(d, q, of_words)) + name_score(d, q) + measure_score(d, q);
}

static double weight_of(const struct corpus *c, const struct word *w)
{
	const int64_t term = w->is_stop ? TERM_NONE : corpus_term(c, w->stem);

	return w->is_stop ? STOP_RARITY : term == TERM_NONE ? UNKNOWN_RARITY : c->rarity[term];
}

static double weight_of_all(const struct corpus *c, const struct words *w)
{
	double sum = 0;

	for (size_t i = 0; i < w->count; i++)
		sum += weight_of(c, &w->all[i]);
	return sum;
}

/* How much of a question another one has, and how little besides: 1 is the same. */
static double likeness(const struct corpus *c, const struct question *q, const struct example *x)
{
	const double all = weight_of_all(c, &q->words) + weight_of_all(c, &x->words);
	double shared = 0;

	for (size_t i = 0; i < x->words.count; i++) {
		size_t j = 0;

		while (j < q->words.count &&
		       (q->is_used[j] || strcmp(q->words.all[j].stem, x->words.all[i].stem) != 0))
			j++;
		if (j < q->words.count)
			shared += 2 * weight_of(c, &x->words.all[i]);
	}
	return all > 0 ? shared / all : 0;
}

/* By document, that of the example which is most like the question; returns the most of all. */
static double add_likeness(const struct corpus *c, const struct question *q, double *scores)
{
	double *best = mem_zalloc(c->count, sizeof(*best)), most = 0;

	for (size_t x = 0; x < c->example_count; x++) {
		const double like = likeness(c, q, &c->examples[x]);

		if (like > best[c->examples[x].document])
			best[c->examples[x].document] = like;
	}
	for (size_t d = 0; d < c->count; d++) {
		scores[d] += LIKE * best[d] + (best[d] > ALMOST ? SAME : 0);
		most = best[d] > most ? best[d] : most;
	}
	free(best);
	return most;
}

/* Whether a topic is about what "which" or "how many" are asked of. */
static bool is_head(const struct document *d, const struct question *q)
{
	const char *list = d->topic->subject;

	for (struct str next; list && q->head && (next = str_next_word(&list)).len;) {
		char subject[WORD_LONGEST] = "";

		memcpy(subject, next.s, next.len < WORD_LONGEST ? next.len : WORD_LONGEST - 1);
		word_stem(subject);
		/* "GPUs" are none to the stemmer: "status" is no plural, either. */
		if (strcmp(subject, q->head) == 0 ||
		    (str_ends(str_of(subject), "s") &&
		     str_eq(str_of(q->head), (struct str){subject, strlen(subject) - 1})))
			return true;
	}
	return false;
}

/* Words that say what a topic is about count, however many other topics have them. */
static double subject_score(const struct document *d, const struct question *q)
{
	size_t said = 0;

	for (size_t i = 0; d->topic->subject && i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		said += !w->is_quoted && !q->is_place[i] &&
			(str_is_listed(str_of(w->text), d->topic->subject) ||
			 str_is_listed(str_of(w->stem), d->topic->subject));
	}
	return SUBJECT * (double)(said < 2 ? said : 2) + (is_head(d, q) ? HEAD : 0);
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->document > y->document) - (x->document < y->document);
}

/* Words that say what is asked about; grammar has taken the others. */
static bool is_subject(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];

	return !w->is_stop && !q->is_used[i] && !w->is_quoted &&
	       !isdigit((unsigned char)w->text[0]);
}

/* A word that is a name of the trace and nothing else: of a kernel or range, most likely. */
static void add_named(const struct corpus *c, double *scores)
{
	for (size_t d = 0; d < c->count; d++) {
		const struct document *doc = &c->documents[d];

		scores[d] += is_about(doc, "kernels", NULL)  ? NAMED
			     : is_about(doc, "nvtx", "nvtx") ? NAMED * 0.7
			     : is_about(doc, "ranges", NULL) ? NAMED * 0.6
							     : 0;
	}
}

/* How much of what was said the document is about. */
static double cover_of(const struct corpus *c, const struct question *q, size_t document,
		       is_name_fn *is_name, void *ctx)
{
	double covered = 0, all = 0;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];
		const int64_t term = is_subject(q, i) ? corpus_term(c, w->stem) : TERM_NONE;
		const double weight = term == TERM_NONE ? UNKNOWN_RARITY : c->rarity[term];

		if (!is_subject(q, i) || q->is_place[i])
			continue;
		all += weight;
		if (term != TERM_NONE ? corpus_weight(c, term, document) > 0
				      : is_name && is_name(ctx, w->text))
			covered += weight;
	}
	return all > 0 ? covered / all : 1;
}

/* Whether a name of the trace has the word, as it was said or as the dictionary has it. */
static bool is_said_name(const struct word *w, is_name_fn *is_name, void *ctx)
{
	char said[WORD_LONGEST + 1] = "";

	memcpy(said, w->said.s, w->said.len < WORD_LONGEST ? w->said.len : WORD_LONGEST);
	return is_name(ctx, w->text) || is_name(ctx, said);
}

/* "flash kernels", "sample ranges": what a name of the trace stands before says what has it. */
static void add_named_head(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			   void *ctx, double *scores)
{
	for (size_t i = 0; is_name && i + 1 < q->words.count; i++) {
		const bool is_kernel = strcmp(q->words.all[i + 1].stem, "kernel") == 0,
			   is_range = strcmp(q->words.all[i + 1].stem, "rang") == 0;
		const char *analysis = is_range			      ? "ranges"
				       : q->measure == MEASURE_MOMENT ? "ops"
								      : "kernels";

		if ((!is_kernel && !is_range) || !is_subject(q, i) || q->is_place[i] ||
		    word_is_common(&q->words.all[i]) ||
		    !is_said_name(&q->words.all[i], is_name, ctx))
			continue;
		for (size_t d = 0; d < c->count; d++)
			scores[d] += is_about(&c->documents[d], analysis, NULL) ? NAMED_HEAD : 0;
		return;
	}
}

static double *score_words(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			   void *ctx, double *ret_known)
{
	/* A name is known, whoever has it. */
	const double names = (double)q->names.count * UNKNOWN_RARITY;
	double *scores = mem_zalloc(c->count, sizeof(*scores)), known = names, all = names;

	for (size_t i = 0; i < q->words.count; i++) {
		const int64_t term =
			is_subject(q, i) ? corpus_term(c, q->words.all[i].stem) : TERM_NONE;
		bool repeats = false;

		for (size_t j = 0; j < i; j++)
			repeats |= strcmp(q->words.all[j].stem, q->words.all[i].stem) == 0;
		if (!is_subject(q, i) || repeats || (term == TERM_NONE && q->is_place[i]))
			continue;
		if (term == TERM_NONE) {
			const bool named = is_name && is_name(ctx, q->words.all[i].text);

			all += UNKNOWN_RARITY;
			known += named ? UNKNOWN_RARITY : 0;
			if (named)
				add_named(c, scores);
			continue;
		}
		/* A word that many topics have is no less known here than one that few have. */
		all += UNKNOWN_RARITY;
		known += c->is_said[term] ? UNKNOWN_RARITY : 0;
		for (size_t d = 0; d < c->count; d++)
			scores[d] += corpus_weight(c, term, d) * (q->is_place[i] ? PLACE : 1);
	}
	*ret_known = all > 0 ? known / all : q->names.count || q->has_window ? 1 : NAN;
	return scores;
}

/* Whether a word is what some topic is about, or a place in a trace is named. */
static bool is_anchored(const struct corpus *c, const struct question *q)
{
	if (q->names.count || question_names_steps(q) || q->ranks.count || q->streams.count ||
	    q->devices.count || q->has_window)
		return true;
	for (size_t d = 0; d < c->count; d++) {
		if (subject_score(&c->documents[d], q) > 0)
			return true;
	}
	return false;
}

/* "how do I sort a list": who asks how, and not how to make the run faster, has to name what is
 * known here. */
static bool asks_how_elsewhere(const struct question *q)
{
	static const char better[] =
		"why faster speed improve reduce fix avoid optimize optimise cut "
		"shorten increase lower hide overlap save better less more";

	if (!question_asks_how(q))
		return false;
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].text), better))
			return false;
	}
	return true;
}

/* How much of what was said has to be known here for a question to be about a trace. */
static double least_known(const struct corpus *c, const struct question *q)
{
	return asks_how_elsewhere(q)			  ? LEAST_KNOWN
	       : q->intent == ASKS_WHY || q->hints_at_why ? LEAST_KNOWN_WHY
	       : is_anchored(c, q)			  ? LEAST_ANCHORED
							  : LEAST_KNOWN;
}

/* "how much does an H200 cost": nothing but a name is known of it. */
static bool asks_price(const struct question *q, double known)
{
	const struct word *last = q->words.count ? &q->words.all[q->words.count - 1] : NULL;

	return last && known < 0.75 &&
	       (strcmp(last->stem, "cost") == 0 || strcmp(last->stem, "pric") == 0);
}

double route_score(double *ret, const struct corpus *c, const struct question *q,
		   is_name_fn *is_name, void *ctx)
{
	double known;
	double *scores = score_words(c, q, is_name, ctx, &known);
	const double like = add_likeness(c, q, scores);

	add_named_head(c, q, is_name, ctx, scores);

	for (size_t d = 0; d < c->count; d++)
		ret[d] = grammar_score(&c->documents[d], q,
				       scores[d] + subject_score(&c->documents[d], q));
	free(scores);
	/* There is no word of substance: what is asked as we would ask it is understood. */
	if (isnan(known))
		known = like >= LIKE_ALONE || q->intent == ASKS_WHY || q->hints_at_why ? 1 : 0;
	return known;
}

/*
 * Of an analysis's topics, the one that is about what is counted or asked for by itself, where it
 * is not far behind; of a share or a time the noun says less.
 */
static void prefer_head(struct candidate *all, size_t count, const struct question *q)
{
	if (q->measure != MEASURE_COUNT && q->measure != MEASURE_ANY)
		return;
	for (size_t i = 0; i < count && !is_head(all[0].document, q); i++) {
		const struct candidate found = all[i];

		if (found.document->analysis != all[0].document->analysis ||
		    found.score < all[0].score * HEAD_SHARE || !is_head(found.document, q))
			continue;
		memmove(all + 1, all, i * sizeof(*all));
		all[0] = found;
	}
}

/* Its score by that of the best one of another analysis. */
static double lead_of(const struct candidate *all, size_t count)
{
	size_t next = 1;

	while (next < count && all[next].document->analysis == all[0].document->analysis)
		next++;
	return next == count || all[next].score <= 0 ? INFINITY : all[0].score / all[next].score;
}

bool route_is_sure(const struct route *r, double lead)
{
	return r->all[0].score >= SURE_SCORE && r->lead >= lead && r->all[0].cover >= SURE_COVER;
}

void route_rank(struct route *ret, const struct corpus *c, const struct question *q,
		const double *scores, is_name_fn *is_name, void *ctx)
{
	struct candidate *all = mem_alloc(c->count, sizeof(*all));

	for (size_t d = 0; d < c->count; d++)
		all[d] = (struct candidate){&c->documents[d], scores[d], 0};
	qsort(all, c->count, sizeof(*all), by_score);
	prefer_head(all, c->count, q);
	ret->count = c->count < CANDIDATES ? c->count : CANDIDATES;
	memcpy(ret->all, all, ret->count * sizeof(*all));
	for (size_t i = 0; i < ret->count; i++)
		ret->all[i].cover =
			cover_of(c, q, (size_t)(ret->all[i].document - c->documents), is_name, ctx);
	ret->lead = lead_of(all, c->count);
	ret->is_head = is_head(all[0].document, q);
	ret->is_sure = route_is_sure(ret, SURE_LEAD);
	free(all);
}

void route_make(struct route *ret, const struct corpus *c, const struct question *q,
		is_name_fn *is_name, void *ctx)
{
	double *scores = mem_alloc(c->count, sizeof(*scores));

	ret->known = route_score(scores, c, q, is_name, ctx);
	learned_add(c, q, scores);
	route_rank(ret, c, q, scores, is_name, ctx);
	ret->is_foreign = q->is_elsewhere || ret->all[0].score < LEAST_SCORE ||
			  ret->known < least_known(c, q) || asks_price(q, ret->known);
	free(scores);
}

struct str route_nearest_question(const struct route *r, const struct corpus *c,
				  const struct question *q, size_t i)
{
	const size_t document = (size_t)(r->all[i].document - c->documents);
	struct str best = {0};
	double most = -1;

	for (size_t x = 0; x < c->example_count; x++) {
		const double like =
			c->examples[x].document == document ? likeness(c, q, &c->examples[x]) : -1;

		if (like > most) {
			most = like;
			best = c->examples[x].text;
		}
	}
	return best;
}
