/* What is asked for: a cause, a number, rows, a comparison? And by which number? */
#include "ask/question/question.h"

#include "base/mem.h"

static bool begins_with(const struct question *q, const char *list)
{
	return q->words.count && str_is_listed(str_of(q->words.all[0].text), list);
}

/* "one rank makes the others wait: which, and where in the code": who is late, and why. */
static bool asks_who_is_late(const struct question *q)
{
	return question_says_any(q, ANY_OF("rank", "ranks", "others", "straggler")) &&
	       question_says_any(q, ANY_OF("wait", "waits", "waiting", "late", "slow", "slows",
					   "holds", "hold", "delays", "behind", "straggler",
					   "holding", "back", "stall", "stalls")) &&
	       question_says_any(q, ANY_OF("in the code", "place in code", "which code",
					   "what code", "which line", "which function",
					   "where in code", "code location"));
}

static bool asks_why(const struct question *q)
{
	return asks_who_is_late(q) ||
	       question_says_any(
		       q, ANY_OF("why", "what should i", "what can i do", "what to do", "how can i",
				 "how do i make", "how could i", "what should we", "how can we",
				 "how do we", "how do i", "to fix", "fix first", "should i fix",
				 "make it faster", "speed up", "speed it up", "make this faster",
				 "could i save", "root", "what is wrong", "wrong with",
				 "what went wrong", "what limits", "what slows", "how to improve",
				 "how to reduce", "improve", "what makes", "diagnose", "diagnosis",
				 "what is going on", "going wrong", "what can be done",
				 "what is the problem", "something broken", "something wrong",
				 "is that normal", "is this normal", "that can t be right",
				 "that cant be right", "whose fault", "please explain",
				 "explain this", "explain that")) ||
	       (q->words.count && strcmp(q->words.all[q->words.count - 1].text, "explain") == 0);
}

/* Something may be a cause, or is asked after as one. */
static bool hints_at_why(const struct question *q)
{
	return question_says_any(
		q, ANY_OF("hurting", "hurt", "hurts", "costing us", "waiting for", "waits for",
			  "so slow", "too slow", "seems slow", "seem slow", "is slow", "are slow",
			  "keeps the", "holds", "holding", "underused", "starved", "starving",
			  "launch bound", "host bound", "holding back", "slowing", "slows down",
			  "what is slow", "memory bound", "compute bound", "hold back",
			  "would help", "graphs help", "worth", "squeeze", "limits us", "limit us",
			  "that limits", "bad with", "that hurt", "waiting on", "hot path",
			  "what happens in it", "to blame", "waits on"));
}

/* Something is to be made, or a word of the trade explained. */
static bool asks_elsewhere(const struct question *q)
{
	static const char makes[] = "write generate implement create draw translate sing cook book "
				    "buy install define teach convert refactor compile deploy "
				    "play recommend download delete rewrite invent order order";
	size_t first = 0;

	static const char anywhere[] =
		"poem joke dollar dollars euro euros rent buy purchase license thesis latex salary "
		"weather password tutorial install recipe reveal prompt accuracy "
		"perplexity horoscope song folder txt email homework user validation parse rust "
		"nucleus beam converge quality published invented paper standup lunch game "
		"learning tonight";

	while (first < q->words.count && q->is_place[first])
		first++;
	while (first < q->words.count &&
	       str_is_listed(str_of(q->words.all[first].text),
			     "please can could would you hey hi now i want need to help me how do"))
		first++;
	for (size_t i = 0; i < q->words.count; i++) {
		if (q->is_place[i])
			continue;
		if (str_is_listed(str_of(q->words.all[i].text), i == first ? makes : anywhere) ||
		    str_is_listed(str_of(q->words.all[i].text), anywhere))
			return true;
	}
	if (question_says_any(q, ANY_OF("write me", "write a", "poem", "joke", "what does it mean",
					"mean by", "in general", "stand for", "stands for",
					"an example of", "sample code", "api keys", "the loss",
					"gradient norm", "grad norm", "batch size", "loss at",
					"loss curve", "training loss", "sequence length",
					"parameters does the model", "model parameters",
					"number of parameters", "how many epochs", "which dataset",
					"what dataset", "hyperparameter", "hyperparameters")))
		return true;
	if (words_at(&q->words, 0, "give me a") &&
	    question_says_any(q, ANY_OF("script", "code", "example")))
		return true;
	/* "what does cudaMalloc do?" */
	if (q->words.count <= 6 && words_at(&q->words, 0, "what does") &&
	    words_at(&q->words, q->words.count - 1, "do") &&
	    !question_says_any(q, ANY_OF("gpu", "host", "cpu", "process", "thread", "program",
					 "rank", "stream", "this", "each")))
		return true;
	/* "what is a warp", not "what is a step's time here" */
	return q->words.count <= 6 &&
	       (words_at(&q->words, 0, "what is a") || words_at(&q->words, 0, "what is an") ||
		words_at(&q->words, 0, "what are") || words_at(&q->words, 0, "explain") ||
		words_at(&q->words, 0, "how does")) &&
	       !question_says_any(q,
				  ANY_OF("this", "here", "the", "my", "our", "top", "longest",
					 "slowest", "largest", "most", "take", "takes", "there")) &&
	       !q->top && !q->has_window && !question_names_steps(q) && !q->devices.count;
}

static const char *const asks[] = {"how do i",	    "how do we",   "how do you",   "how to",
				   "how can i",	    "how can we",  "how should i", "how should we",
				   "how would i",   "how could i", "how does one", "how must i",
				   "is the way to", "command to",  "do i have to"};

bool question_asks_how(const struct question *q)
{
	for (size_t p = 0; p < ARRAY_LEN(asks); p++) {
		if (question_says(q, asks[p]))
			return true;
	}
	return false;
}

/* "how do I capture NCCL", not "how do I read the capture". */
static bool asks_to_capture(const struct question *q)
{
	static const char verbs[] = "capture record profile trace annotate instrument export "
				    "collect measure";
	/* What people do with many things they do with these to have a capture. */
	static const char others[] = "add insert use run start put set";
	const bool names_tool =
		question_says_any(q, ANY_OF("nsys", "nvtx", "annotation", "annotations"));

	for (size_t i = 0; i < q->words.count; i++) {
		for (size_t p = 0; p < ARRAY_LEN(asks); p++) {
			size_t next = i;

			if (!words_at(&q->words, i, asks[p]))
				continue;
			for (const char *list = asks[p]; str_next_word(&list).len;)
				next++;
			if (next < q->words.count &&
			    (str_is_listed(str_of(q->words.all[next].text), verbs) ||
			     (names_tool &&
			      str_is_listed(str_of(q->words.all[next].text), others))))
				return true;
		}
	}
	return false;
}

/* "top kernels", "longest gaps": more than one is asked for, by the words from there on. */
static bool is_plural(const struct question *q, size_t from)
{
	for (size_t i = from; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];
		const size_t len = strlen(w->text);

		if (!w->is_stop && !w->is_quoted && !w->is_term && !q->is_used[i] &&
		    !q->is_place[i] && len > 4 && w->text[len - 1] == 's' &&
		    strcmp(w->text, w->stem) != 0)
			return true;
	}
	return false;
}

/* Words that a noun follows, of which something is asked. */
static const char head_begins[] = "which what top most least longest shortest slowest fastest "
				  "largest biggest smallest heaviest busiest many number often "
				  "expensive list highest lowest worst";

/* The first noun from there on. */
static const char *noun_from(const struct question *q, size_t i)
{
	static const char describes[] =
		"cuda gpu nvtx python single expensive hot different distinct "
		"total own host slow fast tiny small large cpu individual training decode prefill "
		"inference driver h2d d2h d2d main eager warm";

	for (; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		/* "which GPU is it": what would describe a noun is one where none follows. */
		const bool describes_next = i + 1 < q->words.count &&
					    !q->words.all[i + 1].is_stop &&
					    str_is_listed(str_of(w->text), describes);

		if (!w->is_stop && !q->is_used[i] && !q->is_place[i] &&
		    !str_is_listed(str_of(w->text), head_begins) && !describes_next)
			return w->stem;
	}
	return NULL;
}

/* The noun that a question word, or a superlative, belongs to: "which slow kernel", "how many
 * gaps", "gaps: how many". */
static const char *find_head(const struct question *q)
{
	const char *head;
	size_t i = 0;

	while (i < q->words.count && !str_is_listed(str_of(q->words.all[i].text), head_begins))
		i++;
	head = noun_from(q, i);
	return head || i == q->words.count ? head : noun_from(q, 0);
}

/* Whether one thing is held against another; "longer than 1 ms" is no comparison. */
static bool asks_to_compare(const struct question *q)
{
	return q->names.count > 1 ||
	       (!q->threshold.is_given &&
		question_says_any(q, ANY_OF("compared", "difference between", "or", "than",
					    "as often as", "as long as", "as many as")));
}

static enum intent find_intent(const struct question *q)
{
	if (asks_why(q))
		return ASKS_WHY;
	if (question_says_any(q, ANY_OF("when", "at what time", "where is", "where are")))
		return ASKS_WHEN;
	if (asks_to_compare(q))
		return ASKS_COMPARE;
	if (question_says_any(q, ANY_OF("how many", "how much", "how long", "how often",
					"how large", "how big", "how busy", "how high", "how fast",
					"total", "average", "number of", "how short", "how well",
					"sum", "count", "percentage", "duration", "time", "amount",
					"altogether", "together", "combined")))
		return ASKS_AMOUNT;
	return begins_with(q, "is are was were does do did can has have will") ? ASKS_WHETHER
									       : ASKS_WHAT;
}

/* One call, launch or copy, not all of its name; "the most time" is said of all. */
static bool wants_single(const struct question *q)
{
	size_t most = 0;

	while (most < q->words.count &&
	       (str_starts(q->words.all[most].said, "most") ||
		!str_is_listed(str_of(q->words.all[most].text), "longest slowest largest")))
		most++;
	return most < q->words.count && !is_plural(q, most) &&
	       question_says_any(q, ANY_OF("call", "single", "individual", "instance", "slice",
					   "occurrence", "execution", "invocation"));
}

/* "memset, in ms"; those of "after 20 ms" are a place. */
static bool wants_unit_of_time(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (!q->is_used[i] && words_at(&q->words, i, "ms"))
			return true;
	}
	return false;
}

/* "peak of the DRAM read bandwidth": the names of counters are no measures. Copies have rates of
 * their own. */
static bool is_of_samples(const struct question *q)
{
	/* How full the memory is no counter tells. */
	const bool is_use =
		question_says(q, "memory") &&
		!question_says_any(q, ANY_OF("bandwidth", "throughput", "read", "write"));

	return !is_use &&
	       question_says_any(q, ANY_OF("peak", "maximum", "max", "highest", "minimum", "min",
					   "lowest")) &&
	       question_says_any(q, ANY_OF("counter", "dram", "pcie", "nvlink", "sm", "sms",
					   "tensor", "clock", "warps in flight")) &&
	       !question_says_any(q, ANY_OF("copy", "copies", "kernel", "kernels", "which", "model",
					    "average", "step", "range"));
}

static enum measure find_measure(struct question *q)
{
	const bool is_of_one = q->names.count == 1 && !question_says_any(q, ANY_OF("which", "top"));
	const struct {
		enum measure measure;
		const char *const *phrases;
	} measures[] = {
		{MEASURE_P99, ANY_OF("p99", "99th", "99 percentile")},
		{MEASURE_P90, ANY_OF("p90", "90th", "90 percentile")},
		{MEASURE_MEDIAN, ANY_OF("median", "p50", "typical", "typically")},
		{MEASURE_MEAN, ANY_OF("average", "on average")},
		{MEASURE_RATE, ANY_OF("rate", "bandwidth", "throughput")},
		{MEASURE_SHARE, ANY_OF("percentage", "share", "what part", "ratio", "how much of")},
		{MEASURE_BYTES,
		 ANY_OF("bytes", "how much data", "data volume", "how large", "how big", "sizes",
			"message size", "gigabytes", "megabytes", "gb", "mb", "size")},
		{MEASURE_COUNT,
		 ANY_OF("how many", "how often", "count", "number of", "times", "most often",
			"most frequent", "most frequently", "frequently", "most calls",
			"most launches", "called most", "launched most", "most launched")},
		{MEASURE_MOST, ANY_OF("longest single", "maximum", "max", "worst case",
				      "longest run", "slowest single", "peak", "single longest")},
		{MEASURE_LEAST, ANY_OF("shortest single", "minimum", "min", "best case")},
		{MEASURE_MOMENT, ANY_OF("when", "at what time", "which moment", "timestamp",
					"at which time", "instant", "point in time")},
		{MEASURE_TIME,
		 ANY_OF("how long", "duration", "time", "total time", "how much time", "slowest")},
	};

	for (size_t i = 0; i < ARRAY_LEN(measures); i++)
		q->measures |=
			question_says_any(q, measures[i].phrases) ? 1u << measures[i].measure : 0;
	q->measures |= question_says_any(q, ANY_OF("longest", "slowest")) ? 1u << MEASURE_MOST : 0;
	q->measures |= question_says_any(q, ANY_OF("shortest", "fastest", "quickest"))
			       ? 1u << MEASURE_LEAST
			       : 0;
	if (q->is_of_samples)
		return question_says_any(q, ANY_OF("minimum", "min", "lowest")) ? MEASURE_LEAST
										: MEASURE_MOST;
	/* "longest cudaFree": of all of that name. */
	/* "when was the longest one": it is chosen by its length, and asked for when it was. */
	if (q->intent == ASKS_WHEN &&
	    question_says_any(q, ANY_OF("longest", "slowest", "shortest", "fastest", "largest")))
		return MEASURE_MOMENT;
	if (q->wants_single || (is_of_one && question_says_any(q, ANY_OF("longest", "slowest"))))
		return MEASURE_MOST;
	if (is_of_one && question_says_any(q, ANY_OF("shortest", "fastest")))
		return MEASURE_LEAST;
	for (size_t i = 0; i < ARRAY_LEN(measures); i++) {
		if (question_says_any(q, measures[i].phrases))
			return measures[i].measure;
	}
	return wants_unit_of_time(q) ? MEASURE_TIME : MEASURE_ANY;
}

void question_find_intent(struct question *q)
{
	q->intent = find_intent(q);
	q->wants_single = wants_single(q);
	q->is_of_samples = is_of_samples(q);
	q->measure = find_measure(q);
	q->wants_several = is_plural(q, 0);
	question_find_ranking(q);
	q->hints_at_why = q->intent != ASKS_WHY && hints_at_why(q);
	q->head = find_head(q);
	q->asks_to_capture = asks_to_capture(q);
	q->is_elsewhere = !q->asks_to_capture && asks_elsewhere(q);
}
