/* Models' parameters against published counts, their FLOPs against sums worked out by hand. */
#include "analysis/model/gpu_peaks.h"
#include "analysis/model/model_flops.h"
#include "analysis/model/model_weights.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char llama_3_8b[] =
	"{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_hidden_layers\": 32,"
	" \"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336,"
	" \"vocab_size\": 128256, \"tie_word_embeddings\": false, \"torch_dtype\": \"bfloat16\"}";

static const char gpt2_small[] =
	"{\"model_type\": \"gpt2\", \"n_embd\": 768, \"n_layer\": 12, \"n_head\": 12,"
	" \"n_positions\": 1024, \"n_ctx\": 1024, \"n_inner\": null, \"vocab_size\": 50257}";

static const char mixtral_8x7b[] =
	"{\"model_type\": \"mixtral\", \"hidden_size\": 4096, \"num_hidden_layers\": 32,"
	" \"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336,"
	" \"num_local_experts\": 8, \"num_experts_per_tok\": 2, \"sliding_window\": null,"
	" \"vocab_size\": 32000, \"torch_dtype\": \"bfloat16\"}";

/* Two layers of 2 heads of 4, one of keys, that see two positions. */
static const char tiny[] =
	"{\"model_type\": \"mistral\", \"hidden_size\": 8, \"num_hidden_layers\": 2,"
	" \"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"intermediate_size\": 16,"
	" \"vocab_size\": 10, \"sliding_window\": 2}";

static int try_read(const char *text, struct model *m, struct err *e)
{
	struct json *document;
	int result;

	assert_int_equal(json_read_text(&document, str_of(text), "config.json", e), 0);
	result = model_read(m, document, "config.json", e);
	json_read_free(document);
	return result;
}

static struct model read_model(const char *text)
{
	struct model m;
	struct err e;

	if (try_read(text, &m, &e) < 0)
		fail_msg("%s", e.message);
	return m;
}

static void check_parameters(const char *text, double total, double active)
{
	struct model m = read_model(text);
	struct model_parameters n;

	model_count_parameters(&m, &n);
	if (n.total != total || n.active != active)
		fail_msg("%s: %.0f parameters, %.0f active", m.kind->name, n.total, n.active);
}

/* As the models' cards, or the sizes of their files, have them. */
static void test_published_parameters(void **state)
{
	(void)state;
	check_parameters(llama_3_8b, 8030261248, 8030261248);
	check_parameters(gpt2_small, 124439808, 124439808);
	check_parameters(mixtral_8x7b, 46702792704, 46702792704 - 32 * 6 * (3 * 4096 * 14336.));
	check_parameters("{\"model_type\": \"phi\", \"hidden_size\": 2560, \"num_hidden_layers\": "
			 "32, \"num_attention_heads\": 32, \"intermediate_size\": 10240, "
			 "\"vocab_size\": 51200}",
			 2779683840, 2779683840);
	check_parameters("{\"model_type\": \"gpt_neox\", \"hidden_size\": 4096, "
			 "\"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
			 "\"intermediate_size\": 16384, \"vocab_size\": 50432}",
			 6857302016, 6857302016);
	check_parameters("{\"model_type\": \"falcon\", \"hidden_size\": 4544, "
			 "\"num_hidden_layers\": 32, \"num_attention_heads\": 71, "
			 "\"multi_query\": true, \"parallel_attn\": true, \"bias\": false, "
			 "\"vocab_size\": 65024}",
			 6921720704, 6921720704);
	check_parameters("{\"model_type\": \"opt\", \"hidden_size\": 768, \"num_hidden_layers\": "
			 "12, \"num_attention_heads\": 12, \"ffn_dim\": 3072, "
			 "\"max_position_embeddings\": 2048, \"vocab_size\": 50272, "
			 "\"word_embed_proj_dim\": 768}",
			 125239296, 125239296);
	check_parameters("{\"model_type\": \"opt\", \"hidden_size\": 1024, \"num_hidden_layers\": "
			 "24, \"num_attention_heads\": 16, \"ffn_dim\": 4096, "
			 "\"max_position_embeddings\": 2048, \"vocab_size\": 50272, "
			 "\"word_embed_proj_dim\": 512, \"do_layer_norm_before\": false}",
			 331196416, 331196416);
}

static void test_published_parameters_of_later_ones(void **state)
{
	(void)state;
	check_parameters("{\"model_type\": \"qwen2\", \"hidden_size\": 3584, "
			 "\"num_hidden_layers\": 28, \"num_attention_heads\": 28, "
			 "\"num_key_value_heads\": 4, \"intermediate_size\": 18944, "
			 "\"vocab_size\": 152064, \"use_sliding_window\": false, "
			 "\"sliding_window\": 131072, \"max_window_layers\": 28}",
			 7615616512, 7615616512);
	check_parameters("{\"model_type\": \"qwen3\", \"hidden_size\": 4096, "
			 "\"num_hidden_layers\": 36, \"num_attention_heads\": 32, "
			 "\"num_key_value_heads\": 8, \"head_dim\": 128, \"intermediate_size\": "
			 "12288, \"vocab_size\": 151936, \"attention_bias\": false}",
			 8190735360, 8190735360);
	check_parameters("{\"model_type\": \"gemma2\", \"hidden_size\": 2304, "
			 "\"num_hidden_layers\": 26, \"num_attention_heads\": 8, "
			 "\"num_key_value_heads\": 4, \"head_dim\": 256, \"intermediate_size\": "
			 "9216, \"vocab_size\": 256000, \"sliding_window\": 4096}",
			 2614341888, 2614341888);
	check_parameters("{\"model_type\": \"gemma\", \"hidden_size\": 3072, "
			 "\"num_hidden_layers\": 28, \"num_attention_heads\": 16, "
			 "\"num_key_value_heads\": 16, \"head_dim\": 256, \"intermediate_size\": "
			 "24576, \"vocab_size\": 256000}",
			 8537680896, 8537680896);
	check_parameters("{\"model_type\": \"gemma3\", \"text_config\": {\"model_type\": "
			 "\"gemma3_text\", \"hidden_size\": 1152, \"num_hidden_layers\": 26, "
			 "\"num_attention_heads\": 4, \"num_key_value_heads\": 1, \"head_dim\": "
			 "256, \"intermediate_size\": 6912, \"vocab_size\": 262144, "
			 "\"sliding_window\": 512}}",
			 999885952, 999885952);
}

/* A token does without the experts that it does not go through. */
static void test_published_parameters_of_experts(void **state)
{
	(void)state;
	check_parameters("{\"model_type\": \"qwen3_moe\", \"hidden_size\": 2048, "
			 "\"num_hidden_layers\": 48, \"num_attention_heads\": 32, "
			 "\"num_key_value_heads\": 4, \"head_dim\": 128, \"intermediate_size\": "
			 "6144, \"moe_intermediate_size\": 768, \"num_experts\": 128, "
			 "\"num_experts_per_tok\": 8, \"decoder_sparse_step\": 1, "
			 "\"mlp_only_layers\": [], \"vocab_size\": 151936}",
			 30532122624, 30532122624 - 48 * 120 * (3 * 2048 * 768.));
	check_parameters("{\"model_type\": \"qwen2_moe\", \"hidden_size\": 2048, "
			 "\"num_hidden_layers\": 24, \"num_attention_heads\": 16, "
			 "\"num_key_value_heads\": 16, \"intermediate_size\": 5632, "
			 "\"moe_intermediate_size\": 1408, \"shared_expert_intermediate_size\": "
			 "5632, \"num_experts\": 60, \"num_experts_per_tok\": 4, "
			 "\"decoder_sparse_step\": 1, \"vocab_size\": 151936}",
			 14315784192, 14315784192 - 24 * 56 * (3 * 2048 * 1408.));
	check_parameters("{\"model_type\": \"deepseek_v2\", \"hidden_size\": 2048, "
			 "\"num_hidden_layers\": 27, \"num_attention_heads\": 16, "
			 "\"num_key_value_heads\": 16, \"intermediate_size\": 10944, "
			 "\"moe_intermediate_size\": 1408, \"n_routed_experts\": 64, "
			 "\"n_shared_experts\": 2, \"num_experts_per_tok\": 6, "
			 "\"first_k_dense_replace\": 1, \"moe_layer_freq\": 1, \"q_lora_rank\": "
			 "null, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "
			 "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"vocab_size\": 102400}",
			 15706484224, 15706484224 - 26 * 58 * (3 * 2048 * 1408.));
	check_parameters("{\"model_type\": \"gpt_oss\", \"hidden_size\": 2880, "
			 "\"num_hidden_layers\": 24, \"num_attention_heads\": 64, "
			 "\"num_key_value_heads\": 8, \"head_dim\": 64, \"intermediate_size\": "
			 "2880, \"num_local_experts\": 32, \"num_experts_per_tok\": 4, "
			 "\"attention_bias\": true, \"vocab_size\": 201088, \"sliding_window\": "
			 "128}",
			 20914757184, 20914757184 - 24 * 28 * (3 * 2880 * 2880. + 3 * 2880));
	check_parameters("{\"model_type\": \"deepseek_v3\", \"hidden_size\": 7168, "
			 "\"num_hidden_layers\": 61, \"num_attention_heads\": 128, "
			 "\"num_key_value_heads\": 128, \"intermediate_size\": 18432, "
			 "\"moe_intermediate_size\": 2048, \"n_routed_experts\": 256, "
			 "\"n_shared_experts\": 1, \"num_experts_per_tok\": 8, "
			 "\"first_k_dense_replace\": 3, \"moe_layer_freq\": 1, \"q_lora_rank\": "
			 "1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "
			 "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"vocab_size\": 129280}",
			 671026419200, 671026419200 - 58 * 248 * (3 * 7168 * 2048.));
}

static struct model_flops count(const char *text, struct model_work w)
{
	struct model m = read_model(text);
	struct arena arena = {0};
	struct model_flops f;

	model_flops_count(&m, &w, &arena, &f);
	for (size_t i = 0; i < f.count; i++)
		f.terms[i].how = NULL;
	arena_free(&arena);
	return f;
}

static double term(const struct model_flops *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->terms[i].name, name) == 0)
			return f->terms[i].flops;
	}
	return 0;
}

static void expect(double found, double wanted)
{
	if (found != wanted)
		fail_msg("%.0f, not %.0f", found, wanted);
}

/*
 * A layer's attention has 2 × 4096² + 2 × 4096 × 1024 = 41,943,040 weights, its MLP 3 × 4096 ×
 * 14336 = 176,160,768; 2048 positions make 2048 × 2049 / 2 = 2,098,176 pairs.
 */
static void test_llama_prefill(void **state)
{
	struct model_work w = {.mode = MODE_PREFILL, .batch = 1, .seq = 2048};
	struct model_flops f = count(llama_3_8b, w);

	(void)state;
	expect(term(&f, "projections"), 5497558138880);
	expect(term(&f, "attention"), 1100048498688);
	expect(term(&f, "MLP"), 23089744183296);
	expect(term(&f, "LM head"), 1050673152);
	expect(f.model, 29688401494016);
	expect(f.hardware, 29688401494016);
	expect(f.tokens, 2048);
	w.all_logits = true;
	f = count(llama_3_8b, w);
	expect(f.model, 29688401494016 + 2047 * 1050673152.);
}

/* The token at position 2048 sees 2049, the next one 2050. */
static void test_llama_decode(void **state)
{
	struct model_work w = {.mode = MODE_DECODE, .batch = 1, .seq = 2048, .new_tokens = 1};
	struct model_flops f = count(llama_3_8b, w);

	(void)state;
	expect(term(&f, "attention"), 524288. * 2049);
	expect(f.model, 16083582976);
	w.new_tokens = 2;
	w.batch = 16;
	f = count(llama_3_8b, w);
	expect(f.model, 16 * (2 * (13958643712. + 1050673152) + 524288. * (2049 + 2050)));
	expect(f.tokens, 32);
}

/* Three times the forward pass; what is computed again is no part of the model's FLOPs. */
static void test_gpt2_training(void **state)
{
	struct model_work w = {.mode = MODE_TRAIN, .batch = 8, .seq = 1024};
	struct model_flops f = count(gpt2_small, w);

	(void)state;
	expect(term(&f, "attention"), 154769817600);
	expect(term(&f, "LM head"), 632379408384);
	expect(f.forward, 2178718629888);
	expect(f.model, 6536155889664);
	expect(f.hardware, 6536155889664);
	w.recompute = RECOMPUTE_SELECTIVE;
	f = count(gpt2_small, w);
	expect(f.model, 6536155889664);
	expect(f.hardware, 6536155889664 + 154769817600.);
	w.recompute = RECOMPUTE_FULL;
	f = count(gpt2_small, w);
	expect(f.model, 6536155889664);
	expect(f.hardware, 6536155889664 + 1546339221504.);
}

/* Two of eight experts; positions 1000 to 1009 see 1001 + … + 1010 = 10,055. */
static void test_mixtral_decode(void **state)
{
	struct model_work w = {.mode = MODE_DECODE, .batch = 4, .seq = 1000, .new_tokens = 10};
	struct model_flops f = count(mixtral_8x7b, w);

	(void)state;
	expect(term(&f, "experts"), 901943132160);
	expect(term(&f, "router"), 83886080);
	expect(term(&f, "attention"), 21086863360);
	expect(term(&f, "MLP"), 0);
	expect(f.model, 1040973824000);
}

/* Of three positions the first sees 1, the others 2: 5 pairs. */
static void test_a_window(void **state)
{
	struct model_work w = {.mode = MODE_PREFILL, .batch = 1, .seq = 3};
	struct model_flops f = count(tiny, w);

	(void)state;
	check_parameters(tiny, 1352, 1352);
	expect(term(&f, "projections"), 2304);
	expect(term(&f, "MLP"), 4608);
	expect(term(&f, "windowed attention"), 320);
	expect(term(&f, "attention"), 0);
	expect(f.model, 7392);
	for (uint64_t before = 0; before < 4; before++) {
		w = (struct model_work){
			.mode = MODE_DECODE, .batch = 3, .seq = before, .new_tokens = 2};
		f = count(tiny, w);
		expect(term(&f, "windowed attention"), 3 * 64. * (before ? 4 : 3));
	}
}

static void test_windows_of_some_layers(void **state)
{
	struct model m;

	(void)state;
	m = read_model("{\"model_type\": \"gemma3_text\", \"hidden_size\": 8, "
		       "\"num_hidden_layers\": 13, \"num_attention_heads\": 2, "
		       "\"intermediate_size\": 8, \"vocab_size\": 8, \"sliding_window\": 4}");
	assert_int_equal(m.window_layers, 11);
	m = read_model("{\"model_type\": \"qwen2\", \"hidden_size\": 8, "
		       "\"num_hidden_layers\": 5, \"num_attention_heads\": 2, "
		       "\"intermediate_size\": 8, \"vocab_size\": 8, \"sliding_window\": 4, "
		       "\"use_sliding_window\": true, \"max_window_layers\": 2}");
	assert_int_equal(m.window_layers, 3);
	m = read_model("{\"model_type\": \"qwen3\", \"hidden_size\": 8, "
		       "\"num_hidden_layers\": 3, \"num_attention_heads\": 2, "
		       "\"intermediate_size\": 8, \"vocab_size\": 8, \"sliding_window\": 4, "
		       "\"layer_types\": [\"full_attention\", \"sliding_attention\", "
		       "\"full_attention\"]}");
	assert_int_equal(m.window_layers, 1);
}

static void test_layers_without_experts(void **state)
{
	struct model m;

	(void)state;
	m = read_model("{\"model_type\": \"qwen2_moe\", \"hidden_size\": 8, "
		       "\"num_hidden_layers\": 6, \"num_attention_heads\": 2, "
		       "\"intermediate_size\": 8, \"moe_intermediate_size\": 4, "
		       "\"num_experts\": 4, \"num_experts_per_tok\": 2, \"vocab_size\": 8, "
		       "\"decoder_sparse_step\": 2, \"mlp_only_layers\": [1, 77]}");
	assert_int_equal(m.expert_layers, 2);
	assert_int_equal(m.inner, 8);
	m = read_model("{\"model_type\": \"deepseek\", \"hidden_size\": 8, "
		       "\"num_hidden_layers\": 6, \"num_attention_heads\": 2, "
		       "\"intermediate_size\": 9, \"moe_intermediate_size\": 4, "
		       "\"n_routed_experts\": 4, \"num_experts_per_tok\": 2, "
		       "\"n_shared_experts\": 3, \"first_k_dense_replace\": 1, \"vocab_size\": 8}");
	assert_int_equal(m.expert_layers, 5);
	assert_int_equal(m.shared_inner, 12);
	assert_false(m.shared_gate);
}

static void refuse(const char *text, const char *message)
{
	struct model m;
	struct err e = {0};

	assert_int_equal(try_read(text, &m, &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	if (!strstr(e.message, message))
		fail_msg("%s", e.message);
}

static void test_bad_configs_are_named(void **state)
{
	(void)state;
	refuse("[1]", "an array, not an object");
	refuse("{}", "lacks \"model_type\"");
	refuse("{\"model_type\": \"mamba\"}", "unsupported model_type 'mamba'");
	refuse("{\"model_type\": 7}", "unsupported model_type ''");
	refuse("{\"model_type\": \"llama\"}", "lacks \"num_hidden_layers\"");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": null}",
	       "lacks \"hidden_size\"");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": -1}",
	       "\"num_hidden_layers\" is not a whole number from 1");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 1e300}",
	       "\"num_hidden_layers\" is not a whole number from 1");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 2.5}",
	       "\"num_hidden_layers\" is not a whole number from 1");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 20000, \"hidden_size\": 8, "
	       "\"vocab_size\": 8}",
	       "20000 layers");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 10, "
	       "\"vocab_size\": 8, \"num_attention_heads\": 3}",
	       "3 heads do not divide");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 12, "
	       "\"vocab_size\": 8, \"num_attention_heads\": 3, \"num_key_value_heads\": 2}",
	       "2 key-value heads do not divide 3");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 12, "
	       "\"vocab_size\": 8, \"num_attention_heads\": 3}",
	       "lacks \"intermediate_size\"");
	refuse("{\"model_type\": \"llama\", \"num_hidden_layers\": 9999, \"hidden_size\": "
	       "2147483648, \"vocab_size\": 8, \"num_attention_heads\": 1, "
	       "\"intermediate_size\": 2147483648}",
	       "parameters: a number is wrong");
	refuse("{\"model_type\": \"qwen3\", \"hidden_size\": 8, \"num_hidden_layers\": 1, "
	       "\"num_attention_heads\": 2, \"intermediate_size\": 8, \"vocab_size\": 8, "
	       "\"layer_types\": [\"linear_attention\"]}",
	       "neither full nor sliding");
}

static void test_devices_by_name(void **state)
{
	const struct gpu_peak *p;

	(void)state;
	p = gpu_peak_find(STR_LIT("NVIDIA H100 80GB HBM3"));
	assert_string_equal(p->title, "H100 SXM5");
	assert_true(p->tflops[DTYPE_BF16] == 989.5);
	assert_string_equal(gpu_peak_find(STR_LIT("NVIDIA H100 PCIe"))->title, "H100 PCIe");
	assert_string_equal(gpu_peak_find(STR_LIT("NVIDIA H100 NVL"))->title, "H100 NVL");
	assert_string_equal(gpu_peak_find(STR_LIT("NVIDIA H200"))->title, "H200 SXM5");
	assert_true(gpu_peak_find(STR_LIT("NVIDIA A100-SXM4-80GB"))->tflops[DTYPE_BF16] == 312);
	assert_true(gpu_peak_find(STR_LIT("A100-SXM4-40GB"))->tflops[DTYPE_TF32] == 156);
	assert_string_equal(gpu_peak_find(STR_LIT("Tesla V100-SXM2-16GB"))->title, "V100 SXM2");
	assert_string_equal(gpu_peak_find(STR_LIT("NVIDIA L40S"))->title, "L40S");
	assert_string_equal(gpu_peak_find(STR_LIT("NVIDIA L40"))->title, "L40");
	assert_null(gpu_peak_find(STR_LIT("NVIDIA H100 80GB HBM3 MIG 1g.10gb")));
	assert_null(gpu_peak_find(STR_LIT("NVIDIA GeForce RTX 4090 Laptop GPU")));
	assert_null(gpu_peak_find(STR_LIT("NVIDIA GeForce RTX 4090 D")));
	assert_null(gpu_peak_find(STR_LIT("NVIDIA H100")));
	assert_null(gpu_peak_find(STR_LIT("NVIDIA ")));
	assert_null(gpu_peak_find(STR_LIT("")));
}

/* A device is known by one name alone, and no rate is below a wider type's. */
static void test_peaks_agree(void **state)
{
	const struct gpu_peak *p, *q;

	(void)state;
	for (size_t i = 0; (p = gpu_peak_at(i)); i++) {
		assert_true(p->tflops[DTYPE_FP16] >= p->tflops[DTYPE_FP32]);
		if (p->tflops[DTYPE_BF16] > 0)
			assert_true(p->tflops[DTYPE_BF16] == p->tflops[DTYPE_FP16]);
		if (p->tflops[DTYPE_FP8] > 0)
			assert_true(p->tflops[DTYPE_FP8] >= 1.99 * p->tflops[DTYPE_BF16]);
		for (size_t k = 0; k < i; k++) {
			q = gpu_peak_at(k);
			assert_string_not_equal(p->title, q->title);
		}
	}
	assert_int_equal(dtype_find(STR_LIT("torch.bfloat16")), DTYPE_BF16);
	assert_int_equal(dtype_find(STR_LIT("BF16")), DTYPE_BF16);
	assert_int_equal(dtype_find(STR_LIT("bf")), DTYPE_NONE);
	assert_string_equal(dtype_name(DTYPE_FP8), "fp8");
}

int model_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_parameters),
		cmocka_unit_test(test_published_parameters_of_later_ones),
		cmocka_unit_test(test_published_parameters_of_experts),
		cmocka_unit_test(test_llama_prefill),
		cmocka_unit_test(test_llama_decode),
		cmocka_unit_test(test_gpt2_training),
		cmocka_unit_test(test_mixtral_decode),
		cmocka_unit_test(test_a_window),
		cmocka_unit_test(test_windows_of_some_layers),
		cmocka_unit_test(test_layers_without_experts),
		cmocka_unit_test(test_bad_configs_are_named),
		cmocka_unit_test(test_devices_by_name),
		cmocka_unit_test(test_peaks_agree),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
