/* Which names of kernels mean the same? */
#include "analysis/kernel_alike.h"

#include <ctype.h>

enum {
	HASH_LEN = 8, /* a word of so many hex digits, some of them letters, some not, is a hash */
};

#define ANY_NUMBER '#'

/* A word as people would cut it: letters alone, or digits alone. */
static size_t part_len(struct str s)
{
	const bool digits = s.len && isdigit((unsigned char)s.s[0]);
	size_t n = 0;

	while (n < s.len && isalnum((unsigned char)s.s[n]) &&
	       (isdigit((unsigned char)s.s[n]) != 0) == digits)
		n++;
	return n;
}

static bool is_hash(struct str run)
{
	bool letter = false, digit = false;

	for (size_t i = 0; i < run.len; i++) {
		if (!isxdigit((unsigned char)run.s[i]))
			return false;
		letter |= isalpha((unsigned char)run.s[i]) != 0;
		digit |= isdigit((unsigned char)run.s[i]) != 0;
	}
	return run.len >= HASH_LEN && letter && digit;
}

/* Letters and digits up to the next other sign. */
static struct str run_at(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && isalnum((unsigned char)s.s[at + n]))
		n++;
	return (struct str){s.s + at, n};
}

/* "128x64x32" is one number, and so is what begins with 0x. */
static void add_run(struct buf *b, struct str run)
{
	bool number = false;

	if (is_hash(run) || (run.len > 2 && run.s[0] == '0' && run.s[1] == 'x')) {
		buf_addc(b, ANY_NUMBER);
		return;
	}
	while (run.len) {
		const size_t n = part_len(run);
		const bool digits = isdigit((unsigned char)run.s[0]);

		if (digits && !number)
			buf_addc(b, ANY_NUMBER);
		else if (!digits && !(number && n == 1 && run.s[0] == 'x' && run.len > 1))
			buf_addstr(b, (struct str){run.s, n});
		number = digits || (number && n == 1 && run.s[0] == 'x' && run.len > 1);
		run.s += n;
		run.len -= n;
	}
}

void kernel_name_add_plain(struct buf *b, struct str name)
{
	for (size_t i = 0; i < name.len;) {
		const struct str run = run_at(name, i);

		if (run.len)
			add_run(b, run);
		else
			buf_addc(b, name.s[i]);
		i += run.len ? run.len : 1;
	}
}

/* Without what stands in <…> and (…), nested as it may be. */
static void add_outside(struct buf *b, struct str name)
{
	int depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		const char c = name.s[i];

		if (c == '<' || c == '(')
			depth++;
		else if ((c == '>' || c == ')') && depth)
			depth--;
		else if (!depth)
			buf_addc(b, c);
	}
}

void kernel_name_add_bare(struct buf *b, struct str name)
{
	SCOPED_BUF outside = {0};

	add_outside(&outside, name);
	/* What is nothing but arguments has no name without them. */
	kernel_name_add_plain(b, outside.len ? buf_str(&outside) : name);
}

bool kernel_name_is_generated(struct str name)
{
	size_t n = name.len;

	while (n && isdigit((unsigned char)name.s[n - 1]))
		n--;
	return n < name.len && n && name.s[n - 1] == '_';
}

size_t kernel_name_words(struct str name, struct str words[KERNEL_WORDS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < name.len && count < KERNEL_WORDS_MAX;) {
		const struct str rest = {name.s + i, name.len - i};
		const size_t n = part_len(rest);

		if (n && isalpha((unsigned char)rest.s[0]))
			words[count++] = (struct str){rest.s, n};
		i += n ? n : 1;
	}
	return count;
}
