/* Is this word a number? */
#include "llm/number_word.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>
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

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

size_t number_word_length(struct str text)
{
	size_t len = 0;

	while (len < text.len && is_letter(text.s[len]))
		len++;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strlen(words[i]) == len && strncasecmp(words[i], text.s, len) == 0)
			return len;
	}
	return 0;
}
