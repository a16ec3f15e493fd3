/* What shape has the model of this config.json? */
#include "analysis/model/model_config.h"

#include "analysis/model/model_weights.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* What does a model_type stand for? */

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

/* NULL: it is none that we know. */
static const struct model_kind *model_kind_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (str_eq(name, str_of(kinds[i].name)))
			return &kinds[i];
	}
	return NULL;
}

/* "gpt2, opt, …" */
static void model_kinds_add_names(struct buf *b)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		buf_addf(b, "%s%s", i ? ", " : "", kinds[i].name);
}

/* Counts are products of a few of these and must stay numbers. */
enum { MOST_LAYERS = 10000 };

#define MOST		INT64_C(0x80000000)
#define MOST_PARAMETERS 1e15

/* A null stands for a key that is not there. */
static const struct json *one_key(const struct model_keys *k, struct str key)
{
	const struct json *v = NULL;
	char name[64];

	if (key.len < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", STR_FMT(key));
		v = json_read_member(k->object, name);
	}
	return v && json_read_kind(v) != JSON_KIND_NULL ? v : NULL;
}

const struct json *model_key(const struct model_keys *k, const char *keys)
{
	const struct json *v = NULL;

	while (!v && *keys) {
		size_t len = strcspn(keys, "|");

		v = one_key(k, (struct str){keys, len});
		keys += len + (keys[len] == '|');
	}
	return v;
}

static int first_key(const char *keys)
{
	return (int)strcspn(keys, "|");
}

static int lacks(const struct model_keys *k, const char *keys, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' lacks \"%.*s\", which is needed to count FLOPs", k->path,
		first_key(keys), keys);
	return err_hint(e, "add it to a copy of the file, or give --flops N instead of --model");
}

static int out_of_bounds(const struct model_keys *k, const char *keys, struct err *e)
{
	return err_set(e, ERR_INPUT, "'%s': \"%.*s\" is not a whole number from 1 to %lld", k->path,
		       first_key(keys), keys, (long long)MOST);
}

/* A whole number from 1 to 2^31; an error names the first of the keys. */
static int model_key_number(const struct model_keys *k, const char *keys, uint64_t *ret,
			    struct err *e)
{
	const struct json *v = model_key(k, keys);
	int64_t n;

	if (!v)
		return lacks(k, keys, e);
	if (!json_read_whole(v, &n) || n < 1 || n > MOST)
		return out_of_bounds(k, keys, e);
	*ret = (uint64_t)n;
	return 0;
}

int model_key_number_or(const struct model_keys *k, const char *keys, uint64_t otherwise,
			uint64_t *ret, struct err *e)
{
	const struct json *v = model_key(k, keys);
	int64_t n;

	*ret = otherwise;
	if (!v || (json_read_whole(v, &n) && n == 0))
		return 0;
	return model_key_number(k, keys, ret, e);
}

bool model_key_is_true(const struct model_keys *k, const char *key, bool otherwise)
{
	const struct json *v = model_key(k, key);

	return v ? json_read_is_true(v) : otherwise;
}

static int read_kind(struct model *m, const struct model_keys *k, struct err *e)
{
	const struct json *v = model_key(k, "model_type");
	struct buf known = {0};

	if (!v)
		return lacks(k, "model_type", e);
	m->kind = model_kind_find(json_read_string(v));
	if (m->kind) {
		m->traits = m->kind->traits;
		m->norms = m->kind->norms;
		return 0;
	}
	err_set(e, ERR_INPUT, "'%s': unsupported model_type '%.60s'", k->path,
		json_read_string(v).s);
	model_kinds_add_names(&known);
	err_hint(e,
		 "give --flops N; or, if its layers match a supported model, use a copy of the "
		 "file with that model_type: %s",
		 known.s);
	buf_free(&known);
	return -1;
}

static void set_trait(struct model *m, unsigned traits, bool on)
{
	m->traits = on ? m->traits | traits : m->traits & ~traits;
}

/* What families have in common may still be switched by a key. */
static void read_switches(struct model *m, const struct model_keys *k)
{
	const bool all = m->traits & MODEL_QKV_BIAS && m->traits & MODEL_OUT_BIAS;

	set_trait(m, MODEL_TIED,
		  model_key_is_true(k, "tie_word_embeddings", m->traits & MODEL_TIED));
	if (!(m->traits & MODEL_QKV_BIAS) || all)
		set_trait(m, MODEL_QKV_BIAS | MODEL_OUT_BIAS,
			  model_key_is_true(k, "attention_bias|bias|use_bias|enable_bias", all));
	set_trait(m, MODEL_MLP_BIAS,
		  model_key_is_true(k, "mlp_bias|bias|use_bias|enable_bias",
				    m->traits & MODEL_MLP_BIAS));
	m->final_norm = model_key_is_true(k, "do_layer_norm_before", true);
}

/* Only parameters depend on them, and how long a sequence may be. OPT keeps two more than it uses.
 */
static int read_positions(struct model *m, const struct model_keys *k, struct err *e)
{
	const bool opt = strcmp(m->kind->name, "opt") == 0;

	if (model_key_number_or(
		    k, opt ? "max_position_embeddings" : "n_positions|max_position_embeddings", 0,
		    &m->longest, e) < 0)
		return -1;
	m->positions = m->longest ? m->longest + (opt ? 2 : 0) : 0;
	return 0;
}

static int read_size(struct model *m, const struct model_keys *k, struct err *e)
{
	if (model_key_number(k, "num_hidden_layers|n_layer|num_layers|n_layers", &m->layers, e) <
		    0 ||
	    model_key_number(k, "hidden_size|n_embd|d_model", &m->hidden, e) < 0 ||
	    model_key_number(k, "vocab_size", &m->vocab, e) < 0 ||
	    model_key_number_or(k, "word_embed_proj_dim", m->hidden, &m->embedding, e) < 0)
		return -1;
	if (m->layers > MOST_LAYERS)
		return err_set(e, ERR_INPUT, "'%s' has %llu layers, of at most %d", k->path,
			       (unsigned long long)m->layers, MOST_LAYERS);
	if (m->traits & MODEL_POSITIONS)
		return read_positions(m, k, e);
	return 0;
}

/* Falcon counts the heads of keys by two switches, and its older form has one norm a layer. */
static int read_multi_query(struct model *m, const struct model_keys *k, struct err *e)
{
	const bool later = model_key_is_true(k, "new_decoder_architecture", false);

	m->norms = later || !model_key_is_true(k, "parallel_attn", true) ? 2 : 1;
	if (later)
		return model_key_number_or(k, "num_kv_heads|n_head_kv", m->heads, &m->kv_heads, e);
	m->kv_heads = model_key_is_true(k, "multi_query", true) ? 1 : m->heads;
	return 0;
}

static int read_latent(struct model *m, const struct model_keys *k, struct err *e)
{
	uint64_t plain_dim = 0;

	if (model_key_number(k, "kv_lora_rank", &m->kv_rank, e) < 0 ||
	    model_key_number(k, "qk_nope_head_dim", &plain_dim, e) < 0 ||
	    model_key_number(k, "qk_rope_head_dim", &m->rope_dim, e) < 0 ||
	    model_key_number(k, "v_head_dim", &m->v_dim, e) < 0 ||
	    model_key_number_or(k, "q_lora_rank", 0, &m->q_rank, e) < 0)
		return -1;
	m->qk_dim = plain_dim + m->rope_dim;
	m->kv_heads = m->heads;
	return 0;
}

static int read_heads(struct model *m, const struct model_keys *k, struct err *e)
{
	if (model_key_number(k, "num_attention_heads|n_head|n_heads", &m->heads, e) < 0)
		return -1;
	if (m->traits & MODEL_LATENT)
		return read_latent(m, k, e);
	if (m->traits & MODEL_MULTI_QUERY) {
		if (read_multi_query(m, k, e) < 0)
			return -1;
	} else if (model_key_number_or(k, "num_key_value_heads", m->heads, &m->kv_heads, e) < 0) {
		return -1;
	}
	if (model_key_number_or(k, "head_dim", m->hidden / m->heads, &m->qk_dim, e) < 0)
		return -1;
	if (!model_key(k, "head_dim") && m->hidden % m->heads)
		return err_set(e, ERR_INPUT,
			       "'%s': %llu heads do not divide a hidden size of %llu, and there is "
			       "no \"head_dim\"",
			       k->path, (unsigned long long)m->heads,
			       (unsigned long long)m->hidden);
	if (m->kv_heads > m->heads || m->heads % m->kv_heads)
		return err_set(e, ERR_INPUT,
			       "'%s': %llu key-value heads do not divide %llu query heads", k->path,
			       (unsigned long long)m->kv_heads, (unsigned long long)m->heads);
	m->v_dim = m->qk_dim;
	return 0;
}

static int read_shared_experts(struct model *m, const struct model_keys *k, struct err *e)
{
	uint64_t shared;

	if (model_key_number_or(k, "shared_expert_intermediate_size", 0, &m->shared_inner, e) < 0)
		return -1;
	m->shared_gate = m->shared_inner > 0;
	if (m->shared_inner)
		return 0;
	if (model_key_number_or(k, "n_shared_experts", 0, &shared, e) < 0)
		return -1;
	m->shared_inner = shared * m->expert_inner;
	return m->shared_inner > MOST ? out_of_bounds(k, "n_shared_experts", e) : 0;
}

static int read_experts(struct model *m, const struct model_keys *k, struct err *e)
{
	if (model_key_number_or(k, "n_routed_experts|num_local_experts|num_experts", 0, &m->experts,
				e) < 0)
		return -1;
	if (!m->experts)
		return 0;
	if (model_key_number(k, "num_experts_per_tok|experts_per_token", &m->experts_used, e) < 0 ||
	    model_key_number(k, "moe_intermediate_size|intermediate_size", &m->expert_inner, e) <
		    0 ||
	    read_shared_experts(m, k, e) < 0)
		return -1;
	if (m->experts_used > m->experts)
		return err_set(e, ERR_INPUT,
			       "'%s': a token uses %llu experts, but there are only %llu", k->path,
			       (unsigned long long)m->experts_used, (unsigned long long)m->experts);
	return 0;
}

static int read_mlp(struct model *m, const struct model_keys *k, struct err *e)
{
	static const char keys[] = "intermediate_size|ffn_dim|n_inner|ffn_hidden_size";

	if (m->traits & MODEL_EXPERTS && read_experts(m, k, e) < 0)
		return -1;
	if (model_read_layers(m, k, e) < 0)
		return -1;
	if (m->expert_layers == m->layers)
		return 0;
	if (m->traits & MODEL_INNER_4H)
		return model_key_number_or(k, keys, 4 * m->hidden, &m->inner, e);
	return model_key_number(k, keys, &m->inner, e);
}

static void read_dtype(struct model *m, const struct model_keys *k, const struct model_keys *top)
{
	const struct json *v = model_key(k, "torch_dtype|dtype"), *how;

	if (!v)
		v = model_key(top, "torch_dtype|dtype");
	if (v)
		m->dtype = dtype_find(json_read_string(v));
	how = model_key(top, "quantization_config");
	how = how ? json_read_member(how, "quant_method") : NULL;
	if (how)
		snprintf(m->quantised, sizeof(m->quantised), "%.*s",
			 STR_FMT(json_read_string(how)));
}

/* Beyond these a number in the file is wrong, and counts would not be exact any more. */
static int check_size(const struct model *m, const char *path, struct err *e)
{
	struct model_parameters n;

	model_count_parameters(m, &n);
	if (n.total <= MOST_PARAMETERS)
		return 0;
	return err_set(e, ERR_INPUT, "'%s' describes a model of %.3g parameters: a number is wrong",
		       path, n.total);
}

int model_read(struct model *ret, const struct json *document, const char *path, struct err *e)
{
	const struct model_keys top = {document, path};
	struct model_keys k = top;
	const struct json *text;

	*ret = (struct model){0};
	if (json_read_kind(document) != JSON_KIND_OBJECT) {
		err_set(e, ERR_INPUT, "'%s' is not a model config: it is %s, not an object", path,
			json_read_kind_name(document));
		return err_hint(e, "--model takes the config.json of a Hugging Face model");
	}
	text = model_key(&top, "text_config|llm_config");
	if (text && json_read_kind(text) == JSON_KIND_OBJECT) {
		k.object = text;
		ret->is_text_part = true;
	}
	if (read_kind(ret, &k, e) < 0)
		return -1;
	read_switches(ret, &k);
	if (read_size(ret, &k, e) < 0 || read_heads(ret, &k, e) < 0 || read_mlp(ret, &k, e) < 0)
		return -1;
	read_dtype(ret, &k, &top);
	return check_size(ret, path, e);
}

int model_read_file(struct model *ret, const char *path, struct err *e)
{
	struct json *document;
	int result;

	if (json_read_file(&document, path, e) < 0)
		return err_hint(e, "--model takes the config.json of a Hugging Face model");
	result = model_read(ret, document, path, e);
	json_read_free(document);
	return result;
}
