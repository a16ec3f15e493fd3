/* Which words tell names apart that are shown alike? */
#include "report/tell_apart.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/strtab.h"

#include <stdlib.h>

enum { MOST_WORDS = 3, WORD_BYTES = 24 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* Cuts the next word from the front; false: there is none. Namespaces and classes are skipped. */
static bool next_word(struct str *rest, struct str *ret)
{
	do {
		size_t i = 0, end;

		while (i < rest->len && !is_word_char(rest->s[i]))
			i++;
		for (end = i; end < rest->len && is_word_char(rest->s[end]); end++)
			continue;
		*ret = (struct str){rest->s + i, end - i};
		*rest = (struct str){rest->s + end, rest->len - end};
	} while (str_starts(*rest, "::"));
	return ret->len > 0;
}

/* The words of all names, and how many of the names have each. */
struct words {
	struct strtab all;
	struct word_use {
		size_t names;
		size_t last; /* the name that had it last, from 1 */
	} * use;
	size_t cap;
};

static void count_words(struct words *w, struct str name, size_t number)
{
	struct str word;

	while (next_word(&name, &word)) {
		size_t before = w->all.count;
		uint32_t id = strtab_add(&w->all, word);

		MEM_GROW(w->use, w->cap, w->all.count);
		if (w->all.count > before)
			w->use[id] = (struct word_use){0};
		w->use[id].names += w->use[id].last != number;
		w->use[id].last = number;
	}
}

struct own_words {
	struct str words[MOST_WORDS];
	size_t count;
};

static void add_own(struct own_words *own, struct str word)
{
	for (size_t i = 0; i < own->count; i++) {
		if (str_eq(own->words[i], word))
			return;
	}
	own->words[own->count++] = word;
}

/* Words that not all of the names have; types and functions say more than numbers do. */
static void find_own(struct words *w, struct str name, size_t of, bool numbers, size_t most,
		     struct own_words *own)
{
	struct str word;

	while (own->count < most && next_word(&name, &word)) {
		uint32_t id = strtab_add(&w->all, word);

		if (is_digit(word.s[0]) == numbers && w->use && w->use[id].names < of)
			add_own(own, word);
	}
}

static void add_words(struct words *w, struct str name, size_t of, size_t most, struct buf *b)
{
	struct own_words own = {0};

	find_own(w, name, of, false, most, &own);
	find_own(w, name, of, true, most, &own);
	for (size_t i = 0; i < own.count; i++) {
		size_t len = own.words[i].len;

		buf_adds(b, i ? ", " : "");
		buf_add(b, own.words[i].s, len < WORD_BYTES ? len : WORD_BYTES);
	}
}

/* Whether as many words suffice to tell all of them apart. */
static bool try_words(struct words *w, const struct str *names, size_t count, size_t most,
		      struct arena *a, const char **ret)
{
	struct strtab texts = {0};
	bool distinct;

	for (size_t i = 0; i < count; i++) {
		SCOPED_BUF b = {0};

		add_words(w, names[i], count, most, &b);
		ret[i] = arena_str(a, buf_str(&b)).s;
		strtab_add(&texts, str_of(ret[i]));
	}
	distinct = texts.count == count;
	strtab_free(&texts);
	return distinct;
}

/* The first of those that are still alike stays as it is. */
static void number_alike(size_t count, struct arena *a, const char **ret)
{
	size_t *alike = mem_zalloc(count, sizeof(*alike));
	struct strtab texts = {0};

	for (size_t i = 0; i < count; i++) {
		size_t n = ++alike[strtab_add(&texts, str_of(ret[i]))];

		if (n > 1)
			ret[i] = arena_printf(a, "%s%s#%zu", ret[i], ret[i][0] ? " " : "", n);
	}
	strtab_free(&texts);
	free(alike);
}

void tell_apart(const struct str *names, size_t count, struct arena *a, const char **ret)
{
	struct words w = {0};
	bool distinct = false;

	for (size_t i = 0; i < count; i++)
		count_words(&w, names[i], i + 1);
	for (size_t most = 1; most <= MOST_WORDS && !distinct; most++)
		distinct = try_words(&w, names, count, most, a, ret);
	if (!distinct)
		number_alike(count, a, ret);
	strtab_free(&w.all);
	free(w.use);
}
