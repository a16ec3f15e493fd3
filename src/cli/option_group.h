/*
 * Options by theme, and what setting them has in common. A file has one group at its end;
 * cli/option_table.c lists them in the order in which help shows them.
 */
#ifndef CLI_OPTION_GROUP_H
#define CLI_OPTION_GROUP_H

#include "cli/option_table.h"

struct option_group {
	const struct option *all;
	size_t count;
};

extern const struct option_group options_of_answers, options_of_capture, options_of_params,
	options_of_output;

/* Where it is; no other type than is expected is written to. */
#define MEMBER(member, type) \
	_Generic(&((struct options *)0)->member, type : offsetof(struct options, member))

/* How the row of an option ends: what it sets, and how. */
#define FLAG(member)	     NULL, 0, MEMBER(member, bool *), NULL
#define TEXT(member, wanted) NULL, 0, MEMBER(member, const char **), wanted
#define SET(function)	     function, 0, 0, NULL
#define SET_TWO(function)    function, 2, 0, NULL

/* "--name takes WANTED, not 'value'". */
int option_bad_value(const char *name, const char *value, const char *wanted, struct err *e);
/* A whole number of up to `max`. */
int option_parse_number(const char *name, const char *text, uint64_t max, uint64_t *ret,
			struct err *e);
/* The same, and not 0, which is not WANTED. */
int option_parse_some(const char *name, const char *text, uint64_t max, const char *wanted,
		      uint64_t *ret, struct err *e);
/* More than 0, and no more than anybody waits. */
int option_parse_seconds(const char *name, const char *text, double *ret, struct err *e);

/* What options of two themes set. */
int option_set_limit(struct options *o, const char *name, char **values, struct err *e);
int option_set_nsys(struct options *o, const char *name, char **values, struct err *e);

#endif
