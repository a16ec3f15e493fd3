/* How does a workflow of GitHub's show what became of the rules? */
#include "base/sha256.h"
#include "gate/gate_report.h"
#include "report/elisions.h"
#include "text/text.h"

enum { MOST_ANNOTATIONS = 10, TITLE_COLUMNS = 100, TEXT_COLUMNS = 500 };

/*
 * A command ends at the end of its line, its properties at a comma, and their values at a colon.
 */
static void add_escaped(struct buf *b, struct str safe, bool is_property)
{
	for (size_t i = 0; i < safe.len; i++) {
		const char c = safe.s[i];

		if (c == '%' || (is_property && (c == ':' || c == ',')))
			buf_addf(b, "%%%02X", (unsigned char)c);
		else
			buf_addc(b, c);
	}
}

/* Names of a trace are on one line first, and no longer than anybody reads. */
static void add_value(struct buf *b, struct elisions *cut, const char *text, size_t columns,
		      bool is_property)
{
	SCOPED_BUF safe = {0}, brief = {0};

	text_add_safe(&safe, str_of(text));
	if (columns)
		elisions_add(cut, &brief, buf_str(&safe), columns);
	add_escaped(b, buf_str(columns ? &brief : &safe), is_property);
}

static void add_annotation(struct buf *b, struct elisions *cut, const struct gate_check *c,
			   const struct gate_words *w)
{
	buf_adds(b, c->outcome == CHECK_FAILED ? "::error title=" : "::warning title=");
	buf_adds(b, "gpuwhy ");
	add_value(b, cut, c->brief, TITLE_COLUMNS, true);
	if (w->rules && c->rule->line) {
		buf_adds(b, ",file=");
		add_value(b, cut, w->rules, 0, true);
		buf_addf(b, ",line=%zu", c->rule->line);
	}
	buf_adds(b, "::");
	add_value(b, cut, c->text, TEXT_COLUMNS, false);
	buf_addc(b, '\n');
}

void gate_add_annotations(struct buf *b, const struct gate *g, const struct gate_words *w)
{
	const size_t bad = g->counts[CHECK_FAILED] + g->counts[CHECK_UNKNOWN];
	struct elisions cut = {0};

	/* They stand before all others. */
	for (size_t i = 0; i < bad && i < MOST_ANNOTATIONS; i++)
		add_annotation(b, &cut, &g->all[i], w);
	elisions_free(&cut);
}

void gate_add_disarmed(struct buf *b, struct str text)
{
	char word[SHA256_TEXT_BYTES];
	struct sha256 s;

	/* No text holds its own sum. */
	sha256_begin(&s);
	sha256_add(&s, text.s, text.len);
	sha256_end(&s, word);
	buf_addf(b, "::stop-commands::%s\n", word);
	buf_addstr(b, text);
	if (!str_ends(text, "\n"))
		buf_addc(b, '\n');
	buf_addf(b, "::%s::\n", word);
}
