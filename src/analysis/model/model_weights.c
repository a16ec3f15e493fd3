/* How many parameters has a model, and what are they for? */
#include "analysis/model/model_weights.h"

static double latent_weights(const struct model *m)
{
	const double queries = (double)m->heads * (double)m->qk_dim;
	const double from_latent = (double)m->heads * (double)(m->qk_dim - m->rope_dim + m->v_dim);
	const double h = (double)m->hidden, rank = (double)m->q_rank;

	return (rank > 0 ? rank * (h + queries) : h * queries) +
	       h * (double)(m->kv_rank + m->rope_dim) + (double)m->kv_rank * from_latent +
	       (double)m->heads * (double)m->v_dim * h;
}

double model_attention_weights(const struct model *m)
{
	const double both = (double)(m->qk_dim + m->v_dim);

	if (m->traits & MODEL_LATENT)
		return latent_weights(m);
	return (double)m->hidden * both * ((double)m->heads + (double)m->kv_heads);
}

double model_mlp_weights(const struct model *m, uint64_t inner)
{
	return (m->traits & MODEL_GATED ? 3 : 2) * (double)m->hidden * (double)inner;
}

double model_router_weights(const struct model *m)
{
	return (double)m->hidden * ((double)m->experts + m->shared_gate);
}

double model_widening_weights(const struct model *m)
{
	return m->embedding == m->hidden ? 0 : (double)m->embedding * (double)m->hidden;
}

/* Where embeddings are narrower than the model, the way back to them is part of it. */
double model_head_weights(const struct model *m)
{
	return (double)m->vocab * (double)m->embedding + model_widening_weights(m);
}

static double norm_size(const struct model *m, uint64_t width)
{
	return (m->traits & MODEL_LAYER_NORM ? 2 : 1) * (double)width;
}

static double attention_extras(const struct model *m)
{
	const double queries = (double)m->heads * (double)m->qk_dim;
	const double values = (double)m->kv_heads * (double)(m->qk_dim + m->v_dim);

	return (m->traits & MODEL_QKV_BIAS && !(m->traits & MODEL_LATENT) ? queries + values : 0) +
	       (m->traits & MODEL_OUT_BIAS ? (double)m->hidden : 0) +
	       (m->traits & MODEL_QK_NORM ? 2 * (double)m->qk_dim : 0) +
	       (m->traits & MODEL_LATENT ? (double)(m->q_rank + m->kv_rank) : 0) +
	       (m->traits & MODEL_SINKS ? (double)m->heads : 0);
}

static double mlp_biases(const struct model *m, uint64_t inner)
{
	if (!(m->traits & MODEL_MLP_BIAS))
		return 0;
	return (m->traits & MODEL_GATED ? 2 : 1) * (double)inner + (double)m->hidden;
}

/* Of a layer with experts, `count` of them. */
static double expert_parameters(const struct model *m, uint64_t count)
{
	return (double)count *
		       (model_mlp_weights(m, m->expert_inner) + mlp_biases(m, m->expert_inner)) +
	       model_mlp_weights(m, m->shared_inner) + model_router_weights(m) +
	       (m->traits & MODEL_ROUTER_BIAS ? (double)m->experts : 0);
}

static double outside_layers(const struct model *m)
{
	const double embedding = (double)m->vocab * (double)m->embedding;

	return embedding * (m->traits & MODEL_TIED ? 1 : 2) + 2 * model_widening_weights(m) +
	       (double)m->positions * (double)m->hidden +
	       (m->final_norm ? norm_size(m, m->hidden) : 0) +
	       (m->traits & MODEL_HEAD_BIAS ? (double)m->vocab : 0);
}

void model_count_parameters(const struct model *m, struct model_parameters *ret)
{
	const double plain_layers = (double)(m->layers - m->expert_layers);
	const double common =
		outside_layers(m) +
		(double)m->layers * (model_attention_weights(m) + attention_extras(m) +
				     (double)m->norms * norm_size(m, m->hidden)) +
		plain_layers * (model_mlp_weights(m, m->inner) + mlp_biases(m, m->inner));

	ret->total = common;
	ret->active = common;
	if (!m->expert_layers)
		return;
	ret->total += (double)m->expert_layers * expert_parameters(m, m->experts);
	ret->active += (double)m->expert_layers * expert_parameters(m, m->experts_used);
}
