/* How does a sentence lose words and keep its meaning? */
#include "text/brief.h"

#include "base/mem.h"
#include "text/text.h"

#include <string.h>

#define CUT	 "\u00a0…" /* shares a line with the last word */
#define LEFT_OUT " … "

enum {
	LEAST_NAME = 16,  /* columns of a name that is cut, */
	LEAST_WORDS = 2,  /* and words of what is said of it */
	MOST_DETAILS = 8, /* parentheses: a sentence has few */
};

/* A sentence that ends with the name of a place. */
struct placed {
	struct str head;   /* "New finding, 866 µs of a step: The GPU waits for host code" */
	struct str lead;   /* "in " */
	struct str name;   /* "`data`." */
	const char *least; /* what the head begins with stays: "New finding, 866 µs of a step:" */
};

static struct str between(const char *begin, const char *end)
{
	return (struct str){begin, (size_t)(end - begin)};
}

/* The first or the last mark from `from` on that ends a clause; NULL: none does. Those in names and
 * in parentheses do not. */
static const char *clause_end(struct str s, const char *from, const char *marks, bool last)
{
	const char *found = NULL;
	bool in_name = false;
	size_t depth = 0;

	for (const char *at = s.s; at + 1 < s.s + s.len && (last || !found); at++) {
		in_name ^= *at == '`';
		depth += !in_name && *at == '(';
		depth -= !in_name && *at == ')' && depth;
		if (at >= from && !in_name && !depth && at[1] == ' ' && strchr(marks, *at))
			found = at;
	}
	return found;
}

/* Where the last clause begins, but for those up to `least`; NULL: it is the first one. */
static const char *last_clause_end(struct str s, const char *least)
{
	return clause_end(s, least, ",;:", true);
}

/* What a sentence begins with, "Fixed, 195 µs of a step:", says nothing alone. */
static const char *beginning_end(struct str s)
{
	const char *end = clause_end(s, s.s, ":", false);

	return end ? end + 1 : s.s;
}

static const char *last_space(struct str s)
{
	return s.len ? memrchr(s.s, ' ', s.len) : NULL;
}

static struct str last_word(struct str s)
{
	const char *space = last_space(s);

	return space ? between(space + 1, s.s + s.len) : s;
}

static struct str without_marks(struct str s)
{
	while (s.len && strchr(",;: ", s.s[s.len - 1]))
		s.len--;
	return s;
}

/* A number counts nothing without the word after it, and "of" or "and" lead nowhere. */
static bool dangles(struct str word)
{
	static const char *const words[] = {"a",    "an",   "and", "are",  "as",  "at",	   "by",
					    "for",  "from", "has", "if",   "in",  "is",	   "it",
					    "its",  "no",   "not", "of",   "on",  "one",   "or",
					    "so",   "than", "the", "that", "to",  "with",  "which",
					    "they", "only", "→",   "…",	   "can", "cannot"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(word, str_of(words[i])))
			return true;
	}
	return !word.len || (word.s[word.len - 1] >= '0' && word.s[word.len - 1] <= '9');
}

/* Without its last word, and without those that would dangle then. */
static struct str without_word(struct str s)
{
	do {
		const char *space = last_space(s);

		s = without_marks(between(s.s, space ? space : s.s));
	} while (s.len && dangles(last_word(s)));
	return s;
}

static size_t count_words(struct str s)
{
	size_t words = 0;

	for (size_t i = 0; i < s.len; i++)
		words += s.s[i] != ' ' && (i == 0 || s.s[i - 1] == ' ');
	return words;
}

static bool says_enough(struct str head, const char *least)
{
	return head.s + head.len > least &&
	       count_words(between(least, head.s + head.len)) >= LEAST_WORDS;
}

/* The last detail, "(`cudaFree` 279 ms, …)", with the space before it. Neither is a word, "(new)",
 * nor what is in a name. Empty: there is none. */
static struct str last_detail(struct str s)
{
	struct str found = {s.s, 0};
	bool in_name = false;

	for (const char *at = s.s; at < s.s + s.len; at++) {
		const char *close = NULL;

		in_name ^= *at == '`';
		if (!in_name && *at == '(' && at > s.s && at[-1] == ' ')
			close = memchr(at, ')', (size_t)(s.s + s.len - at));
		if (close && memchr(at, ' ', (size_t)(close - at)))
			found = between(at - 1, close + 1);
	}
	return found;
}

/* Details go, the last one first, until the rest fits. */
static void add_without_details(struct buf *b, struct str s, size_t width)
{
	buf_addstr(b, s);
	for (size_t i = 0; i < MOST_DETAILS && text_width(buf_str(b)) > width; i++) {
		const struct str now = buf_str(b), detail = last_detail(now);
		SCOPED_BUF rest = {0};

		if (!detail.len)
			return;
		buf_adds(&rest, CUT);
		buf_addstr(&rest, between(detail.s + detail.len, now.s + now.len));
		buf_shorten(b, (size_t)(detail.s - now.s));
		buf_addstr(b, buf_str(&rest));
	}
}

/* The last `name` and what follows it without a space; empty: there is none. */
static struct str last_name(struct str s)
{
	const char *end = s.len ? memrchr(s.s, '`', s.len) : NULL, *space;
	const char *begin = end ? memrchr(s.s, '`', (size_t)(end - s.s)) : NULL;

	if (!begin)
		return (struct str){s.s, 0};
	space = memchr(end, ' ', (size_t)(s.s + s.len - end));
	return between(begin, space ? space : s.s + s.len);
}

/* Without clauses at the end; details that are left go where that helps. */
static bool cut_clauses(struct buf *b, struct str s, const char *least, size_t width)
{
	const char *end;

	while ((end = last_clause_end(s, least))) {
		const char *mark = *end == ';' ? ";" CUT : CUT;
		const size_t taken = text_width(str_of(mark));
		const size_t room = width > taken ? width - taken : 0;
		SCOPED_BUF plain = {0};

		s = between(s.s, end);
		add_without_details(&plain, s, room);
		if (text_width(buf_str(&plain)) + taken > width)
			continue;
		buf_addstr(b, buf_str(&plain));
		buf_adds(b, str_ends(buf_str(&plain), CUT) ? "" : mark);
		return true;
	}
	return false;
}

/* Without words at the end. */
static bool cut_words(struct buf *b, struct str s, const char *least, size_t width)
{
	do
		s = without_word(s);
	while (text_width(s) + 1 > width && s.len);
	if (!says_enough(s, least))
		return false;
	buf_addstr(b, s);
	buf_adds(b, "…");
	return true;
}

/* The head of a sentence and its place; `least`: columns that the name has to have. */
static bool add_placed(struct buf *b, const struct placed *p, struct str head, size_t least,
		       size_t width)
{
	const bool whole = head.len == p->head.len;
	const struct str start = whole ? head : without_marks(head);
	const char *joint = whole ? " " : LEFT_OUT;
	const size_t taken = text_width(start) + text_width(str_of(joint)) + text_width(p->lead);

	if (taken + least > width)
		return false;
	buf_addstr(b, start);
	buf_adds(b, joint);
	buf_addstr(b, p->lead);
	text_add_elided(b, p->name, width - taken);
	return true;
}

/* Without clauses before the place: "…, mostly in `fwd`" stays if there is room, or "in `fwd`". */
static bool cut_before(struct buf *b, const struct placed *wide, const struct placed *near,
		       size_t least, size_t width)
{
	struct str head = wide->head;
	const char *end = head.s;

	for (; end; head = between(head.s, end ? end : head.s)) {
		if (add_placed(b, wide, head, least, width) ||
		    add_placed(b, near, head, least, width))
			return true;
		end = last_clause_end(head, wide->least);
	}
	return false;
}

static bool cut_words_before(struct buf *b, const struct placed *p, size_t least, size_t width)
{
	const char *end;
	struct str head = p->head;

	while ((end = last_clause_end(head, p->least)))
		head = between(head.s, end);
	while (head = without_word(head), says_enough(head, p->least)) {
		if (add_placed(b, p, head, least, width))
			return true;
	}
	return false;
}

/* The place with what leads to it from `lead` on. */
static struct placed place_of(struct str s, struct str name, const char *lead)
{
	return (struct placed){
		.head = between(s.s, lead > s.s ? lead - 1 : lead),
		.lead = between(lead, name.s),
		.name = without_marks(name),
		.least = beginning_end(between(s.s, name.s)),
	};
}

static bool keep_place(struct buf *b, struct str s, struct str name, size_t width)
{
	const struct str until = between(s.s, name.s);
	const size_t all = text_width(without_marks(name)),
		     least = all < LEAST_NAME ? all : LEAST_NAME;
	const char *clause = last_clause_end(until, beginning_end(until));
	const char *word = last_space(without_marks(until));
	const struct placed near = place_of(s, name, word ? word + 1 : s.s);
	const struct placed wide = clause ? place_of(s, name, clause + 2) : near;

	return cut_before(b, &wide, &near, all, width) ||
	       cut_before(b, &near, &near, least, width) ||
	       cut_words_before(b, &near, least, width);
}

/* `plain`: the sentence without details. */
static bool cut_end(struct buf *b, struct str s, struct str plain, size_t width)
{
	const struct str name = last_name(s);
	const char *least = beginning_end(s);

	if (name.len && name.s + name.len - 1 > least)
		least = name.s + name.len - 1;
	return cut_clauses(b, s, least, width) ||
	       cut_words(b, plain, beginning_end(plain), width) ||
	       cut_words(b, plain, plain.s, width);
}

/* A name that is far from the end says what it is about, not where. */
static bool ends_with_place(struct str s, struct str name, size_t width)
{
	return name.len && text_width(between(s.s, name.s + name.len)) >= width;
}

void text_add_brief(struct buf *b, struct str s, size_t width)
{
	SCOPED_BUF without = {0};
	struct str plain, name;

	add_without_details(&without, s, width);
	plain = buf_str(&without);
	name = last_name(plain);
	if (text_width(plain) <= width) {
		buf_addstr(b, plain);
		return;
	}
	if (ends_with_place(plain, name, width) && keep_place(b, plain, name, width))
		return;
	if (!cut_end(b, s, plain, width))
		text_add_start(b, s, width);
}
