/*
 * The scripts that Slurm runs, as texts. They find all they need in the job's folder; all that
 * is put into them is its path, that of this program and the user's own options, quoted.
 */
#ifndef FLEET_SLURM_SCRIPTS_H
#define FLEET_SLURM_SCRIPTS_H

#include "base/buf.h"
#include "base/string_list.h"

#define MAP_SCRIPT    "map.sh"
#define PACK_SCRIPT   "pack.sh"
#define REDUCE_SCRIPT "reduce.sh"

/* What a reduce leaves, beside the status "reduce.JOB.status" of each: the answer and a folder. */
#define ANSWER_NAME "answer"
#define RESULT_NAME "result"

/* Where things are, on all nodes. */
struct script_places {
	const char *gpuwhy; /* this program */
	const char *folder; /* of the job */
};

/* map.sh FIRST: task N of an array reads line FIRST + N + 1 of the list. */
void script_add_map(struct buf *b, const struct script_places *p, const struct string_list *words);
/* pack.sh: task N of an array puts the parts of the N-th group of captures into one file. */
void script_add_pack(struct buf *b, const struct script_places *p);
struct script_reduce {
	const struct string_list *words; /* of the user: the format and others */
	bool folder;			 /* a result folder, too */
	size_t columns;			 /* that the answer is for; 0: any */
};

/* reduce.sh: the answer. */
void script_add_reduce(struct buf *b, const struct script_places *p, const struct script_reduce *r);

#endif
