/* Which words is a text made of, and what are they compared by? */
#include "ask/words/words.h"

#include "ask/words/dictionary.h"
#include "base/mem.h"
#include "text/utf8.h"

#include <ctype.h>
#include <stdlib.h>

#define STOP(word) #word,
static const char *const stop_words[] = {
#include "ask/words/stop_words.def"
};
#undef STOP

/* A shorter one may be that of any word. */
enum { LEAST_STEM = 4 };

static int compare_texts(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

bool word_is_stop(const char *word)
{
	return bsearch(word, stop_words, ARRAY_LEN(stop_words), sizeof(*stop_words), compare_texts);
}

const char *word_stop_at(size_t i)
{
	return i < ARRAY_LEN(stop_words) ? stop_words[i] : NULL;
}

static bool has_vowel(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("aeiouy", word[i]))
			return true;
	}
	return false;
}

/* Whether it ends so, and leaves enough that is a word. */
static bool ends(const char *word, size_t len, const char *ending, size_t least)
{
	const size_t n = strlen(ending);

	return len >= n + least && strcmp(word + len - n, ending) == 0 && has_vowel(word, len - n);
}

/* "running" is "run": a letter that was doubled, and an e that was dropped, do not matter. */
static void end_at(char *word, size_t len)
{
	if (len > 3 && word[len - 1] == word[len - 2] && !strchr("lsz", word[len - 1]))
		len--;
	word[len] = '\0';
}

void word_stem(char *word)
{
	size_t len = strlen(word);

	if (len < 4 || isdigit((unsigned char)word[0]))
		return;
	if (ends(word, len, "ies", 2)) {
		strcpy(word + len - 3, "y");
		return;
	}
	if (ends(word, len, "sses", 1) || ends(word, len, "ches", 2) || ends(word, len, "shes", 2))
		word[len -= 2] = '\0';
	else if (word[len - 1] == 's' && !strchr("sui", word[len - 2]))
		word[--len] = '\0';
	if (ends(word, len, "ing", 3))
		end_at(word, len - 3);
	else if (ends(word, len, "ed", 3))
		end_at(word, len - 2);
	else if (ends(word, len, "ly", 3))
		word[len - 2] = '\0';
	len = strlen(word);
	if (len > 3 && word[len - 1] == 'e')
		word[len - 1] = '\0';
}

static void add(struct words *w, struct str said, const char *text, bool is_quoted, bool is_term)
{
	struct word *word;
	char *stem;

	if (w->count >= WORDS_MOST || !*text)
		return;
	MEM_GROW(w->all, w->cap, w->count + 1);
	word = &w->all[w->count++];
	stem = arena_strdup(&w->arena, text);
	word_stem(stem);
	*word = (struct word){
		said, arena_strdup(&w->arena, text), stem, word_is_stop(text), is_quoted, is_term};
}

/* Letters of Latin languages without what stands above them; "" for what is none. */
static const char *plain_letter(uint32_t c)
{
	static const struct {
		uint32_t from, to;
		const char *letter;
	} letters[] = {{0xc0, 0xc5, "a"},  {0xc7, 0xc7, "c"}, {0xc8, 0xcb, "e"}, {0xcc, 0xcf, "i"},
		       {0xd1, 0xd1, "n"},  {0xd2, 0xd6, "o"}, {0xd9, 0xdc, "u"}, {0xdf, 0xdf, "ss"},
		       {0xe0, 0xe5, "a"},  {0xe7, 0xe7, "c"}, {0xe8, 0xeb, "e"}, {0xec, 0xef, "i"},
		       {0xf1, 0xf1, "n"},  {0xf2, 0xf6, "o"}, {0xf9, 0xfc, "u"}, {0xb5, 0xb5, "u"},
		       {0x3bc, 0x3bc, "u"}};

	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		if (c >= letters[i].from && c <= letters[i].to)
			return letters[i].letter;
	}
	return "";
}

/* The text between quotes that begins at i, with them; empty: nothing closes it on the line. */
static struct str quoted_at(struct str text, size_t i)
{
	static const char quotes[] = "\"`'";
	const char q = text.s[i];
	size_t end = i + 1;

	if (!strchr(quotes, q) || !q)
		return (struct str){0};
	/* An apostrophe within a word opens nothing. */
	if (q == '\'' && i && isalnum((unsigned char)text.s[i - 1]))
		return (struct str){0};
	while (end < text.len && text.s[end] != q && text.s[end] != '\n')
		end++;
	if (end >= text.len || end == i + 1)
		return (struct str){0};
	return (struct str){text.s + i, end + 1 - i};
}

/* A name as it is; its letters are compared by whoever looks for it. */
static void add_quoted(struct words *w, struct str quoted)
{
	const struct str name = {quoted.s + 1, quoted.len - 2};
	const char *text = arena_str(&w->arena, name).s;

	add(w, name, text, true, false);
	w->all[w->count - 1].is_stop = false;
}

static bool is_word_char(struct str text, size_t i)
{
	const unsigned char c = (unsigned char)text.s[i];

	if (isalnum(c) || c == '_')
		return true;
	/* "1.5" is one number, "1,000" too. */
	return (c == '.' || c == ',') && i && i + 1 < text.len &&
	       isdigit((unsigned char)text.s[i - 1]) && isdigit((unsigned char)text.s[i + 1]);
}

/* "19,8" has a decimal comma, as some write it; "1,000" and "12,345,678" have none. */
static bool is_decimal_comma(struct str text, size_t i)
{
	size_t after = i + 1, before = i;

	while (after < text.len && isdigit((unsigned char)text.s[after]))
		after++;
	while (before && isdigit((unsigned char)text.s[before - 1]))
		before--;
	return text.s[i] == ',' && after - i != 4 && (!before || text.s[before - 1] != ',') &&
	       (after == text.len || text.s[after] != ',');
}

/* One word of letters, digits and _, in small letters; returns where it ends. */
static size_t add_plain(struct words *w, struct str text, size_t i)
{
	char word[WORD_LONGEST + 8];
	const size_t begin = i;
	size_t n = 0;

	while (i < text.len) {
		const char *letter = NULL;
		uint32_t c;
		size_t len = 1;

		if (!is_word_char(text, i)) {
			len = (unsigned char)text.s[i] < 0x80
				      ? 0
				      : utf8_decode((struct str){text.s + i, text.len - i}, &c);
			letter = len ? plain_letter(c) : "";
			if (!*letter)
				break;
		}
		for (; letter && *letter && n < WORD_LONGEST; letter++)
			word[n++] = *letter;
		if (!letter && n < WORD_LONGEST && is_decimal_comma(text, i))
			word[n++] = '.';
		else if (!letter && text.s[i] != ',' && n < WORD_LONGEST)
			word[n++] = (char)tolower((unsigned char)text.s[i]);
		i += len;
	}
	word[n] = '\0';
	add(w, (struct str){text.s + begin, i - begin}, word, false, false);
	return i;
}

/* "10-20", "10–20" and "10..20" are from one to the other, as "device->host" is; otherwise
 * nothing. */
static size_t add_dash(struct words *w, struct str text, size_t i)
{
	static const char *const dashes[] = {"-", "–", "—", "..", "~"};
	static const char *const arrows[] = {"->", "→", "=>"};
	const struct str rest = {text.s + i, text.len - i};

	for (size_t d = 0; d < ARRAY_LEN(arrows); d++) {
		if (str_starts(rest, arrows[d])) {
			add(w, (struct str){text.s + i, strlen(arrows[d])}, "to", false, false);
			return i + strlen(arrows[d]);
		}
	}
	for (size_t d = 0; d < ARRAY_LEN(dashes); d++) {
		const size_t len = strlen(dashes[d]);
		size_t next = i + len;

		if (!str_starts(rest, dashes[d]))
			continue;
		while (next < text.len && text.s[next] == ' ')
			next++;
		if (w->count && next < text.len && isdigit((unsigned char)text.s[next]) &&
		    isdigit((unsigned char)w->all[w->count - 1].text[0]))
			add(w, (struct str){text.s + i, len}, "to", false, false);
		return i + len;
	}
	return i;
}

/* "what % of the time"; "1 %" is a number. Returns where it ends. */
static size_t add_percent(struct words *w, struct str text, size_t i)
{
	size_t before = i;

	if (text.s[i] != '%')
		return i;
	while (before && text.s[before - 1] == ' ')
		before--;
	if (!before || !isdigit((unsigned char)text.s[before - 1]))
		add(w, (struct str){text.s + i, 1}, "percentage", false, true);
	return i + 1;
}

/* Meaning of a language without spaces: its words are added; returns where it ends. */
static size_t add_text_entry(struct words *w, struct str text, size_t i)
{
	const struct entry *found = dictionary_find_text((struct str){text.s + i, text.len - i});
	const char *meant = found ? found->meant : "";
	const struct str said = {text.s + i, found ? strlen(found->said) : 0};

	for (struct str next; (next = str_next_word(&meant)).len;)
		add(w, said, arena_str(&w->arena, next).s, false, true);
	return i + said.len;
}

static void read_plain(struct words *w, struct str text)
{
	size_t i = 0;

	while (i < text.len && w->count < WORDS_MOST) {
		const struct str quoted = quoted_at(text, i);
		const size_t before = i;

		if (quoted.len) {
			add_quoted(w, quoted);
			i += quoted.len;
			continue;
		}
		i = add_plain(w, text, i);
		if (i == before)
			i = add_dash(w, text, i);
		if (i == before)
			i = add_percent(w, text, i);
		if (i == before)
			i = add_text_entry(w, text, i);
		if (i == before) {
			uint32_t c;
			const size_t len = utf8_decode((struct str){text.s + i, text.len - i}, &c);

			i += len ? len : 1;
		}
	}
}

/* From the first of these words to the last, as they stand in the text. */
static struct str said_by(const struct word *first, size_t count)
{
	const struct str last = first[count - 1].said;

	return (struct str){first->said.s, (size_t)(last.s + last.len - first->said.s)};
}

/* The dictionary's entry, of a word as it is or without its ending: "uploaded" is an upload. */
static const struct entry *find_entry(const char *const *texts, size_t count, size_t *ret_used)
{
	const struct entry *found = dictionary_find(texts, count, ret_used);
	char stem[WORD_LONGEST + 1];
	const char *one = stem;

	if (found || strlen(texts[0]) > WORD_LONGEST || word_is_stop(texts[0]))
		return found;
	strcpy(stem, texts[0]);
	word_stem(stem);
	return strlen(stem) < LEAST_STEM ? NULL : dictionary_find(&one, 1, ret_used);
}

/* What the dictionary knows stands in place of what was said. */
static void translate(struct words *ret, const struct words *plain)
{
	const char **texts = mem_alloc(plain->count + 1, sizeof(*texts));

	for (size_t i = 0; i < plain->count; i++)
		texts[i] = plain->all[i].is_quoted ? "\"" : plain->all[i].text;
	for (size_t i = 0, used; i < plain->count; i += used) {
		const struct word *word = &plain->all[i];
		const struct entry *found = find_entry(texts + i, plain->count - i, &used);
		const char *meant = found ? found->meant : "";

		if (!found) {
			add(ret, word->said, word->text, word->is_quoted, word->is_term);
			if (word->is_quoted && ret->count)
				ret->all[ret->count - 1].is_stop = false;
			used = 1;
		}
		for (struct str next; (next = str_next_word(&meant)).len;)
			add(ret, said_by(word, used), arena_str(&ret->arena, next).s, false, true);
	}
	free(texts);
}

void words_read(struct words *ret, struct str text)
{
	struct words plain = {0};

	*ret = (struct words){0};
	read_plain(&plain, text);
	translate(ret, &plain);
	words_free(&plain);
}

void words_free(struct words *w)
{
	free(w->all);
	arena_free(&w->arena);
	*w = (struct words){0};
}

bool words_at(const struct words *w, size_t i, const char *phrase)
{
	for (struct str next; (next = str_next_word(&phrase)).len; i++) {
		if (i >= w->count || w->all[i].is_quoted || !str_eq(next, str_of(w->all[i].text)))
			return false;
	}
	return true;
}
