/*
 * Two queues put side by side though either may lack kernels: a capture drops some. Kernels of one
 * collective overlap in time; where one queue's cannot, one of both lacks something, and behind the
 * gap they go on at another place.
 */
#ifndef FLEET_ALIGNMENT_H
#define FLEET_ALIGNMENT_H

#include "fleet/job/queue_pair.h"

/* b's kernels from `first` on, up to the next stretch. */
struct stretch {
	uint32_t first;
	bool extra;    /* a lacks these: they lie before a's kernel `place` */
	int64_t place; /* a's kernel that the first of them is, or lies before */
};

struct alignment {
	struct stretch *stretches; /* in order; at least one where there is anything */
	size_t count;
	double doubt_ns; /* how far from these clocks would be at other places that are as likely */
};

/* A place without a gap that agrees with the clocks, though another may do better. */
struct queue_guess {
	bool found;
	struct queue_place at;
	double doubt_ns; /* see struct alignment */
};

/*
 * `expected`: a's kernel that b's first one should be. True: b is there, or where UTC or known
 * clocks have it. False: it is not, and *guess is for queues_align_searching(). The caller frees
 * what `ret` has, in any case.
 */
bool queues_align(const struct queue_pair *p, int64_t expected, struct queue_guess *guess,
		  struct alignment *ret);
/*
 * What is left then: b is searched for pieces that agree, where the whole does not. `searches` is
 * how often that may yet be done; it is counted down. False: nothing agrees with the clocks.
 */
bool queues_align_searching(const struct queue_pair *p, int64_t expected,
			    const struct queue_guess *guess, unsigned int *searches,
			    struct alignment *ret);
/* As the first, if it is where it is expected without a gap: nothing else can be. */
bool queues_align_surely(const struct queue_pair *p, int64_t expected, struct alignment *ret);
/* b's first kernel is a's at `place`, and no gap follows. */
struct alignment alignment_plain(int64_t place);
/* Kernels that both have. */
int64_t alignment_pairs(const struct queue_pair *p, const struct alignment *a);
void alignment_free(struct alignment *a);

/*
 * Of sends between two ranks, whether the sender may leave before the receiver enters: it goes on
 * as soon as its bytes are in a buffer, and says nothing about clocks. That is taken for granted
 * unless enough kernels show that both wait, as they enter apart and leave together; *ret_apart_ns
 * is then how far from each other they left at most, beyond what is usual: no sender left earlier
 * than that. `a` is the longer queue. `sure`: kernels are where they are expected; if they are
 * not, nothing is decided, and the answer is false.
 */
bool sends_leave_early(const struct job *j, const struct instance_queue *a,
		       const struct instance_queue *b, bool sure, double *ret_apart_ns);

#endif
