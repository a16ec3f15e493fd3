/*
 * What names show of a program: the framework it is written with, and parts of its work that only
 * training has, or only serving. Names of kernels, NVTX ranges, NVTX domains, processes and Python
 * modules are looked at; which of them show what is data (signs.c).
 */
#ifndef ANALYSIS_SIGNS_H
#define ANALYSIS_SIGNS_H

#include "base/str.h"

#include <stdint.h>

enum sign {
	/* Frameworks: the more special ones first. */
	SIGN_VLLM,
	SIGN_SGLANG,
	SIGN_TENSORRT_LLM,
	SIGN_LLAMA_CPP,
	SIGN_MEGATRON,
	SIGN_DEEPSPEED,
	SIGN_ACCELERATE,
	SIGN_TRANSFORMERS,
	SIGN_TRANSFORMER_ENGINE,
	SIGN_TENSORRT,
	SIGN_JAX,
	SIGN_PYTORCH,
	FRAMEWORKS,
	/* Parts of the work. */
	SIGN_BACKWARD = FRAMEWORKS,
	SIGN_OPTIMIZER,
	SIGN_PREFILL,
	SIGN_DECODE,
	SIGN_SAMPLING,
	SIGN_GENERATE,
	SIGN_ENGINE_STEP, /* a range that counts the requests of one step */
	SIGN_KV_CACHE,
	SIGN_ATTENTION,
	SIGNS,
};

/* Of what a name is. */
enum sign_place {
	PLACE_KERNEL,
	PLACE_RANGE,
	PLACE_DOMAIN,
	PLACE_PROCESS,
	PLACE_MODULE,
	SIGN_PLACES,
};

struct sign_found {
	uint64_t count;	       /* launches, ranges or names in that place; 0: it was not seen */
	int64_t ns;	       /* of kernels */
	struct str name;       /* the first that shows it; it is the trace's */
	enum sign_place place; /* of that */
};

/* "vLLM", "backward pass" */
const char *sign_title(enum sign s);
/* "kernel", "NVTX range", … */
const char *sign_place_title(enum sign_place p);

/* What a name that is there `count` times shows, added to found[SIGNS]. */
void signs_add_name(struct sign_found *found, enum sign_place place, struct str name,
		    uint64_t count, int64_t ns);
/* The same for one that is known to show `s`. */
void signs_add(struct sign_found *found, enum sign s, enum sign_place place, struct str name,
	       uint64_t count, int64_t ns);

#endif
