/*
 * What a rank says of itself in the name of a range: "rank=3; pp=1/2 dp=0/1 cp=0/1 ep=1/2; mbs=1
 * seq=2048". All but the rank may be missing, and come in any order.
 */
#ifndef ANALYSIS_RANK_LABEL_H
#define ANALYSIS_RANK_LABEL_H

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

/* Ways to share the work, each of which a rank has a place in. */
enum mesh_axis { MESH_PP, MESH_DP, MESH_TP, MESH_CP, MESH_EP, MESH_AXES };

extern const char *const mesh_axis_names[MESH_AXES]; /* "pp", "dp", … */

struct mesh_place {
	bool known;
	uint32_t rank, size;
};

struct rank_setup {
	struct mesh_place mesh[MESH_AXES];
	int64_t micro_batch, sequence; /* −1: it does not say */
};

void rank_setup_parse(struct str label, struct rank_setup *ret);
/* A rank's number, digits alone; false when it is none. */
bool rank_number_parse(struct str digits, uint32_t *ret);
/* What names of ranges and files say where no label does; the first that finds any is believed. */
extern const char *const rank_name_patterns[2];
/* 1: the name, such as "job_rank3.sqlite", says a rank's number; 0: it does not. */
int rank_of_name(struct str name, uint32_t *ret, struct err *e);
/* The same: where in the name it stands. */
int rank_digits_of_name(struct str name, struct str *ret, struct err *e);

#endif
