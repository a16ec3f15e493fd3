/*
 * Several parts in one file: tasks check and gather them, a group each, so that who makes the
 * answer opens a few hundred files of a shared file system and not tens of thousands. "gpuwhy
 * pack\n", then of each part a line "KEY BYTES", the key being that of its
 * capture (see work.h), and its file as it is. A part that
 * is not in its pack, because it came later or is damaged, is read where it lies.
 */
#ifndef FLEET_SLURM_PACK_H
#define FLEET_SLURM_PACK_H

#include "fleet/part.h"
#include "fleet/slurm/work.h"

/* What is in one. The bytes are kept by the arena that was given to pack_read(). */
struct pack_entry {
	const char *key;
	struct str part;
};

struct pack {
	struct pack_entry *all;
	size_t count;
};

/* Of the captures of the list from group * PACK_PARTS on: those whose parts are whole. */
int pack_write(const struct work *w, size_t group, struct err *e);
/* Empty where there is none, or it is damaged from there on. */
void pack_read(const struct work *w, size_t group, struct arena *a, struct pack *ret);

#endif
