/* The parameters of a model: weights of the matrices that a token meets, and all the others. */
#ifndef ANALYSIS_MODEL_WEIGHTS_H
#define ANALYSIS_MODEL_WEIGHTS_H

#include "analysis/model/model_config.h"

/* Of the projections of a layer's attention. */
double model_attention_weights(const struct model *m);
/* Of an MLP, or an expert, of that inner width. */
double model_mlp_weights(const struct model *m, uint64_t inner);
/* Of the router of a layer with experts, the shared experts' gate included. */
double model_router_weights(const struct model *m);
/* Between embeddings and a model that is wider than they are, one way; 0 where it is not. */
double model_widening_weights(const struct model *m);
double model_head_weights(const struct model *m);

struct model_parameters {
	double total;  /* all there are */
	double active; /* without the experts that a token does not go through */
};

void model_count_parameters(const struct model *m, struct model_parameters *ret);

#endif
