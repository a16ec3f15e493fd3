/* Is something used at all: what in the capture shows it? */
#include "ask/asking.h"

#include "base/mem.h"

enum { TOLD_SIGNS = 2, MOST_SIGNS = 3 };

/* What people call it, and rows that are there where it is used. */
static const struct presence {
	const char *title;
	const char *phrases[6];
	const char *none; /* what is missing, where no sign is there */
	struct sign {
		const char *analysis, *table, *name;
	} signs[MOST_SIGNS];
} presences[] = {
	{"unified memory",
	 {"unified memory", "managed memory", "uvm", "cuda managed", "unified addressing"},
	 "no page of such memory was moved, and no call that allocates it (cudaMallocManaged) was "
	 "recorded",
	 {{"memory", "memory", "Unified"}, {"api", "api", "MallocManaged"}}},
};

/* Whether nothing but that is asked: "is it slow", "is it prefetched" are other questions. */
static bool asks_presence_alone(const struct question *q, const char *phrase)
{
	static const char using[] = "use used uses using usage present exist exists allocate "
				    "allocated allocates program application app code process";
	struct words said;
	size_t from = 0, others = 0;

	words_read(&said, str_of(phrase));
	while (from < q->words.count && !words_at(&q->words, from, phrase))
		from++;
	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		others += (i < from || i >= from + said.count) && !w->is_stop && !q->is_used[i] &&
			  !str_is_listed(str_of(w->text), using);
	}
	words_free(&said);
	return from < q->words.count && !others;
}

static const struct presence *find_presence(const struct question *q)
{
	if (q->intent != ASKS_WHETHER || q->measure != MEASURE_ANY)
		return NULL;
	for (size_t p = 0; p < ARRAY_LEN(presences); p++) {
		for (size_t i = 0; i < ARRAY_LEN(presences[p].phrases); i++) {
			if (presences[p].phrases[i] &&
			    asks_presence_alone(q, presences[p].phrases[i]))
				return &presences[p];
		}
	}
	return NULL;
}

/* 1: there is no such row. The whole capture is looked at: memory is allocated before the steps. */
static int tell_sign(struct asking *a, const struct sign *s, bool is_first, struct err *e)
{
	const struct candidate c = {corpus_find(&a->corpus, s->analysis, s->table), 1, 1};
	struct asked_analysis *asked;
	const struct table *t;
	struct chosen_rows r;
	bool has_missed;

	if (!c.document)
		return 1;
	asked = asking_run(a, &c, 0, e);
	if (!asked)
		return -1;
	t = asked->failed ? NULL : report_find_table(&asked->report, s->table);
	if (!t)
		return 1;
	rows_choose(&r, t, asked->topic, &a->question);
	has_missed = r.has_missed;
	if (is_first && !has_missed)
		sentences_addf(&a->told, "Yes:");
	for (size_t i = 0; !has_missed && i < r.count && i < TOLD_SIGNS; i++)
		sentences_add_row(&a->told, asked->topic, &r, i);
	if (!has_missed) {
		asking_head_evidence(a);
		asking_show_rows(a, &r);
	}
	rows_free(&r);
	return has_missed;
}

int asking_answer_presence(struct asking *a, struct err *e)
{
	const struct presence *p = find_presence(&a->question);
	bool any = false;

	if (!p)
		return 1;
	a->answer->status = "answered";
	a->question.wants_all = true;
	a->question.threshold.is_given = false;
	for (size_t i = 0; i < MOST_SIGNS && p->signs[i].name; i++) {
		int missing;

		a->question.names = (struct asked_names){
			.all = {str_of(p->signs[i].name)}, .is_quoted = {true}, .count = 1};
		missing = tell_sign(a, &p->signs[i], !any, e);
		if (missing < 0)
			return -1;
		any |= !missing;
	}
	if (!any)
		sentences_addf(&a->told, "No %s is seen: %s.", p->title, p->none);
	return 0;
}
