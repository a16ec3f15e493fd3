/* How is text from a trace shown without letting it act? */
#include "text/text.h"

#include "base/mem.h"
#include "text/utf8.h"

#define ELLIPSIS "…"

/*
 * How many of the first bytes are printable ASCII, counted in whole blocks: nearly all text is
 * nothing else, and a block without branches is what the compiler turns into vector code.
 */
static size_t plain_prefix(struct str s)
{
	enum { BLOCK = 16 };
	size_t n = 0;

	while (s.len - n >= BLOCK) {
		unsigned char odd = 0;

		for (size_t i = 0; i < BLOCK; i++)
			odd |= (unsigned char)((unsigned char)(s.s[n + i] - 0x20) >= 0x5f);
		if (odd)
			break;
		n += BLOCK;
	}
	while (n < s.len && s.s[n] >= 0x20 && s.s[n] < 0x7f)
		n++;
	return n;
}

static struct str str_skip(struct str s, size_t n)
{
	return (struct str){s.s + n, s.len - n};
}

/* A character by its letter, \n, or by its number: as JSON has that, or shorter. */
static void add_escaped(struct buf *b, uint32_t c, bool is_json)
{
	static const char lettered[] = "\n\t\r\"\\", letters[] = "ntr\"\\";
	const char *at = c && c < 0x80 ? strchr(lettered, (int)c) : NULL;

	if (at) {
		buf_addc(b, '\\');
		buf_addc(b, letters[at - lettered]);
	} else if (c > 0xffff && is_json) { /* which has no number so large: a pair */
		buf_addf(b, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
	} else {
		buf_addf(b, is_json || c >= 0x100 ? "\\u%04x" : "\\x%02x", c);
	}
}

void text_add_safe(struct buf *b, struct str s)
{
	while (s.len) {
		size_t n = plain_prefix(s);
		uint32_t c = 0;

		buf_add(b, s.s, n);
		s = str_skip(s, n);
		if (!s.len)
			return;
		n = utf8_decode(s, &c);
		if (n == 0)
			add_escaped(b, (unsigned char)s.s[0], false);
		else if (utf8_is_unseen(c))
			add_escaped(b, c, false);
		else
			buf_add(b, s.s, n);
		s = str_skip(s, n ? n : 1);
	}
}

void text_add_json(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	while (s.len) {
		size_t n = 0;
		uint32_t c = 0;

		while (n < s.len && s.s[n] >= 0x20 && s.s[n] < 0x7f && s.s[n] != '"' &&
		       s.s[n] != '\\')
			n++;
		buf_add(b, s.s, n);
		s = str_skip(s, n);
		if (!s.len)
			break;
		n = utf8_decode(s, &c);
		if (n == 0)
			buf_adds(b, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\' || utf8_is_unseen(c))
			add_escaped(b, c, true);
		else
			buf_add(b, s.s, n);
		s = str_skip(s, n ? n : 1);
	}
	buf_addc(b, '"');
}

const char *text_valid(struct arena *a, struct str s)
{
	SCOPED_BUF b = {0};

	while (s.len) {
		uint32_t c;
		const size_t n = utf8_decode(s, &c);

		if (n)
			buf_add(&b, s.s, n);
		else
			buf_adds(&b, "\xef\xbf\xbd");
		s = str_skip(s, n ? n : 1);
	}
	return arena_str(a, buf_str(&b)).s;
}

/* One character of safe text; bytes that are not UTF-8 after all count one column each. */
static size_t next_char(struct str s, size_t *ret_columns)
{
	uint32_t c = '?';
	size_t n = utf8_decode(s, &c);

	*ret_columns = utf8_columns(c);
	return n ? n : 1;
}

size_t text_width(struct str s)
{
	size_t width = 0, columns;

	while (s.len) {
		size_t n = plain_prefix(s);

		width += n;
		s = str_skip(s, n);
		if (!s.len)
			break;
		s = str_skip(s, next_char(s, &columns));
		width += columns;
	}
	return width;
}

struct str text_fit(struct str s, size_t width)
{
	size_t used = 0, len = 0, columns;

	while (len < s.len) {
		size_t n = next_char(str_skip(s, len), &columns);

		if (used + columns > width)
			break;
		used += columns;
		len += n;
	}
	return (struct str){s.s, len};
}

void text_add_elided(struct buf *b, struct str s, size_t width)
{
	size_t total = text_width(s);
	size_t tail = width / 2, columns;

	if (total <= width) {
		buf_addstr(b, s);
		return;
	}
	if (width == 0)
		return;
	/* The ellipsis takes one column of the front half. */
	buf_addstr(b, text_fit(s, width - tail - 1));
	buf_adds(b, ELLIPSIS);
	while (total > tail) {
		s = str_skip(s, next_char(s, &columns));
		total -= columns;
	}
	buf_addstr(b, s);
}

void text_add_start(struct buf *b, struct str s, size_t width)
{
	struct str start;
	const char *space;

	if (text_width(s) <= width || width == 0) {
		buf_addstr(b, width ? s : (struct str){0});
		return;
	}
	start = text_fit(s, width - 1);
	space = memrchr(start.s, ' ', start.len);
	/* A word that is most of the text is cut. */
	if (space && s.s[start.len] != ' ' && 2 * (size_t)(space - start.s) >= start.len)
		start.len = (size_t)(space - start.s);
	buf_addstr(b, start);
	buf_adds(b, ELLIPSIS);
}

static struct str up_to_space(struct str s)
{
	const char *space = memchr(s.s, ' ', s.len);

	return (struct str){s.s, space ? (size_t)(space - s.s) : s.len};
}

/* "ms", "GB/s", "%", also before a comma. */
static bool is_unit(struct str word)
{
	static const char *const units[] = {"ns",  "µs",   "ms",   "s",	   "min", "h",
					    "%",   "B",	   "kB",   "MB",   "GB",  "TB",
					    "B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

	while (word.len && strchr(",.;:)", word.s[word.len - 1]))
		word.len--;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(word, str_of(units[i])))
			return true;
	}
	return false;
}

/* A number and its unit are one word. */
static struct str next_word(struct str s)
{
	const struct str word = up_to_space(s);
	struct str next;

	if (!word.len || word.len >= s.len || word.s[word.len - 1] < '0' ||
	    word.s[word.len - 1] > '9')
		return word;
	next = up_to_space(str_skip(s, word.len + 1));
	return is_unit(next) ? (struct str){s.s, word.len + 1 + next.len} : word;
}

void text_add_wrapped(struct buf *b, struct str s, size_t width, size_t indent)
{
	size_t used = 0;

	while (s.len) {
		struct str word = next_word(s);
		size_t columns = text_width(word);

		if (used && used + 1 + columns > width) {
			buf_addc(b, '\n');
			buf_addn(b, ' ', indent);
			used = 0;
		} else if (used) {
			buf_addc(b, ' ');
			used++;
		}
		text_add_elided(b, word, width);
		used += columns;
		s = str_skip(s, word.len < s.len ? word.len + 1 : word.len);
	}
}

size_t text_distance(const char *a, const char *b)
{
	size_t width = strlen(b);
	SCOPED size_t *row = mem_alloc(width + 1, sizeof(*row));

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (diagonal + 1 < best)
				best = diagonal + 1;
			row[j + 1] = best;
		}
	}
	return row[width];
}
