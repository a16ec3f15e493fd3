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

static void add_spans(struct buf *b, const struct job *j, const bool *chosen, size_t spans)
{
	size_t told = 0;

	for (size_t i = 0, end; i < j->member_count; i = end) {
		end = i + 1;
		if (!chosen[i])
			continue;
		end = end_of_span(j, chosen, i);
		buf_addf(b, "%s%u",
			 !told		     ? ""
			 : told + 1 == spans ? " and "
					     : ", ",
			 j->members[i].is->rank);
		if (end > i + 1)
			buf_addf(b, "%s%u",
				 end > i + 2  ? " to "
				 : spans == 1 ? " and "
					      : ", ",
				 j->members[end - 1].is->rank);
		told++;
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
		add_spans(b, j, chosen, spans);
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
