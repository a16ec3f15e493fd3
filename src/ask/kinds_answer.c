/* How much of one kind of work on the GPU, and how much of another? */
#include "ask/asking.h"

#include "base/mem.h"

/* Which analysis tells a kind of work by itself. */
static const struct kind {
	unsigned kind;
	const char *analysis; /* and its table */
	const char *words;    /* what questions call it */
} kinds[] = {
	{WORK_KERNEL, "kernels", "kernel kernels"},
	{WORK_COPY, "memory", "copy copies h2d d2h d2d p2p"},
	{WORK_MEMSET, "memory", "memset memsets"},
};

/* The kind that a word names; NULL: none. */
static const struct kind *kind_at(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];

	for (size_t k = 0; k < ARRAY_LEN(kinds) && !w->is_quoted && !q->is_used[i]; k++) {
		if (str_is_listed(str_of(w->text), kinds[k].words))
			return &kinds[k];
	}
	return NULL;
}

/* "copies or kernels", "time in kernels and how much in copies": nothing but grammar stands between
 * them. */
static bool joins_kinds(const struct question *q, size_t from, size_t to)
{
	static const char joins[] = "and or compared than with to against vs";
	static const char passes[] = "time gpu memory total bytes duration";
	bool is_joined = false;

	for (size_t i = from + 1; i < to; i++) {
		const struct word *w = &q->words.all[i];

		is_joined |= str_is_listed(str_of(w->text), joins);
		if (!w->is_stop && !str_is_listed(str_of(w->text), joins) &&
		    !str_is_listed(str_of(w->text), passes))
			return false;
	}
	return is_joined;
}

/* Kinds that are told apart, as bits; 0: there are not two. */
static unsigned kinds_apart(const struct question *q)
{
	const struct kind *before = NULL;
	unsigned found = 0;
	size_t last = 0;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct kind *k = kind_at(q, i);

		if (!k)
			continue;
		if (before && before != k && joins_kinds(q, last, i))
			found |= before->kind | k->kind;
		before = k;
		last = i;
	}
	return found;
}

static bool tells_kinds(const struct document *d)
{
	return str_is_listed(str_of(d->analysis->name), "kernels memory ops summary ranks");
}

/* What is asked of both is asked of one: how much there is, not which. */
static struct question of_kind(const struct question *q, unsigned kind)
{
	struct question of = *q;

	of.work.kinds = kind;
	of.work.each = EACH_NONE;
	of.intent = ASKS_AMOUNT;
	of.wants_rows = of.least_first = of.is_ranked = of.is_large = of.is_by_length = false;
	of.top = of.nth = 0;
	return of;
}

int asking_answer_kinds(struct asking *a, struct err *e)
{
	const struct question asked = a->question;
	const unsigned apart = kinds_apart(&asked);
	const bool is_amount = asked.intent == ASKS_AMOUNT || asked.intent == ASKS_COMPARE;
	int result = 0;

	if (!(apart & WORK_KERNEL) || !is_amount || asked.names.count || asked.steps.count > 1 ||
	    asked.top || asked.threshold.is_given || !tells_kinds(a->route.all[0].document))
		return 1;
	for (size_t k = 0; k < ARRAY_LEN(kinds) && result == 0; k++) {
		const struct candidate c = {
			corpus_find(&a->corpus, kinds[k].analysis, kinds[k].analysis), 1, 1};

		if (!(apart & kinds[k].kind) || !c.document || !asking_may_run(a, 1))
			continue;
		a->question = of_kind(&asked, kinds[k].kind);
		result = asking_answer_by(a, &c, e);
	}
	a->question = asked;
	return result < 0 ? -1 : 0;
}
