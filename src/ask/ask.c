/* What is the answer to a question, and on what does it rest? */
#include "ask/ask.h"

#include "ask/asking.h"
#include "ask/named_rows.h"
#include "ask/respell.h"
#include "ask/step_window.h"
#include "base/mem.h"
#include "guides/guide.h"
#include "text/prose.h"
#include "text/text.h"
#include "text/units.h"
#include "trace/strings.h"

#include <ctype.h>
#include <stdlib.h>

/* Of the best score, for a candidate to be asked as well. */
static const double GO_ON = 0.8;
/* The same for another table of the analysis that was asked. */
static const double SIBLING = 0.85;

static void free_asked(void *asked)
{
	asked_free(asked);
	free(asked);
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

void asking_head_evidence(struct asking *a)
{
	report_heading(a->report, "E%zu: %s", a->told_runs, a->evidence[a->told_runs - 1].command);
}

/* Where another table of the same analysis fits almost as well, either may be meant: both are told.
 */
static void add_sibling(struct asking *a, struct asked_analysis *asked, const struct candidate *c)
{
	const struct topic *told = asked->topic;

	if (strcmp(a->answer->status, "cannot_tell") == 0)
		return;
	for (size_t i = 0; i < a->route.count; i++) {
		const struct candidate *o = &a->route.all[i];
		const struct topic *topic = o->document->topic;

		if (o->document->analysis != asked->analysis || !topic->table || !topic->row ||
		    strcmp(topic->table, told->table) == 0 || o->score < c->score * SIBLING)
			continue;
		asked->topic = topic;
		asking_add_table(a, asked);
		return;
	}
}

/* Who asks why there are gaps is told how large they are, and what the host does meanwhile. */
static int explain_gaps(struct asking *a, struct err *e)
{
	const struct candidate c = {corpus_find(&a->corpus, "idle", "gpu_idle"), 1, 1};
	const struct document *blame = corpus_find(&a->corpus, "idle", "idle_blame");
	struct asked_analysis *asked;

	if (a->question.intent != ASKS_WHY || a->told_runs >= MOST_RUNS || !c.document || !blame ||
	    !(question_says(&a->question, "gap") || question_says(&a->question, "idle")))
		return 0;
	asked = asking_run(a, &c, 0, e);
	if (!asked)
		return -1;
	if (asked->failed)
		return 0;
	asking_head_evidence(a);
	asking_add_table(a, asked);
	asked->topic = blame->topic;
	asking_add_table(a, asked);
	return 0;
}

/* Whether copies or memsets are asked for where CUDA was traced, and the program made none; or
 * kernels in a window that has none. */
static bool has_none_of_work(struct asking *a, const struct asked_analysis *asked)
{
	struct err ignored = {0};

	const struct question *q = &a->question;
	const bool is_kernels = q->work.kinds == WORK_KERNEL && !q->names.count &&
				(q->has_window || question_names_steps(q)) &&
				strcmp(asked->analysis->name, "kernels") == 0;

	return asked->failure.absent &&
	       (is_kernels || (asked->topic->work && q->work.kinds & (WORK_COPY | WORK_MEMSET))) &&
	       trace_load(a->trace, TRACE_KERNELS, COL_BIT(COL_START), &ignored) == 0 &&
	       a->trace->events[TRACE_KERNELS].count > 0;
}

/* 1: the next candidate may know more. */
static int answer_with(struct asking *a, const struct candidate *c, size_t step, bool may_miss,
		       struct err *e)
{
	struct asked_analysis *asked = asking_run(a, c, step, e);

	if (!asked)
		return -1;
	if (asked->failed) {
		/* Who does not say what to search for does not mean a search. */
		if (asked->failure.code == ERR_USAGE &&
		    strcmp(asked->analysis->name, "search") == 0)
			return 1;
		if (has_none_of_work(a, asked)) {
			asking_tell_no_work(a, asked->topic->table);
			return 0;
		}
		if (may_miss)
			return 1;
		asking_tell_failure(a, asked);
		return 0;
	}
	if (asked->topic->table && asked->topic->row) {
		const int result = asking_answer_table(a, asked);

		if (result == 0)
			add_sibling(a, asked, c);
		return result;
	}
	if (asked->topic->none) {
		a->answer->status = "cannot_tell";
		if (!asking_tell_unrecorded(a, asked->topic))
			sentences_addf(&a->told, "This capture cannot tell: %s.",
				       asked->topic->none);
		return 0;
	}
	asking_answer_findings(a, asked);
	return explain_gaps(a, e);
}

int asking_answer_by(struct asking *a, const struct candidate *c, struct err *e)
{
	return answer_with(a, c, 0, false, e);
}

static bool is_table_topic(const struct candidate *c)
{
	return c->document->topic->table && c->document->topic->row;
}

/* What has the name may have run outside of the window: in the warm-up, before the steps. */
static int answer_outside(struct asking *a, const struct candidate *first, struct err *e)
{
	const struct question asked = a->question;
	const size_t said = a->told.text.len, values = a->told.count;
	int result;

	if (a->question.wants_all || a->runs >= MOST_RUNS || !is_table_topic(first))
		return 1;
	a->question.has_window = a->question.is_moment = false;
	a->question.steps.count = a->question.not_steps.count = 0;
	a->question.step_span.is_given = a->question.step_edge.is_given = false;
	a->question.wants_all = true;
	a->told_runs = 0;
	a->has_window = false;
	sentences_addf(&a->told, "There is none in the window that is asked about. Outside of it:");
	asking_keep_zeros(a, first->document->topic->table);
	result = answer_with(a, first, 0, true, e);
	if (result == 1) {
		a->told.text.len = said;
		a->told.text.s[said] = '\0';
		a->told.count = values;
	}
	a->is_told_outside = result == 0;
	/* A question that goes on from this one is about its window. */
	a->question = asked;
	return result;
}

static bool is_name_of(struct asking *a, struct str name)
{
	return asking_is_name(a->trace, arena_str(&a->report->arena, name).s);
}

/* Nothing has the name: which rows are first is told all the same, of others there is no number. */
static int answer_without_name(struct asking *a, const struct candidate *first, struct err *e)
{
	SCOPED_BUF safe = {0}, name = {0};
	const int result = answer_outside(a, first, e);

	if (result != 1)
		return result;
	text_add_safe(&safe, a->question.names.all[0]);
	text_add_elided(&name, buf_str(&safe), 60);
	sentences_addf(&a->told,
		       is_name_of(a, a->question.names.all[0])
			       ? "What '%s' is asked for is not known here."
			       : "Nothing in this capture is called '%s'.",
		       name.s);
	a->question.names.count = 0;
	a->told_runs = 0;
	if (!a->question.wants_rows || a->runs >= MOST_RUNS) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	return answer_with(a, first, 0, false, e);
}

static void tell_none(struct asking *a)
{
	const struct asked_ids *streams = &a->question.streams;

	a->answer->status = "cannot_tell";
	a->told_runs = 0;
	if (streams->count)
		sentences_addf(&a->told, "Nothing ran on stream %u in this capture.",
			       streams->all[0]);
	else
		sentences_addf(&a->told, "There is none of that here.");
}

/* Who asks why is told what was found, where what they name was not recorded. */
static bool may_be_finding(const struct question *q)
{
	return q->hints_at_why || q->intent == ASKS_WHY;
}

/* Whether the i-th candidate, or one after it, may be what was meant, where those before it have no
 * answer. */
static bool may_go_on(const struct asking *a, size_t i)
{
	const struct route *r = &a->route;

	if (i >= r->count || a->runs + 1 >= MOST_RUNS)
		return false;
	if (a->question.names.count || a->question.streams.count)
		return is_table_topic(&r->all[i]);
	if (r->is_head)
		return false;
	if (may_be_finding(&a->question) && !r->all[i].document->topic->table)
		return true;
	if (may_be_finding(&a->question))
		return may_go_on(a, i + 1);
	/* What is about less of what was said would answer another question. */
	return !r->is_sure && r->all[i].cover >= r->all[0].cover &&
	       r->all[i].score >= r->all[0].score * GO_ON;
}

/* Whether a stream is asked about that its rows do not know. */
static bool is_deaf_to_stream(const struct question *q, const struct candidate *c)
{
	return q->streams.count && is_table_topic(c) &&
	       !asked_knows_streams(c->document->analysis, c->document->topic);
}

/*
 * "gemm time", where no kernel has that in its name: what kernels compute is known by the category
 * that they are of. 1: that does not help.
 */
static int answer_by_category(struct asking *a, const struct candidate *first, struct err *e)
{
	const struct candidate c = {corpus_find(&a->corpus, "categories", "categories"),
				    first->score, first->cover};
	const struct question *q = &a->question;
	struct asked_analysis *asked;
	const struct table *t;
	struct chosen_rows r;
	bool is_said = false, is_found = false;

	for (size_t i = 0; i < q->words.count; i++)
		is_said |= word_is_kernel_family(q->words.all[i].text);
	if (!is_said || q->names_kernels || q->names.count || q->wants_rows || !c.document ||
	    strcmp(first->document->analysis->name, "kernels") != 0)
		return 1;
	asked = asking_run(a, &c, 0, e);
	if (!asked)
		return -1;
	t = asked->failed ? NULL : report_find_table(&asked->report, "categories");
	if (t && t->rows) {
		rows_choose(&r, t, asked->topic, q);
		is_found = r.by_name && r.count == 1;
		rows_free(&r);
	}
	if (is_found)
		return asking_answer_table(a, asked);
	a->told_runs = 0;
	a->has_window = false;
	return 1;
}

/* What is not in the steps may be elsewhere in the capture: that is told besides. */
static int add_outside(struct asking *a, const struct candidate *first, struct err *e)
{
	struct asked_analysis *asked;
	const struct table *t;
	struct chosen_rows r;

	if (!a->has_no_work || a->question.wants_all || a->question.has_window ||
	    question_names_steps(&a->question) || a->runs >= MOST_RUNS)
		return 0;
	a->question.wants_all = true;
	asked = asking_run(a, first, 0, e);
	a->question.wants_all = false;
	if (!asked)
		return -1;
	t = asked->failed ? NULL : report_find_table(&asked->report, asked->topic->table);
	if (!t || !t->rows)
		return 0;
	rows_choose(&r, t, asked->topic, &a->question);
	if (r.count && !r.has_no_work) {
		sentences_addf(&a->told, "In the whole capture:");
		asking_head_evidence(a);
		asking_add_table(a, asked);
	}
	rows_free(&r);
	return 0;
}

/* The best candidate, and where it knows no such name the next ones; steps one after the other. */
static int answer_known(struct asking *a, struct err *e)
{
	const struct question *q = &a->question;
	const struct candidate *first = &a->route.all[0];
	int result = asking_answer_kinds(a, e);

	if (result == 1)
		result = answer_by_category(a, first, e);
	if (result != 1)
		return result;
	result = is_deaf_to_stream(q, first) && may_go_on(a, 1)
			 ? 1
			 : answer_with(a, first, 0, may_go_on(a, 1), e);
	/* A stream that is not in the steps may be elsewhere. */
	if (result == 1 && q->streams.count && !q->names.count && !is_deaf_to_stream(q, first))
		result = answer_outside(a, first, e);
	for (size_t i = 1; i < a->route.count && result == 1 && a->runs + 1 < MOST_RUNS; i++) {
		if (may_be_finding(q) && !q->names.count && a->route.all[i].document->topic->table)
			continue;
		if (is_deaf_to_stream(q, &a->route.all[i]) ||
		    (q->streams.count && !is_table_topic(&a->route.all[i])))
			continue;
		/* No finding is told for a name that nothing has. */
		if (q->names.count && !may_be_finding(q) && !is_table_topic(&a->route.all[i]))
			continue;
		/* What has no such name is no evidence. */
		a->told_runs = 0;
		a->has_window = false;
		/* What fits less was asked because the first has no such stream. */
		if (q->streams.count)
			a->answer->status = "unsure";
		result = answer_with(a, &a->route.all[i], 0, may_go_on(a, i + 1), e);
	}
	if (result == 1 && q->names.count)
		result = answer_without_name(a, first, e);
	else if (result == 1)
		tell_none(a);
	if (a->is_told_outside)
		return 0;
	for (size_t s = 1; s < q->steps.count && result == 0 && a->runs < MOST_RUNS; s++) {
		if (is_table_topic(first) &&
		    strcmp(first->document->topic->table, "iterations") == 0)
			break;
		result = answer_with(a, first, s, false, e);
	}
	if (result == 0)
		result = add_outside(a, first, e);
	return result < 0 ? -1 : 0;
}

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

static int answer(struct asking *a, struct err *e)
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
	a->route.is_sure &= !question_has_unread_number(&a->question);
	a->answer->status = a->route.is_sure ? "answered" : "unsure";
	if (!a->route.is_sure)
		offer_nearest(a);
	return answer_known(a, e);
}

/* What was not recorded may show nevertheless. */
static int answer_or_find(struct asking *a, struct err *e)
{
	const int result = answer(a, e);

	if (result == 0 && !a->report->block_count && strcmp(a->answer->status, "cannot_tell") == 0)
		return asking_answer_whether(a, e);
	return result;
}

/* Whether all words of a text are known here: then it belongs to the question before it. */
static bool is_understood(const struct asking *a, struct str text)
{
	struct words w;
	bool all = true;

	words_read(&w, text);
	for (size_t i = 0; i < w.count; i++)
		all &= !w.all[i].is_quoted &&
		       (w.all[i].is_stop || w.all[i].is_term ||
			corpus_term(&a->corpus, w.all[i].stem) != TERM_NONE ||
			isdigit((unsigned char)w.all[i].text[0]));
	words_free(&w);
	return all;
}

/* Whether a text says what is asked about: "which one is it?" does not. */
static bool has_substance(const struct asking *a, struct str text)
{
	struct words w;
	bool any = false;

	words_read(&w, text);
	for (size_t i = 0; i < w.count && !any; i++)
		any = !w.all[i].is_stop && (w.all[i].is_quoted || strchr(w.all[i].text, '_') ||
					    isdigit((unsigned char)w.all[i].text[0]) ||
					    corpus_term(&a->corpus, w.all[i].stem) != TERM_NONE);
	words_free(&w);
	return any;
}

/* The sentence that begins here: to its mark, a semicolon, a line's end or a stop before a space.
 */
static struct str sentence_at(const char *text)
{
	static const char wide_mark[] = "\xef\xbc\x9f"; /* of Chinese */
	const size_t wide = sizeof(wide_mark) - 1;
	size_t len = 0;

	while (text[len] && !strchr("?;!\n", text[len]) &&
	       strncmp(text + len, wide_mark, wide) != 0 &&
	       !(text[len] == '.' && (text[len + 1] == ' ' || !text[len + 1])))
		len++;
	if ((unsigned char)text[len] >= 0x80)
		len += wide - 1;
	return (struct str){text, len + (text[len] != '\0')};
}

/*
 * The sentence that asks: the first with a question mark; what comes before it is what somebody
 * tells first, what comes after it is none, unless all of it is understood. Without a mark, all.
 */
static struct str asking_sentence(const struct asking *a, const char *question)
{
	const char *at = question;

	while (*at) {
		const struct str s = sentence_at(at);
		const bool asks = s.len > 8 && (s.s[s.len - 1] == '?' || s.s[s.len - 1] == ';' ||
						(unsigned char)s.s[s.len - 1] == 0x9f);

		if (asks && !has_substance(a, s))
			return str_of(question);
		if (asks)
			return is_understood(a, str_of(at + s.len)) ? str_of(at) : s;
		at += s.len;
	}
	return str_of(question);
}

/* "I have a range called clip. How long is it?" */
static void take_names_told(struct asking *a, struct question *told)
{
	const struct question asked = a->question;

	a->question = *told;
	asking_take_names(a);
	*told = a->question;
	a->question = asked;
	a->question.names = told->names;
}

/* Of what was said besides: where, when, how many. */
static void take_context(struct asking *a, const char *question, struct str asked)
{
	struct question before;

	question_read(&before, (struct str){question, (size_t)(asked.s - question)});
	if (before.words.count)
		question_add_slots(&a->question, &before);
	if (!a->question.names.count && question_says(&a->question, "it"))
		take_names_told(a, &before);
	if (!a->question.work.kinds &&
	    question_says_any(&a->question, ANY_OF("ones", "they", "them", "those", "these")))
		a->question.work.kinds = before.work.kinds;
	question_free(&before);
}

/* Whether it asks about something else than the question before: "and how many kernels?" */
static bool has_subject(const struct asking *a)
{
	const struct question *q = &a->question;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		if (!w->is_stop && !w->is_quoted && !q->is_used[i] && !q->is_place[i] &&
		    corpus_term(&a->corpus, w->stem) != TERM_NONE)
			return true;
	}
	return false;
}

/*
 * What was asked before with what is said now, where that goes on from it. Whether the question is
 * the one before, at another place.
 */
static bool recall(struct asking *a, struct ask_memory *m, struct question *before)
{
	struct question now = a->question;

	if (!m || !m->question || !question_goes_on(&now))
		return false;
	question_read(before, str_of(m->question));
	if (m->is_refused)
		question_drop_places(before);
	question_take_slots(before, &m->slots);
	if (has_subject(a)) {
		question_add_slots(&a->question, before);
		return false;
	}
	question_take_slots(before, &now);
	a->question = *before;
	*before = now;
	return true;
}

/* Where and when it was asked about, so that the next question may go on from there. */
static void remember_slots(struct ask_memory *m, const struct question *q)
{
	struct arena old = m->arena;

	m->arena = (struct arena){0};
	m->slots = *q;
	m->slots.words = (struct words){0};
	m->slots.is_used = m->slots.is_place = NULL;
	m->slots.head = NULL;
	for (size_t i = 0; i < q->names.count; i++)
		m->slots.names.all[i] = arena_str(&m->arena, q->names.all[i]);
	arena_free(&old);
}

static void remember(struct ask_memory *m, const struct asking *a, struct str meant, bool is_same)
{
	const bool is_refused = strcmp(a->answer->status, "cannot_tell") == 0;

	if (!m || a->route.is_foreign)
		return;
	/* What is not there is no place to go on from. */
	if (!is_refused)
		remember_slots(m, &a->question);
	if (is_same)
		return;
	m->is_refused = is_refused;
	free(m->question);
	m->question = mem_strdup(meant.s);
}

void ask_forget(struct ask_memory *m)
{
	free(m->question);
	arena_free(&m->arena);
	*m = (struct ask_memory){0};
}

/* "the last 3 steps": which these are. */
static int place_edge(struct asking *a, struct err *e)
{
	struct step_bounds bounds;
	const int result =
		a->question.step_edge.is_given ? step_window_bounds(a->trace, &bounds, e) : 1;

	if (result == 0)
		question_place_edge(&a->question, bounds.first, bounds.last);
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
	take_context(&a, question, asked);
	is_same = recall(&a, memory, &before);
	result = place_edge(&a, e);
	route_make(&a.route, &a.corpus, &a.question, asking_is_name, t);
	if (result == 0)
		result = answer_or_find(&a, e);
	if (result == 0)
		finish(&a);
	remember(memory, &a, buf_str(&meant), is_same);
	sentences_free(&a.told);
	question_free(&a.question);
	question_free(&before);
	corpus_free(&a.corpus);
	return result;
}
