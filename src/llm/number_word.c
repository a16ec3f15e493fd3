/* Are these words a number? */
#include "llm/number_word.h"

#include "base/mem.h"
#include "text/utf8.h"

#include <ctype.h>
#include <strings.h>

static const char *const words[] = {
	"two",	    "three",	 "four",     "five",	 "six",	      "seven",	  "eight",
	"nine",	    "ten",	 "eleven",   "twelve",	 "thirteen",  "fourteen", "fifteen",
	"sixteen",  "seventeen", "eighteen", "nineteen", "twenty",    "thirty",	  "forty",
	"fifty",    "sixty",	 "seventy",  "eighty",	 "ninety",    "hundred",  "hundreds",
	"thousand", "thousands", "million",  "millions", "dozen",     "dozens",	  "twice",
	"thrice",   "double",	 "doubles",  "doubled",	 "triple",    "triples",  "tripled",
	"half",	    "halves",	 "halved",   "twofold",	 "threefold", "tenfold",  "quarter",
	"quarters",
};

/* What German numbers are made of, longer ones first: "zweihundertelf". */
static const char *const parts[] = {
	"million", "tausend", "hundert", "sieben", "zwanzig", "zwölf", "sech", "sieb",
	"eins",	   "sechs",   "zwei",	 "drei",   "vier",    "fünf",  "acht", "neun",
	"zehn",	   "elf",     "ein",	 "und",	   "zig",     "ßig",   "en",
};

/* Of Chinese ones. */
static const char *const characters[] = {"零", "〇", "一", "二", "三", "四", "五", "六",
					 "七", "八", "九", "十", "百", "千", "万", "萬",
					 "亿", "億", "两", "兩", "半", "点", "分", "之"};

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static size_t listed_length(struct str text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const size_t len = strlen(list[i]);

		if (text.len >= len && strncasecmp(text.s, list[i], len) == 0)
			return len;
	}
	return 0;
}

static size_t sum_length(struct str text, const char *const *list, size_t count)
{
	size_t len = 0, next;

	while ((next = listed_length((struct str){text.s + len, text.len - len}, list, count)))
		len += next;
	return len;
}

/* One word: an English one, or one that German makes of several. */
static size_t word_length(struct str text)
{
	size_t len = 0;

	while (len < text.len && is_letter(text.s[len]))
		len++;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strlen(words[i]) == len && strncasecmp(words[i], text.s, len) == 0)
			return len;
	}
	/* "und", "ein", "eine" are words of any sentence, "acht" and "elf" of some. */
	return len > 3 && strncasecmp(text.s, "ein", 3) != 0 &&
			       sum_length((struct str){text.s, len}, parts, ARRAY_LEN(parts)) == len
		       ? len
		       : 0;
}

/* "-" of "twenty-one", " and " of "hundred and one". */
static size_t link_length(struct str text)
{
	static const char *const links[] = {" and ", " und ", " ", "-"};

	return listed_length(text, links, ARRAY_LEN(links));
}

static size_t numerals_length(struct str text)
{
	size_t len = 0, next;
	uint32_t c;

	while (len < text.len &&
	       (next = utf8_decode((struct str){text.s + len, text.len - len}, &c)) &&
	       utf8_is_numeral(c))
		len += next;
	return len;
}

size_t number_word_length(struct str text, bool *is_sure)
{
	size_t len = numerals_length(text);

	*is_sure = len > 0;
	if (!len)
		len = sum_length(text, characters, ARRAY_LEN(characters));
	if (len)
		return len;
	len = word_length(text);
	for (size_t next = len; next;) {
		const struct str rest = {text.s + len, text.len - len};
		const size_t link = link_length(rest);

		next = link ? word_length((struct str){rest.s + link, rest.len - link}) : 0;
		len += next ? link + next : 0;
	}
	return len;
}
