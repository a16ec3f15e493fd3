/* Which kernels does a question describe by words of their names? */
#include "ask/asking.h"
#include "ask/named_rows.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

static bool has_part(struct str name, struct str part)
{
	for (size_t at = 0; at + part.len <= name.len; at++) {
		if (strncasecmp(name.s + at, part.s, part.len) == 0)
			return true;
	}
	return false;
}

static bool has_parts(struct str name, const struct str *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!has_part(name, parts[i]))
			return false;
	}
	return true;
}

/* How many names of kernels have all of them; two are many. */
static size_t count_named(const struct trace *t, const struct str *parts, size_t count)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	bool *is_seen = mem_zalloc(t->names.count + 1, sizeof(*is_seen));
	size_t found = 0;

	for (uint64_t i = 0; ev->name && i < ev->count && found < 2; i++) {
		if (ev->name[i] >= t->names.count || is_seen[ev->name[i]])
			continue;
		is_seen[ev->name[i]] = true;
		found += has_parts(t->names.items[ev->name[i]], parts, count);
	}
	free(is_seen);
	return found;
}

/* Letters and digits alone: a pattern has them as they are. */
static bool is_plain(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (!isalnum((unsigned char)word.s[i]) && word.s[i] != '_')
			return false;
	}
	return word.len >= 3;
}

static bool may_be_part(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];

	return !w->is_stop && !w->is_quoted && !q->is_used[i] && !q->is_place[i] &&
	       !isdigit((unsigned char)w->text[0]) && !word_is_common(w);
}

/* As it was said, or as the dictionary has it; empty: no kernel has it with those before. */
static struct str part_of(const struct trace *t, struct asked_work *w, const struct word *word)
{
	const struct str texts[] = {word->said, str_of(word->text)};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		w->parts[w->part_count] = texts[i];
		if (is_plain(texts[i]) && count_named(t, w->parts, w->part_count + 1) > 0)
			return texts[i];
	}
	return (struct str){0};
}

static bool says_collective(const struct question *q)
{
	bool is_said = false;

	for (size_t i = 0; i < q->words.count; i++)
		is_said |= !q->words.all[i].is_quoted && word_is_collective(q->words.all[i].text);
	return is_said;
}

/* "median allreduce kernel duration", "when does the first allreduce start": what is known of each
 * by itself, where their table has a row for each communicator. */
static enum of_each each_of_collectives(const struct question *q)
{
	const uint32_t spread = 1u << MEASURE_MEDIAN | 1u << MEASURE_P90 | 1u << MEASURE_P99;

	if (q->work.each != EACH_NONE || q->work.kinds & ~(unsigned)WORK_KERNEL || q->names.count ||
	    q->measures & 1u << MEASURE_BYTES || q->intent == ASKS_WHY || q->ranks.count ||
	    !says_collective(q))
		return q->work.each;
	if (q->measure == MEASURE_MOMENT || ((q->is_earliest || q->is_latest) &&
					     question_says_any(q, ANY_OF("start", "begin", "end"))))
		return EACH_ROW;
	return 1u << q->measure & spread && q->work.kinds && !q->wants_rows ? EACH_SPREAD
									    : EACH_NONE;
}

/* Which kernels, or those of one rank against another's: tables of collectives have none by name,
 * and tables of ranks all of them together. */
static bool wants_kernels_of(const struct question *q)
{
	const bool is_part = question_says_any(
		q, ANY_OF("exposed", "overlap", "overlapped", "hidden", "bandwidth", "stream"));

	return q->intent != ASKS_WHY && !is_part && q->measure != MEASURE_BYTES &&
	       q->measure != MEASURE_RATE && !q->names.count && q->work.each == EACH_NONE &&
	       (q->ranks.count || (q->wants_rows && !question_says(q, "rank")));
}

/* "nccl kernels", "kernel time in nccl". */
static bool says_kernels_of(const struct question *q, size_t i)
{
	bool is_before = false;

	for (size_t k = 0; k < i && q->ranks.count; k++)
		is_before |= strcmp(q->words.all[k].stem, "kernel") == 0;
	return is_before ||
	       (i + 1 < q->words.count && strcmp(q->words.all[i + 1].stem, "kernel") == 0);
}

/* "NCCL kernels by time on rank 2": all whose names begin so. */
void asking_take_nccl_kernels(struct asking *a)
{
	struct question *q = &a->question;
	const struct str nccl = STR_LIT("nccl");

	for (size_t i = 0; i < q->words.count && wants_kernels_of(q); i++) {
		if (!str_is_listed(str_of(q->words.all[i].text), "nccl communication collective") ||
		    !says_kernels_of(q, i) || count_named(a->trace, &nccl, 1) == 0)
			continue;
		q->is_used[i] = true;
		q->names = (struct asked_names){.all = {nccl}, .is_pattern = {true}, .count = 1};
	}
}

void asking_take_kernel_words(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_work *w = &q->work;
	bool is_of_collectives = false;

	if (w->each != each_of_collectives(q)) {
		w->each = each_of_collectives(q);
		w->kinds = WORK_KERNEL;
		is_of_collectives = true;
	}
	if ((w->each != EACH_SPREAD && !is_of_collectives) || q->names.count ||
	    w->kinds & ~(unsigned)WORK_KERNEL)
		return;
	for (size_t i = 0; i < q->words.count && w->part_count < WORK_PARTS; i++) {
		const struct str part = may_be_part(q, i) ? part_of(a->trace, w, &q->words.all[i])
							  : (struct str){0};

		if (!part.len)
			continue;
		w->parts[w->part_count++] = part;
		q->is_used[i] = true;
	}
}
