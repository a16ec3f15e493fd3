/* What does a model_type stand for? */
#include "analysis/model/model_kinds.h"

#include "base/mem.h"

static const struct model_kind kinds[] = {
	{"gpt2", MODEL_LAYER_NORM | MODEL_BIASES | MODEL_TIED | MODEL_POSITIONS | MODEL_INNER_4H, 2,
	 SLIDING_NONE},
	{"opt", MODEL_LAYER_NORM | MODEL_BIASES | MODEL_TIED | MODEL_POSITIONS, 2, SLIDING_NONE},
	{"gpt_neox", MODEL_LAYER_NORM | MODEL_BIASES, 2, SLIDING_NONE},
	{"falcon", MODEL_LAYER_NORM | MODEL_TIED | MODEL_INNER_4H | MODEL_MULTI_QUERY, 1,
	 SLIDING_NONE},
	{"phi", MODEL_LAYER_NORM | MODEL_BIASES | MODEL_HEAD_BIAS, 1, SLIDING_NONE},
	{"phi3", MODEL_GATED, 2, SLIDING_ALL},
	{"starcoder2", MODEL_LAYER_NORM | MODEL_BIASES | MODEL_TIED, 2, SLIDING_ALL},
	{"llama", MODEL_GATED, 2, SLIDING_NONE},
	{"granite", MODEL_GATED, 2, SLIDING_NONE},
	{"mistral", MODEL_GATED, 2, SLIDING_ALL},
	{"mixtral", MODEL_GATED | MODEL_EXPERTS, 2, SLIDING_ALL},
	{"qwen2", MODEL_GATED | MODEL_QKV_BIAS, 2, SLIDING_LATER},
	{"qwen2_moe", MODEL_GATED | MODEL_QKV_BIAS | MODEL_EXPERTS, 2, SLIDING_LATER},
	{"qwen3", MODEL_GATED | MODEL_QK_NORM, 2, SLIDING_LATER},
	{"qwen3_moe", MODEL_GATED | MODEL_QK_NORM | MODEL_EXPERTS, 2, SLIDING_LATER},
	{"gemma", MODEL_GATED | MODEL_TIED, 2, SLIDING_NONE},
	{"gemma2", MODEL_GATED | MODEL_TIED, 4, SLIDING_EVERY_OTHER},
	{"gemma3_text", MODEL_GATED | MODEL_TIED | MODEL_QK_NORM, 4, SLIDING_PATTERN},
	{"gpt_oss", MODEL_GATED | MODEL_BIASES | MODEL_EXPERTS | MODEL_SINKS | MODEL_ROUTER_BIAS, 2,
	 SLIDING_EVERY_OTHER},
	{"deepseek", MODEL_GATED | MODEL_EXPERTS, 2, SLIDING_NONE},
	{"deepseek_v2", MODEL_GATED | MODEL_EXPERTS | MODEL_LATENT, 2, SLIDING_NONE},
	{"deepseek_v3", MODEL_GATED | MODEL_EXPERTS | MODEL_LATENT | MODEL_ROUTER_BIAS, 2,
	 SLIDING_NONE},
	{"kimi_k2", MODEL_GATED | MODEL_EXPERTS | MODEL_LATENT | MODEL_ROUTER_BIAS, 2,
	 SLIDING_NONE},
};

const struct model_kind *model_kind_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (str_eq(name, str_of(kinds[i].name)))
			return &kinds[i];
	}
	return NULL;
}

void model_kinds_add_names(struct buf *b)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		buf_addf(b, "%s%s", i ? ", " : "", kinds[i].name);
}
