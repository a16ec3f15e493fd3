/*
 * The FLOPs that a model needs, and its parameters. What is counted are the matrix products of one
 * forward pass: a multiplication and an addition for each weight that a token meets, and for each
 * number of each query and key that attend to one another (causal: a token sees itself and those
 * before, in a sliding window no more than that). The backward pass takes twice as much. Norms,
 * activations, softmax and look-ups are not counted, as nobody does.
 *
 * Model FLOPs are what the model needs; hardware FLOPs are what a program does that computes
 * activations again. MFU is about the former, HFU about the latter (Chowdhery et al., PaLM, 2022).
 */
#ifndef ANALYSIS_MODEL_FLOPS_H
#define ANALYSIS_MODEL_FLOPS_H

#include "analysis/model/model_config.h"
#include "base/arena.h"

enum model_mode { MODE_NONE, MODE_PREFILL, MODE_DECODE, MODE_TRAIN };

enum recompute {
	RECOMPUTE_NONE,
	RECOMPUTE_SELECTIVE, /* the attention of queries and keys */
	RECOMPUTE_FULL,	     /* every layer; the LM head is none */
};

/* What the model is asked to do, once. */
struct model_work {
	enum model_mode mode;
	uint64_t batch;
	uint64_t seq;	     /* positions of each sequence; before decoding begins */
	uint64_t new_tokens; /* MODE_DECODE: that each sequence is decoded by, one at a time */
	bool all_logits;     /* MODE_PREFILL: the LM head sees every position, not the last alone */
	enum recompute recompute;
};

struct flops_term {
	const char *name;
	double flops;
	const char *how; /* the formula with its numbers */
	bool is_again;	 /* recomputation: hardware FLOPs alone */
};

enum { FLOPS_TERMS = 11 };

struct model_flops {
	struct flops_term terms[FLOPS_TERMS];
	size_t count;
	double forward;		/* of a forward pass */
	double model, hardware; /* in all */
	double tokens;		/* that it is for */
};

/* Texts are in `arena`. */
void model_flops_count(const struct model *m, const struct model_work *w, struct arena *arena,
		       struct model_flops *ret);

#endif
