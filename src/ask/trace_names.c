/* Which words of a question are names of the trace? */
#include "ask/asking.h"
#include "ask/named_rows.h"
#include "ask/said_name.h"
#include "trace/ranges/ranges.h"

#include <ctype.h>

/* Names of a trace that have a word: so that nobody takes them for slips of the fingers. */
bool asking_is_name(void *ctx, const char *word)
{
	const struct trace *t = ctx;
	const size_t len = strlen(word);

	for (size_t i = 0; len >= 3 && i < t->names.count; i++) {
		const struct str name = t->names.items[i];

		for (size_t at = 0; at + len <= name.len; at++) {
			if (strncasecmp(name.s + at, word, len) == 0 &&
			    (!at || !isalnum((unsigned char)name.s[at - 1])))
				return true;
		}
	}
	return false;
}

/* Whether something in the trace is called just so. */
static bool is_whole_name(const struct trace *t, const char *word)
{
	for (size_t i = 0; strlen(word) >= 3 && i < t->names.count; i++) {
		if (str_eq_any_case(t->names.items[i], word))
			return true;
	}
	return false;
}

bool asking_is_range(const struct trace *t, struct str said)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	for (uint64_t i = 0; said.len && ev->name && i < ev->count; i++) {
		const uint32_t name = ev->name[i];

		if (name < t->names.count && t->names.items[name].len == said.len &&
		    strncasecmp(t->names.items[name].s, said.s, said.len) == 0)
			return true;
	}
	return false;
}

/* "the range h2d", "model ranges": whatever else the word means. */
static bool stands_by_range(const struct asking *a, size_t i)
{
	const struct words *w = &a->question.words;
	size_t next = i + 1;

	/* What the dictionary makes two words of is one. */
	while (next < w->count && w->all[next].said.s == w->all[i].said.s)
		next++;
	return ((i && strcmp(w->all[i - 1].stem, "rang") == 0) ||
		(next < w->count && strcmp(w->all[next].stem, "rang") == 0)) &&
	       asking_is_range(a->trace, w->all[i].said);
}

static const char before_names[] = "of longest shortest slowest fastest average median range "
				   "ranges";

/* "longest add", "median of add": a kernel, where no range is called so. */
static bool stands_as_kernel(const struct asking *a, size_t i)
{
	const struct words *w = &a->question.words;
	const bool is_last = i + 1 == w->count ||
			     str_is_listed(str_of(w->all[i + 1].stem), "launch kernel call");

	return i && is_last && str_is_listed(str_of(w->all[i - 1].text), before_names) &&
	       !word_is_common(&w->all[i]) && !asking_is_range(a->trace, w->all[i].said) &&
	       corpus_term(&a->corpus, w->all[i].stem) != TERM_NONE && !w->all[i].is_term;
}

/* Whether a word that something is called stands where a name would: "the add kernel", "longest
 * collate", "a range called clip". */
static bool stands_as_name(const struct asking *a, size_t i)
{
	const struct words *w = &a->question.words;
	const bool is_last = i + 1 == w->count || w->all[i + 1].is_stop;

	if (stands_by_range(a, i) || stands_as_kernel(a, i))
		return true;
	/* "how many kernels does fwd launch" */
	if (i && str_is_listed(str_of(w->all[i - 1].text), "does did") &&
	    !word_is_common(&w->all[i]) && asking_is_range(a->trace, w->all[i].said))
		return true;
	if (i && (words_at(w, i - 1, "called") || words_at(w, i - 1, "named")))
		return true;
	if (words_at(w, i + 1, "kernel") && i && words_at(w, i - 1, "the"))
		return true;
	if (a->question.intent == ASKS_COMPARE &&
	    (words_at(w, i + 1, "or") || words_at(w, i + 1, "compared") ||
	     (i && (words_at(w, i - 1, "or") || words_at(w, i - 1, "compared") ||
		    words_at(w, i - 1, "than")))))
		return !str_is_listed(str_of(w->all[i].text), "h2d d2h d2d copy gpu cpu host");
	if (a->question.intent == ASKS_COMPARE)
		return !word_is_common(&w->all[i]) &&
		       !str_is_listed(str_of(w->all[i].text), "h2d d2h d2d copy");
	return is_last && !w->all[i].is_term &&
	       corpus_term(&a->corpus, w->all[i].stem) == TERM_NONE;
}

/* With its domain or without: "NCCL:ncclAllReduce" is an ncclAllReduce. */
static bool is_called(struct str range, struct str said)
{
	return str_eq(range, said) ||
	       (range.len > said.len && range.s[range.len - said.len - 1] == ':' &&
		memcmp(range.s + range.len - said.len, said.s, said.len) == 0);
}

/* How many ranges are called so. */
static uint64_t count_ranges(const struct trace *t, struct str name)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	uint64_t count = 0;

	for (uint64_t i = 0; ev->name && i < ev->count; i++)
		count += ev->name[i] < t->names.count &&
			 is_called(t->names.items[ev->name[i]], name);
	return count;
}

/* How many names of kernels have it, as a word at least; two are many. */
static size_t count_kernels(const struct trace *t, struct str said)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct name_fits known = {0};
	uint32_t first = NAME_NONE;
	size_t count = 0;

	name_fits_begin(&known, said);
	for (uint64_t i = 0; ev->name && i < ev->count && count < 2; i++) {
		if (ev->name[i] >= t->names.count || ev->name[i] == first ||
		    name_fits_find(&known, t->names.items[ev->name[i]]) < FIT_WORD)
			continue;
		first = ev->name[i];
		count++;
	}
	name_fits_end(&known);
	return count;
}

/* Letters, digits and underscores alone: a pattern has it as it is. */
static bool is_plain(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.s[i]) && name.s[i] != '_')
			return false;
	}
	return name.len > 0;
}

/* The median of kernels of several names is that of their launches, one by one. */
static void ask_of_each(struct question *q)
{
	/* When it was is known of each range alone. */
	if (q->names.are_ranges && q->measure == MEASURE_MOMENT && q->work.each == EACH_NONE)
		q->work.each = EACH_RANGE;
	if ((q->names.are_several || (q->names.are_kernels && q->streams.count)) &&
	    q->names.count == 1 && is_plain(q->names.all[0]) && q->work.each == EACH_NONE &&
	    q->intent != ASKS_WHY &&
	    (q->measure == MEASURE_MEDIAN || q->measure == MEASURE_P90 ||
	     q->measure == MEASURE_P99)) {
		q->work.each = EACH_SPREAD;
		q->work.kinds = WORK_KERNEL;
	}
}

/* What is no name is a word like others, and has to be heeded. */
static void release_word(struct question *q, struct str said)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (q->words.all[i].said.s == said.s && !q->words.all[i].is_quoted)
			q->is_used[i] = false;
	}
}

/* "DualPipe" looks like a name; where nothing has it, it is a word that is not known. */
static void drop_unknown_names(struct asking *a)
{
	struct asked_names *n = &a->question.names;
	size_t kept = 0;

	for (size_t i = 0; i < n->count; i++) {
		const char *said = arena_str(&a->report->arena, n->all[i]).s;

		if (!n->is_quoted[i] && !strchr(said, '_') && strncmp(said, "cu", 2) != 0 &&
		    !asking_is_name(a->trace, said)) {
			release_word(&a->question, n->all[i]);
			continue;
		}
		/* Addresses and commands between quotes are no names. */
		if (n->is_quoted[i] && strpbrk(said, "/;$=|~\\") && !asking_is_name(a->trace, said))
			continue;
		n->is_quoted[kept] = n->is_quoted[i];
		n->is_pattern[kept] = n->is_pattern[i];
		n->all[kept++] = n->all[i];
	}
	n->count = kept;
}

/* With what else the dictionary has made of it. */
static void use_word(struct question *q, size_t i)
{
	const char *said = q->words.all[i].said.s;

	for (; i < q->words.count && q->words.all[i].said.s == said; i++)
		q->is_used[i] = true;
}

/* Names of the trace that look like any other word; of a comparison both or none. */
static void take_plain_names(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_names *n = &q->names;
	const size_t before = n->count;
	size_t taken[ASKED_MOST];

	for (size_t i = 0; i < q->words.count && n->count < ASKED_MOST; i++) {
		const struct word *w = &q->words.all[i];
		const char *said = arena_str(&a->report->arena, w->said).s;

		if (w->is_stop || w->is_quoted || q->is_used[i] || q->is_place[i] ||
		    (i && w->said.s == q->words.all[i - 1].said.s) || !stands_as_name(a, i) ||
		    !is_whole_name(a->trace, said))
			continue;
		taken[n->count] = i;
		n->is_quoted[n->count] = false;
		n->all[n->count++] = w->said;
	}
	if (q->intent == ASKS_COMPARE && n->count < 2)
		n->count = before;
	for (size_t i = before; i < n->count; i++)
		use_word(q, taken[i]);
	/* A word that is a name says nothing of the work that is meant. */
	if (n->count > before)
		question_find_work(q);
}

/* "request 0", where a range is called so: a name with its number. */
static void take_numbered_names(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_names *n = &q->names;

	for (size_t i = 0; i + 1 < q->words.count && n->count < ASKED_MOST; i++) {
		const struct word *w = &q->words.all[i], *next = w + 1;
		const struct str name = {w->said.s,
					 (size_t)(next->said.s + next->said.len - w->said.s)};

		if (w->is_quoted || next->is_quoted || q->is_used[i] || q->is_used[i + 1] ||
		    next->said.s <= w->said.s || !isdigit((unsigned char)next->text[0]) ||
		    !asking_is_range(a->trace, name))
			continue;
		q->is_used[i] = q->is_used[i + 1] = true;
		n->is_quoted[n->count] = false;
		n->all[n->count++] = name;
		n->are_numbered = true;
	}
}

enum { JOINED_MOST = 4 };

/* From the i-th word to the last of `count`, as they were said; empty: something else is meant by
 * one of them. */
static struct str joined_at(const struct question *q, size_t i, size_t count)
{
	const struct word *w = &q->words.all[i], *last = w + count - 1;
	bool any = false;

	if (i + count > q->words.count || last->said.s <= w->said.s)
		return (struct str){0};
	for (size_t k = i; k < i + count; k++) {
		if (q->words.all[k].is_quoted || q->is_used[k] || q->is_place[k])
			return (struct str){0};
		any |= !q->words.all[k].is_stop;
	}
	return any ? (struct str){w->said.s, (size_t)(last->said.s + last->said.len - w->said.s)}
		   : (struct str){0};
}

/* "how long did load checkpoint take", where a range is called so: the longest such name. In a
 * comparison such words may mean more than the range: "tensor cores in gemm bf16 or in gemm fp32".
 */
static void take_joined_names(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_names *n = &q->names;
	const size_t before = n->count;

	for (size_t i = 0; q->intent != ASKS_COMPARE && i < q->words.count; i++) {
		size_t count = JOINED_MOST;

		while (count > 1 && !asking_is_range(a->trace, joined_at(q, i, count)))
			count--;
		if (count == 1 || n->count == ASKED_MOST)
			continue;
		n->is_quoted[n->count] = false;
		n->all[n->count++] = joined_at(q, i, count);
		for (size_t k = i; k < i + count; k++)
			use_word(q, k);
	}
	if (n->count > before)
		question_find_work(q);
}

static bool wants_stream(const struct question *q)
{
	/* How long a stream is busy no table of kernels says. */
	return q->group && strcmp(q->group, "stream") == 0 && !question_says(q, "busy");
}

/* "gemm"; "which stream runs the allreduce": tables of collectives know no streams, kernels do. */
static bool may_name_kernels(const struct question *q, const char *word)
{
	return word_is_kernel_family(word) ||
	       ((word_is_collective(word) || strcmp(word, "nccl") == 0) && wants_stream(q));
}

/* What has the names: ranges, kernels, one or several. */
static void find_named(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_names *n = &q->names;
	/* "which stream does NCCL run on": ranges run on none. */
	const uint64_t ranges =
		n->count && !wants_stream(q) ? count_ranges(a->trace, n->all[0]) : 0;
	const size_t kernels = n->count && !ranges ? count_kernels(a->trace, n->all[0]) : 0;

	n->are_ranges = ranges > 0;
	n->are_kernels = kernels > 0;
	n->are_several = kernels > 1;
	/* What is there once is asked about as a whole, not as far as it lies in the steps. */
	q->wants_all |= ranges == 1 && !q->has_window && !question_names_steps(q);
	for (size_t i = 0; i < n->count; i++)
		n->is_whole[i] = is_whole_name(a->trace, arena_str(&a->report->arena, n->all[i]).s);
	for (size_t i = 0; i < q->words.count && !n->count; i++) {
		const struct str word = str_of(q->words.all[i].text);

		q->names_kernels |= may_name_kernels(q, q->words.all[i].text) &&
				    count_kernels(a->trace, word) > 0;
	}
}

void asking_take_names(struct asking *a)
{
	drop_unknown_names(a);
	take_numbered_names(a);
	take_joined_names(a);
	take_plain_names(a);
	asking_take_nccl_kernels(a);
	find_named(a);
	asking_take_os_calls(a);
	ask_of_each(&a->question);
	asking_take_kernel_words(a);
}

/* "request 0": a range may be called so; steps, GPUs and moments are not. */
static bool is_numbered(const struct words *w, size_t i)
{
	static const char places[] = "step gpu device rank stream top pid process thread line";

	return i && isdigit((unsigned char)w->all[i].text[0]) && !w->all[i - 1].is_stop &&
	       !str_is_listed(str_of(w->all[i - 1].stem), places);
}

/* Names of ranges may be in no table of strings: they are read where a word may be one. */
int asking_load_names(const struct asking *a, struct str asked, struct err *e)
{
	struct words w;
	bool any = false;

	words_read(&w, asked);
	for (size_t i = 0; i < w.count && !any; i++)
		any = w.all[i].is_quoted || is_numbered(&w, i) ||
		      word_is_kernel_family(w.all[i].text) ||
		      str_is_listed(str_of(w.all[i].stem), "stream nccl communication "
							   "collective") ||
		      str_is_listed(str_of(w.all[i].text), before_names) ||
		      (!w.all[i].is_stop && !w.all[i].is_term &&
		       !isdigit((unsigned char)w.all[i].text[0]) &&
		       corpus_term(&a->corpus, w.all[i].stem) == TERM_NONE);
	words_free(&w);
	if (!any)
		return 0;
	/* Nearly every answer looks for steps, and needs their times: one pass reads all of it. */
	if (trace_load(a->trace, TRACE_NVTX, COLS_RANGES, e) < 0)
		return -1;
	return trace_load(
		a->trace, TRACE_KERNELS,
		COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_NAME) | COL_BIT(COL_CORRELATION), e);
}
