/* How are several ranks named in a few words? */
#include "fleet/answer/rank_words.h"

#include <string.h>

enum { SPANS_SHOWN = 4 };

/* The end of the chosen ones that follow each other without a gap from this one on. */
static size_t end_of_span(const struct job *j, const bool *chosen, size_t first)
{
	size_t end = first + 1;

	while (end < j->member_count && chosen[end] &&
	       j->members[end].is->rank <= j->members[end - 1].is->rank + 1)
		end++;
	return end;
}

static size_t count_chosen(const struct job *j, const bool *chosen, size_t *ret_spans)
{
	size_t count = 0;

	*ret_spans = 0;
	for (size_t i = 0; i < j->member_count; i++) {
		if (!chosen[i])
			continue;
		++*ret_spans;
		count += end_of_span(j, chosen, i) - i;
		i = end_of_span(j, chosen, i) - 1;
	}
	return count;
}

/* Two that follow each other are told one by one, more of them as "4 to 7". */
static void add_spans(struct buf *b, const struct job *j, const bool *chosen)
{
	size_t said = 0, to_say = 0;

	for (size_t i = 0, end; i < j->member_count; i = end) {
		end = chosen[i] ? end_of_span(j, chosen, i) : i + 1;
		to_say += chosen[i] ? 1 + (end == i + 2) : 0;
	}
	for (size_t i = 0, end; i < j->member_count; i = end) {
		end = chosen[i] ? end_of_span(j, chosen, i) : i + 1;
		for (size_t k = i; chosen[i] && k < end && (k == i || end == i + 2); k++) {
			buf_adds(b, !said ? "" : said + 1 == to_say ? " and " : ", ");
			buf_addf(b, "%u", j->members[k].is->rank);
			said++;
		}
		if (end > i + 2)
			buf_addf(b, " to %u", j->members[end - 1].is->rank);
	}
}

size_t ranks_add(struct buf *b, const struct job *j, bool *chosen)
{
	size_t spans;
	const size_t count = count_chosen(j, chosen, &spans);

	if (spans > SPANS_SHOWN)
		buf_addf(b, "%zu ranks", count);
	else
		buf_adds(b, count == 1 ? "rank " : "ranks ");
	if (spans <= SPANS_SHOWN)
		add_spans(b, j, chosen);
	memset(chosen, 0, j->member_count * sizeof(*chosen));
	return count;
}

void ranks_add_missing(struct buf *b, const struct job *j)
{
	enum { SHOWN = 8 };
	size_t at = 0, told = 0;

	for (uint32_t n = 0; n < j->world && told < SHOWN && told < j->missing; n++) {
		while (at < j->member_count && j->members[at].is->rank < j->first_rank + n)
			at++;
		if (at == j->member_count || j->members[at].is->rank != j->first_rank + n)
			buf_addf(b, "%s%u", told++ ? ", " : "", j->first_rank + n);
	}
	buf_adds(b, j->missing > told ? ", …" : "");
}
