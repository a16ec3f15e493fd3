/* Which words in a kernel's name say nothing about what it computes? */
#include "report/kernel_words.h"

#include "base/mem.h"

/* clang-format off */
static const char *const plumbing[] = {
	/* numbers */
	"void", "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double",
	"float2", "float4", "uint4", "complex", "half", "__half", "__nv_bfloat16", "Half", "BFloat16",
	"Float8_e4m3fn", "Float8_e5m2", "Int64", "Float32", "Float64",
	/* grammar */
	"const", "volatile", "operator", "type", "value_type", "result_type",
	/* containers */
	"array", "Array", "tuple", "null_type", "NullType", "KeyValuePair", "OpaqueType", "device_ptr",
	"use_default",
	/* what PyTorch, CUB and Thrust wrap around a functor */
	"ReduceOp", "gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel",
	"uniform_and_transform", "distribution_nullary_kernel",
	"_cuda_scatter_gather_internal_kernel", "policy_hub", "ScanTileState", "InputValue",
	"VSMemHelper", "ParallelForAgent",
};

static const char *const plumbing_begins[] = {
	"Policy", "cublasGemv", "curandState", "CUDAGenerator", "always_true",
};

static const char *const plumbing_ends[] = {
	"Policy",     "_iterator", "Iterator",	  "identity", "Metadata", "_t", "_tag", "traits",
	"Calculator", "WithCast",  "WithoutCast", "Params",   "_params",
};

static const char *const shells[] = {"Kernel", "Kernel2", "_kernel_agent"};
/* clang-format on */

static bool equals_any(struct str s, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(s, str_of(list[i])))
			return true;
	return false;
}

static bool begins_with_any(struct str s, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_starts(s, list[i]))
			return true;
	return false;
}

static bool ends_with_any(struct str s, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(list[i]);

		if (s.len >= n && memcmp(s.s + s.len - n, list[i], n) == 0)
			return true;
	}
	return false;
}

bool kernel_word_is_plumbing(struct str word)
{
	return (word.s[0] >= '0' && word.s[0] <= '9') ||
	       equals_any(word, plumbing, ARRAY_LEN(plumbing)) ||
	       begins_with_any(word, plumbing_begins, ARRAY_LEN(plumbing_begins)) ||
	       ends_with_any(word, plumbing_ends, ARRAY_LEN(plumbing_ends));
}

bool kernel_word_is_shell(struct str word)
{
	return equals_any(word, shells, ARRAY_LEN(shells));
}
