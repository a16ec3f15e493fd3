/* Candidates are asked one after the other: which of them has an answer? */
#include "ask/asking.h"
#include "ask/named_rows.h"
#include "text/text.h"

#include <string.h>

/* Of the best score, for a candidate to be asked as well. */
static const double GO_ON = 0.8;
/* The same for another table of the analysis that was asked. */
static const double SIBLING = 0.85;

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

	if (a->question.intent != ASKS_WHY || !asking_may_run(a, 1) || !c.document || !blame ||
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

	if (a->question.wants_all || !asking_may_run(a, 1) || !is_table_topic(first))
		return 1;
	a->question.has_window = a->question.is_moment = false;
	a->question.steps.count = a->question.not_steps.count = 0;
	a->question.step_span.is_given = a->question.step_edge.is_given = false;
	a->question.wants_all = true;
	asking_drop_evidence(a);
	sentences_addf(&a->told, "There is none in the window that is asked about. Outside of it:");
	asking_keep_zeros(a, first->document->topic->table);
	result = answer_with(a, first, 0, true, e);
	if (result == 1)
		sentences_take_back(&a->told, said, values);
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
	asking_drop_evidence(a);
	if (!a->question.wants_rows || !asking_may_run(a, 1)) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	return answer_with(a, first, 0, false, e);
}

static void tell_none(struct asking *a)
{
	const struct asked_ids *streams = &a->question.streams;

	a->answer->status = "cannot_tell";
	asking_drop_evidence(a);
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

	if (i >= r->count || !asking_may_run(a, 2))
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
	asking_drop_evidence(a);
	return 1;
}

/* What is not in the steps may be elsewhere in the capture: that is told besides. */
static int add_outside(struct asking *a, const struct candidate *first, struct err *e)
{
	struct asked_analysis *asked;
	const struct table *t;
	struct chosen_rows r;

	if (!a->has_no_work || a->question.wants_all || a->question.has_window ||
	    question_names_steps(&a->question) || !asking_may_run(a, 1))
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

/* Steps of one process begin and end by themselves: what is compared is of one window, that of all.
 */
static int take_window(struct asking *a, const struct candidate *first, struct err *e)
{
	const struct asked_analysis *asked = asking_run(a, first, 0, e);

	asking_drop_evidence(a);
	if (!asked)
		return -1;
	if (asked->failed || !asked->report.has_window)
		return 0;
	question_drop_places(&a->question);
	a->question.has_window = true;
	a->question.from_ns = asked->report.window_start_ns;
	a->question.to_ns = asked->report.window_end_ns;
	return 0;
}

/* Whether two streams are compared by what kernels take: rows of kernels are of one name each. */
static bool compares_streams(const struct question *q, const struct candidate *first)
{
	return q->streams.count > 1 && q->intent == ASKS_COMPARE && q->ranks.count < 2 &&
	       !strstr(first->document->topic->row, "{stream}");
}

/*
 * "rank 1 vs rank 3", "stream 7 vs stream 13": each by itself, where rows do not tell them apart.
 * 1: that is not asked, or another candidate may know more.
 */
static int answer_each_place(struct asking *a, const struct candidate *first, bool may_miss,
			     struct err *e)
{
	const struct question asked = a->question;
	const bool is_table = is_table_topic(first) && asked.steps.count < 2,
		   by_rank = is_table && asked.ranks.count > 1 &&
			     !strstr(first->document->topic->row, "{rank}");
	const struct asked_ids ids = by_rank ? asked.ranks : asked.streams;
	const size_t said = a->told.text.len, values = a->told.count;
	int result = 0;

	if (!by_rank && !(is_table && compares_streams(&asked, first)))
		return 1;
	if (by_rank)
		a->question.ranks.count = 0;
	if (by_rank && !asked.has_window)
		result = take_window(a, first, e);
	a->question.intent = asked.intent == ASKS_COMPARE ? ASKS_AMOUNT : asked.intent;
	a->question.wants_rows &= asked.intent != ASKS_COMPARE;
	for (size_t i = 0; i < ids.count && result == 0; i++) {
		if (!asking_may_run(a, 1)) {
			a->answer->status = "unsure";
			break;
		}
		*(by_rank ? &a->question.ranks : &a->question.streams) =
			(struct asked_ids){{ids.all[i]}, 1};
		sentences_addf(&a->told, by_rank ? "Rank %u:" : "Stream %u:", ids.all[i]);
		result = answer_with(a, first, 0, i == 0 && may_miss, e);
	}
	a->question = asked;
	if (result == 1)
		sentences_take_back(&a->told, said, values);
	return result;
}

int asking_answer_known(struct asking *a, struct err *e)
{
	const struct question *q = &a->question;
	const struct candidate *first = &a->route.all[0];
	int result = asking_answer_kinds(a, e);

	if (result == 1)
		result = answer_by_category(a, first, e);
	if (result == 1)
		result = answer_each_place(a, first, may_go_on(a, 1), e);
	if (result != 1)
		return result;
	result = is_deaf_to_stream(q, first) && may_go_on(a, 1)
			 ? 1
			 : answer_with(a, first, 0, may_go_on(a, 1), e);
	/* A stream that is not in the steps may be elsewhere, as may kernels whose one is asked
	 * for. */
	if (result == 1 && !q->names.count &&
	    (asking_wants_stream_of(q) || (q->streams.count && !is_deaf_to_stream(q, first))))
		result = answer_outside(a, first, e);
	for (size_t i = 1; i < a->route.count && result == 1 && asking_may_run(a, 2); i++) {
		if (may_be_finding(q) && !q->names.count && a->route.all[i].document->topic->table)
			continue;
		if (is_deaf_to_stream(q, &a->route.all[i]) ||
		    (q->streams.count && !is_table_topic(&a->route.all[i])))
			continue;
		/* No finding is told for a name that nothing has. */
		if (q->names.count && !may_be_finding(q) && !is_table_topic(&a->route.all[i]))
			continue;
		/* What has no such name is no evidence. */
		asking_drop_evidence(a);
		/* What fits less was asked because the first has no such stream. */
		if (q->streams.count)
			a->answer->status = "unsure";
		result = answer_each_place(a, &a->route.all[i], may_go_on(a, i + 1), e);
		if (result == 1)
			result = answer_with(a, &a->route.all[i], 0, may_go_on(a, i + 1), e);
	}
	if (result == 1 && q->names.count)
		result = answer_without_name(a, first, e);
	else if (result == 1)
		tell_none(a);
	if (a->is_told_outside)
		return 0;
	for (size_t s = 1; s < q->steps.count && result == 0 && asking_may_run(a, 1); s++) {
		if (is_table_topic(first) &&
		    strcmp(first->document->topic->table, "iterations") == 0)
			break;
		result = answer_with(a, first, s, false, e);
	}
	if (result == 0)
		result = add_outside(a, first, e);
	return result < 0 ? -1 : 0;
}
