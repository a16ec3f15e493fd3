/* Which names are meant by what was said? */
#include "ask/said_name.h"

#include "ask/words/spelling.h"
#include "ask/words/words.h"
#include "base/buf.h"
#include "base/mem.h"
#include "report/kernel_name.h"

#include <ctype.h>

/* Letters and digits in small letters; what else there is separates words, as capitals do. */
static void add_words(struct buf *b, struct str s)
{
	bool lower = false;

	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.s[i];

		if (isupper(c) && lower)
			buf_addc(b, ' ');
		buf_addc(b, isalnum(c) ? (char)tolower(c) : ' ');
		lower = islower(c);
	}
}

/* The same without what separates: "all_reduce" and "AllReduce" are one. */
static void add_letters(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (isalnum((unsigned char)s.s[i]))
			buf_addc(b, (char)tolower((unsigned char)s.s[i]));
	}
}

/* What people call copies, as the tool writes it. */
static struct str spelled_out(struct str said)
{
	static const char *const names[][2] = {{"h2d", "Host-to-Device"},
					       {"d2h", "Device-to-Host"},
					       {"d2d", "Device-to-Device"},
					       {"p2p", "Peer-to-Peer"},
					       {"copy", "memcpy"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq_any_case(said, names[i][0]))
			return str_of(names[i][1]);
	}
	return said;
}

/* Whether it stands there from the beginning of a word on; to the end of one. */
static bool has_words(struct str text, struct str part, bool *ret_to_end)
{
	const char *at = text.s, *const end = text.s + text.len;
	bool found = false;

	*ret_to_end = false;
	while ((at = memmem(at, (size_t)(end - at), part.s, part.len))) {
		if (at == text.s || at[-1] == ' ') {
			found = true;
			*ret_to_end |= at + part.len == end || at[part.len] == ' ';
		}
		at++;
	}
	return found;
}

/* The same where words of the name are one word here: "allreduce" of "all reduce sum". */
static bool has_joined(struct str text, struct str letters)
{
	for (size_t begin = 0; begin < text.len; begin++) {
		size_t at = begin, n = 0;

		if (text.s[begin] == ' ' || (begin && text.s[begin - 1] != ' '))
			continue;
		for (; at < text.len && n < letters.len; at++) {
			if (text.s[at] == ' ')
				continue;
			if (text.s[at] != letters.s[n])
				break;
			n++;
		}
		if (letters.len && n == letters.len && (at == text.len || text.s[at] == ' '))
			return true;
	}
	return false;
}

/* What a C++ function is called, without return type, namespaces and template arguments. */
static struct str base_name(struct str name)
{
	struct str base = {name.s, 0};

	while (base.len < name.len && !strchr("<(", base.s[base.len]))
		base.len++;
	for (size_t i = 0; i < base.len; i++) {
		if (base.s[i] == ' ' || base.s[i] == ':') {
			base = (struct str){base.s + i + 1, base.len - i - 1};
			i = (size_t)-1;
		}
	}
	return base;
}

static enum name_fit fit_letters(struct str name, struct str said)
{
	SCOPED_BUF letters = {0}, wanted = {0}, brief = {0}, brief_letters = {0};
	const size_t tolerance = spelling_tolerance(said.len);

	add_letters(&letters, name);
	add_letters(&wanted, said);
	if (!letters.len || !wanted.len)
		return FIT_NONE;
	kernel_name_add_short(&brief, name);
	add_letters(&brief_letters, buf_str(&brief));
	if (str_eq(buf_str(&letters), buf_str(&wanted)) ||
	    str_eq(buf_str(&brief_letters), buf_str(&wanted)) || str_eq(base_name(name), said))
		return FIT_WHOLE;
	if (wanted.len >= 4 && memmem(letters.s, letters.len, wanted.s, wanted.len))
		return FIT_PART;
	return wanted.len >= 4 && tolerance &&
			       spelling_distance(letters.s, wanted.s, tolerance) <= tolerance
		       ? FIT_NEAR
		       : FIT_NONE;
}

/* "attn" is what attention is called, "bwd" the backward pass. */
static bool means(struct str name, struct str said)
{
	struct words w;
	bool found = false;

	words_read(&w, name);
	for (size_t i = 0; i < w.count && !found; i++)
		found = w.all[i].is_term && str_eq_any_case(said, w.all[i].text);
	words_free(&w);
	return found;
}

enum name_fit name_fit(struct str name, struct str said)
{
	SCOPED_BUF words = {0}, wanted = {0}, letters = {0};
	enum name_fit fit;
	bool to_end;

	/* A range may be called "h2d". */
	if (said.len && name.len == said.len && strncasecmp(name.s, said.s, said.len) == 0)
		return FIT_WHOLE;
	said = str_trimmed(spelled_out(said));
	fit = fit_letters(name, said);
	if (fit == FIT_NONE && means(name, said))
		return FIT_WORD;
	if (fit == FIT_WHOLE)
		return fit;
	add_words(&words, name);
	add_words(&wanted, said);
	if (wanted.len && words.len && has_words(buf_str(&words), buf_str(&wanted), &to_end))
		return to_end ? FIT_WORD : FIT_PART;
	add_letters(&letters, said);
	if (fit == FIT_PART && has_joined(buf_str(&words), buf_str(&letters)))
		return FIT_WORD;
	return fit;
}

void name_fits_begin(struct name_fits *n, struct str said)
{
	idmap_free(&n->seen);
	*n = (struct name_fits){.said = said};
}

/* By its letters: tables may hand out one name after another in the same place. */
static uint64_t key_of(struct str name)
{
	uint64_t key = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.len; i++)
		key = (key ^ (unsigned char)name.s[i]) * 0x100000001b3u;
	return key;
}

enum name_fit name_fits_find(struct name_fits *n, struct str name)
{
	const uint64_t key = key_of(name);
	uint32_t fit = name.len ? idmap_get(&n->seen, key) : FIT_NONE;

	if (fit == IDMAP_NONE) {
		fit = name_fit(name, n->said);
		idmap_add(&n->seen, key, fit);
	}
	return (enum name_fit)fit;
}

void name_fits_end(struct name_fits *n)
{
	idmap_free(&n->seen);
}
