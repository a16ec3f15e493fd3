/* How does text get into a page without becoming part of it? */
#include "report/html/html_text.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>

static const char *const entities[UCHAR_MAX + 1] = {
	['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

void html_add_escaped(struct buf *b, struct str safe)
{
	size_t begin = 0;

	for (size_t i = 0; i < safe.len; i++) {
		const char *instead = entities[(unsigned char)safe.s[i]];

		if (!instead)
			continue;
		buf_add(b, safe.s + begin, i - begin);
		buf_adds(b, instead);
		begin = i + 1;
	}
	if (begin < safe.len)
		buf_add(b, safe.s + begin, safe.len - begin);
}

void html_add_text(struct buf *b, struct str s)
{
	struct buf safe = {0};

	text_add_safe(&safe, s);
	html_add_escaped(b, buf_str(&safe));
	buf_free(&safe);
}

void html_add_between(struct buf *b, const char *before, const char *text, const char *after)
{
	buf_adds(b, before);
	html_add_text(b, str_of(text));
	buf_adds(b, after);
}

/* What one types into a shell, rather than a name. */
static bool is_command(const char *code)
{
	static const char *const programs[] = {"gpuwhy ", "nsys ", "ncu "};

	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		if (strncmp(code, programs[i], strlen(programs[i])) == 0)
			return true;
	}
	return false;
}

/* Whether a unit comes next, and ends. */
static bool ends_number(const char *s)
{
	static const char *const units[] = {"ns", "µs", "ms", "s",  "%",
					    "B",  "kB", "MB", "GB", "TB"};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		const size_t len = strlen(units[i]);

		if (strncmp(s, units[i], len) == 0 && !isalnum((unsigned char)s[len]))
			return true;
	}
	return false;
}

void html_add_figures(struct buf *b, struct str words)
{
	struct buf text = {0};

	html_add_text(&text, words);
	for (size_t i = 0; i < text.len; i++) {
		const char *s = text.s;
		const bool number = i && isdigit((unsigned char)s[i - 1]);

		if (s[i] == ' ' && number && ends_number(s + i + 1))
			buf_adds(b, "\u00a0");
		else
			buf_addc(b, s[i]);
	}
	buf_free(&text);
}

void html_add_prose(struct buf *b, const char *text)
{
	const char *begin, *end;

	while ((begin = strchr(text, '`')) != NULL && (end = strchr(begin + 1, '`')) != NULL) {
		html_add_figures(b, (struct str){text, (size_t)(begin - text)});
		buf_adds(b, is_command(begin + 1) ? "<code class=\"command\">" : "<code>");
		html_add_text(b, (struct str){begin + 1, (size_t)(end - begin) - 1});
		buf_adds(b, "</code>");
		text = end + 1;
	}
	html_add_figures(b, str_of(text));
}

void html_add_brief(struct buf *b, struct str safe, size_t columns)
{
	struct buf brief = {0};

	text_add_elided(&brief, safe, columns);
	html_add_escaped(b, buf_str(&brief));
	buf_free(&brief);
}

void html_add_number(struct buf *b, double x)
{
	units_add_fixed(b, isfinite(x) ? fmax(fmin(x, 1e6), -1e6) : 0, 2);
	while (b->s[b->len - 1] == '0')
		b->s[--b->len] = '\0';
	if (b->s[b->len - 1] == '.')
		b->s[--b->len] = '\0';
}
