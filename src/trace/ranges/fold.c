/* Which names differ only by their counters? */
#include "trace/ranges/fold.h"

#include "base/mem.h"

#include <stdlib.h>

/* What PyTorch's emit_nvtx() and its like append to an operator's name: the first ends the name. */
static const char *const attributes[] = {
	", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = ", ", stashed seq = "};

/* Words that count wherever they stand: "layer03.stage4_f" is "layerN.stage4_f". */
static const char *const counters[] = {"layer", "block", "step",       "iter",	  "iteration",
				       "epoch", "batch", "microbatch", "request", "req",
				       "chunk", "token", "rank"};

/* Words whose number is part of what they mean, even at the end of a name. */
static const char *const types[] = {"int", "uint", "float", "bfloat", "complex"};

/* Numbers with a unit are sizes or times. */
static const char *const units[] = {"KB", "kB", "MB", "GB", "KiB", "MiB", "GiB", "ns", "us", "ms"};

/* Shorter words than this are names of their own: v2, fc1, fp16. */
enum { SHORTEST_COUNTED = 3 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool is_word(struct str word, const char *const *list, size_t count, bool any_case)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		if (strlen(list[i]) != word.len)
			continue;
		while (at < word.len && (any_case ? lower(word.s[at]) : word.s[at]) == list[i][at])
			at++;
		if (at == word.len)
			return true;
	}
	return false;
}

/* The name up to its attributes. */
static struct str cut_attributes(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.s[i] != ',')
			continue;
		for (size_t a = 0; a < ARRAY_LEN(attributes); a++) {
			if (str_starts((struct str){name.s + i, name.len - i}, attributes[a]))
				return (struct str){name.s, i};
		}
	}
	return name;
}

static size_t count_while(struct str s, size_t from, bool (*is)(char))
{
	size_t n = 0;

	while (from + n < s.len && is(s.s[from + n]))
		n++;
	return n;
}

/* Decimal, or a pointer in hexadecimal. */
static bool is_number(struct str word)
{
	size_t digits = count_while(word, 0, is_digit);

	if (digits == word.len)
		return digits > 0;
	return word.len > 2 && word.s[0] == '0' && lower(word.s[1]) == 'x' &&
	       count_while(word, 2, is_hex) == word.len - 2;
}

/* "128x64x32": numbers all, with an x between them. */
static bool add_shape(struct buf *b, struct str word)
{
	size_t numbers = 0, at = 0, digits;

	while ((digits = count_while(word, at, is_digit)) > 0) {
		at += digits;
		numbers++;
		if (at == word.len || word.s[at] != 'x')
			break;
		at++;
	}
	if (at != word.len || !numbers || !is_digit(word.s[word.len - 1]))
		return false;
	buf_addc(b, 'N');
	while (--numbers)
		buf_adds(b, "xN");
	return true;
}

/* "64MB": the number goes, the unit stays. */
static bool add_size(struct buf *b, struct str word)
{
	size_t digits = count_while(word, 0, is_digit);
	struct str unit = {word.s + digits, word.len - digits};

	if (!digits || !is_word(unit, units, ARRAY_LEN(units), false))
		return false;
	buf_addc(b, 'N');
	buf_addstr(b, unit);
	return true;
}

static bool ends_with(struct str s, const char *end)
{
	size_t n = strlen(end);

	return s.len >= n && memcmp(s.s + s.len - n, end, n) == 0;
}

/* "layer9": counts at the end of a name, and anywhere if it is a word known to count. */
static bool add_counted(struct buf *b, struct str word, bool last)
{
	struct str letters = {word.s, count_while(word, 0, is_letter)};
	bool known = is_word(letters, counters, ARRAY_LEN(counters), true);

	if (letters.len == word.len ||
	    letters.len + count_while(word, letters.len, is_digit) != word.len)
		return false;
	if (!known &&
	    (!last || letters.len < SHORTEST_COUNTED ||
	     is_word(letters, types, ARRAY_LEN(types), true) || ends_with(letters, "Backward")))
		return false; /* PyTorch numbers its classes: MulBackward0 */
	buf_addstr(b, letters);
	buf_addc(b, 'N');
	return true;
}

static void add_word(struct buf *b, struct str word, bool last)
{
	if (is_number(word))
		buf_addc(b, 'N');
	else if (!add_shape(b, word) && !add_size(b, word) && !add_counted(b, word, last))
		buf_addstr(b, word);
}

static bool is_in_word(char c)
{
	return is_letter(c) || is_digit(c);
}

void fold_add(struct buf *b, struct str name)
{
	name = cut_attributes(name);
	for (size_t at = 0; at < name.len;) {
		struct str word = {name.s + at, count_while(name, at, is_in_word)};

		if (word.len) {
			at += word.len;
			add_word(b, word, at == name.len);
		} else {
			buf_addc(b, name.s[at++]);
		}
	}
}

uint32_t *fold_names(const struct strtab *names, struct arena *arena, struct strtab *ret)
{
	uint32_t *folded = mem_alloc(names->count, sizeof(*folded));
	struct buf b = {0};

	*ret = (struct strtab){0};
	for (size_t i = 0; i < names->count; i++) {
		size_t before = ret->count;

		buf_clear(&b);
		fold_add(&b, names->items[i]);
		folded[i] = strtab_add(ret, buf_str(&b));
		/* A new one was added as it lies in the buffer, which the next one overwrites. */
		if (ret->count > before)
			ret->items[folded[i]] = arena_str(arena, buf_str(&b));
	}
	buf_free(&b);
	return folded;
}

void folded_names_make(const struct strtab *names, struct folded_names *ret)
{
	*ret = (struct folded_names){.count = names->count};
	ret->of_name = fold_names(names, &ret->arena, &ret->names);
}

void folded_names_free(struct folded_names *f)
{
	if (!f->shared) {
		strtab_free(&f->names);
		arena_free(&f->arena);
		free(f->of_name);
	}
	*f = (struct folded_names){0};
}
