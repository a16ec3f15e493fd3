/* How many FLOPs does this model need for that work? */
#include "analysis/model/model_flops.h"

#include "analysis/model/model_weights.h"
#include "text/units.h"

struct counter {
	const struct model *m;
	const struct model_work *w;
	struct arena *arena;
	struct model_flops *out;
	double tokens;
	double attention; /* of queries and keys, in a forward pass */
	double outside_layers;
};

static void add_term(struct counter *c, const char *name, double flops, struct buf *how)
{
	struct flops_term *t = &c->out->terms[c->out->count++];

	*t = (struct flops_term){.name = name, .flops = flops};
	t->how = arena_str(c->arena, buf_str(how)).s;
	buf_free(how);
}

static void add_number(struct buf *b, double x, const char *what)
{
	if (x < 9e18)
		units_add_count(b, (int64_t)x);
	else
		buf_addf(b, "%.6g", x);
	buf_addf(b, " %s", what);
}

static double add_matrices(struct counter *c, const char *name, double layers, double weights,
			   const char *what)
{
	const double flops = 2 * c->tokens * layers * weights;
	struct buf how = {0};

	if (layers == 0 || weights == 0)
		return 0;
	buf_adds(&how, "2 × ");
	add_number(&how, c->tokens, c->tokens == 1 ? "token × " : "tokens × ");
	add_number(&how, layers, layers == 1 ? "layer × " : "layers × ");
	add_number(&how, weights, what);
	add_term(c, name, flops, &how);
	c->out->forward += flops;
	return flops;
}

/*
 * How many positions `count` queries see in all, of which the first has `before` ones before it.
 * Both are at most 2^30 here: sums of as many stay below 2^62.
 */
static double positions_seen(uint64_t before, uint64_t count, uint64_t window)
{
	const uint64_t first = before + 1, last = before + count;
	uint64_t growing;

	if (!window || last <= window)
		return (double)((first + last) * count) / 2;
	if (first >= window)
		return (double)count * (double)window;
	growing = window - first;
	return (double)((first + window - 1) * growing) / 2 +
	       (double)(count - growing) * (double)window;
}

static double pairs(const struct model_work *w, uint64_t window)
{
	return w->mode == MODE_DECODE ? positions_seen(w->seq, w->new_tokens, window)
				      : positions_seen(0, w->seq, window);
}

static void add_attention(struct counter *c, uint64_t layers, uint64_t window)
{
	const struct model *m = c->m;
	const double seen = pairs(c->w, window), heads = (double)m->heads;
	const double flops = 2 * (double)c->w->batch * (double)layers * heads *
			     (double)(m->qk_dim + m->v_dim) * seen;
	struct buf how = {0};

	if (!layers)
		return;
	buf_adds(&how, "2 × ");
	add_number(&how, (double)c->w->batch, "seq × ");
	add_number(&how, (double)layers, layers == 1 ? "layer × " : "layers × ");
	add_number(&how, heads, "heads × ");
	buf_addf(&how, "(%llu+%llu) × ", (unsigned long long)m->qk_dim,
		 (unsigned long long)m->v_dim);
	add_number(&how, seen, "pairs");
	if (window) {
		buf_adds(&how, ", window ");
		units_add_count(&how, (int64_t)window);
	}
	add_term(c, window ? "windowed attention" : "attention", flops, &how);
	c->out->forward += flops;
	c->attention += flops;
}

static void add_experts(struct counter *c)
{
	const struct model *m = c->m;
	const double layers = (double)m->expert_layers;

	add_matrices(c, "experts", layers,
		     (double)m->experts_used * model_mlp_weights(m, m->expert_inner),
		     arena_printf(c->arena, "weights in %llu of %llu experts",
				  (unsigned long long)m->experts_used,
				  (unsigned long long)m->experts));
	add_matrices(c, "shared experts", layers, model_mlp_weights(m, m->shared_inner), "weights");
	add_matrices(c, "router", layers, model_router_weights(m), "weights");
}

/* Embeddings narrower than the model are widened before its layers. */
static void add_widening(struct counter *c)
{
	const double weights = model_widening_weights(c->m), flops = 2 * c->tokens * weights;
	struct buf how = {0};

	if (weights == 0)
		return;
	buf_adds(&how, "2 × ");
	add_number(&how, c->tokens, c->tokens == 1 ? "token × " : "tokens × ");
	add_number(&how, weights, "weights");
	add_term(c, "embedding projection", flops, &how);
	c->out->forward += flops;
	c->outside_layers += flops;
}

/* To go on after a prompt its last position is enough; a loss needs all. */
static void add_head(struct counter *c)
{
	const bool last_alone = c->w->mode == MODE_PREFILL && !c->w->all_logits;
	const double tokens = last_alone ? (double)c->w->batch : c->tokens;
	const double weights = model_head_weights(c->m);
	const double flops = 2 * tokens * weights;
	struct buf how = {0};

	buf_adds(&how, "2 × ");
	add_number(&how, tokens, tokens == 1 ? "token" : "tokens");
	buf_adds(&how, last_alone ? " (last of each) × " : " × ");
	add_number(&how, weights, "weights");
	add_term(c, "LM head", flops, &how);
	c->out->forward += flops;
	c->outside_layers += flops;
}

static void add_again(struct counter *c)
{
	const bool full = c->w->recompute == RECOMPUTE_FULL;
	const double flops = full ? c->out->forward - c->outside_layers : c->attention;
	struct buf how = {0};

	if (c->w->recompute == RECOMPUTE_NONE)
		return;
	buf_adds(&how, full ? "forward pass of all layers, recomputed"
			    : "attention of the forward pass, recomputed");
	add_term(c, "recomputation", flops, &how);
	c->out->terms[c->out->count - 1].is_again = true;
	c->out->hardware += flops;
}

static void add_backward(struct counter *c)
{
	struct buf how = {0};

	buf_adds(&how, "2 × the forward pass");
	add_term(c, "backward pass", 2 * c->out->forward, &how);
	c->out->model = c->out->hardware = 3 * c->out->forward;
	add_again(c);
}

void model_flops_count(const struct model *m, const struct model_work *w, struct arena *arena,
		       struct model_flops *ret)
{
	struct counter c = {.m = m, .w = w, .arena = arena, .out = ret};

	*ret = (struct model_flops){0};
	c.tokens = (double)w->batch * (double)(w->mode == MODE_DECODE ? w->new_tokens : w->seq);
	ret->tokens = c.tokens;
	add_widening(&c);
	add_matrices(&c, "projections", (double)m->layers, model_attention_weights(m), "weights");
	add_attention(&c, m->layers - m->window_layers, 0);
	add_attention(&c, m->window_layers, m->window);
	add_matrices(&c, "MLP", (double)(m->layers - m->expert_layers),
		     model_mlp_weights(m, m->inner), "weights");
	if (m->expert_layers)
		add_experts(&c);
	add_head(&c);
	ret->model = ret->hardware = ret->forward;
	if (w->mode == MODE_TRAIN)
		add_backward(&c);
}
