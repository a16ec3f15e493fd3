/* Families of models, by the model_type of their config.json: what such a file leaves unsaid. */
#ifndef ANALYSIS_MODEL_KINDS_H
#define ANALYSIS_MODEL_KINDS_H

#include "base/buf.h"

enum model_trait {
	MODEL_GATED = 1 << 0,	   /* the MLP has three matrices, not two */
	MODEL_LAYER_NORM = 1 << 1, /* norms have a bias beside their weight */
	MODEL_QKV_BIAS = 1 << 2,
	MODEL_OUT_BIAS = 1 << 3, /* of the attention's output */
	MODEL_MLP_BIAS = 1 << 4,
	MODEL_HEAD_BIAS = 1 << 5, /* of the LM head */
	MODEL_QK_NORM = 1 << 6,	  /* queries and keys are normed, a head at a time */
	MODEL_TIED = 1 << 7,	  /* the LM head is the embedding, unless the file says otherwise */
	MODEL_POSITIONS = 1 << 8, /* are learned */
	MODEL_LATENT = 1 << 9,	  /* keys and values are projected from a small latent */
	MODEL_INNER_4H = 1 << 10, /* the MLP is four times as wide, unless the file says */
	MODEL_EXPERTS = 1 << 11,
	MODEL_SINKS = 1 << 12,	     /* a learned number for each head */
	MODEL_ROUTER_BIAS = 1 << 13, /* a number for each expert */
	MODEL_MULTI_QUERY = 1 << 14, /* Falcon's ways to say how many heads keys have */
};

#define MODEL_BIASES (MODEL_QKV_BIAS | MODEL_OUT_BIAS | MODEL_MLP_BIAS)

/* Which layers attend to a sliding window, where the file has one and no layer_types. */
enum model_sliding {
	SLIDING_NONE,
	SLIDING_ALL,
	SLIDING_LATER,	     /* from max_window_layers on, where use_sliding_window is true */
	SLIDING_EVERY_OTHER, /* the first, the third, … */
	SLIDING_PATTERN,     /* all but each sliding_window_pattern-th */
};

struct model_kind {
	const char *name;
	unsigned traits;
	unsigned norms; /* in a layer, as wide as the model */
	enum model_sliding sliding;
};

/* NULL: it is none that we know. */
const struct model_kind *model_kind_find(struct str name);
/* "gpt2, opt, …" */
void model_kinds_add_names(struct buf *b);

#endif
