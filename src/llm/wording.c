/* Which of a model's words may people read? */
#include "llm/wording.h"

#include "base/mem.h"
#include "llm/number_word.h"
#include "llm/told_number.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

struct reader {
	struct wording *w;
	const struct wording_terms *t;
	struct str said;
	size_t at;
};

/* What a person would read; a reply that is made of numbers takes no longer. */
enum { MOST_NUMBERS = 300, MOST_PLACES = 16, LEAST_PART = 4 };

/* The sentence that a place of the text is in. */
static struct str sentence_at(const struct reader *r)
{
	size_t begin = r->at, end = r->at;

	while (begin > 0 && r->said.s[begin - 1] != '\n' &&
	       !(r->said.s[begin] == ' ' && strchr(".!?;", r->said.s[begin - 1])))
		begin--;
	while (end < r->said.len && r->said.s[end] != '\n' &&
	       !(strchr(".!?;", r->said.s[end]) &&
		 (end + 1 == r->said.len || r->said.s[end + 1] == ' ')))
		end++;
	return (struct str){r->said.s + begin, end - begin};
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(struct str sentence, struct str name)
{
	const char *at = sentence.s, *end = sentence.s + sentence.len;

	if (name.len < 3)
		return false;
	while ((at = memmem(at, (size_t)(end - at), name.s, name.len))) {
		if ((at == sentence.s || !is_word(at[-1])) &&
		    (at + name.len == end || !is_word(at[name.len])))
			return true;
		at++;
	}
	return false;
}

static bool mentions_row(struct str sentence, const struct evidence_row *row)
{
	return mentions(sentence, row->name) || mentions(sentence, row->brief);
}

/* The next word of it that is like a part of a name: "AllReduce", "advec_mom", "v2". */
static bool next_identifier(struct str sentence, size_t *at, struct str *ret)
{
	while (*at < sentence.len) {
		const size_t begin = *at;
		bool is_mixed = false;

		while (*at < sentence.len && is_word(sentence.s[*at])) {
			is_mixed |= *at > begin && !islower((unsigned char)sentence.s[*at]);
			(*at)++;
		}
		*ret = (struct str){sentence.s + begin, *at - begin};
		if (is_mixed && ret->len >= LEAST_PART && !isdigit((unsigned char)ret->s[0]))
			return true;
		*at += *at == begin;
	}
	return false;
}

static bool has_part(const struct evidence_row *row, struct str part)
{
	return memmem(row->name.s, row->name.len, part.s, part.len);
}

/* Whether the sentence has a part of one name that the other has not, and none the other way. */
static bool means_other(struct str sentence, const struct evidence_row *row,
			const struct evidence_row *other)
{
	struct str part;
	size_t at = 0;
	bool found = false;

	while (next_identifier(sentence, &at, &part)) {
		const bool here = has_part(row, part), there = has_part(other, part);

		if (here && !there)
			return false;
		found |= there && !here;
	}
	return found;
}

/* A sentence that names rows of a table and not this one is not about it. */
static bool is_elsewhere(const struct reader *r, const struct evidence_row *row)
{
	const struct evidence_store *s = r->t->evidence;
	const struct str sentence = sentence_at(r);
	const struct evidence_row *last = NULL;

	if (!row || !row->name.len || mentions_row(sentence, row))
		return false;
	for (size_t i = 0; i < s->quantity_count; i++) {
		const struct evidence_row *other = s->quantities[i].row;

		if (!other || other == last || other->table != row->table)
			continue;
		last = other;
		if (!str_eq(other->name, row->name) &&
		    (mentions_row(sentence, other) || means_other(sentence, row, other)))
			return true;
	}
	return false;
}

/* Text of a trace, or of a reference to nothing, that cannot be taken for a mark. */
static void add_without_marks(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.s[i] != '~' || ((!i || text.s[i - 1] != '~') && i && i + 1 < text.len))
			buf_addc(b, text.s[i]);
	}
}

static void strike(struct reader *r, struct string_list *why, struct str text)
{
	buf_adds(&r->w->text, "~~");
	add_without_marks(&r->w->text, text);
	buf_adds(&r->w->text, "~~");
	string_list_add(why, arena_str(&r->w->arena, text).s);
}

static bool question_has(const struct wording_terms *t, const struct told_number *n)
{
	for (size_t i = 0; i < t->question.len; i++) {
		const struct str rest = {t->question.s + i, t->question.len - i};
		struct told_number said;

		if ((i && is_word(rest.s[-1])) || !told_number_read(rest, &said))
			continue;
		if (said.value == n->value &&
		    (said.dimension == n->dimension || n->dimension == DIMENSION_NONE))
			return true;
		i += said.len - 1;
	}
	return false;
}

/* Each once. */
static void note_unchecked(struct reader *r, struct str text)
{
	struct string_list *l = &r->w->unchecked;

	for (size_t i = 0; i < l->count; i++) {
		if (str_eq(str_of(l->all[i]), text))
			return;
	}
	string_list_add(l, arena_str(&r->w->arena, text).s);
}

/* Some cell or other has it, whatever it is meant to be. */
static bool is_everywhere(const struct told_number *n)
{
	return n->dimension == DIMENSION_NONE && n->factor == 1 && !n->decimals && n->value < 10;
}

/* "pid 1591", "ranks 2 and 3": a sentence that says none of these does not tell who. */
static bool is_about_ids(const struct reader *r)
{
	static const char *const words[] = {
		"gpu",	"rank",	     "stream", "device", "pid",	    "tid", "process", "thread",
		"step", "iteration", "node",   "line",	 "context", "id",  "prozess", "schritt"};
	const struct str sentence = sentence_at(r);
	const char *before = r->said.s + r->at;

	for (const char *at = sentence.s; at < before; at++) {
		if (at > sentence.s && is_word(at[-1]))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			if (strncasecmp(at, words[i], strlen(words[i])) == 0)
				return true;
		}
	}
	return false;
}

enum verdict { HELD, MISPLACED, NOWHERE };

static enum verdict judge(const struct reader *r, const struct told_number *n)
{
	const struct evidence_store *s = r->t->evidence;
	const bool names_ids = is_about_ids(r);
	enum verdict found = NOWHERE;
	int elsewhere = 0;

	if (question_has(r->t, n))
		return HELD;
	for (size_t i = 0; i < s->quantity_count && elsewhere < MOST_PLACES; i++) {
		const struct quantity *q = &s->quantities[i];

		if (!told_number_is(n, q->value, q->has_unit, q->unit) ||
		    (q->has_unit && q->unit == UNIT_ID && !names_ids))
			continue;
		if (!is_elsewhere(r, q->row))
			return HELD;
		found = MISPLACED;
		elsewhere++;
	}
	return found;
}

/* "3." at the beginning of a line is the number of an item. */
static bool is_item(const struct reader *r, const struct told_number *n)
{
	const struct str s = r->said;
	size_t begin = r->at;

	while (begin > 0 && s.s[begin - 1] == ' ')
		begin--;
	return (!begin || s.s[begin - 1] == '\n') && !n->decimals && n->digits <= 2 &&
	       n->dimension == DIMENSION_NONE && r->at + n->len < s.len &&
	       strchr(".):", s.s[r->at + n->len]);
}

/* `--limit 5`: how to ask, and no fact. */
static bool is_option_value(const struct reader *r)
{
	size_t i = r->at;

	if (!r->w->in_code || !i || !strchr(" =", r->said.s[i - 1]))
		return false;
	for (i--; i > 0 && (is_word(r->said.s[i - 1]) || r->said.s[i - 1] == '-');)
		i--;
	return r->said.s[i] == '-' && r->said.s[i + 1] == '-';
}

/* A range, "10–20 ms", has its unit at the end. */
static void take_unit_of_range(struct str rest, struct told_number *n)
{
	const struct str after = {rest.s + n->len, rest.len - n->len};
	const size_t dash = str_starts(after, "–") ? strlen("–") : str_starts(after, "-") ? 1 : 0;
	struct told_number end;

	if (n->dimension != DIMENSION_NONE || n->factor != 1 || !dash ||
	    !told_number_read((struct str){after.s + dash, after.len - dash}, &end))
		return;
	n->dimension = end.dimension;
	n->factor = end.factor;
}

static bool is_in_evidence(const struct reader *r, struct str text)
{
	const struct evidence_store *s = r->t->evidence;

	for (size_t i = 0; i < s->count; i++) {
		const struct json *trace = json_read_member(s->items[i].document, "trace");
		const struct json *tool = trace ? json_read_member(trace, "tool") : NULL;
		const struct json *schema = trace ? json_read_member(trace, "schema") : NULL;
		const char *version = arena_str(&r->w->arena, text).s;

		if ((tool && str_holds(json_read_string(tool), version)) ||
		    (schema && str_holds(json_read_string(schema), version)))
			return true;
	}
	return false;
}

/* "-3 ms", where no word ends before the sign, as in "10-20" and "sm-90". */
static bool is_negative(const struct reader *r)
{
	const struct str before = {r->said.s, r->at};
	const size_t sign = str_ends(before, "-") ? 1 : str_ends(before, "−") ? strlen("−") : 0;

	return sign && (before.len == sign || strchr(" (\n", before.s[before.len - sign - 1]));
}

static void take_number(struct reader *r, struct told_number n)
{
	const struct str rest = {r->said.s + r->at, r->said.len - r->at};
	const struct str text = {rest.s, n.len};
	enum verdict v = HELD;

	take_unit_of_range(rest, &n);
	n.is_negative = is_negative(r);
	if (n.is_version) {
		v = is_in_evidence(r, text) ? HELD : NOWHERE;
	} else if (!is_item(r, &n) && !is_option_value(r)) {
		v = r->w->judged++ < MOST_NUMBERS ? judge(r, &n) : NOWHERE;
		if (v == HELD && is_everywhere(&n) && !question_has(r->t, &n))
			note_unchecked(r, text);
	}
	if (v == HELD)
		buf_addstr(&r->w->text, text);
	else
		strike(r, v == MISPLACED ? &r->w->misplaced : &r->w->struck, text);
	r->at += text.len;
}

static void add_referred(struct reader *r, const struct referred *f)
{
	struct wording *w = r->w;
	SCOPED_BUF value = {0};

	referred_add_human(&value, f);
	add_without_marks(&w->text, buf_str(&value));
	buf_addf(&w->text, " [E%zu]", f->evidence);
	MEM_GROW(w->referred, w->referred_cap, w->referred_count + 1);
	w->referred[w->referred_count++] = *f;
}

/* "{{E3.rows[0].total_ns}}"; a unit that the model adds to it is there already. */
static bool take_reference(struct reader *r)
{
	const struct str rest = {r->said.s + r->at, r->said.len - r->at};
	const char *end = str_starts(rest, "{{") ? memmem(rest.s, rest.len, "}}", 2) : NULL;
	struct referred f;
	struct str inside;

	if (!end)
		return false;
	inside = (struct str){rest.s + 2, (size_t)(end - rest.s) - 2};
	if (!evidence_find(r->t->evidence, inside, &f)) {
		strike(r, &r->w->struck, (struct str){rest.s, inside.len + 4});
	} else if (is_elsewhere(r, f.row)) {
		SCOPED_BUF value = {0};

		referred_add_human(&value, &f);
		strike(r, &r->w->misplaced, buf_str(&value));
	} else {
		add_referred(r, &f);
	}
	r->at += inside.len + 4;
	if (r->at < r->said.len)
		r->at += told_unit_length((struct str){r->said.s + r->at, r->said.len - r->at});
	return true;
}

/* A name between backticks stays what it is, digits and all. */
static bool take_name(struct reader *r)
{
	const struct str rest = {r->said.s + r->at + 1, r->said.len - r->at - 1};
	const char *end = rest.len ? memchr(rest.s, '`', rest.len) : NULL;
	const struct str inside = {rest.s, end ? (size_t)(end - rest.s) : 0};

	if (!inside.len || !r->t->is_name(r->t->ctx, inside))
		return false;
	add_without_marks(&r->w->text, (struct str){r->said.s + r->at, inside.len + 2});
	r->at += inside.len + 2;
	return true;
}

static void take_character(struct reader *r)
{
	const char c = r->said.s[r->at];

	if (c == '`')
		r->w->in_code = !r->w->in_code;
	/* What is struck out is for the program to say; "~12" is "about 12". */
	if (c != '~')
		buf_addc(&r->w->text, c);
	else if (r->at + 1 < r->said.len && isdigit((unsigned char)r->said.s[r->at + 1]))
		buf_adds(&r->w->text, "≈");
	r->at++;
}

/*
 * "three" stays as it is: what it counts may be in no evidence, as how many sentences follow. What
 * is measured, "three hundred milliseconds", is a value, and such are not told in words.
 */
static void take_number_word(struct reader *r, size_t len, bool is_sure)
{
	const struct str rest = {r->said.s + r->at, r->said.len - r->at};
	const size_t unit = told_unit_length((struct str){rest.s + len, rest.len - len});
	const struct str text = {rest.s, len + unit};

	if (unit || is_sure) {
		strike(r, &r->w->struck, text);
	} else {
		/* Chinese ones are parts of other words, too. */
		if (!(text.s[0] & 0x80))
			note_unchecked(r, text);
		buf_addstr(&r->w->text, text);
	}
	r->at += text.len;
}

void wording_go_on(struct wording *w, const struct wording_terms *t, struct str said)
{
	struct reader r = {.w = w, .t = t, .said = said, .at = w->taken};

	while (r.at < said.len) {
		const struct str rest = {said.s + r.at, said.len - r.at};
		const bool begins = !r.at || !is_word(said.s[r.at - 1]);
		bool is_sure = false;
		const size_t word = begins && !w->in_code ? number_word_length(rest, &is_sure) : 0;
		struct told_number n;

		if (rest.s[0] == '{' && take_reference(&r))
			continue;
		if (rest.s[0] == '`' && !w->in_code && take_name(&r))
			continue;
		if (begins && told_number_read(rest, &n))
			take_number(&r, n);
		else if (word)
			take_number_word(&r, word, is_sure);
		else
			take_character(&r);
	}
	w->taken = said.len;
}

void wording_free(struct wording *w)
{
	buf_free(&w->text);
	arena_free(&w->arena);
	string_list_free(&w->struck);
	string_list_free(&w->misplaced);
	string_list_free(&w->unchecked);
	free(w->referred);
	*w = (struct wording){0};
}
