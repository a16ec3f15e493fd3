/* How does a finding look to a person? */
#include "report/finding.h"

#include "base/saturate.h"
#include "report/cells.h"
#include "report/markdown_text.h"
#include "report/text_parts.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

/* Whether the figure is how long the time lasts, rather than one about it. */
static bool is_span(const struct evidence *v)
{
	return v->unit == UNIT_NS && v->value.kind == CELL_INT && v->value.i >= 0 &&
	       sat_add(v->start_ns, v->value.i) == v->end_ns;
}

void evidence_add_value(struct buf *b, const struct evidence *v)
{
	const struct column column = {.unit = v->unit};

	cell_add_human(b, &column, &v->value);
	if (!v->has_when)
		return;
	buf_adds(b, is_span(v) ? " (at " : " (from ");
	units_add_time(b, v->start_ns);
	if (!is_span(v)) {
		buf_adds(b, " to ");
		units_add_time(b, v->end_ns);
	}
	buf_addc(b, ')');
}

void finding_add_cost(struct buf *b, const struct finding *f)
{
	if (f->recoverable_ns <= 0)
		return;
	units_add_ns(b, (double)f->recoverable_ns);
	if (!isfinite(f->recoverable_pct))
		return;
	buf_adds(b, ", ");
	units_add_fixed(b, f->recoverable_pct, 1);
	buf_adds(b, " % of the window");
}

static const char *severity_colour(enum severity s)
{
	return s == SEVERITY_HIGH ? "\033[1;31m" : s == SEVERITY_MEDIUM ? ANSI_YELLOW : ANSI_DIM;
}

static void add_safe(struct buf *b, const char *text)
{
	text_add_safe(b, str_of(text));
}

enum { INDENT = 6, LEAST_WIDTH = 40 /* what is narrower is not worth fitting to */ };

/* Safe text behind a sign of two columns, broken between words where the terminal's line ends. */
static void add_wrapped(struct buf *b, const struct style *style, const char *sign, struct str text)
{
	buf_addf(b, "%*s%s", INDENT, "", sign);
	if (style->width > LEAST_WIDTH)
		text_add_wrapped(b, text, style->width - INDENT - 2, INDENT + 2);
	else
		buf_addstr(b, text);
	buf_addc(b, '\n');
}

static void add_wrapped_text(struct buf *b, const struct style *style, const char *sign,
			     const char *text)
{
	struct buf safe = {0};

	add_safe(&safe, text);
	add_wrapped(b, style, sign, buf_str(&safe));
	buf_free(&safe);
}

/* `cost`: what is no warning takes one line where space is dear. */
static void add_title(struct buf *b, const struct finding *f, size_t number, bool cost,
		      const struct style *style)
{
	const char *severity = severity_name(f->severity);
	size_t indent = 4 + strlen(severity) + 2;
	struct buf title = {0}, lines = {0};

	buf_addf(b, "%2zu. ", number);
	ansi_add(b, style, severity_colour(f->severity), str_of(severity));
	buf_adds(b, "  ");
	add_safe(&title, f->title);
	if (cost && f->recoverable_ns > 0) {
		buf_adds(&title, ": ");
		finding_add_cost(&title, f);
	}
	if (style->width > LEAST_WIDTH)
		text_add_wrapped(&lines, buf_str(&title), style->width - indent, indent);
	else
		buf_addstr(&lines, buf_str(&title));
	ansi_add(b, style, ANSI_BOLD, buf_str(&lines));
	buf_addc(b, '\n');
	buf_free(&lines);
	buf_free(&title);
}

static void add_cost(struct buf *b, const struct finding *f)
{
	if (f->recoverable_ns <= 0)
		return;
	buf_addf(b, "%*srecoverable: ", INDENT, "");
	finding_add_cost(b, f);
	buf_addf(b, "  [confidence: %s]\n", confidence_name(f->confidence));
}

static void add_evidence(struct buf *b, const struct finding *f, const struct style *style)
{
	for (size_t i = 0; i < f->evidence_count; i++) {
		struct buf line = {0};

		buf_addf(&line, "%s: ", f->evidence[i].label);
		evidence_add_value(&line, &f->evidence[i]);
		add_wrapped_text(b, style, "· ", line.s);
		buf_free(&line);
	}
}

static void add_unless(struct buf *b, const char *unless, const struct style *style)
{
	struct buf text = {0};

	buf_adds(&text, "ignore if: ");
	add_safe(&text, unless);
	add_wrapped(b, style, "", buf_str(&text));
	buf_free(&text);
}

void finding_add_text(struct buf *b, const struct finding *f, size_t number, bool brief,
		      const struct style *style)
{
	bool line = brief && !finding_is_warning(f);

	add_title(b, f, number, line, style);
	if (line)
		return;
	add_cost(b, f);
	if (!brief)
		add_evidence(b, f, style);
	for (size_t i = 0; i < f->advice_count && (i == 0 || !brief); i++)
		add_wrapped_text(b, style, "→ ", f->advice[i]);
	if (f->unless && !brief)
		add_unless(b, f->unless, style);
}

/* A kernel's name is code; a figure is text. */
static void add_markdown_value(struct buf *b, const struct evidence *v, struct str text)
{
	if (v->value.kind == CELL_TEXT)
		markdown_add_literal(b, text, false);
	else
		markdown_add_text(b, text.len ? text.s : "");
}

void finding_add_markdown(struct buf *b, const struct finding *f, size_t number)
{
	buf_addf(b, "%zu. **%s** · ", number, severity_name(f->severity));
	markdown_add_text(b, f->title);
	if (f->recoverable_ns > 0) {
		buf_adds(b, " — recoverable: ");
		finding_add_cost(b, f);
		buf_addf(b, " (confidence %s)", confidence_name(f->confidence));
	}
	buf_addc(b, '\n');
	for (size_t i = 0; i < f->evidence_count; i++) {
		struct buf value = {0};

		evidence_add_value(&value, &f->evidence[i]);
		buf_adds(b, "   - ");
		markdown_add_text(b, f->evidence[i].label);
		buf_adds(b, ": ");
		add_markdown_value(b, &f->evidence[i], buf_str(&value));
		buf_addc(b, '\n');
		buf_free(&value);
	}
	for (size_t i = 0; i < f->advice_count; i++) {
		buf_adds(b, "   - **do:** ");
		markdown_add_text(b, f->advice[i]);
		buf_addc(b, '\n');
	}
	if (f->how && f->recoverable_ns > 0) {
		buf_adds(b, "   - *estimated as:* ");
		markdown_add_text(b, f->how);
		buf_addc(b, '\n');
	}
	if (f->unless) {
		buf_adds(b, "   - *ignore if:* ");
		markdown_add_text(b, f->unless);
		buf_addc(b, '\n');
	}
}

static const char *const severities[] = {
	[SEVERITY_INFO] = "info",
	[SEVERITY_LOW] = "low",
	[SEVERITY_MEDIUM] = "medium",
	[SEVERITY_HIGH] = "high",
};

static const char *const confidences[] = {
	[CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium",
	[CONFIDENCE_HIGH] = "high",
};

const char *severity_name(enum severity s)
{
	return severities[s];
}

const char *confidence_name(enum confidence c)
{
	return confidences[c];
}
