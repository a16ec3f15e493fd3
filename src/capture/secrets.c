/* What must not be written down? */
#include "capture/secrets.h"

#include "capture/secret_names.h"
#include "capture/secret_values.h"

#include <strings.h>

static const char spaces[] = " \t\n";

/* Behind which = or : of the piece a secret stands; 0: none does. */
static size_t secret_at(struct str s, bool user)
{
	size_t name = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (strchr("=:", s.s[i])) {
			struct str before = {s.s + name, i - name};

			if (secret_name(before) || (user && s.s[i] == ':'))
				return i + 1;
			user = s.s[i] == '=' && secret_user_name(before);
			name = i + 1;
		} else if (strchr(",{&?", s.s[i])) {
			name = i + 1;
		}
	}
	return 0;
}

/* Behind --token: -x and --verbose are options, -Vh3qKx is a secret. */
static bool is_option(struct str s)
{
	return s.len && s.s[0] == '-' && (s.len <= 2 || s.s[1] == '-');
}

/*
 * Where it is the value of an option that takes a secret, it is one, and nothing else. One that is
 * in the plural takes all that follows; others may, and then it looks like it.
 */
static bool add_awaited(struct buf *b, struct mask *m, struct str s)
{
	const bool is = !is_option(s) && !secret_is_answer(s) &&
			(m->next || (m->more && (m->many || secret_looks_made_up(s))));

	m->next = false;
	m->more = is;
	if (is) {
		m->user = false;
		buf_adds(b, SECRET_MASK);
	}
	return is;
}

/*
 * How long the value of a JSON member is, spaces before it included, when it is a string, a number
 * or a word and the next member or the end follows; else 0.
 */
static size_t member_length(const char *s)
{
	size_t len = strspn(s, spaces);
	const char quote = s[len];
	char next;

	if (quote == '"' || quote == '\'') {
		for (len++; s[len] && s[len] != quote; len++)
			len += s[len] == '\\' && s[len + 1];
		len += s[len] == quote;
	} else {
		len += secret_token_length(str_of(s + len));
	}
	next = s[len + strspn(s + len, spaces)];
	return next && strchr(",}]", next) ? len : 0;
}

/*
 * How long a list or an object is, spaces before it included; 0 where none begins. One that does
 * not end goes on to the end of the text.
 */
static size_t brackets_length(const char *s)
{
	size_t len = strspn(s, spaces), depth = 0;

	if (!s[len] || !strchr("[{", s[len]))
		return 0;
	do {
		const char *close =
			s[len] == '"' || s[len] == '\'' ? strchr(s + len + 1, s[len]) : NULL;

		if (close)
			len = (size_t)(close - s);
		else if (strchr("[{", s[len]))
			depth++;
		else if (strchr("]}", s[len]))
			depth--;
		len++;
	} while (s[len] && depth);
	return len;
}

/* What is known to be a secret by the name before it. Returns as add_piece() does. */
static size_t add_behind_name(struct buf *b, struct mask *m, struct str s, size_t at)
{
	const char sign = s.s[at - 1];
	const bool is_member = sign == ':' && at > 1 && strchr("'\"", s.s[at - 2]);
	const size_t list = brackets_length(s.s + at);
	const size_t value = is_member && !list ? member_length(s.s + at) : 0;

	/* There may be another one before it: user:password@ of an address. */
	secret_value_add(b, (struct str){s.s, at});
	if (list) {
		buf_add(b, s.s + at, strspn(s.s + at, spaces));
		buf_adds(b, is_member ? "\"***\"" : SECRET_MASK);
		return at + list;
	}
	if (value && (at == s.len || at + value <= s.len)) {
		buf_add(b, s.s + at, strspn(s.s + at, spaces));
		buf_adds(b, "\"***\"");
		return at + value;
	}
	if (at < s.len) {
		buf_adds(b, SECRET_MASK);
		return s.len;
	}
	m->next = sign == '=' || (s.s[0] == '-' && !s.s[at]);
	if (m->next)
		return s.len;
	/* "Authorization: Basic x": what follows is one value, spaces and all. */
	buf_adds(b, " ***");
	return strlen(s.s);
}

/* 'a line for a shell' */
static bool is_quoted(struct str s)
{
	return s.len > 1 && strchr("'\"", s.s[0]) &&
	       memchr(s.s + 1, s.s[0], s.len - 1) == s.s + s.len - 1;
}

static void add_quoted(struct buf *b, const struct mask *m, struct str s)
{
	struct mask inside = {.user = m->user};
	struct buf line = {0};

	buf_add(&line, s.s + 1, s.len - 2);
	buf_addc(b, s.s[0]);
	secrets_add_word(b, &inside, buf_str(&line).s);
	buf_addc(b, s.s[0]);
	buf_free(&line);
}

/* One piece between spaces, of a word that ends with it or later. Returns how much is added. */
static size_t add_piece(struct buf *b, struct mask *m, struct str s)
{
	/* curl's -uNAME:PASSWORD */
	const bool joined = s.len > 2 && s.s[0] == '-' && s.s[1] == 'u';
	const size_t at = secret_at(s, m->user || joined);

	if (add_awaited(b, m, s))
		return s.len;
	if (is_quoted(s)) {
		add_quoted(b, m, s);
		m->user = false;
		return s.len;
	}
	m->user = secret_user_name(s);
	if (at)
		return add_behind_name(b, m, s, at);
	secret_value_add(b, s);
	m->more = false;
	m->next = (s.s[0] == '-' && !memchr(s.s, '=', s.len) && secret_name(s)) ||
		  (s.len == 6 && strncasecmp(s.s, "bearer", 6) == 0) || secret_bare_name(s);
	m->many = m->next && secret_names_many(s);
	return s.len;
}

/* Up to a space that is in no quotes: a word may be a line for a shell. */
static size_t piece_length(const char *s)
{
	size_t len = 0;

	while (s[len] && !strchr(spaces, s[len])) {
		const char *close = strchr("'\"", s[len]) ? strchr(s + len + 1, s[len]) : NULL;

		len = close ? (size_t)(close - s) + 1 : len + 1;
	}
	return len;
}

/* Whether a name of a secret ends here, and its = or : comes next, behind a space. */
static bool is_named_before(struct str before, const char *next)
{
	size_t name = before.len;

	while (name && !strchr(",{&?", before.s[name - 1]))
		name--;
	return next[0] && strchr("=:", next[0]) &&
	       secret_name((struct str){before.s + name, before.len - name});
}

/* An option with its value: no line for a shell, however many spaces the value has. */
static size_t option_length(const char *word)
{
	const size_t name = strcspn(word, "= \t\n'\"");

	return word[0] == '-' && word[name] == '=' && secret_name((struct str){word, name})
		       ? name + 1
		       : 0;
}

void secrets_add_word(struct buf *b, struct mask *m, const char *word)
{
	struct str before = {word, 0};
	const size_t option = option_length(word);

	if (add_awaited(b, m, str_of(word)))
		return;
	if (option && word[option]) {
		buf_add(b, word, option);
		buf_adds(b, SECRET_MASK);
		return;
	}
	while (*word) {
		size_t space = strspn(word, spaces), len = piece_length(word + space), done = 0;

		buf_add(b, word, space);
		word += space;
		/* How far the secret goes nobody knows. */
		if (is_named_before(before, word)) {
			buf_addc(b, word[0]);
			buf_adds(b, " ***");
			m->next = false;
			return;
		}
		before = (struct str){word, len};
		/* Behind a member of JSON the rest of the piece follows: its quotes are paired. */
		while (done < len)
			done += add_piece(b, m, (struct str){word + done, len - done});
		word += done;
	}
}

/* A value is no line for a shell: behind the name of a secret all of it is one. */
static bool ends_in_secret(struct buf *b, const char *value)
{
	const size_t at = secret_at(str_of(value), false);
	const bool is = at && value[at] && strpbrk(value + at, spaces) && !strchr("{[", value[0]);

	if (is) {
		buf_add(b, value, at);
		buf_adds(b, SECRET_MASK);
	}
	return is;
}

void secrets_add_named(struct buf *b, const char *name, const char *value)
{
	struct mask m = {0};

	if (secret_name(str_of(name)))
		buf_adds(b, SECRET_MASK);
	else if (!ends_in_secret(b, value))
		secrets_add_word(b, &m, value);
}
