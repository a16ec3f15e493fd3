/* Where is somebody to look? */
#include "traces/link.h"

#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

void link_add_escaped(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (is_plain((unsigned char)*text))
			buf_addc(b, *text);
		else
			buf_addf(b, "%%%02X", (unsigned char)*text);
	}
}

static void add_span(struct buf *b, const char *name, struct span s)
{
	buf_addf(b, "%s=%" PRId64 ",%" PRId64, name, s.start_ns, s.end_ns);
}

void link_add(struct buf *b, const struct link *l)
{
	add_span(b, "w", l->window);
	if (l->has_selection)
		add_span(b, "&sel", l->selection);
	if (l->row) {
		buf_adds(b, "&row=");
		link_add_escaped(b, l->row);
	}
	if (l->has_step)
		buf_addf(b, "&align=%" PRIu32, l->step);
}

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

/* NULL: there is a % that nothing follows, or a zero. */
static char *unescape(struct str text)
{
	struct buf b = {0};

	for (size_t i = 0; i < text.len; i++) {
		const int high = text.s[i] == '%' && i + 2 < text.len ? hex(text.s[i + 1]) : -1;
		const int low = high >= 0 ? hex(text.s[i + 2]) : -1;

		if (text.s[i] != '%') {
			buf_addc(&b, text.s[i]);
			continue;
		}
		if (low < 0 || (!high && !low)) {
			buf_free(&b);
			return NULL;
		}
		buf_addc(&b, (char)(high * 16 + low));
		i += 2;
	}
	return b.s ? b.s : mem_strdup("");
}

static bool parse_span(struct str value, struct span *ret)
{
	SCOPED char *text = mem_zalloc(value.len + 1, 1);
	int used = 0;

	memcpy(text, value.s, value.len);
	return sscanf(text, "%" SCNd64 ",%" SCNd64 "%n", &ret->start_ns, &ret->end_ns, &used) ==
		       2 &&
	       used == (int)value.len && ret->start_ns <= ret->end_ns;
}

static bool parse_step(struct str value, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (value.s[i] < '0' || value.s[i] > '9')
			return false;
		*ret = *ret * 10 + (uint32_t)(value.s[i] - '0');
	}
	return value.len && value.len < 10;
}

/* What only a page of gpuwhy web can show: see web/link.js. */
static bool is_of_page(struct str name)
{
	static const char *const names[] = {"tab", "find", "hide", "pin", "fold"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(name, str_of(names[i])))
			return true;
	}
	return false;
}

static bool take(struct link *l, struct str name, struct str value)
{
	if (str_eq(name, STR_LIT("w")))
		return parse_span(value, &l->window);
	if (str_eq(name, STR_LIT("sel"))) {
		l->has_selection = true;
		return parse_span(value, &l->selection);
	}
	if (str_eq(name, STR_LIT("align"))) {
		l->has_step = true;
		return parse_step(value, &l->step);
	}
	if (str_eq(name, STR_LIT("row")) && !l->row) {
		l->row = unescape(value);
		return l->row != NULL;
	}
	/* What another version adds changes nothing here; who asks for it is told. */
	if (!is_of_page(name) && !l->unknown) {
		l->unknown = mem_zalloc(name.len + 1, 1);
		memcpy(l->unknown, name.s, name.len);
	}
	return true;
}

int link_parse(struct link *ret, const char *text, struct err *e)
{
	struct str rest = str_of(*text == '#' ? text + 1 : text);

	*ret = (struct link){.window = SPAN_NONE};
	while (rest.len) {
		const char *end = memchr(rest.s, '&', rest.len);
		const struct str part = {rest.s, end ? (size_t)(end - rest.s) : rest.len};
		const char *is = memchr(part.s, '=', part.len);
		const size_t name = is ? (size_t)(is - part.s) : part.len;

		if (!is || !take(ret, (struct str){part.s, name},
				 (struct str){is + 1, part.len - name - 1})) {
			err_set(e, ERR_USAGE, "'%.*s' is no part of a place", STR_FMT(part));
			return err_hint(e, "Y in the timeline tells one: w=FROM,TO&row=GPU%%200");
		}
		rest.s += part.len + (end != NULL);
		rest.len -= part.len + (end != NULL);
	}
	return 0;
}

void link_free(struct link *l)
{
	free(l->row);
	free(l->unknown);
	*l = (struct link){0};
}
