/* Which findings answer a question? */
#include "ask/asking.h"

#include "base/mem.h"
#include "report/finding.h"
#include "text/text.h"

static const double NAMED_SHARE = 0.05;
enum { TOLD_FINDINGS = 3, MOST_FINDINGS = 64 };

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
		static const char any_has[] =
			"gpu time step kernel host cpu run program device take long slow idl wait "
			"whil comput launch";
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
