/* What is said of every job that came to a halt, whether its last collectives ended or not. */
#ifndef FLEET_HANG_TELLING_H
#define FLEET_HANG_TELLING_H

#include "fleet/answer/answer.h"
#include "fleet/job/halt.h"
#include "fleet/job/hang.h"
#include "report/finding.h"

struct hang_telling {
	struct fleet_answer *a;
	const struct hang *hang; /* what kernels that ended at last tell; … */
	const struct halt *halt; /* … NULL: nothing, and this is what calls tell */
	bool *chosen;		 /* by member: those that are named next */
	struct finding *f;
};

void hang_telling_begin(struct hang_telling *t, struct fleet_answer *a);
void hang_telling_free(struct hang_telling *t);
/* It is the finding of those that are chosen; they stay so. */
void hang_telling_blame(struct hang_telling *t);
/* Names those that are chosen, and returns how many; none is chosen any more then. */
size_t hang_add_ranks(struct buf *b, struct hang_telling *t);
/* " of communicator 0x5ed5f2a1", as NCCL's log has it; nothing where it is not known. */
void hang_add_communicator(struct buf *b, bool known, uint64_t id);
/* The finding, which is the job's verdict, when all but this is in it. */
void hang_telling_finish(struct hang_telling *t, struct buf *title);

#endif
