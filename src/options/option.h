/*
 * Options are declared where they are used: an analysis or a command has a struct of arguments and
 * a constant table that says how each member is set, in words and in types. Tables that many share
 * are groups with a struct of their own, which others include. Parsing, defaults, help, manual,
 * completion, parameters of skills, their description in JSON and the key under which an answer is
 * kept are all read from these tables.
 */
#ifndef OPTIONS_OPTION_H
#define OPTIONS_OPTION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>

enum option_type {
	OPTION_END,
	OPTION_INCLUDE,	     /* a group's options: its struct is a member */
	OPTION_FLAG,	     /* bool */
	OPTION_TEXT,	     /* const char * */
	OPTION_REGEX,	     /* const char *, a pattern */
	OPTION_COLUMN,	     /* const char *, the key of a column, or several with commas */
	OPTION_FILE,	     /* const char *, a path: see access */
	OPTION_WORD,	     /* an enum: one of `words` */
	OPTION_COUNT,	     /* uint64_t */
	OPTION_ID,	     /* uint32_t */
	OPTION_NS,	     /* int64_t, nanoseconds */
	OPTION_WINDOW,	     /* int64_t[2] in nanoseconds; two values in seconds */
	OPTION_SECONDS,	     /* double, more than 0 */
	OPTION_MILLISECONDS, /* int64_t in nanoseconds */
	OPTION_SHARE,	     /* double from 0 to 1 */
	OPTION_LIST,	     /* struct string_list: may be given again */
	OPTION_CUSTOM,	     /* whatever set() makes of it */
};

/* What else than the trace an option makes the program touch: servers refuse all but NONE. */
enum option_access { ACCESS_NONE, ACCESS_READS, ACCESS_WRITES, ACCESS_RUNS };

struct option_word {
	const char *word; /* NULL after the last */
	int value;
};

#define OPTION_ALWAYS SIZE_MAX /* of `given`: nothing tells whether it was */

struct option {
	enum option_type type;
	const char *name;    /* without dashes */
	char letter;	     /* 0: none */
	const char *value;   /* what help calls its value */
	const char *help;    /* NULL: accepted, not advertised */
	const char *initial; /* its value where none is given, as a text; NULL: zero */
	size_t at, size;     /* the member that it sets */
	size_t given;	     /* a bool that says whether it was given */
	uint64_t least, most;
	const char *wanted; /* "a file name": what a bad value is not */
	const struct option_word *words;
	const char *(*word_at)(size_t i); /* words to complete with; NULL after the last */
	enum option_access access;
	bool operand; /* the second operand is the same */
	const struct option_group *group;
	int (*set)(void *args, const char *name, const char *value, struct err *e);
};

/* Options and the struct that they set. */
struct option_group {
	const struct option *options; /* OPT_END() after the last */
	size_t size;
	/* What only all of them together tell; may be NULL. */
	int (*check)(const void *args, const char *command, struct err *e);
	void (*release)(void *args); /* what set() has made; may be NULL */
};

/* Where a member is; no other type than is expected is written to. */
#define OPT_AT(args, member, type) _Generic(&((args *)0)->member, type * : offsetof(args, member))
#define OPT_MEMBER(args, member, type) \
	.at = OPT_AT(args, member, type), .size = sizeof(type), .given = OPTION_ALWAYS
#define OPT_GIVEN(args, member, has, type) \
	.at = OPT_AT(args, member, type), .size = sizeof(type), .given = OPT_AT(args, has, bool)

/* An entry of a table: what all options have, then what this one has beside it. */
#define OPT(t, n, h, ...)                                          \
	{                                                          \
		.type = (t), .name = (n), .help = (h), __VA_ARGS__ \
	}

#define OPT_FLAG(n, args, member, h) OPT(OPTION_FLAG, n, h, OPT_MEMBER(args, member, bool))
#define OPT_FLAG_LETTER(n, l, args, member, h) \
	OPT(OPTION_FLAG, n, h, OPT_MEMBER(args, member, bool), .letter = (l))
/* What `wanted` names may not be empty; where it is NULL, who uses the text judges. */
#define OPT_TEXT(n, args, member, v, w, h) \
	OPT(OPTION_TEXT, n, h, OPT_MEMBER(args, member, const char *), .value = (v), .wanted = (w))
#define OPT_REGEX(n, args, member, h)                                                     \
	OPT(OPTION_REGEX, n, h, OPT_MEMBER(args, member, const char *), .value = "REGEX", \
	    .wanted = "a regular expression")
#define OPT_COLUMN(n, args, member, v, h) \
	OPT(OPTION_COLUMN, n, h, OPT_MEMBER(args, member, const char *), .value = (v))
#define OPT_FILE(n, args, member, v, w, a, h)                                        \
	OPT(OPTION_FILE, n, h, OPT_MEMBER(args, member, const char *), .value = (v), \
	    .wanted = (w), .access = (a))
/* An enum is an int or an unsigned, as the compiler likes: its size is checked, not its type. */
#define OPT_WORD(n, args, member, w, h) OPT_WORD_VALUE(n, args, member, NULL, w, h)
/* The same where help calls the value `v` instead of listing the words. */
#define OPT_WORD_VALUE(n, args, member, v, w, h)                           \
	OPT(OPTION_WORD, n, h, .value = (v), .at = offsetof(args, member), \
	    .size = sizeof(((args *)0)->member), .given = OPTION_ALWAYS, .words = (w))
#define OPT_COUNT(n, args, member, l, m, w, h)                                                  \
	OPT(OPTION_COUNT, n, h, OPT_MEMBER(args, member, uint64_t), .value = "N", .least = (l), \
	    .most = (m), .wanted = (w))
/* The bool `has` is set where it was given. */
#define OPT_ID(n, args, has, member, m, h) \
	OPT(OPTION_ID, n, h, OPT_GIVEN(args, member, has, uint32_t), .value = "N", .most = (m))
#define OPT_SECONDS(n, args, member, v, h) \
	OPT(OPTION_SECONDS, n, h, OPT_MEMBER(args, member, double), .value = (v))
#define OPT_LIST(n, args, member, v, w, a, h)                                              \
	OPT(OPTION_LIST, n, h, OPT_MEMBER(args, member, struct string_list), .value = (v), \
	    .wanted = (w), .access = (a))
#define OPT_CUSTOM(n, v, s, h) OPT(OPTION_CUSTOM, n, h, .value = (v), .set = (s))
/* With a letter, 0 for none, and what else than the trace it makes the program touch. */
#define OPT_CUSTOM_ACCESS(n, l, v, s, a, h) \
	OPT(OPTION_CUSTOM, n, h, .letter = (l), .value = (v), .set = (s), .access = (a))
#define OPT_INCLUDE(args, member, T, g) \
	OPT(OPTION_INCLUDE, NULL, NULL, .at = OPT_AT(args, member, T), .group = &(g))
/* Of a group that sets the same struct. */
#define OPT_SAME(g) OPT(OPTION_INCLUDE, NULL, NULL, .group = &(g))
#define OPT_END()   OPT(OPTION_END, NULL, NULL)

/* A group of options that set the members of a struct. */
#define OPTIONS(args, ...)                                                                        \
	{                                                                                         \
		.options = (const struct option[]){__VA_ARGS__, OPT_END()}, .size = sizeof(args), \
	}

/* How many values come after its name. */
static inline int option_values(const struct option *opt)
{
	return opt->type == OPTION_FLAG ? 0 : opt->type == OPTION_WINDOW ? 2 : 1;
}

/* "N", or "device|process": what its value may be. */
void option_add_value(struct buf *b, const struct option *opt);
/* Its help, with the value that it has where none is given. */
void option_add_help(struct buf *b, const struct option *opt);
/* "flag", "regex", "count", …: for machines. */
const char *option_type_name(const struct option *opt);

/* Does what it is for to the arguments of its group; `value` must outlive them. */
int option_set(const struct option *opt, void *args, const char *value, const char *second,
	       struct err *e);
void option_set_flag(const struct option *opt, void *args, bool on);

/* "--name takes WANTED, not 'value'": for a set() of one's own. */
int option_bad_value(const char *name, const char *value, const char *wanted, struct err *e);
int option_parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			const char *wanted, uint64_t *ret, struct err *e);
int option_parse_seconds(const char *name, const char *text, double *ret, struct err *e);

#endif
