/* What is the answer to a question, and on what does it rest? */
#include "ask/ask.h"

#include "ask/asked_analysis.h"
#include "ask/chosen_rows.h"
#include "ask/respell.h"
#include "ask/sentences.h"
#include "base/mem.h"
#include "options/args.h"
#include "report/finding.h"
#include "text/text.h"
#include "trace/strings.h"

#include <ctype.h>
#include <stdlib.h>

/* Analyses that one question may run; rows that sentences tell, and that the evidence shows. */
static const double GO_ON = 0.9; /* of the best score, for a candidate to be asked as well */
enum { MOST_RUNS = 4, TOLD_ROWS = 5, SHOWN_ROWS = 5, TOLD_FINDINGS = 3 };

struct asking {
	struct trace *trace;
	struct report *report;
	struct report_answer *answer;
	struct corpus corpus;
	struct question question;
	struct route route;
	struct sentences told;
	struct answer_evidence evidence[MOST_RUNS];
	size_t runs;	  /* analyses that were asked */
	size_t told_runs; /* those whose answer is the evidence */
	bool has_window;  /* that of the first answer is the report's */
};

/* Rows of another table, in an order of their own. */
struct row_view {
	const struct table *of;
	uint64_t *rows;
};

static void view_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct row_view *v = ctx;

	v->of->row(v->of->ctx, v->rows[i], cells);
}

static void show_rows(struct asking *a, const struct chosen_rows *r)
{
	struct arena *arena = &a->report->arena;
	struct row_view *v = arena_zalloc(arena, 1, sizeof(*v));
	struct table *t = arena_zalloc(arena, 1, sizeof(*t));
	const size_t most = a->question.top > SHOWN_ROWS ? (size_t)a->question.top : SHOWN_ROWS;
	const size_t count = r->count < most ? r->count : most;

	v->of = r->table;
	v->rows = arena_alloc(arena, count + 1, sizeof(*v->rows));
	memcpy(v->rows, r->rows, count * sizeof(*v->rows));
	*t = *r->table;
	t->title = NULL;
	t->rows = count;
	t->total_rows = r->count;
	t->rest = "the command above shows them all";
	t->row = view_row;
	t->ctx = v;
	report_table(a->report, t);
}

static void free_asked(void *asked)
{
	asked_free(asked);
	free(asked);
}

/* Runs it; NULL: it has no answer, which is noted as evidence, too. */
static struct asked_analysis *run(struct asking *a, const struct candidate *c, size_t step,
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

/* The question of `doctor` that says whether it was recorded: its row, or -1. */
static int64_t find_doctor_row(const struct table *t, const char *question)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		if (str_eq(table_cell(t, i, "question").s, str_of(question)))
			return (int64_t)i;
	}
	return -1;
}

/* Whether what a topic needs was not recorded; then that is told, with the flag that brings it. */
static bool is_missing(const struct topic *topic, struct str verdict)
{
	return str_eq(verdict, STR_LIT("no")) ||
	       (topic->needs_all && str_eq(verdict, STR_LIT("partly")));
}

static bool tell_unrecorded(struct asking *a, const struct topic *topic)
{
	const struct analysis *doctor = analysis_find("doctor", false);
	struct report r = {.command = doctor->name};
	void *args = arena_zalloc(&r.arena, 1, doctor->options->size);
	struct err ignored = {0};
	bool is_unrecorded = false;

	args_init(doctor->options, args);
	if (topic->needs && analysis_run(doctor, a->trace, args, &r, &ignored) == 0) {
		const struct table *t = report_find_table(&r, "questions");
		const int64_t row = find_doctor_row(t, topic->needs);

		if (row >= 0 && is_missing(topic, table_cell(t, (uint64_t)row, "verdict").s)) {
			const struct cell why = table_cell(t, (uint64_t)row, "why");
			const struct cell flags = table_cell(t, (uint64_t)row, "flags");

			is_unrecorded = true;
			sentences_addf(&a->told, "This capture cannot tell: %.*s.", STR_FMT(why.s));
			if (flags.kind == CELL_TEXT)
				sentences_addf(&a->told, "Capture with %.*s.", STR_FMT(flags.s));
		}
	}
	report_free(&r);
	args_free(doctor->options, args);
	return is_unrecorded;
}

static void tell_failure(struct asking *a, const struct asked_analysis *asked)
{
	a->answer->status = "cannot_tell";
	if (asked->topic->needs && tell_unrecorded(a, asked->topic))
		return;
	sentences_addf(&a->told, "%s: %s.",
		       asked->failure.absent ? "This capture cannot tell" : "There is no answer",
		       asked->failure.message);
	if (asked->failure.hint[0])
		sentences_addf(&a->told, "%s.", asked->failure.hint);
}

/* One number of all rows, or rows? */
static bool wants_sum(const struct question *q, const struct topic *topic,
		      const struct chosen_rows *r)
{
	if (!topic->sum || q->intent == ASKS_COMPARE || r->count == 1)
		return false;
	if (r->column >= 0 && !column_adds_up(&r->table->columns[r->column]))
		return false;
	return q->intent == ASKS_AMOUNT && !q->wants_rows && !q->top;
}

static void tell_rows(struct asking *a, const struct topic *topic, const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	size_t told = q->top ? (size_t)q->top : q->intent == ASKS_COMPARE || r->by_name ? 3 : 1;

	if (wants_sum(q, topic, r)) {
		sentences_add_sum(&a->told, topic, r);
		return;
	}
	if (q->intent == ASKS_AMOUNT && topic->sum && r->count > 1 && !q->top && r->by_name)
		sentences_add_sum(&a->told, topic, r);
	told = told > TOLD_ROWS ? TOLD_ROWS : told;
	for (size_t i = 0; i < r->count && i < told; i++)
		sentences_add_row(&a->told, topic, r, i);
	if (q->measure == MEASURE_COUNT && !topic->sum && r->count != told)
		sentences_add_count(&a->told, r);
}

static void head_evidence(struct asking *a)
{
	report_heading(a->report, "E%zu: %s", a->told_runs, a->evidence[a->told_runs - 1].command);
}

/* Whether both are first of all about the same. */
static bool shares_subject(const struct topic *a, const struct topic *b)
{
	const char *x = a->subject, *y = b->subject;

	return x && y && str_eq(str_next_word(&x), str_next_word(&y));
}

/* Of the topics of an analysis, the one that was meant, or where it has no rows another that has.
 */
static const struct table *find_table(struct asked_analysis *asked)
{
	const struct table *t = report_find_table(&asked->report, asked->topic->table);

	for (const struct topic *o = asked->analysis->topics; (!t || !t->rows) && o->questions;
	     o++) {
		const struct table *other =
			o->table && o->row ? report_find_table(&asked->report, o->table) : NULL;

		if (other && other->rows && shares_subject(o, asked->topic)) {
			asked->topic = o;
			t = other;
		}
	}
	return t;
}

static void tell_nothing(struct asking *a, const struct topic *topic)
{
	const struct question *q = &a->question;

	if (q->ranks.count || q->devices.count || q->streams.count || q->pids.count)
		a->answer->status = "cannot_tell";
	if (tell_unrecorded(a, topic))
		a->answer->status = "cannot_tell";
	else
		sentences_addf(&a->told, "%c%s.",
			       toupper((unsigned char)(topic->none ? topic->none[0] : 'N')),
			       topic->none ? topic->none + 1 : "othing is there");
}

/* Whether the number that is asked for was not measured for any of the rows. */
static bool is_unmeasured(const struct chosen_rows *r)
{
	struct cell *cells;
	bool any = false;

	if (r->column < 0 || !r->is_asked_column)
		return false;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count && !any; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		any = cells[r->column].kind != CELL_NULL;
	}
	free(cells);
	return !any;
}

static void tell_unmeasured(struct asking *a, const struct asked_analysis *asked,
			    const struct chosen_rows *r)
{
	a->answer->status = "cannot_tell";
	if (!tell_unrecorded(a, asked->topic))
		sentences_addf(&a->told, "This capture cannot tell: it has no value of \"%s\".",
			       r->table->columns[r->column].title);
	/* What the analysis says of how to get it. */
	for (size_t i = 0; i < asked->report.block_count; i++) {
		const struct block *b = &asked->report.blocks[i];

		if ((b->kind == BLOCK_NOTE || b->kind == BLOCK_WARNING) && strstr(b->text, "--"))
			sentences_addf(&a->told, "%s", b->text);
	}
}

/* 1: no row has the name that was asked for, and another analysis may know it. */
static int answer_with_table(struct asking *a, struct asked_analysis *asked, bool may_miss)
{
	const struct table *t = find_table(asked);
	struct chosen_rows r;
	int result = 0;

	if (asked->topic->needs_all && tell_unrecorded(a, asked->topic)) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	if (!t || !t->rows) {
		tell_nothing(a, asked->topic);
		return 0;
	}
	rows_choose(&r, t, asked->topic, &a->question);
	if (asked->ignores) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This is not of that %s alone:", asked->ignores);
	}
	if (r.has_missed && may_miss) {
		result = 1;
	} else if (!r.count) {
		a->answer->status = "cannot_tell";
		sentences_addf(&a->told, "There is none of that here.");
	} else if (is_unmeasured(&r)) {
		tell_unmeasured(a, asked, &r);
	} else {
		head_evidence(a);
		tell_rows(a, asked->topic, &r);
		show_rows(a, &r);
	}
	rows_free(&r);
	return result;
}

/* How many words of the question a finding has. */
static int shared_words(const struct question *q, const struct finding *f)
{
	SCOPED_BUF text = {0};
	struct words w;
	int shared = 0;

	buf_addf(&text, "%s %s", f->title, f->id);
	for (size_t i = 0; i < f->advice_count; i++)
		buf_addf(&text, " %s", f->advice[i]);
	for (char *c = text.s; c && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	words_read(&w, buf_str(&text));
	for (size_t i = 0; i < q->words.count; i++) {
		bool found = q->words.all[i].is_stop || word_is_common(&q->words.all[i]);

		for (size_t j = 0; j < w.count && !found; j++) {
			found = strcmp(w.all[j].stem, q->words.all[i].stem) == 0;
			shared += found;
		}
	}
	words_free(&w);
	return shared;
}

static void tell_finding(struct asking *a, const struct finding *f, const struct report *r)
{
	SCOPED_BUF gain = {0}, title = {0};

	text_add_safe(&title, str_of(f->title));
	finding_add_gain(&gain, f, r);
	sentences_addf(&a->told, "%s%s%s%s.", title.s, gain.len ? " (" : "", gain.len ? gain.s : "",
		       gain.len ? ")" : "");
	if (f->advice_count)
		sentences_addf(&a->told, "What to do: %s.", f->advice[0]);
}

/* Findings in order of what they cost; those that share a word with the question come first. */
static void answer_with_findings(struct asking *a, const struct asked_analysis *asked)
{
	const struct report *r = &asked->report;
	const struct finding *found[64];
	size_t count = 0, first = 0;

	if (r->verdict_text)
		sentences_addf(&a->told, "%s%s", r->verdict_text,
			       str_ends(str_of(r->verdict_text), ".") ? "" : ".");
	a->report->verdict = r->verdict;
	a->report->verdict_text = r->verdict_text;
	for (size_t i = 0; i < r->block_count && count < ARRAY_LEN(found); i++) {
		if (r->blocks[i].kind == BLOCK_FINDING)
			found[count++] = r->blocks[i].finding;
	}
	for (size_t i = 1; i < count; i++) {
		if (found[i]->recoverable_ns > 0 &&
		    shared_words(&a->question, found[i]) > shared_words(&a->question, found[first]))
			first = i;
	}
	head_evidence(a);
	for (size_t i = 0; i < count && i < TOLD_FINDINGS; i++) {
		const struct finding *f = found[i ? (i <= first ? i - 1 : i) : first];

		if (i == 0)
			tell_finding(a, f, r);
		report_finding(a->report, f);
	}
	if (!count)
		sentences_addf(&a->told, "Nothing was found that costs time.");
}

/* 1: the next candidate may know more. */
static int answer_with(struct asking *a, const struct candidate *c, size_t step, bool may_miss,
		       struct err *e)
{
	struct asked_analysis *asked = run(a, c, step, e);

	if (!asked)
		return -1;
	if (asked->failed) {
		if (may_miss)
			return 1;
		tell_failure(a, asked);
		return 0;
	}
	if (asked->topic->table && asked->topic->row)
		return answer_with_table(a, asked, may_miss);
	if (asked->topic->none) {
		a->answer->status = "cannot_tell";
		sentences_addf(&a->told, "This capture cannot tell: %s.", asked->topic->none);
		return 0;
	}
	answer_with_findings(a, asked);
	return 0;
}

static bool is_table_topic(const struct candidate *c)
{
	return c->document->topic->table && c->document->topic->row;
}

/* Nothing has the name: which rows are first is told all the same, of others there is no number. */
static int answer_without_name(struct asking *a, const struct candidate *first, struct err *e)
{
	SCOPED_BUF safe = {0}, name = {0};

	text_add_safe(&safe, a->question.names.all[0]);
	text_add_elided(&name, buf_str(&safe), 60);
	sentences_addf(&a->told, "Nothing in this capture is called '%s'.", name.s);
	a->question.names.count = 0;
	a->told_runs = 0;
	if (!a->question.wants_rows || a->runs >= MOST_RUNS) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	return answer_with(a, first, 0, false, e);
}

/* Whether the i-th candidate may be what was meant, where those before it have no answer. */
static bool may_go_on(const struct asking *a, size_t i)
{
	const struct route *r = &a->route;

	if (i >= r->count || a->runs + 1 >= MOST_RUNS)
		return false;
	if (a->question.names.count)
		return is_table_topic(&r->all[i]);
	if (a->question.hints_at_why && !r->all[i].document->topic->table)
		return true;
	return (a->question.hints_at_why || !r->is_sure) &&
	       r->all[i].score >= r->all[0].score * GO_ON;
}

/* The best candidate, and where it knows no such name the next ones; steps one after the other. */
static int answer_known(struct asking *a, struct err *e)
{
	const struct question *q = &a->question;
	const struct candidate *first = &a->route.all[0];
	int result = answer_with(a, first, 0, may_go_on(a, 1), e);

	for (size_t i = 1; i < a->route.count && result == 1 && a->runs < MOST_RUNS; i++) {
		/* What has no such name is no evidence. */
		a->told_runs = 0;
		a->has_window = false;
		result = answer_with(a, &a->route.all[i], 0, may_go_on(a, i + 1), e);
	}
	if (result == 1)
		result = answer_without_name(a, first, e);
	for (size_t s = 1; s < q->steps.count && result == 0 && a->runs < MOST_RUNS; s++) {
		if (is_table_topic(first) &&
		    strcmp(first->document->topic->table, "iterations") == 0)
			break;
		result = answer_with(a, first, s, false, e);
	}
	return result < 0 ? -1 : 0;
}

/* Names of a trace that have a word: so that nobody takes them for slips of the fingers. */
static bool is_name(void *ctx, const char *word)
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

static void finish(struct asking *a)
{
	struct report *r = a->report;
	struct report_answer *answer = a->answer;

	answer->text = arena_str(&r->arena, buf_str(&a->told.text)).s;
	answer->evidence = arena_alloc(&r->arena, MOST_RUNS, sizeof(*answer->evidence));
	memcpy((void *)answer->evidence, a->evidence, sizeof(a->evidence));
	answer->evidence_count = a->told_runs;
	list_candidates(a);
	answer->values = arena_alloc(&r->arena, a->told.count + 1, sizeof(*answer->values));
	memcpy((void *)answer->values, a->told.values, a->told.count * sizeof(*answer->values));
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
	if (a->route.is_foreign) {
		a->answer->status = "out_of_domain";
		sentences_addf(&a->told,
			       "This question is not about what a GPU trace can tell, or it "
			       "is not understood.");
		offer_nearest(a);
		return 0;
	}
	a->answer->status = a->route.is_sure ? "answered" : "unsure";
	if (!a->route.is_sure)
		offer_nearest(a);
	return answer_known(a, e);
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

/*
 * What comes after a question, at its mark, a semicolon or a line's end, is none, unless all of it
 * is understood.
 */
static struct str first_sentence(const struct asking *a, const char *question)
{
	const size_t len = strcspn(question, "?;\n");

	/* Nothing is asked before it: all of it is. */
	if (len < 8 || is_understood(a, str_of(question + len)))
		return str_of(question);
	return (struct str){question, len};
}

/* What was asked before with what is said now, where that goes on from it. */
static void recall(struct asking *a, struct ask_memory *m, struct question *before)
{
	struct question now = a->question;

	if (!m || !m->question || !question_goes_on(&now))
		return;
	question_read(before, str_of(m->question));
	question_take_slots(before, &now);
	a->question = *before;
	*before = now;
}

static void remember(struct ask_memory *m, const struct asking *a, struct str meant, bool went_on)
{
	if (!m || went_on || a->route.is_foreign)
		return;
	free(m->question);
	m->question = mem_strdup(meant.s);
}

void ask_forget(struct ask_memory *m)
{
	free(m->question);
	*m = (struct ask_memory){0};
}

int ask_answer(struct trace *t, const char *question, struct ask_memory *memory, struct report *r,
	       struct err *e)
{
	struct asking a = {.trace = t, .report = r};
	struct question before = {0};
	SCOPED_BUF meant = {0};
	int result = strings_load(t, e);

	if (result < 0)
		return -1;
	a.answer = arena_zalloc(&r->arena, 1, sizeof(*a.answer));
	a.answer->question = text_valid(&r->arena, str_of(question));
	a.told.report = r;
	corpus_make(&a.corpus);
	respell(&meant, first_sentence(&a, question), &a.corpus, is_name, t);
	if (!str_eq(buf_str(&meant), first_sentence(&a, question)))
		a.answer->meant = text_valid(&r->arena, buf_str(&meant));
	question_read(&a.question, buf_str(&meant));
	recall(&a, memory, &before);
	route_make(&a.route, &a.corpus, &a.question, is_name, t);
	result = answer(&a, e);
	if (result == 0)
		finish(&a);
	remember(memory, &a, buf_str(&meant), before.words.count > 0);
	sentences_free(&a.told);
	question_free(&a.question);
	question_free(&before);
	corpus_free(&a.corpus);
	return result;
}
