/*
 * The steps of a capture that are compared: the warm ones of the process whose steps take the most
 * time, each with what follows it until the next begins, so that time lost between two steps
 * counts. A capture without steps has one: its window.
 */
#ifndef DIFF_COMPARED_STEPS_H
#define DIFF_COMPARED_STEPS_H

#include "analysis/gpu/gaps.h"
#include "analysis/steps/iterations.h"
#include "diff/account.h"
#include "diff/op_groups.h"

struct compared_step {
	int64_t from_ns, own_end_ns; /* its own time: see analysis/steps/iterations.h */
	int64_t to_ns;		     /* … with what follows it, as far as steps reach */
	int64_t host_from_ns;	     /* when it begins on the host */
	int64_t host_to_ns; /* when it is done there; of a whole loop: to_ns, for what is between */
	int64_t gpu_from_ns; /* the first op that it launched; from_ns: it launched none */
	uint32_t number;
	uint32_t kind; /* see diff/step_kinds.h */
};

struct compared_steps {
	struct compared_step *all; /* in order of time; they do not overlap */
	size_t count;
	struct scope place;    /* from the first to the last, on the device and of the process */
	int64_t chosen_device; /* of the place; -1: it has none, or was asked for */
	uint32_t thread;       /* that runs the steps; ID_NONE: nobody knows */
	const char *name;      /* of their ranges, without counters; NULL: they have no range */
	const char *how;
	bool is_window;
	enum step_reach reach;
	size_t cold, pauses;
	size_t partial;	  /* left out: only some of what they take is known */
	int64_t *cold_ns; /* of each step of the warm-up; in the arena */
	int64_t pauses_ns;
};

/* Names are in the arena. ERR_INPUT where nothing is left to compare. */
int compared_steps_find(struct compared_steps *ret, struct trace *t, const struct ops *o,
			const struct gap_judge *judge, const struct op_groups *groups,
			const struct account_question *q, struct arena *arena, struct err *e);
void compared_steps_free(struct compared_steps *c);

/* The step that the host is in at a moment; count: none of them. `near`: one close to it, at first
 * 0. */
size_t compared_steps_host_at(const struct compared_steps *c, int64_t at_ns, size_t *near);
/* The step that a moment lies in, or else the next; `near` is one close to it. */
size_t compared_steps_at(const struct compared_steps *c, int64_t at_ns, size_t near);

#endif
