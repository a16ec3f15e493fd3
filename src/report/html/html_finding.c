/* How does a page show a finding, and where does it send who wants to see more of it? */
#include "report/html/html_finding.h"

#include "report/finding.h"
#include "report/html/html_page.h"
#include "report/html/html_rows.h"
#include "report/html/html_strip.h"
#include "report/html/html_text.h"
#include "text/decimal.h"
#include "text/shell_words.h"

#include <math.h>

static size_t find_block(const struct report *r, enum block_kind kind, const struct finding *f)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == kind && r->blocks[i].finding == f)
			return i;
	}
	return r->block_count;
}

/* The script marks the rows of that name, or of that time. */
static void begin_link(struct buf *b, const struct html_rows *rows, const struct evidence *v)
{
	buf_addf(b, "<a class=\"rows\" href=\"#%s\"", html_block_id(rows->block).text);
	if (rows->by_time) {
		buf_adds(b, " data-from=\"");
		decimal_add_int(b, v->start_ns);
		buf_adds(b, "\" data-to=\"");
		decimal_add_int(b, v->end_ns);
		buf_addc(b, '"');
	}
	if (rows->name.len) {
		buf_adds(b, " data-name=\"");
		html_add_text(b, buf_str(&rows->name));
		buf_addc(b, '"');
	}
	buf_addc(b, '>');
}

static void add_value(struct buf *b, const struct report *r, const struct finding *f,
		      const struct evidence *v)
{
	struct html_rows rows;
	const bool leads = html_find_rows(r, f, v, &rows);
	struct buf value = {0};

	evidence_add_value(&value, v);
	if (leads)
		begin_link(b, &rows, v);
	html_add_prose(b, buf_str(&value).s);
	if (leads)
		buf_adds(b, "</a>");
	buf_free(&value);
	buf_free(&rows.name);
}

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
	html_add_figures(b, buf_str(&cost));
	buf_addf(b, "</b> <small>confidence: %s</small></p></div>\n",
		 confidence_name(f->confidence));
	buf_free(&cost);
}

static void add_evidence(struct buf *b, const struct report *r, const struct finding *f)
{
	if (!f->evidence_count)
		return;
	buf_adds(b, "<dl class=\"evidence\">\n");
	for (size_t i = 0; i < f->evidence_count; i++) {
		buf_adds(b, "<div><dt>");
		html_add_prose(b, f->evidence[i].label);
		buf_adds(b, "</dt><dd>");
		add_value(b, r, f, &f->evidence[i]);
		buf_adds(b, "</dd></div>\n");
	}
	buf_adds(b, "</dl>\n");
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

static void add_look(struct buf *b, const struct report *r, const struct finding *f)
{
	const struct finding_kind *kind = finding_kind(f->id);
	const char *file = r->has_trace && r->trace.path ? html_file_name(r->trace.path) : NULL;

	SCOPED_BUF word = {0};

	if (!kind || !kind->look || !file)
		return;
	word_add_quoted(&word, file);
	buf_addf(b, "<p class=\"remark\"><b>look closer:</b> <code class=\"command\">gpuwhy %s ",
		 kind->look);
	html_add_between(b, "", word.s, "");
	buf_adds(b, "</code></p>\n");
}

void html_add_finding(struct buf *b, const struct report *r, size_t i)
{
	const struct finding *f = r->blocks[i].finding;
	const char *severity = severity_name(f->severity);

	buf_addf(b,
		 "<article class=\"finding %s\" id=\"%s\">\n<h3><span class=\"badge\">%s</span> ",
		 severity, html_block_id(i).text, severity);
	buf_addf(b, "%zu. ", r->blocks[i].number);
	html_add_prose(b, f->title);
	buf_addf(b, " <span class=\"owner\">%s</span></h3>\n", owner_name(f->owner));
	add_cost(b, f);
	add_evidence(b, r, f);
	if (r->blocks[i].strip)
		html_add_strip(b, r, r->blocks[i].strip);
	add_advice(b, f);
	add_remark(b, "estimated as", f->recoverable_ns > 0 ? f->how : NULL);
	add_remark(b, "ignore if", f->unless);
	add_look(b, r, f);
	buf_adds(b, "</article>\n");
}

static void add_gain(struct buf *b, const struct report *r, const struct finding *f)
{
	struct buf gain = {0};

	finding_add_gain(&gain, f, r);
	if (!gain.len) {
		buf_adds(b, "<small>gain not estimated</small>");
		return;
	}
	buf_adds(b, "<b class=\"gain\">");
	html_add_figures(b, buf_str(&gain));
	buf_addf(b, "</b> <small>confidence: %s</small>", confidence_name(f->confidence));
	buf_free(&gain);
}

void html_add_action(struct buf *b, const struct report *r, size_t i)
{
	const struct finding *f = r->blocks[i].finding;
	const size_t why = find_block(r, BLOCK_FINDING, f);

	buf_addf(b, "<li id=\"%s\"><span class=\"owner\">%s</span> ", html_block_id(i).text,
		 owner_name(f->owner));
	html_add_prose(b, f->advice_count ? f->advice[0] : f->title);
	buf_adds(b, "<div>");
	add_gain(b, r, f);
	if (why < r->block_count) {
		buf_addf(b, " <a class=\"why\" href=\"#%s\">", html_block_id(why).text);
		html_add_prose(b, f->title);
		buf_adds(b, "</a>");
	}
	buf_adds(b, "</div></li>\n");
}
