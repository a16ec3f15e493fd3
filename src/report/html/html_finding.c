/* How does a finding look in a page? */
#include "report/html/html_finding.h"

#include "report/finding.h"
#include "report/html/html_text.h"

#include <math.h>

/* What could be won, beside all there is. */
static void add_cost(struct buf *b, const struct finding *f)
{
	double pct = isfinite(f->recoverable_pct) ? fmax(fmin(f->recoverable_pct, 100), 0) : 0;
	struct buf cost = {0};

	if (f->recoverable_ns <= 0)
		return;
	finding_add_cost(&cost, f);
	buf_adds(b, "<div class=\"cost\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
		    "aria-hidden=\"true\"><rect class=\"rail\" width=\"100\" height=\"8\"/>"
		    "<rect class=\"won\" height=\"8\" width=\"");
	html_add_number(b, pct);
	buf_adds(b, "\"/></svg><p>recoverable: <b>");
	html_add_escaped(b, buf_str(&cost));
	buf_addf(b, "</b> <small>confidence: %s</small></p></div>\n",
		 confidence_name(f->confidence));
	buf_free(&cost);
}

static void add_evidence(struct buf *b, const struct finding *f)
{
	struct buf value = {0};

	if (!f->evidence_count)
		return;
	buf_adds(b, "<dl class=\"evidence\">\n");
	for (size_t i = 0; i < f->evidence_count; i++) {
		buf_clear(&value);
		evidence_add_value(&value, &f->evidence[i]);
		buf_adds(b, "<div><dt>");
		html_add_prose(b, f->evidence[i].label);
		buf_adds(b, "</dt><dd>");
		html_add_text(b, buf_str(&value));
		buf_adds(b, "</dd></div>\n");
	}
	buf_adds(b, "</dl>\n");
	buf_free(&value);
}

static void add_advice(struct buf *b, const struct finding *f)
{
	if (!f->advice_count)
		return;
	buf_adds(b, "<ul class=\"advice\">\n");
	for (size_t i = 0; i < f->advice_count; i++) {
		buf_adds(b, "<li>");
		html_add_prose(b, f->advice[i]);
		buf_adds(b, "</li>\n");
	}
	buf_adds(b, "</ul>\n");
}

static void add_remark(struct buf *b, const char *what, const char *text)
{
	if (!text)
		return;
	buf_addf(b, "<p class=\"remark\"><b>%s:</b> ", what);
	html_add_prose(b, text);
	buf_adds(b, "</p>\n");
}

void html_add_finding(struct buf *b, const struct finding *f, size_t number, const char *id)
{
	const char *severity = severity_name(f->severity);

	buf_addf(b,
		 "<article class=\"finding %s\" id=\"%s\">\n<h3><span class=\"badge\">%s</span> ",
		 severity, id, severity);
	buf_addf(b, "%zu. ", number);
	html_add_prose(b, f->title);
	buf_adds(b, "</h3>\n");
	add_cost(b, f);
	add_evidence(b, f);
	add_advice(b, f);
	add_remark(b, "estimated as", f->recoverable_ns > 0 ? f->how : NULL);
	add_remark(b, "ignore if", f->unless);
	buf_adds(b, "</article>\n");
}
