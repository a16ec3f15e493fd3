/* How does a CI server show what became of the rules? */
#include "gate/gate_report.h"
#include "text/text.h"
#include "text/utf8.h"

/* Names of a trace as text of XML 1.0, which has no control characters, and two others it has not.
 */
static void add_text(struct buf *b, const char *text)
{
	SCOPED_BUF safe = {0};
	struct str s;

	text_add_safe(&safe, str_of(text));
	for (s = buf_str(&safe); s.len;) {
		uint32_t c = 0;
		size_t n = utf8_decode(s, &c);

		n = n ? n : 1;
		switch (c) {
		case '&':
			buf_adds(b, "&amp;");
			break;
		case '<':
			buf_adds(b, "&lt;");
			break;
		case '>': /* also of "]]>" */
			buf_adds(b, "&gt;");
			break;
		case '"':
			buf_adds(b, "&quot;");
			break;
		case 0xfffe:
		case 0xffff:
			buf_adds(b, "\xef\xbf\xbd");
			break;
		default:
			buf_add(b, s.s, n);
		}
		s = (struct str){s.s + n, s.len - n};
	}
}

static void add_attribute(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, " %s=\"", name);
	add_text(b, value);
	buf_addc(b, '"');
}

static void add_outcome(struct buf *b, const struct gate_check *c)
{
	static const char *const tags[CHECK_OUTCOMES] = {"failure", "skipped", "system-out",
							 "system-out"};
	const char *tag = tags[c->outcome];

	buf_addf(b, "      <%s", tag);
	if (c->outcome <= CHECK_UNKNOWN)
		add_attribute(b, "message", c->text);
	if (c->outcome == CHECK_FAILED)
		add_attribute(b, "type", "regression");
	buf_addc(b, '>');
	add_text(b, c->text);
	buf_addf(b, "</%s>\n", tag);
}

static void add_counts(struct buf *b, const struct gate *g)
{
	buf_addf(b, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", g->count,
		 g->counts[CHECK_FAILED], g->counts[CHECK_UNKNOWN]);
}

void gate_add_junit(struct buf *b, const struct gate *g, const struct gate_words *w)
{
	buf_adds(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpuwhy gate\"");
	add_counts(b, g);
	buf_adds(b, ">\n  <testsuite");
	add_attribute(b, "name", w->baseline);
	add_counts(b, g);
	buf_adds(b, ">\n");
	for (size_t i = 0; i < g->count; i++) {
		const struct gate_check *c = &g->all[i];

		buf_adds(b, "    <testcase");
		add_attribute(b, "classname", "gpuwhy.gate");
		add_attribute(b, "name", c->name);
		buf_adds(b, ">\n");
		add_outcome(b, c);
		buf_adds(b, "    </testcase>\n");
	}
	buf_adds(b, "  </testsuite>\n</testsuites>\n");
}
