/*
 * The shape of a language model, as the config.json of a Hugging Face model tells it: a stack of
 * layers, each attention and an MLP or experts. Multimodal models have it in their text_config.
 */
#ifndef ANALYSIS_MODEL_CONFIG_H
#define ANALYSIS_MODEL_CONFIG_H

#include "analysis/model/gpu_peaks.h"
#include "analysis/model/model_kinds.h"
#include "base/err.h"
#include "text/json_read.h"

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
/* A whole number from 1 to 2^31; an error names the first of the keys. */
int model_key_number(const struct model_keys *k, const char *keys, uint64_t *ret, struct err *e);
/* The same, and it may be absent, or 0: then it is `otherwise`. */
int model_key_number_or(const struct model_keys *k, const char *keys, uint64_t otherwise,
			uint64_t *ret, struct err *e);
bool model_key_is_true(const struct model_keys *k, const char *key, bool otherwise);

/* Which layers slide, and which have experts. Everything else of m is known. */
int model_read_layers(struct model *m, const struct model_keys *k, struct err *e);

#endif
