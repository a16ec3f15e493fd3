/* Which work on the GPU does a question name, and does it ask about single pieces of it? */
#include "ask/question/question.h"

#include "base/mem.h"

#include <ctype.h>

static bool is_open(const struct question *q, size_t i)
{
	return i < q->words.count && !q->words.all[i].is_quoted && !q->is_used[i];
}

static bool is_one_of(const struct question *q, size_t i, const char *list)
{
	return is_open(q, i) && (str_is_listed(str_of(q->words.all[i].text), list) ||
				 str_is_listed(str_of(q->words.all[i].stem), list));
}

static bool has_one_of(const struct question *q, const char *list)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (is_one_of(q, i, list))
			return true;
	}
	return false;
}

/* As the tool writes where a copy goes; NULL: the word says none. */
static const char *direction_of(const char *word)
{
	static const char *const directions[][2] = {{"h2d", "Host-to-Device"},
						    {"d2h", "Device-to-Host"},
						    {"d2d", "Device-to-Device"},
						    {"p2p", "Peer-to-Peer"}};

	for (size_t i = 0; i < ARRAY_LEN(directions); i++) {
		if (strcmp(word, directions[i][0]) == 0)
			return directions[i][1];
	}
	return NULL;
}

/* One direction, or two that are told apart; of more, none is meant. */
static void find_directions(struct question *q)
{
	struct asked_work *w = &q->work;

	for (size_t i = 0; i < q->words.count; i++) {
		const char *next = is_open(q, i) ? direction_of(q->words.all[i].text) : NULL;

		if (!next || (w->direction && strcmp(next, w->direction) == 0))
			continue;
		if (w->other_direction && strcmp(next, w->other_direction) != 0) {
			w->direction = w->other_direction = NULL;
			return;
		}
		if (w->direction)
			w->other_direction = next;
		else
			w->direction = next;
	}
	/* "to the card or back": what the one is compared with is said otherwise. */
	if (q->intent == ASKS_COMPARE && !w->other_direction)
		w->direction = NULL;
}

static unsigned find_kinds(const struct question *q)
{
	unsigned kinds = 0;

	kinds |= has_one_of(q, "kernel") ? WORK_KERNEL : 0;
	kinds |= has_one_of(q, "copy copi h2d d2h d2d p2p") ? WORK_COPY : 0;
	kinds |= has_one_of(q, "memset") ? WORK_MEMSET : 0;
	return kinds ? kinds : has_one_of(q, "launch") ? WORK_KERNEL : 0;
}

/* How a kernel is launched: its grid, blocks, threads, registers, shared memory. */
static bool asks_shape(const struct question *q)
{
	if (has_one_of(q, "spill spilling bank conflict occupancy cpu host waiting stuck"))
		return false;
	return has_one_of(q, "grid register smem blockdim griddim") ||
	       question_says(q, "shared memory") || question_says(q, "block size") ||
	       question_says(q, "block dimension") || question_says(q, "block dimensions") ||
	       question_says(q, "launch configuration") || question_says(q, "launch config") ||
	       question_says(q, "launch bounds") || question_says(q, "launch dimensions") ||
	       question_says(q, "thread blocks") || question_says(q, "thread block") ||
	       question_says(q, "many blocks") || question_says(q, "number of blocks") ||
	       (has_one_of(q, "thread") &&
		(question_says(q, "block") || question_says(q, "blocks")));
}

/* What else lasts or is large: kernels may only say where it is. */
static bool is_about_others(const struct question *q)
{
	static const char others[] = "outlier tail jitter straggler gap step range call idle wait "
				     "synchronization collective nccl stall "
				     "pause api graph request token phase stream";

	/* "in step 3" is no question about steps. */
	for (size_t i = 0; i < q->words.count; i++) {
		if (!q->is_place[i] && is_one_of(q, i, others))
			return true;
	}
	return false;
}

static const char firsts[] = "first earliest", lasts[] = "last latest final";

/* "the very first kernel", "which kernel ran last", not "its first launch", "how long does it
 * last".
 */
static bool is_edge(const struct question *q, size_t i)
{
	static const char work[] = "kernel copy copi memset operation op h2d d2h d2d";
	static const char happens[] = "run ran runs came come comes started starts ended ends "
				      "finished finishes executed launched";
	size_t next = i + 1;

	if (!is_one_of(q, i, firsts) && !is_one_of(q, i, lasts))
		return false;
	while (is_one_of(q, next, "gpu cuda device single"))
		next++;
	return is_one_of(q, next, work) ||
	       (i && is_one_of(q, i - 1, happens) && has_one_of(q, work) &&
		!is_one_of(q, next, "launch time"));
}

/* One end; "between the first and the last kernel" names two. */
static bool find_edge(struct question *q)
{
	size_t said = 0;
	bool is_first = false;

	for (size_t i = 0; i < q->words.count; i++) {
		if (!is_edge(q, i))
			continue;
		said++;
		is_first = is_one_of(q, i, firsts);
	}
	if (said != 1)
		return false;
	q->is_earliest = is_first;
	q->is_latest = !is_first;
	return true;
}

static bool asks_spread(const struct question *q)
{
	return !(q->measures >> MEASURE_BYTES & 1) && !q->work.other_direction &&
	       (q->measure == MEASURE_MEDIAN || q->measure == MEASURE_P90 ||
		q->measure == MEASURE_P99);
}

static bool names_call(const struct question *q)
{
	return q->names.count && (str_starts(q->names.all[0], "cuda") ||
				  (str_starts(q->names.all[0], "cu") && q->names.all[0].len > 3 &&
				   isupper((unsigned char)q->names.all[0].s[2])));
}

/* "CUDA API calls longer than 1 ms". */
static bool says_calls(const struct question *q)
{
	return !q->names.count && !q->work.kinds &&
	       (has_one_of(q, "api") || question_says(q, "cuda call") ||
		question_says(q, "cuda calls") || question_says(q, "runtime calls"));
}

/* "mean size". */
static bool is_number_of_sizes(const struct question *q)
{
	return q->measures >> MEASURE_BYTES & 1 && q->measure != MEASURE_BYTES;
}

/* Tables of streams tell how long kernels ran on each: of copies, or of single kernels, they know
 * nothing. */
static bool is_of_work_on_stream(const struct question *q)
{
	const uint32_t single = 1u << MEASURE_MEAN | 1u << MEASURE_MOST | 1u << MEASURE_LEAST;
	const bool is_single = (q->measures & single) != 0;

	if (!q->streams.count || q->names.count || q->is_large || is_number_of_sizes(q) ||
	    q->measure == MEASURE_SHARE || q->measure == MEASURE_MOMENT ||
	    q->measure == MEASURE_RATE || q->top)
		return false;
	return q->work.kinds == WORK_KERNEL ? is_single && !question_says(q, "which")
					    : q->measure != MEASURE_ANY || is_single;
}

static enum of_each find_each(struct question *q)
{
	const bool is_single = q->work.kinds || has_one_of(q, "operation op");

	if (q->intent == ASKS_WHY)
		return EACH_NONE;
	if (asks_shape(q))
		return EACH_SHAPE;
	if ((q->threshold.is_given && (names_call(q) || says_calls(q))) ||
	    (q->measure == MEASURE_MOMENT && names_call(q)))
		return EACH_CALL;
	if (q->threshold.is_given && has_one_of(q, "rang"))
		return EACH_RANGE;
	if (!is_single || is_about_others(q))
		return EACH_NONE;
	if (q->threshold.is_given && q->measure != MEASURE_SHARE)
		return asks_spread(q) ? EACH_SPREAD : EACH_BEYOND;
	if (is_of_work_on_stream(q))
		return EACH_SPREAD;
	if (find_edge(q) || question_says(q, "smallest"))
		return EACH_ROW;
	return asks_spread(q) && !q->names.count && !q->wants_rows ? EACH_SPREAD : EACH_NONE;
}

void question_find_work(struct question *q)
{
	q->work = (struct asked_work){.kinds = find_kinds(q)};
	find_directions(q);
	/* The largest copy has most bytes. */
	if (q->work.kinds && !(q->work.kinds & WORK_KERNEL) && q->measure == MEASURE_ANY &&
	    (q->is_large || question_says(q, "smallest"))) {
		q->measure = MEASURE_BYTES;
		q->is_extreme = q->is_large;
	}
	q->work.each = find_each(q);
}
