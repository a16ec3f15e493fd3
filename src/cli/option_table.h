/* The options of all commands: which takes what, who accepts it, and what it sets. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "cli/options.h"

struct option {
	const char *name;  /* without dashes */
	char letter;	   /* 0: none */
	const char *value; /* NULL: takes none */
	uint64_t accepted_by;
	const char *help; /* NULL: accepted, not advertised */
	int (*set)(struct options *o, const char *name, char **values, struct err *e);
	int value_count; /* 0 means 1 when `value` is set */
	size_t at; /* without `set`: where in struct options the bool is, or the value's text */
	const char *
		wanted; /* what a text is, which then must not be empty; NULL: who uses it judges */
};

/* The i-th in the order in which help shows them, or NULL: there are no more. */
const struct option *option_at(size_t i);
/* Does what it is for, with its values; without one it is switched on. */
int option_set(struct options *o, const struct option *opt, char **values, struct err *e);
/* Of one that takes no value and has no `set`. */
void option_set_flag(struct options *o, const struct option *opt, bool on);

/* Whether help tells of it, for a command that accepts these. */
bool option_is_offered(const struct option *opt, uint64_t accepts);
/* "N", or "device|process": what its value may be, for that command. */
void option_add_value(struct buf *b, const struct option *opt, uint64_t accepts);
void option_add_help(struct buf *b, const struct option *opt, uint64_t accepts);

#endif
