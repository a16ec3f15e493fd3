/* Which findings answer a question? */
#include "ask/asking.h"

#include "base/mem.h"
#include "report/finding.h"
#include "text/text.h"

static const double NAMED_SHARE = 0.05;
enum { TOLD_FINDINGS = 3, MOST_FINDINGS = 64 };

/* Words, without their endings, that tell no finding from another. */
static const char any_has[] = "gpu time step kernel host cpu run program device take long slow idl "
			      "wait whil comput launch work more less bottleneck problem fix optim "
			      "tune anything something";

/* How many words of the question a finding has. */
static int shared_words(const struct question *q, const struct finding *f)
{
	SCOPED_BUF text = {0};
	struct words w;
	int shared = 0;

	buf_addf(&text, "%s %s", f->title, f->id);
	/* A range, which stands in backticks, is where it happens; many findings may. */
	for (char *c = text.s, is_name = 0; c && *c; c++) {
		is_name ^= *c == '`';
		*c = *c == '_' || is_name ? ' ' : *c;
	}
	words_read(&w, buf_str(&text));
	for (size_t i = 0; i < q->words.count; i++) {
		bool found = q->words.all[i].is_stop ||
			     str_is_listed(str_of(q->words.all[i].stem), any_has);

		for (size_t j = 0; j < w.count && !found; j++) {
			found = strcmp(w.all[j].stem, q->words.all[i].stem) == 0;
			shared += found;
		}
	}
	words_free(&w);
	return shared;
}

/* "the main bottleneck": what costs most is asked for, whatever else the question is about. */
static bool asks_for_worst(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].text), "main biggest largest most worst"))
			return true;
	}
	return false;
}

static void tell_finding(struct asking *a, const struct finding *f, const struct report *r)
{
	SCOPED_BUF gain = {0}, title = {0};

	text_add_safe(&title, str_of(f->title));
	finding_add_gain(&gain, f, r);
	/* The verdict may have said it. */
	if (gain.len || !r->verdict_text || !strstr(r->verdict_text, f->title))
		sentences_addf(&a->told, "%s%s%s%s.", title.s, gain.len ? " (" : "",
			       gain.len ? gain.s : "", gain.len ? ")" : "");
	if (f->advice_count)
		sentences_addf(&a->told, "What to do: %s.", f->advice[0]);
}

void asking_answer_findings(struct asking *a, const struct asked_analysis *asked)
{
	const struct report *r = &asked->report;
	const struct finding *found[MOST_FINDINGS];
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
	for (size_t i = 1; i < count && !asks_for_worst(&a->question); i++) {
		/* What is named, unless it hardly matters beside what costs most. */
		if ((double)found[i]->recoverable_ns >
			    NAMED_SHARE * (double)found[0]->recoverable_ns &&
		    shared_words(&a->question, found[i]) > shared_words(&a->question, found[first]))
			first = i;
	}
	asking_head_evidence(a);
	for (size_t i = 0; i < count && i < TOLD_FINDINGS; i++) {
		const struct finding *f = found[i ? (i <= first ? i - 1 : i) : first];

		if (i == 0)
			tell_finding(a, f, r);
		report_finding(a->report, f);
	}
	if (!count)
		sentences_addf(&a->told, "Nothing was found that costs time.");
}

/* "would CUDA graphs help", "should we use torch.compile": whether a remedy pays, by these words.
 */
static const char supposing[] = "would should will could can does do is shall";
static const char paying[] = "help helps worth benefit benefits pay pays sense";
static const char trying[] =
	"use using try trying enable enabling switch switching adopt turn add adding";

static bool says_one_of(const struct question *q, const char *list, size_t first, size_t end)
{
	for (size_t i = first; i < end && i < q->words.count; i++) {
		if (!q->words.all[i].is_quoted && str_is_listed(str_of(q->words.all[i].text), list))
			return true;
	}
	return false;
}

/* Whether a word says what the remedy is, and not that one is asked for; "pin_memory" is no name.
 */
static bool is_about(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];
	const struct str text = str_of(w->text);

	/* "e.g." is no word. */
	return text.len > 1 && !w->is_stop && (!q->is_used[i] || strchr(w->text, '_')) &&
	       !str_is_listed(text, supposing) && !str_is_listed(text, paying) &&
	       !str_is_listed(text, trying) && !str_is_listed(str_of(w->stem), any_has) &&
	       !str_is_listed(text, "it things this here up off much make any");
}

static bool asks_for_remedy(const struct question *q)
{
	size_t words = 0;

	for (size_t i = 0; i < q->words.count; i++)
		words += is_about(q, i);
	/* "should we use": who asks whether something is used has no "should". */
	return words && says_one_of(q, supposing, 0, 1) &&
	       (says_one_of(q, paying, 1, q->words.count) ||
		(says_one_of(q, "should shall", 0, 1) && says_one_of(q, trying, 1, 4)));
}

/* "gpuwhy nvtx": what to look at with a command is no word for what the command is called. */
static bool has_word(const struct words *w, const char *stem)
{
	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->all[i].stem, stem) == 0 &&
		    (!i || strcmp(w->all[i - 1].text, "gpuwhy") != 0))
			return true;
	}
	return false;
}

static bool has_all(const struct question *q, const char *text)
{
	struct words w;
	bool all = true;

	words_read(&w, str_of(text));
	for (size_t i = 0; i < q->words.count && all; i++)
		all = !is_about(q, i) || has_word(&w, q->words.all[i].stem);
	words_free(&w);
	return all;
}

/* What costs most of what the remedy is advised for. */
static const struct finding *find_remedied(const struct question *q, const struct report *r,
					   const char **ret_advice)
{
	for (size_t i = 0; i < r->block_count; i++) {
		const struct finding *f = r->blocks[i].finding;

		for (size_t n = 0; r->blocks[i].kind == BLOCK_FINDING && n < f->advice_count; n++) {
			*ret_advice = f->advice[n];
			if (has_all(q, f->advice[n]))
				return f;
		}
	}
	return NULL;
}

static void tell_remedy(struct asking *a, const struct report *r)
{
	const char *advice;
	const struct finding *f = find_remedied(&a->question, r, &advice);
	SCOPED_BUF gain = {0}, title = {0};

	asking_head_evidence(a);
	a->report->verdict = r->verdict;
	a->report->verdict_text = r->verdict_text;
	a->answer->status = f ? "answered" : "unsure";
	if (!f) {
		sentences_addf(&a->told, "Nothing that was found here asks for that.%s%s",
			       r->verdict_text ? " " : "", r->verdict_text ? r->verdict_text : "");
		return;
	}
	text_add_safe(&title, str_of(f->title));
	finding_add_gain(&gain, f, r);
	sentences_addf(&a->told, "Yes: %s%s%s%s. What to do: %s.", title.s, gain.len ? " (" : "",
		       gain.len ? gain.s : "", gain.len ? ")" : "", advice);
	report_finding(a->report, f);
}

/* NULL: they cannot be found, or nothing can be read, which *ret tells by -1. */
static const struct report *run_findings(struct asking *a, int *ret, struct err *e)
{
	const struct document *d = corpus_find(&a->corpus, "findings", NULL);
	const struct candidate c = {d, 1, 1};
	const struct asked_analysis *asked = d ? asking_run(a, &c, 0, e) : NULL;

	*ret = d && !asked ? -1 : 0;
	return asked && !asked->failed ? &asked->report : NULL;
}

int asking_answer_remedy(struct asking *a, struct err *e)
{
	const struct report *r;
	int result;

	if (!asks_for_remedy(&a->question))
		return 1;
	r = run_findings(a, &result, e);
	if (r)
		tell_remedy(a, r);
	return r || result ? result : 1;
}

/* The finding whose title has all that a question is about. */
static const struct finding *find_titled(const struct question *q, const struct report *r)
{
	size_t words = 0;

	for (size_t i = 0; i < q->words.count; i++)
		words += is_about(q, i);
	for (size_t i = 0; words && i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING && has_all(q, r->blocks[i].finding->title))
			return r->blocks[i].finding;
	}
	return NULL;
}

int asking_answer_whether(struct asking *a, struct err *e)
{
	const size_t told = a->told_runs;
	const bool had_window = a->has_window;
	const struct finding *f;
	const struct report *r;
	int result;

	if (a->question.intent != ASKS_WHETHER || !asking_may_run(a, 1))
		return 0;
	a->told_runs = 0;
	r = run_findings(a, &result, e);
	f = r ? find_titled(&a->question, r) : NULL;
	if (!f) {
		a->told_runs = told;
		a->has_window = had_window;
		return result;
	}
	buf_clear(&a->told.text);
	a->told.count = 0;
	a->answer->status = "answered";
	asking_head_evidence(a);
	tell_finding(a, f, r);
	report_finding(a->report, f);
	return 0;
}
