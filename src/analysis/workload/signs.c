/* Which names show which framework, and which part of the work? */
#include "analysis/workload/signs.h"

#include "base/mem.h"
#include "base/saturate.h"

/* Bits of places. */
#define K (1u << PLACE_KERNEL)
#define R (1u << PLACE_RANGE)
#define D (1u << PLACE_DOMAIN)
#define P (1u << PLACE_PROCESS)
#define M (1u << PLACE_MODULE)

/* Names as the programs write them, compared with case; after ^ a name begins so. */
static const struct {
	const char *text;
	unsigned places;
	enum sign sign;
} rows[] = {
	{"^VLLM::", P, SIGN_VLLM}, /* EngineCore, Worker_TP0 */
	{"^vllm", P, SIGN_VLLM},
	{"vllm::", K | R, SIGN_VLLM},
	{"^gpu_model_runner: ", R, SIGN_VLLM},
	{"^llm_engine step: ", R, SIGN_VLLM},
	{"/vllm/", M, SIGN_VLLM},
	{"^sglang::", P, SIGN_SGLANG}, /* scheduler_TP0 */
	{"sglang", K, SIGN_SGLANG},
	{"sgl_kernel", K, SIGN_SGLANG},
	{"^scheduler.run_batch", R, SIGN_SGLANG},
	{"^scheduler.get_next_batch_to_run", R, SIGN_SGLANG},
	{"/sglang/", M, SIGN_SGLANG},
	{"tensorrt_llm", K | R, SIGN_TENSORRT_LLM},
	{"^[Executor] ", R, SIGN_TENSORRT_LLM},
	{"^TrtGptModel", R, SIGN_TENSORRT_LLM},
	{"^trtllm", P, SIGN_TENSORRT_LLM},
	{"/tensorrt_llm/", M, SIGN_TENSORRT_LLM},
	{"ggml", K, SIGN_LLAMA_CPP},
	{"mul_mat_vec_q", K, SIGN_LLAMA_CPP},
	{"^llama-", P, SIGN_LLAMA_CPP},
	{"megatron.", R, SIGN_MEGATRON}, /* module and function: megatron.core.… */
	{"/megatron/", M, SIGN_MEGATRON},
	{"DeepSpeed", R | D, SIGN_DEEPSPEED}, /* DeepSpeedZeroOptimizer_Stage3.step */
	{"^PartitionedParameterCoordinator.", R, SIGN_DEEPSPEED},
	{"^deepspeed", P, SIGN_DEEPSPEED},
	{"/deepspeed/", M, SIGN_DEEPSPEED},
	{"^accelerate", P, SIGN_ACCELERATE},
	{"/accelerate/", M, SIGN_ACCELERATE},
	{"^transformers.", R, SIGN_TRANSFORMERS},
	{"ForCausalLM", R, SIGN_TRANSFORMERS}, /* LlamaForCausalLM, as modules are called */
	{"ForConditionalGeneration", R, SIGN_TRANSFORMERS},
	{"GenerationMixin", R, SIGN_TRANSFORMERS},
	{"/transformers/", M, SIGN_TRANSFORMERS},
	{"transformer_engine", K | R, SIGN_TRANSFORMER_ENGINE},
	{"/transformer_engine/", M, SIGN_TRANSFORMER_ENGINE},
	{"TensorRT", D, SIGN_TENSORRT},
	{"ExecutionContext::enqueue", R, SIGN_TENSORRT},
	{"^myelin", R, SIGN_TENSORRT},
	{"TSL", D, SIGN_JAX},
	{"XlaModule", R, SIGN_JAX},
	{"/jax/", M, SIGN_JAX},
	{"at::native", K, SIGN_PYTORCH},
	{"^triton_poi_fused", K, SIGN_PYTORCH},
	{"^triton_per_fused", K, SIGN_PYTORCH},
	{"^triton_red_fused", K, SIGN_PYTORCH},
	{"^aten::", R, SIGN_PYTORCH},
	{"/torch/", M, SIGN_PYTORCH},

	{"backward", K, SIGN_BACKWARD},
	{"Backward", K, SIGN_BACKWARD},
	{"bprop", K, SIGN_BACKWARD},
	{"_bwd", K, SIGN_BACKWARD},
	{"bwd_", K, SIGN_BACKWARD},
	{"dgrad", K, SIGN_BACKWARD},
	{"wgrad", K, SIGN_BACKWARD},
	{"grad_input", K, SIGN_BACKWARD},
	{"ZeroOptimizer", R, SIGN_OPTIMIZER}, /* DeepSpeed's */
	{"Adam", K, SIGN_OPTIMIZER},	      /* not "hadamard" */
	{"adamw", K, SIGN_OPTIMIZER},
	{"adam_", K, SIGN_OPTIMIZER},
	{"FusedSgd", K, SIGN_OPTIMIZER},
	{"FusedOptimizer", K, SIGN_OPTIMIZER},
	{"LAMB", K, SIGN_OPTIMIZER},
	/* What PyTorch's optimizers do for many tensors at once, and hardly anything else does. */
	{"PointwiseOpScalarListFunctor", K, SIGN_OPTIMIZER},
	{"paged_attention", K, SIGN_KV_CACHE},
	{"reshape_and_cache", K, SIGN_KV_CACHE},
	{"concat_and_cache", K, SIGN_KV_CACHE},
	{"PagedKV", K, SIGN_KV_CACHE},
	{"kv_cache", K, SIGN_KV_CACHE},
	{"kvcache", K, SIGN_KV_CACHE},
	{"masked_multihead_attention", K, SIGN_KV_CACHE},
	{"mmha", K, SIGN_KV_CACHE},
	{"xqa", K, SIGN_KV_CACHE},
	{"flash_decod", K, SIGN_KV_CACHE},
	{"decode_attention", K, SIGN_KV_CACHE},
	{"attention", K, SIGN_ATTENTION},
	{"Attention", K, SIGN_ATTENTION},
	{"flash_fwd", K, SIGN_ATTENTION},
	{"flash_attn", K, SIGN_ATTENTION},
	{"fmha", K, SIGN_ATTENTION},
	{"sdpa", K, SIGN_ATTENTION},
};

static const char *const titles[SIGNS] = {
	[SIGN_VLLM] = "vLLM",
	[SIGN_SGLANG] = "SGLang",
	[SIGN_TENSORRT_LLM] = "TensorRT-LLM",
	[SIGN_LLAMA_CPP] = "llama.cpp",
	[SIGN_MEGATRON] = "Megatron",
	[SIGN_DEEPSPEED] = "DeepSpeed",
	[SIGN_ACCELERATE] = "Hugging Face Accelerate",
	[SIGN_TRANSFORMERS] = "Hugging Face Transformers",
	[SIGN_TRANSFORMER_ENGINE] = "Transformer Engine",
	[SIGN_TENSORRT] = "TensorRT",
	[SIGN_JAX] = "JAX",
	[SIGN_PYTORCH] = "PyTorch",
	[SIGN_BACKWARD] = "backward pass",
	[SIGN_OPTIMIZER] = "optimizer",
	[SIGN_PREFILL] = "prefill",
	[SIGN_DECODE] = "decode",
	[SIGN_SAMPLING] = "sampling",
	[SIGN_GENERATE] = "generation",
	[SIGN_ENGINE_STEP] = "step of an engine",
	[SIGN_KV_CACHE] = "KV cache",
	[SIGN_ATTENTION] = "attention",
};

static const char *const place_titles[SIGN_PLACES] = {
	[PLACE_KERNEL] = "kernel",	  [PLACE_RANGE] = "NVTX range",
	[PLACE_DOMAIN] = "NVTX domain",	  [PLACE_PROCESS] = "process",
	[PLACE_MODULE] = "Python module",
};

const char *sign_title(enum sign s)
{
	return titles[s];
}

const char *sign_place_title(enum sign_place p)
{
	return place_titles[p];
}

void signs_add(struct sign_found *found, enum sign s, enum sign_place place, struct str name,
	       uint64_t count, int64_t ns)
{
	struct sign_found *f = &found[s];

	if (!f->count) {
		f->name = name;
		f->place = place;
	}
	if (place == f->place)
		f->count += count;
	f->ns = sat_add(f->ns, ns);
}

static bool matches(struct str name, const char *text)
{
	return text[0] == '^' ? str_starts(name, text + 1) : str_holds(name, text);
}

/* A name shows a thing once, however many of its rows it matches. */
void signs_add_name(struct sign_found *found, enum sign_place place, struct str name,
		    uint64_t count, int64_t ns)
{
	bool seen[SIGNS] = {false};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!(rows[i].places & 1u << place) || seen[rows[i].sign] ||
		    !matches(name, rows[i].text))
			continue;
		seen[rows[i].sign] = true;
		signs_add(found, rows[i].sign, place, name, count, ns);
	}
}
