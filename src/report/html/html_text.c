/* How does text get into a page without becoming part of it? */
#include "report/html/html_text.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>

enum { SHORT_CODE = 40 };

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

static bool begins_command(const char *code)
{
	static const char *const programs[] = {"gpuwhy ", "nsys ", "ncu "};

	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		if (strncmp(code, programs[i], strlen(programs[i])) == 0)
			return true;
	}
	return false;
}

/* What one types into a shell: `gpuwhy api` alone is a name, and what has "…" is not all of it. */
static bool is_command(struct str code)
{
	size_t spaces = 0;

	for (size_t i = 0; i < code.len; i++)
		spaces += code.s[i] == ' ';
	return begins_command(code.s) && spaces > 1 && !memmem(code.s, code.len, "…", 3) &&
	       !memmem(code.s, code.len, ", ", 2);
}

/* Where the command begins that a sentence ends with: "capture again: nsys profile …"; or NULL. */
static const char *last_command(const char *text)
{
	for (const char *colon = text; (colon = strstr(colon, ": ")) != NULL; colon++) {
		if (is_command(str_of(colon + 2)))
			return colon + 2;
	}
	return NULL;
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

/* Browsers end lines after hyphens: an option stays whole, and what stands around it with it. */
static bool is_option(const char *word, size_t len)
{
	const size_t before = strspn(word, "([");

	return before + 1 < len && word[before] == '-';
}

/* Text that is safe and escaped, word by word. */
static void add_words(struct buf *b, const char *s)
{
	while (*s) {
		const size_t len = strcspn(s, " ");
		const bool option = is_option(s, len);

		buf_adds(b, option ? "<span class=\"word\">" : "");
		buf_add(b, s, len);
		buf_adds(b, option ? "</span>" : "");
		s += len;
		if (*s == ' ' && len && isdigit((unsigned char)s[-1]) && ends_number(s + 1))
			buf_adds(b, "\u00a0");
		else if (*s)
			buf_addc(b, ' ');
		s += *s != '\0';
	}
}

void html_add_figures(struct buf *b, struct str words)
{
	struct buf text = {0};

	html_add_text(&text, words);
	add_words(b, buf_str(&text).s);
	buf_free(&text);
}

/* A short word with hyphens stays whole. */
static void add_code(struct buf *b, struct str code)
{
	const bool word = !memchr(code.s, ' ', code.len) && memchr(code.s, '-', code.len) &&
			  code.len <= SHORT_CODE;

	buf_adds(b, is_command(code) ? "<code class=\"command\">"
		    : word	     ? "<code class=\"word\">"
				     : "<code>");
	html_add_figures(b, code);
	buf_adds(b, "</code>");
}

void html_add_prose(struct buf *b, const char *text)
{
	const char *begin, *end;

	while ((begin = strchr(text, '`')) != NULL && (end = strchr(begin + 1, '`')) != NULL) {
		html_add_figures(b, (struct str){text, (size_t)(begin - text)});
		add_code(b, (struct str){begin + 1, (size_t)(end - begin) - 1});
		text = end + 1;
	}
	end = last_command(text);
	html_add_figures(b, end ? (struct str){text, (size_t)(end - text)} : str_of(text));
	if (end)
		add_code(b, str_of(end));
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
