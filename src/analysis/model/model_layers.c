/* Which layers of a model attend to a window alone, and which have experts? */
#include "analysis/model/model_config.h"

#include "base/mem.h"

#include <stdlib.h>

static int not_understood(const struct model_keys *k, const char *key, const char *what,
			  struct err *e)
{
	err_set(e, ERR_INPUT, "'%s': \"%s\" %s", k->path, key, what);
	return err_hint(e, "give the FLOPs of one step, token or range with --flops N");
}

/* A newer file says it layer by layer. */
static int count_layer_types(struct model *m, const struct model_keys *k, const struct json *types,
			     struct err *e)
{
	if (json_read_kind(types) != JSON_KIND_ARRAY || json_read_length(types) != m->layers)
		return not_understood(k, "layer_types", "does not have one entry for each layer",
				      e);
	for (size_t i = 0; i < m->layers; i++) {
		struct str type = json_read_string(json_read_element(types, i));

		if (str_eq(type, STR_LIT("sliding_attention")))
			m->window_layers++;
		else if (!str_eq(type, STR_LIT("full_attention")))
			return not_understood(
				k, "layer_types",
				"has layers that are neither full nor sliding attention", e);
	}
	return 0;
}

static int count_later(struct model *m, const struct model_keys *k, struct err *e)
{
	uint64_t first;

	if (model_key_number_or(k, "max_window_layers", 0, &first, e) < 0)
		return -1;
	if (model_key_is_true(k, "use_sliding_window", false))
		m->window_layers = first < m->layers ? m->layers - first : 0;
	return 0;
}

static int count_sliding(struct model *m, const struct model_keys *k, struct err *e)
{
	uint64_t pattern;

	switch (m->kind->sliding) {
	case SLIDING_ALL:
		m->window_layers = m->layers;
		break;
	case SLIDING_LATER:
		return count_later(m, k, e);
	case SLIDING_EVERY_OTHER:
		m->window_layers = (m->layers + 1) / 2;
		break;
	case SLIDING_PATTERN:
		if (model_key_number_or(k, "sliding_window_pattern|_sliding_window_pattern", 6,
					&pattern, e) < 0)
			return -1;
		m->window_layers = m->layers - m->layers / pattern;
		break;
	default:
		break;
	}
	return 0;
}

static int read_windows(struct model *m, const struct model_keys *k, struct err *e)
{
	const struct json *types = model_key(k, "layer_types");

	if (model_key_number_or(k, "sliding_window", 0, &m->window, e) < 0)
		return -1;
	if (types) {
		if (count_layer_types(m, k, types, e) < 0)
			return -1;
		if (m->window_layers && !m->window)
			return not_understood(
				k, "layer_types",
				"has sliding-window layers, but \"sliding_window\" is missing", e);
		return 0;
	}
	return m->window ? count_sliding(m, k, e) : 0;
}

/* Layers that are named as having a plain MLP. */
static int mark_plain(const struct model *m, const struct model_keys *k, bool *plain, struct err *e)
{
	const struct json *list = model_key(k, "mlp_only_layers");
	int64_t n;

	for (size_t i = 0; list && i < json_read_length(list); i++) {
		if (!json_read_whole(json_read_element(list, i), &n) || n < 0)
			return not_understood(k, "mlp_only_layers", "is not a list of layers", e);
		if ((uint64_t)n < m->layers)
			plain[n] = true;
	}
	return 0;
}

static int count_experts(struct model *m, const struct model_keys *k, const bool *plain,
			 struct err *e)
{
	uint64_t first, every, step;

	if (model_key_number_or(k, "first_k_dense_replace", 0, &first, e) < 0 ||
	    model_key_number_or(k, "moe_layer_freq", 1, &every, e) < 0 ||
	    model_key_number_or(k, "decoder_sparse_step", 1, &step, e) < 0)
		return -1;
	for (uint64_t i = 0; i < m->layers; i++) {
		if (!plain[i] && i >= first && i % every == 0 && (i + 1) % step == 0)
			m->expert_layers++;
	}
	return 0;
}

int model_read_layers(struct model *m, const struct model_keys *k, struct err *e)
{
	bool *plain;
	int result;

	if (read_windows(m, k, e) < 0)
		return -1;
	if (!m->experts)
		return 0;
	plain = mem_zalloc(m->layers, sizeof(*plain));
	result = mark_plain(m, k, plain, e);
	if (result == 0)
		result = count_experts(m, k, plain, e);
	free(plain);
	return result;
}
