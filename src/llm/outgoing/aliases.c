/* What are names called where nobody is to know them? */
#include "llm/outgoing/aliases.h"

#include "base/mem.h"
#include "llm/outgoing/clean_text.h"
#include "llm/outgoing/own_words.h"
#include "report/kernel_name.h"
#include "text/strtab.h"
#include "text/text.h"
#include "trace/strings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LEAST_NAME = 2, BUCKETS = 1 << 14, NO_NAME = -1, MOST_DIGITS = 9, MOST_LEARNED = 10000 };

/* Between words, and round them; '/' begins paths. */
#define MARKS " \t\n\"'`()[]{},;:.!?="

enum kind { KIND_NAME, KIND_KERNEL, KIND_PATH };
static const char *const kind_words[] = {"name_", "kernel_", "path_"};

/* A name that must not leave, among those that begin alike. */
struct hidden {
	struct str name;
	enum kind kind;
	int64_t next; /* in its bucket; NO_NAME after the last */
};

struct aliases {
	struct arena arena;
	struct hidden *hidden;
	size_t count, cap;
	int64_t buckets[BUCKETS];
	struct strtab known; /* of `hidden`, so that each is there once */
	struct strtab given; /* names that have an alias: the number in it is the alias's */
	enum kind *given_kind;
	size_t given_cap;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t bucket_of(const char *s)
{
	const uint32_t both = (uint32_t)(unsigned char)s[0] << 8 | (unsigned char)s[1];

	return both * 2654435761u >> 18 & (BUCKETS - 1);
}

static bool has_letter(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (isalpha((unsigned char)text.s[i]) || (unsigned char)text.s[i] >= 0x80)
			return true;
	}
	return false;
}

static void hide(struct aliases *a, struct str name, enum kind kind)
{
	const size_t before = a->known.count;

	if (name.len < LEAST_NAME || !has_letter(name))
		return;
	strtab_keep(&a->known, &a->arena, name);
	if (a->known.count == before)
		return;
	MEM_GROW(a->hidden, a->cap, a->count + 1);
	a->hidden[a->count] =
		(struct hidden){a->known.items[before], kind, a->buckets[bucket_of(name.s)]};
	a->buckets[bucket_of(name.s)] = (int64_t)a->count++;
}

/* CUDA's own functions are no secret, and tell a model much. */
static bool is_public(struct str name)
{
	size_t i = str_starts(name, "cuda") ? 4 : str_starts(name, "cu") ? 2 : 0;

	if (!i || i >= name.len || !isupper((unsigned char)name.s[i]))
		return false;
	for (; i < name.len; i++) {
		if (!isalnum((unsigned char)name.s[i]) && name.s[i] != '_')
			return false;
	}
	return true;
}

/* What is told of a name: without what is not seen; "iter 7" as "iter N"; a kernel's short name. */
static void hide_forms(struct aliases *a, struct str name, bool is_kernel)
{
	const bool is_path = memchr(name.s, '/', name.len) && !memchr(name.s, '(', name.len);
	const enum kind kind = is_kernel ? KIND_KERNEL : is_path ? KIND_PATH : KIND_NAME;
	SCOPED_BUF numbered = {0}, brief = {0}, clean = {0}, safe = {0};

	hide(a, name, kind);
	clean_text_add(&clean, name, SIZE_MAX);
	hide(a, buf_str(&clean), kind);
	text_add_safe(&safe, name);
	hide(a, buf_str(&safe), kind);
	if (is_path && name.s[name.len - 1] != '/') {
		const char *slash = memrchr(name.s, '/', name.len);

		hide(a, (struct str){slash + 1, (size_t)(name.s + name.len - slash - 1)}, kind);
	}
	for (size_t i = 0; i < name.len; i++) {
		if (!isdigit((unsigned char)name.s[i]))
			buf_addc(&numbered, name.s[i]);
		else if (!i || !isdigit((unsigned char)name.s[i - 1]))
			buf_addc(&numbered, 'N');
	}
	hide(a, buf_str(&numbered), kind);
	if (is_kernel)
		kernel_name_add_short(&brief, name);
	hide(a, buf_str(&brief), kind);
}

int aliases_make(struct aliases **ret, struct trace *t, const char *path, struct err *e)
{
	struct aliases *a;
	SCOPED uint8_t *kernels = NULL;

	*ret = NULL;
	/* Ranges have texts of their own. */
	if (strings_load(t, e) < 0 || trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0 ||
	    (names_used(t, TRACE_KERNELS, &kernels, e) < 0 && err_forgive_absent(e) < 0))
		return -1;
	a = mem_zalloc(1, sizeof(*a));
	for (size_t i = 0; i < BUCKETS; i++)
		a->buckets[i] = NO_NAME;
	for (size_t i = 0; i < t->names.count; i++) {
		const struct str name = t->names.items[i];
		const bool is_kernel = kernels && kernels[i];

		if (name.len && (is_kernel || !is_public(name)))
			hide_forms(a, name, is_kernel);
	}
	hide_forms(a, str_of(path), false);
	*ret = a;
	return 0;
}

void aliases_free(struct aliases *a)
{
	if (!a)
		return;
	strtab_free(&a->known);
	strtab_free(&a->given);
	free(a->given_kind);
	free(a->hidden);
	arena_free(&a->arena);
	free(a);
}

static void add_alias(struct buf *b, struct aliases *a, struct str name, enum kind kind)
{
	const size_t before = a->given.count;
	const uint32_t n = strtab_keep(&a->given, &a->arena, name);

	if (a->given.count > before) {
		MEM_GROW(a->given_kind, a->given_cap, a->given.count);
		a->given_kind[n] = kind;
	}
	buf_addf(b, "%s%" PRIu32, kind_words[a->given_kind[n]], n + 1);
}

/* "python", "step": a sentence that has it does not tell what anything of the trace is called. */
static bool is_common(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!isalpha((unsigned char)name.s[i]))
			return false;
	}
	return own_words_are_all(name);
}

/* The longest name that the text begins with there, and ends as a word does. */
static const struct hidden *find(const struct aliases *a, struct str text, size_t at)
{
	const struct hidden *best = NULL;
	const size_t left = text.len - at;

	if (left < LEAST_NAME || (at && is_word(text.s[at]) && is_word(text.s[at - 1])))
		return NULL;
	for (int64_t i = a->buckets[bucket_of(text.s + at)]; i != NO_NAME; i = a->hidden[i].next) {
		const struct str name = a->hidden[i].name;

		if (name.len > left || (best && name.len <= best->name.len) ||
		    memcmp(name.s, text.s + at, name.len) != 0 || is_common(name))
			continue;
		if (name.len == left || !is_word(name.s[name.len - 1]) ||
		    !is_word(text.s[at + name.len]))
			best = &a->hidden[i];
	}
	return best;
}

static bool is_own(const struct aliases *a, struct str text)
{
	return own_words_are_all(text) && strtab_find(&a->known, text) == STRTAB_NONE;
}

/* "GPU 0, stream 7", "(no sample)", "[CUDA memset]", "cudaMalloc": of any trace. */
static bool is_of_any_trace(const struct aliases *a, struct str text)
{
	static const struct {
		const char *begin, *end;
	} all[] = {{"(", ")"},	  {"[CUDA ", "]"}, {"GPU ", ""},
		   {"Rank ", ""}, {"rank ", ""},   {"NVIDIA ", ""}};

	if (is_public(text))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		const size_t begin = strlen(all[i].begin), end = strlen(all[i].end);

		if (!str_starts(text, all[i].begin) || !str_ends(text, all[i].end) ||
		    text.len < begin + end)
			continue;
		/* Nothing follows that is put together with it. */
		for (size_t j = begin; j < text.len - end; j++) {
			if (strchr("/()[]<>{}:;`'\"", text.s[j]))
				return false;
		}
		return is_own(a, text);
	}
	return false;
}

static enum kind kind_of(const struct aliases *a, struct str name, bool is_kernel)
{
	const uint32_t n = strtab_find(&a->known, name);

	if (n != STRTAB_NONE)
		return a->hidden[n].kind;
	if (is_kernel)
		return KIND_KERNEL;
	return memchr(name.s, '/', name.len) && !memchr(name.s, '(', name.len) ? KIND_PATH
									       : KIND_NAME;
}

void aliases_learn(struct aliases *a, struct str name, bool is_kernel)
{
	if (!is_of_any_trace(a, name) && name.len <= MOST_LEARNED)
		hide_forms(a, name, is_kernel);
}

void aliases_add_name(struct buf *b, struct aliases *a, struct str name, bool is_kernel)
{
	if (!has_letter(name) || is_of_any_trace(a, name))
		buf_addstr(b, name);
	else
		add_alias(b, a, name, kind_of(a, name, is_kernel));
}

/*
 * What is between the quote that the text begins with there and the next; it is empty where this is
 * none: "warps' lanes". A name may itself have quotes, and the words after these are looked at,
 * too.
 */
static struct str quoted(struct str text, size_t at)
{
	const char quote = text.s[at];
	const char *begin = text.s + at + 1, *last = text.s + text.len;
	struct str none = {begin, 0};

	if (quote != '`' && quote != '\'' && quote != '"')
		return none;
	if (quote != '`' && at && !strchr(" (=:,", text.s[at - 1]))
		return none;
	for (const char *end = begin; (end = memchr(end, quote, (size_t)(last - end))); end++) {
		if (quote == '`' || end + 1 == last || !is_word(end[1]))
			return (struct str){begin, (size_t)(end - begin)};
	}
	return (struct str){begin, (size_t)(last - begin)};
}

/* A command to type, or an option: the program's own, and no name. */
static bool is_command(const struct aliases *a, struct str text)
{
	return (str_starts(text, "gpuwhy ") || str_starts(text, "nsys ") ||
		str_starts(text, "--")) &&
	       is_own(a, text);
}

/* The word that begins there, after a mark or what an alias stands for, without marks round it. */
static struct str word_at(struct str text, size_t at, size_t after_alias)
{
	struct str word = {text.s + at, 0};

	if (strchr(MARKS, text.s[at]) ||
	    (at && at != after_alias && !strchr(MARKS, text.s[at - 1])))
		return word;
	while (at + word.len < text.len && !strchr(" \t\n\"'`", word.s[word.len]))
		word.len++;
	while (word.len && strchr(MARKS, word.s[word.len - 1]))
		word.len--;
	return word;
}

/* "/home/x", "a/b/c"; "GB/s" is none. */
static bool is_file(struct str word)
{
	size_t slashes = 0;

	for (size_t i = 0; i < word.len; i++)
		slashes += word.s[i] == '/';
	return slashes > 1;
}

void aliases_add_sentence(struct buf *b, struct aliases *a, struct str text, bool is_error)
{
	size_t after_alias = 0;

	for (size_t i = 0; i < text.len;) {
		const struct hidden *h = find(a, text, i);
		const struct str name = quoted(text, i), word = word_at(text, i, after_alias);

		if (has_letter(name) && !is_command(a, name) && !(is_error && is_own(a, name))) {
			buf_addc(b, text.s[i]);
			aliases_add_name(b, a, name, false);
			buf_addc(b, text.s[i]);
			i += name.len + 2;
			after_alias = i;
		} else if (h) {
			add_alias(b, a, h->name, h->kind);
			i += h->name.len;
			after_alias = i;
		} else if (word.len && (!own_words_are_all(word) || is_file(word)) &&
			   !is_public(word)) {
			add_alias(b, a, word, kind_of(a, word, false));
			i += word.len;
		} else {
			buf_addc(b, text.s[i++]);
		}
	}
}

void aliases_add_question(struct buf *b, struct aliases *a, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		const struct hidden *h = find(a, text, i);
		const struct str word = word_at(text, i, 0);

		if (h) {
			add_alias(b, a, h->name, h->kind);
			i += h->name.len;
		} else if (is_file(word)) {
			add_alias(b, a, word, KIND_PATH);
			i += word.len;
		} else {
			buf_addc(b, text.s[i++]);
		}
	}
}

/* The length of an alias that the text begins with there; 0: there is none. */
static size_t read_alias(const struct aliases *a, struct str text, size_t at, size_t *ret)
{
	for (size_t k = 0; k < ARRAY_LEN(kind_words); k++) {
		const size_t head = strlen(kind_words[k]);
		size_t end = at + head, n = 0;

		if (!str_starts((struct str){text.s + at, text.len - at}, kind_words[k]))
			continue;
		while (end < text.len && isdigit((unsigned char)text.s[end]) &&
		       end - at - head < MOST_DIGITS)
			n = 10 * n + (size_t)(text.s[end++] - '0');
		if (n && n <= a->given.count && a->given_kind[n - 1] == (enum kind)k &&
		    (end == text.len || !is_word(text.s[end]))) {
			*ret = n - 1;
			return end - at;
		}
	}
	return 0;
}

void aliases_add_shown(struct buf *b, const struct aliases *a, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		size_t n = 0, len = 0;

		if (!i || !is_word(text.s[i - 1]))
			len = read_alias(a, text, i, &n);
		if (len)
			buf_addstr(b, a->given.items[n]);
		else
			buf_addc(b, text.s[i]);
		i += len ? len : 1;
	}
}
