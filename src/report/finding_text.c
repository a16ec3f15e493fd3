/* How does a finding look to a person? */
#include "report/finding_text.h"

#include "base/text.h"
#include "base/units.h"
#include "report/ansi.h"
#include "report/cells.h"
#include "report/markdown_text.h"

void evidence_add_value(struct buf *b, const struct evidence *v)
{
	const struct column column = {.unit = v->unit};

	cell_add_people(b, &column, &v->value);
	if (v->has_when) {
		buf_adds(b, " (at ");
		units_add_time(b, v->start_ns);
		buf_addc(b, ')');
	}
}

void finding_add_cost(struct buf *b, const struct finding *f)
{
	if (f->recoverable_ns <= 0)
		return;
	units_add_ns(b, (double)f->recoverable_ns);
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

static void add_title(struct buf *b, const struct finding *f, size_t number,
		      const struct style *style)
{
	struct buf title = {0};

	buf_addf(b, "%2zu. ", number);
	ansi_add(b, style, severity_colour(f->severity), str_of(severity_name(f->severity)));
	buf_adds(b, "  ");
	add_safe(&title, f->title);
	ansi_add(b, style, ANSI_BOLD, buf_str(&title));
	buf_free(&title);
	if (f->recoverable_ns > 0) {
		buf_adds(b, "\n      recoverable: ");
		finding_add_cost(b, f);
		buf_addf(b, "  [confidence: %s]", confidence_name(f->confidence));
	}
	buf_addc(b, '\n');
}

void finding_add_text(struct buf *b, const struct finding *f, size_t number,
		      const struct style *style)
{
	add_title(b, f, number, style);
	for (size_t i = 0; i < f->evidence_count; i++) {
		struct buf line = {0};

		buf_adds(&line, f->evidence[i].label);
		buf_adds(&line, ": ");
		evidence_add_value(&line, &f->evidence[i]);
		buf_adds(b, "      · ");
		add_safe(b, line.s);
		buf_addc(b, '\n');
		buf_free(&line);
	}
	for (size_t i = 0; i < f->advice_count; i++) {
		buf_adds(b, "      → ");
		add_safe(b, f->advice[i]);
		buf_addc(b, '\n');
	}
	if (f->unless) {
		struct buf line = {0};

		buf_adds(&line, "may be wrong: ");
		add_safe(&line, f->unless);
		buf_adds(b, "      ");
		ansi_add(b, style, ANSI_DIM, buf_str(&line));
		buf_addc(b, '\n');
		buf_free(&line);
	}
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
		markdown_add_text(b, value.s ? value.s : "");
		buf_addc(b, '\n');
		buf_free(&value);
	}
	for (size_t i = 0; i < f->advice_count; i++) {
		buf_adds(b, "   - **do:** ");
		markdown_add_text(b, f->advice[i]);
		buf_addc(b, '\n');
	}
	if (f->how) {
		buf_adds(b, "   - *estimated as:* ");
		markdown_add_text(b, f->how);
		buf_addc(b, '\n');
	}
	if (f->unless) {
		buf_adds(b, "   - *may be wrong:* ");
		markdown_add_text(b, f->unless);
		buf_addc(b, '\n');
	}
}
