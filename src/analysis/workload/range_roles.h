/*
 * What an NVTX range is to a server of language models, told by its name: the prefill of a prompt,
 * a decode step, which makes a token of each sequence, or a step of an engine that does both. The
 * names of engines say how many requests a step works on; other names may say a batch size.
 */
#ifndef ANALYSIS_RANGE_ROLES_H
#define ANALYSIS_RANGE_ROLES_H

#include "analysis/ranges/phase_map.h"
#include "analysis/workload/signs.h"
#include "trace/trace.h"

enum role {
	ROLE_UNKNOWN, /* nobody has asked yet */
	ROLE_NONE,
	ROLE_PREFILL,
	ROLE_DECODE,
	ROLE_MIXED,  /* prefill of some requests, a token of others */
	ROLE_VERIFY, /* a decode step that checks several guessed tokens of a sequence */
	ROLE_SAMPLING,
	ROLE_GENERATE, /* all of a request */
	ROLE_REQUEST,
	ROLE_BACKWARD,
	ROLE_OPTIMIZER,
};

/* It makes tokens. */
static inline bool role_decodes(enum role r)
{
	return r == ROLE_DECODE || r == ROLE_MIXED || r == ROLE_VERIFY;
}

struct range_role {
	uint8_t role;	/* enum role */
	uint8_t engine; /* enum sign of the engine whose step it is; SIGNS: of none */
	uint32_t batch; /* sequences that get a token; 0: the name does not say */
};

struct range_roles {
	const struct trace *trace;
	const uint32_t *folded;	      /* name → folded name */
	struct range_role *of_folded; /* of the first that folds so */
	struct range_role *of_name;   /* by number in trace->names */
	struct phase_map phases;
	struct pattern *engines[3], *batch;
};

/*
 * `folded` are the names of the trace without counters, of which there are `folded_count`;
 * `phase_map` as --phase-map, or NULL. To be closed whether this fails or not.
 */
int range_roles_open(struct range_roles *r, const struct trace *t, const uint32_t *folded,
		     size_t folded_count, const char *phase_map, struct err *e);
void range_roles_close(struct range_roles *r);
/* The role of a name; ERR_USAGE where a pattern of the user's takes too long. */
int range_role_find(struct range_roles *r, uint32_t name, const struct range_role **ret,
		    struct err *e);

#endif
