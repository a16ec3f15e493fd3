/*
 * The folder that a job on a cluster works in, on a file system that all nodes have. It holds the
 * list of captures, the scripts, what Slurm's tasks print (log/), and for each capture its part or
 * a word on why there is none (parts/). Names of captures are in the list alone, never in a script.
 *
 * A part is called after what it is made of: the capture's path, size and time, how it is read, and
 * by which version of this program. What is there already is therefore right, whoever made it.
 */
#ifndef FLEET_SLURM_WORK_H
#define FLEET_SLURM_WORK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdbool.h>

struct work_item {
	const char *file; /* absolute */
	const char *key;  /* what its part is called */
};

struct work {
	struct arena arena; /* of all that it points to */
	const char *folder; /* absolute */
	const char *id;	    /* of the folder, for the names of its jobs: letters and digits */
	struct work_item *items;
	size_t count;
	int lock;	      /* while somebody works in it; -1: not opened */
	bool is_new;	      /* it was made just now, … */
	size_t first_missing; /* … with folders above it from here on: see file_first_missing() */
};

/* Nothing is written. ERR_INPUT where a capture is not there, or its name has a line break. */
int work_plan(struct work *w, const char *folder, const char *const *files, size_t count,
	      const struct string_list *map_words, struct err *e);
/*
 * Makes the folder, marks it as ours, and locks it. ERR_USAGE where somebody else works in it, or
 * it is a folder with something in it and without that mark.
 */
int work_open(struct work *w, struct err *e);
/* Removes a folder that was made just now, and that no job has been told of, with all in it. */
void work_undo(const struct work *w);
/* Whether the list that is there, if any, is another one: jobs that still run may read it. */
bool work_list_differs(const struct work *w);
int work_write_list(const struct work *w, struct err *e);
/* What another process planned and listed: for who reads the parts. ERR_INPUT: no such folder. */
int work_read(struct work *w, const char *folder, struct err *e);
void work_free(struct work *w);

/* Files are written whole or not at all. The name is that of a file in the folder. */
int work_write(const struct work *w, const char *name, struct str bytes, struct err *e);
/* "FOLDER/parts/KEY.part"; the caller frees it. */
char *work_part_path(const struct work *w, size_t item);
bool work_has_part(const struct work *w, size_t item);
/* Of those that are there, removes the ones that are damaged: they are made again. */
void work_drop_damaged(const struct work *w);

#endif
