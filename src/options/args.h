/* Structs of arguments, seen through the tables of options that set them. */
#ifndef OPTIONS_ARGS_H
#define OPTIONS_ARGS_H

#include "options/option.h"

/* An option of a group or of one that it includes, and where the arguments of its group begin. */
struct option_place {
	const struct option *opt;
	size_t base;
};

/* The i-th, in the order of the tables; false after the last. */
bool group_option_at(const struct option_group *g, size_t i, struct option_place *ret);

/* All as when nothing was said: zero, or what the options begin with. */
void args_init(const struct option_group *g, void *args);
void args_free(const struct option_group *g, void *args);
/* What only all options together tell. */
int args_check(const struct option_group *g, const void *args, const char *command, struct err *e);

/* The part of the arguments that `wanted`, which the group includes, sets; NULL: it does not. */
void *args_part(const struct option_group *g, void *args, const struct option_group *wanted);
const void *args_part_const(const struct option_group *g, const void *args,
			    const struct option_group *wanted);
/* Whether the group includes it, or is it. */
bool group_has(const struct option_group *g, const struct option_group *wanted);

/* Copies what options that both have were told. Lists stay whose they are. */
void args_copy_shared(const struct option_group *to, void *args, const struct option_group *from,
		      const void *others);
/* A text that is the same for arguments that ask for the same. */
void args_add_key(struct buf *b, const struct option_group *g, const void *args);

#endif
