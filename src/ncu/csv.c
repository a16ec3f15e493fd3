/* Where do the fields of a CSV begin and end? */
#include "ncu/csv.h"

#include "base/mem.h"

#include <stdlib.h>

struct str csv_line(struct str text, size_t at, size_t *ret_next)
{
	const char *begin = text.s + at;
	const char *end = memchr(begin, '\n', text.len - at);
	size_t len = end ? (size_t)(end - begin) : text.len - at;

	*ret_next = at + len + (end != NULL);
	if (len && begin[len - 1] == '\r')
		len--;
	return (struct str){begin, len};
}

char csv_delimiter(struct str line)
{
	static const char candidates[3] = {',', ';', '\t'};
	size_t counts[3] = {0}, best = 0;
	bool quoted = false;

	for (size_t i = 0; i < line.len; i++) {
		const char *found = memchr(candidates, line.s[i], 3);

		if (line.s[i] == '"')
			quoted = !quoted;
		else if (!quoted && found)
			counts[found - candidates]++;
	}
	for (size_t i = 1; i < 3; i++) {
		if (counts[i] > counts[best])
			best = i;
	}
	return candidates[best];
}

/* Empty lines, and what ncu itself says between rows: ==PROF==, ==WARNING==. */
static void skip_lines(struct csv *c)
{
	while (c->at < c->text.len) {
		size_t next;
		struct str line = csv_line(c->text, c->at, &next);

		if (line.len && !str_starts(line, "=="))
			return;
		c->at = next;
		c->next_line++;
	}
}

static void add_field(struct csv *c, struct str field)
{
	if (c->count == CSV_MOST_FIELDS)
		return;
	MEM_GROW(c->fields, c->cap, c->count + 1);
	c->fields[c->count++] = field;
}

/* From behind the opening quote to behind the closing one; its text goes to `out`. */
static size_t unquote(struct csv *c, size_t at, char *out, size_t *ret_len)
{
	const char *s = c->text.s;
	size_t len = 0;

	for (; at < c->text.len; at++) {
		if (s[at] == '"' && (at + 1 == c->text.len || s[at + 1] != '"'))
			break;
		if (s[at] == '"')
			at++;
		c->next_line += s[at] == '\n';
		out[len++] = s[at];
	}
	*ret_len = len;
	c->in_quotes = at >= c->text.len;
	return c->in_quotes ? at : at + 1;
}

static bool ends_field(const struct csv *c, size_t at)
{
	return at >= c->text.len || c->text.s[at] == c->delimiter || c->text.s[at] == '\n';
}

/* One field; what stands behind closing quotes belongs to nothing. Returns where it ends. */
static size_t take_field(struct csv *c, char **out)
{
	const char *s = c->text.s;
	size_t at = c->at, begin = at, len;

	if (at < c->text.len && s[at] == '"') {
		at = unquote(c, at + 1, *out, &len);
		add_field(c, (struct str){*out, len});
		*out += len;
		while (!ends_field(c, at))
			at++;
		return at;
	}
	while (!ends_field(c, at))
		at++;
	len = at - begin;
	if (len && s[at - 1] == '\r' && (at == c->text.len || s[at] == '\n'))
		len--;
	add_field(c, (struct str){s + begin, len});
	return at;
}

/* How long the record may be: up to the first newline that is in no quotes. */
static size_t longest_record(const struct csv *c)
{
	bool quoted = false, fresh = true;
	size_t at = c->at;

	for (; at < c->text.len; at++) {
		char ch = c->text.s[at];

		if (ch == '\n' && !quoted)
			break;
		if (ch == '"' && (quoted || fresh)) {
			quoted = !quoted;
			fresh = !quoted; /* a doubled quote closes and opens again at once */
		} else {
			fresh = !quoted && ch == c->delimiter;
		}
	}
	return at - c->at;
}

bool csv_next(struct csv *c)
{
	char *out;

	if (!c->next_line)
		c->next_line = 1;
	skip_lines(c);
	c->count = 0;
	c->line = c->next_line;
	if (c->at >= c->text.len)
		return false;
	buf_clear(&c->unquoted);
	out = buf_reserve(&c->unquoted, longest_record(c) + 1);
	c->in_quotes = false;
	for (;;) {
		c->at = take_field(c, &out);
		if (c->at >= c->text.len || c->text.s[c->at] == '\n')
			break;
		c->at++;
	}
	c->cut = c->at >= c->text.len;
	c->at += !c->cut;
	c->next_line += !c->cut;
	return true;
}

void csv_free(struct csv *c)
{
	free(c->fields);
	buf_free(&c->unquoted);
}
