/* Which analyses do people mean by a word? */
#include "ask/route/learned.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

/* LEARNED(analysis, "stem weight stem weight …") */
#define LEARNED(analysis, weights) {#analysis, weights},
static const struct learned {
	const char *analysis;
	const char *weights;
} all[] = {
#include "ask/route/learned.def"
};
#undef LEARNED

bool learned_counts(const struct question *q, size_t word)
{
	const struct word *w = &q->words.all[word];

	return !q->is_used[word] && !w->is_quoted && !isdigit((unsigned char)w->text[0]);
}

/* How often a question has the word. */
static double times_said(const struct question *q, struct str stem)
{
	double times = 0;

	for (size_t i = 0; i < q->words.count; i++)
		times += learned_counts(q, i) && str_eq(stem, str_of(q->words.all[i].stem));
	return times;
}

static double weigh(const struct learned *l, const struct question *q)
{
	const char *at = l->weights;
	double sum = 0;

	for (struct str stem; (stem = str_next_word(&at)).len;) {
		const struct str weight = str_next_word(&at);
		const double times = times_said(q, stem);

		sum += times > 0 ? times * strtod(weight.s, NULL) : 0;
	}
	return sum;
}

void learned_add(const struct corpus *c, const struct question *q, double *scores)
{
	for (size_t l = 0; l < ARRAY_LEN(all); l++) {
		const double sum = weigh(&all[l], q);

		for (size_t d = 0; d < c->count; d++) {
			if (strcmp(c->documents[d].analysis->name, all[l].analysis) == 0)
				scores[d] += sum;
		}
	}
}
