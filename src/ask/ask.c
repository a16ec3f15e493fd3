/* What is the answer to a question, and on what does it rest? */
#include "ask/ask.h"

#include "ask/asking.h"
#include "ask/respell.h"
#include "ask/step_window.h"
#include "base/mem.h"
#include "guides/guide.h"
#include "text/prose.h"
#include "text/text.h"
#include "text/units.h"
#include "trace/strings.h"

#include <stdlib.h>

static void free_asked(void *asked)
{
	asked_free(asked);
	free(asked);
}

/* The window that is told in the end is that of the first request. */
static void tell_other_window(struct asking *a, const struct report *of)
{
	const struct report *first = a->report;
	SCOPED_BUF b = {0};

	if (!a->has_window || !of->has_window ||
	    (of->window_start_ns == first->window_start_ns &&
	     of->window_end_ns == first->window_end_ns))
		return;
	units_add_time(&b, of->window_start_ns);
	buf_adds(&b, " to ");
	units_add_time(&b, of->window_end_ns);
	sentences_addf(&a->told,
		       "In another window, %s%s%s:", of->window_words ? of->window_words : "",
		       of->window_words ? ", " : "", b.s);
}

struct asked_analysis *asking_run(struct asking *a, const struct candidate *c, size_t step,
				  struct err *e)
{
	struct asked_analysis *asked = mem_zalloc(1, sizeof(*asked));
	const struct document *d = c->document;
	struct answer_evidence *v = &a->evidence[a->told_runs];

	report_on_free(a->report, free_asked, asked);
	if (asked_run(asked, a->trace, d->analysis, d->topic, &a->question, step, e) < 0)
		return NULL;
	*v = (struct answer_evidence){
		d->analysis->name, d->topic->table,
		arena_str(&a->report->arena, buf_str(&asked->command)).s, c->score,
		asked->failed ? arena_strdup(&a->report->arena, asked->failure.message) : NULL};
	a->runs++;
	a->told.evidence = ++a->told_runs;
	if (a->kept_runs && !asked->failed)
		tell_other_window(a, &asked->report);
	if (asked->failed || a->has_window)
		return asked;
	a->has_window = true;
	a->report->has_window = asked->report.has_window;
	a->report->window_start_ns = asked->report.window_start_ns;
	a->report->window_end_ns = asked->report.window_end_ns;
	a->report->window_span = asked->report.window_span;
	a->report->window_words = asked->report.window_words;
	a->report->window_steps = asked->report.window_steps;
	return asked;
}

bool asking_may_run(const struct asking *a, size_t more)
{
	return a->runs + a->later + more <= MOST_RUNS;
}

void asking_drop_evidence(struct asking *a)
{
	a->told_runs = a->kept_runs;
	a->has_window &= a->kept_runs > 0;
}

void asking_head_evidence(struct asking *a)
{
	report_heading(a->report, "E%zu: %s", a->told_runs, a->evidence[a->told_runs - 1].command);
}

/* Where another table of the same analysis fits almost as well, either may be meant: both are told.
 */

static void offer_nearest(struct asking *a)
{
	const char **all = arena_alloc(&a->report->arena, NEAREST_QUESTIONS, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < a->route.count && n < NEAREST_QUESTIONS; i++) {
		const struct str q = route_nearest_question(&a->route, &a->corpus, &a->question, i);

		if (q.len)
			all[n++] = arena_str(&a->report->arena, q).s;
	}
	a->answer->nearest = all;
	a->answer->nearest_count = n;
}

/* Analyses in the order of their best topics. */
static void list_candidates(struct asking *a)
{
	const char **all = arena_alloc(&a->report->arena, CANDIDATES, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < a->route.count; i++) {
		const char *name = a->route.all[i].document->analysis->name;
		size_t j = 0;

		while (j < n && strcmp(all[j], name) != 0)
			j++;
		if (j == n && a->route.all[i].score > 0)
			all[n++] = name;
	}
	a->answer->candidates = all;
	a->answer->candidate_count = n;
}

/* Numbers are of a window: which one is said with them. */
static void tell_window(struct asking *a)
{
	const struct report *r = a->report;
	SCOPED_BUF b = {0};

	if (!a->told_runs || !a->has_window || !r->has_window)
		return;
	if (r->window_words)
		buf_addf(&b, "%s, ", r->window_words);
	units_add_time(&b, r->window_start_ns);
	buf_adds(&b, " to ");
	units_add_time(&b, r->window_end_ns);
	sentences_addf(&a->told, "Window: %s.", b.s);
}

static void finish(struct asking *a)
{
	struct report *r = a->report;
	struct report_answer *answer = a->answer;
	SCOPED_BUF told = {0};

	tell_window(a);
	prose_add(&told, buf_str(&a->told.text));
	answer->text = arena_str(&r->arena, buf_str(&told)).s;
	answer->evidence = arena_alloc(&r->arena, MOST_RUNS, sizeof(*answer->evidence));
	memcpy((void *)answer->evidence, a->evidence, sizeof(a->evidence));
	answer->evidence_count = a->told_runs;
	list_candidates(a);
	answer->values = arena_alloc(&r->arena, a->told.count + 1, sizeof(*answer->values));
	if (a->told.count)
		memcpy((void *)answer->values, a->told.values,
		       a->told.count * sizeof(*answer->values));
	answer->value_count = a->told.count;
	report_lead(r, "%s", answer->text);
	report_move_last(r, 0);
	if (answer->meant)
		report_note(r, "read as: %s", answer->meant);
	for (size_t i = 0; i < answer->nearest_count; i++)
		report_note(r, "%s: %s?", i ? "or" : "you could ask", answer->nearest[i]);
	r->answer = answer;
}

int asking_answer_request(struct asking *a, struct err *e)
{
	int result;

	result = asking_answer_presence(a, e);
	if (result == 1)
		result = asking_answer_remedy(a, e);
	if (result != 1)
		return result;
	if (asking_wants_guide(a)) {
		asking_answer_guide(a);
		return 0;
	}
	if (asking_refuse_unrecorded(a) || asking_refuse_absent(a))
		return 0;
	if (a->route.is_foreign) {
		a->answer->status = "out_of_domain";
		sentences_addf(&a->told,
			       "This question is not about what a GPU trace can tell, or it "
			       "is not understood.");
		offer_nearest(a);
		return 0;
	}
	a->route.is_sure &= !question_has_unread_number(&a->question) && !a->is_edge_lost;
	a->answer->status = a->route.is_sure ? "answered" : "unsure";
	if (!a->route.is_sure)
		offer_nearest(a);
	return asking_answer_known(a, e);
}

/* What was not recorded may show nevertheless. */
static int answer_or_find(struct asking *a, struct err *e)
{
	int result = asking_answer_requests(a, e);

	if (result == 1)
		result = asking_answer_request(a, e);
	if (result == 0)
		asking_doubt_halves(a);
	if (result == 0 && !a->report->block_count && strcmp(a->answer->status, "cannot_tell") == 0)
		return asking_answer_whether(a, e);
	return result;
}

/* "the last 3 steps": which these are. */
static int place_edge(struct asking *a, struct err *e)
{
	struct step_bounds bounds;
	const int result =
		a->question.step_edge.is_given ? step_window_bounds(a->trace, &bounds, e) : 1;

	if (result == 0)
		a->is_edge_lost = !question_place_edge(&a->question, bounds.first, bounds.last);
	return result < 0 ? -1 : 0;
}

/* What a guide or the trace has is no slip of the fingers. */
static bool is_known_word(void *ctx, const char *word)
{
	return guide_about(word) || asking_is_name(ctx, word);
}

int ask_answer(struct trace *t, const char *question, struct ask_memory *memory,
	       const struct analysis *const *more, struct report *r, struct err *e)
{
	struct asking a = {.trace = t, .report = r};
	struct question before = {0};
	SCOPED_BUF meant = {0};
	struct str asked;
	bool is_same;
	int result = strings_load(t, e);

	if (result < 0)
		return -1;
	a.answer = arena_zalloc(&r->arena, 1, sizeof(*a.answer));
	a.answer->question = text_valid(&r->arena, str_of(question));
	a.told.report = r;
	corpus_make(&a.corpus, more);
	asked = asking_sentence(&a, question);
	if (asking_load_names(&a, str_of(question), e) < 0) {
		corpus_free(&a.corpus);
		return -1;
	}
	respell(&meant, asked, &a.corpus, is_known_word, t);
	if (!str_eq(buf_str(&meant), asked))
		a.answer->meant = text_valid(&r->arena, buf_str(&meant));
	question_read(&a.question, buf_str(&meant));
	asking_take_names(&a);
	asking_take_context(&a, question, asked);
	is_same = asking_recall(&a, memory, &before);
	result = place_edge(&a, e);
	route_make(&a.route, &a.corpus, &a.question, asking_is_name, t);
	if (result == 0)
		result = answer_or_find(&a, e);
	if (result == 0)
		finish(&a);
	asking_remember(memory, &a, buf_str(&meant), is_same);
	sentences_free(&a.told);
	question_free(&a.question);
	question_free(&before);
	corpus_free(&a.corpus);
	return result;
}
