/*
 * Interned names: equal bytes get equal numbers, numbers count up from 0. The table keeps views;
 * whoever adds a string keeps its bytes alive. A zeroed struct strtab is empty and valid.
 */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/arena.h"

#include <stdint.h>

#define STRTAB_NONE UINT32_MAX

struct strtab {
	struct str *items;
	size_t count, cap;
	uint32_t *slots; /* open addressing into items; STRTAB_NONE is free */
	size_t mask;
};

uint32_t strtab_add(struct strtab *t, struct str s);
/* The same where the table keeps a copy of a string that is new, in the arena. */
uint32_t strtab_keep(struct strtab *t, struct arena *a, struct str s);
/* STRTAB_NONE: it is not there. */
uint32_t strtab_find(const struct strtab *t, struct str s);
void strtab_free(struct strtab *t);

#endif
