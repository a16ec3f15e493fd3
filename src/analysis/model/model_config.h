/*
 * The shape of a language model, as the config.json of a Hugging Face model tells it: a stack of
 * layers, each attention and an MLP or experts. Multimodal models have it in their text_config.
 */
#ifndef ANALYSIS_MODEL_CONFIG_H
#define ANALYSIS_MODEL_CONFIG_H

#include "analysis/model/gpu_peaks.h"
#include "base/buf.h"
#include "base/err.h"
#include "text/json_read.h"

/* Families of models, by the model_type of their config.json: what such a file leaves unsaid. */

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

struct model {
	const struct model_kind *kind;
	unsigned traits;   /* the kind's, as far as the file does not say otherwise */
	bool is_text_part; /* of a model that has others, which are not counted */
	uint64_t layers, hidden, vocab;
	uint64_t embedding; /* width of a token's embedding; differs from hidden in few */
	uint64_t positions; /* learned ones; 0: none, or the config does not say how many */
	uint64_t longest;   /* sequence that these allow; 0 as above */
	uint64_t norms;	    /* in a layer */
	bool final_norm;
	uint64_t heads, kv_heads;
	uint64_t qk_dim, v_dim;		     /* of a head */
	uint64_t q_rank, kv_rank, rope_dim;  /* MODEL_LATENT; q_rank 0: queries have no latent */
	uint64_t window, window_layers;	     /* layers that attend to so many positions alone */
	uint64_t inner;			     /* of an MLP; 0: every layer has experts */
	uint64_t experts, experts_used;	     /* in a layer that has them; used by a token */
	uint64_t expert_layers;		     /* layers that have them */
	uint64_t expert_inner, shared_inner; /* shared: of all that every token goes through */
	bool shared_gate;		     /* the shared experts have a gate */
	enum dtype dtype;		     /* of the weights; DTYPE_NONE: the file does not say */
	char quantised[32];		     /* "fp8": how, as the file calls it; may be empty */
};

/* ERR_INPUT that names the file and the key that is missing, out of bounds or not understood. */
int model_read_file(struct model *ret, const char *path, struct err *e);
/* The same for a document; `path` stands for it in messages. */
int model_read(struct model *ret, const struct json *document, const char *path, struct err *e);

/* A document's keys, for those who read it in parts. */
struct model_keys {
	const struct json *object;
	const char *path;
};

/* The first of the keys ("a|b") that has a value; NULL: none has. */
const struct json *model_key(const struct model_keys *k, const char *keys);
/* A whole number to 2^31; `otherwise` where it is absent or 0. An error names the first key. */
int model_key_number_or(const struct model_keys *k, const char *keys, uint64_t otherwise,
			uint64_t *ret, struct err *e);
bool model_key_is_true(const struct model_keys *k, const char *key, bool otherwise);

/* Which layers slide, and which have experts. Everything else of m is known. */
int model_read_layers(struct model *m, const struct model_keys *k, struct err *e);

#endif
