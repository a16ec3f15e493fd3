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
	size_t flag;	 /* without `set`: where in struct options the bool is */
};

extern const struct option option_table[];
extern const size_t option_count;

/* Whether help tells of it, for a command that accepts these. */
bool option_is_offered(const struct option *opt, uint64_t accepts);
/* "N", or "device|process": what its value may be, for that command. */
void option_add_value(struct buf *b, const struct option *opt, uint64_t accepts);
void option_add_help(struct buf *b, const struct option *opt, uint64_t accepts);

#endif
