/* What a program is written in, and with which libraries. */
#ifndef ANALYSIS_PROGRAM_H
#define ANALYSIS_PROGRAM_H

#include "trace/calls/calls.h"

struct program {
	bool python, torch, jax; /* the others are of Python programs alone */
	bool offload;		 /* OpenACC or OpenMP, no CUDA of its own */
	bool model;		 /* a neural network, in whatever language */
};

/*
 * By who calls CUDA, then by names that are loaded by now. `calls`: NULL where there are none;
 * `sampled`: samples show Python's interpreter, or its frames.
 */
int program_words_find(struct trace *t, const struct calls *calls, bool sampled,
		       struct program *ret, struct err *e);

#endif
