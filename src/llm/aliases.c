/* What are names called where nobody is to know them? */
#include "llm/aliases.h"

#include "base/mem.h"
#include "llm/clean_text.h"
#include "report/kernel_name.h"
#include "text/strtab.h"
#include "text/text.h"
#include "trace/strings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LEAST_NAME = 2, BUCKETS = 1 << 14, NO_NAME = -1, MOST_DIGITS = 9 };

#define DOTS "…"

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

static void hide(struct aliases *a, struct str name, enum kind kind)
{
	const size_t before = a->known.count;
	bool has_letter = false;

	for (size_t i = 0; i < name.len; i++)
		has_letter |= isalpha((unsigned char)name.s[i]) || (unsigned char)name.s[i] >= 0x80;
	if (name.len < LEAST_NAME || !has_letter)
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
		    memcmp(name.s, text.s + at, name.len) != 0)
			continue;
		if (name.len == left || !is_word(name.s[name.len - 1]) ||
		    !is_word(text.s[at + name.len]))
			best = &a->hidden[i];
	}
	return best;
}

/* How much of the text there is what is left of a name that was cut, "void fo…nt*)"; 0: nothing. */
static size_t cut_length(struct str name, struct str text, size_t at)
{
	const char *dots = memmem(text.s + at, text.len - at, DOTS, strlen(DOTS));
	const size_t head = dots ? (size_t)(dots - text.s) - at : 0;
	const size_t tail = at + head + strlen(DOTS);
	size_t len = 0;

	if (head < LEAST_NAME || head > name.len || memcmp(name.s, text.s + at, head) != 0)
		return 0;
	for (size_t m = 1; m <= name.len - head && tail + m <= text.len; m++) {
		if (memcmp(name.s + name.len - m, text.s + tail, m) == 0)
			len = m;
	}
	return tail - at + len;
}

static struct str find_cut(const struct aliases *a, struct str text, size_t at, enum kind *ret)
{
	struct str best = {text.s + at, 0};

	if (text.len - at < LEAST_NAME || !str_holds(text, DOTS) ||
	    (at && is_word(text.s[at]) && is_word(text.s[at - 1])))
		return best;
	for (int64_t i = a->buckets[bucket_of(text.s + at)]; i != NO_NAME; i = a->hidden[i].next) {
		const size_t len = cut_length(a->hidden[i].name, text, at);

		if (len > best.len) {
			best.len = len;
			*ret = a->hidden[i].kind;
		}
	}
	return best;
}

/* A path of the file system, wherever it comes from; or a word that was cut. */
static struct str find_loose(struct str text, size_t at, enum kind *ret)
{
	struct str word = {text.s + at, 0};
	size_t slashes = 0;

	if (at && !strchr(" \t\n\"'`(=:,|", text.s[at - 1]))
		return word;
	while (at + word.len < text.len && !strchr(" \t\n\"'`),|", text.s[at + word.len]))
		slashes += text.s[at + word.len++] == '/';
	*ret = word.len && word.s[0] == '/' ? KIND_PATH : KIND_NAME;
	if (!(*ret == KIND_PATH && slashes > 1) && !(word.len > 3 && str_holds(word, DOTS)))
		word.len = 0;
	return word;
}

void aliases_add_hidden(struct buf *b, struct aliases *a, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		const struct hidden *h = find(a, text, i);
		enum kind kind = KIND_NAME;
		struct str loose = find_cut(a, text, i, &kind);

		if (!loose.len)
			loose = find_loose(text, i, &kind);
		if (h && h->name.len >= loose.len) {
			add_alias(b, a, h->name, h->kind);
			i += h->name.len;
		} else if (loose.len) {
			add_alias(b, a, loose, kind);
			i += loose.len;
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
