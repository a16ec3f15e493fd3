/* By what is a kernel found in another tool's spelling of its name? */
#include "analysis/counters/kernel_pattern.h"

#include "text/cxx.h"

#include <ctype.h>

enum { SHORTEST_WORD = 3 };

struct parts {
	struct str base; /* the function's own name */
	struct str args; /* its template arguments, or nothing */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static struct str from(struct str s, size_t at)
{
	return (struct str){s.s + at, s.len - at};
}

/* Where brackets that open at `at` close; the end, where they do not. */
static size_t closing(struct str s, size_t at)
{
	size_t depth = 0;

	for (; at < s.len; at++) {
		if (s.s[at] == '<' || s.s[at] == '(')
			depth++;
		else if ((s.s[at] == '>' || s.s[at] == ')') && depth && !--depth)
			return at;
	}
	return s.len;
}

/*
 * The last name before the parameters: those before it are a return type, namespaces, classes.
 * Brackets that no name stands before are one: "(anonymous namespace)::", "<unnamed>::".
 */
static struct parts parts_of(struct str name)
{
	struct parts p = {.base = name};
	size_t at = 0, begin = 0;

	while (at < name.len) {
		if (name.s[at] == ' ' || name.s[at] == ':') {
			begin = ++at;
		} else if (name.s[at] == '<' || name.s[at] == '(') {
			const size_t end = closing(name, at);
			const bool goes_on = end + 2 < name.len && name.s[end + 1] == ':';

			if (at > begin && !goes_on) {
				p.base = (struct str){name.s + begin, at - begin};
				if (name.s[at] == '<')
					p.args = (struct str){name.s + at, end - at};
				return p;
			}
			at = end < name.len ? end + 1 : end;
		} else {
			at++;
		}
	}
	if (begin < name.len)
		p.base = from(name, begin);
	return p;
}

struct str kernel_pattern_base(struct str name)
{
	return parts_of(name).base;
}

/* Words of casts, "(unsigned long)3", which only one of the tools may write. */
static bool is_of_cast(struct str word)
{
	static const struct str words[] = {STR_LIT("unsigned"), STR_LIT("signed"), STR_LIT("long"),
					   STR_LIT("short"),	STR_LIT("char"),   STR_LIT("bool"),
					   STR_LIT("const")};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (str_eq(word, words[i]))
			return true;
	}
	return false;
}

/* The next word that both tools write: no namespace, no number, nothing as short as "int". */
static bool next_word(struct str *rest, struct str *ret)
{
	size_t at = 0;

	while (at < rest->len) {
		size_t begin = at, end, unnamed = cxx_unnamed_length(from(*rest, at));

		if (unnamed || !is_word(rest->s[at])) {
			at += unnamed ? unnamed : 1;
			continue;
		}
		while (at < rest->len && is_word(rest->s[at]))
			at++;
		end = at;
		if (end - begin <= SHORTEST_WORD || isdigit((unsigned char)rest->s[begin]) ||
		    (end < rest->len && rest->s[end] == ':'))
			continue;
		*ret = (struct str){rest->s + begin, end - begin};
		if (is_of_cast(*ret))
			continue;
		*rest = from(*rest, end);
		return true;
	}
	return false;
}

static bool has_words(struct str args, const struct str *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *found =
			args.len ? memmem(args.s, args.len, words[i].s, words[i].len) : NULL;

		if (!found)
			return false;
		args = from(args, (size_t)(found - args.s) + words[i].len);
	}
	return true;
}

/* How many others the words do not tell from it. */
static size_t alike(const struct parts *p, const struct str *words, size_t word_count,
		    const struct str *others, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct parts other = parts_of(others[i]);

		n += str_eq(other.base, p->base) && has_words(other.args, words, word_count);
	}
	return n;
}

void kernel_pattern_add_literal(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!isalnum((unsigned char)text.s[i]) && text.s[i] != '_')
			buf_addc(b, '\\');
		buf_addc(b, text.s[i]);
	}
}

struct kernel_pattern kernel_pattern_of(struct str name, const struct str *others, size_t count)
{
	const struct parts p = parts_of(name);
	struct kernel_pattern ret = {.base = p.base};
	struct str rest = p.args;
	size_t left = alike(&p, ret.words, 0, others, count);

	while (left > 1 && ret.count < KERNEL_PATTERN_WORDS &&
	       next_word(&rest, &ret.words[ret.count])) {
		size_t still = alike(&p, ret.words, ret.count + 1, others, count);

		/* A word that all others have too tells nothing. */
		if (still < left) {
			left = still;
			ret.count++;
		}
	}
	return ret;
}

/* Of what expressions take for a word, to which "$" does not belong. */
static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether an edge of a word can be there at all: names may begin or end with something else. */
static bool ends_in_word(struct str base, size_t at)
{
	return at < base.len && is_plain(base.s[at]);
}

void kernel_pattern_add(struct buf *b, const struct kernel_pattern *p)
{
	buf_adds(b, ends_in_word(p->base, 0) ? "\\b" : "");
	kernel_pattern_add_literal(b, p->base);
	buf_adds(b, ends_in_word(p->base, p->base.len - 1) ? "\\b" : "");
	for (size_t i = 0; i < p->count; i++) {
		buf_adds(b, ".*");
		kernel_pattern_add_literal(b, p->words[i]);
	}
}

/* What \b stands for. */
static bool is_edge(struct str s, size_t at)
{
	return (at > 0 && is_plain(s.s[at - 1])) != (at < s.len && is_plain(s.s[at]));
}

static bool is_base(struct str base, struct str name, size_t at)
{
	return (!ends_in_word(base, 0) || is_edge(name, at)) &&
	       (!ends_in_word(base, base.len - 1) || is_edge(name, at + base.len));
}

/* After the first place where the function's name stands, words are found if they are anywhere. */
bool kernel_pattern_finds(const struct kernel_pattern *p, struct str name)
{
	const size_t len = p->base.len;

	for (size_t at = 0; len && at + len <= name.len; at++) {
		const char *found = memmem(name.s + at, name.len - at, p->base.s, len);

		if (!found)
			return false;
		at = (size_t)(found - name.s);
		if (is_base(p->base, name, at))
			return has_words(from(name, at + len), p->words, p->count);
	}
	return false;
}
