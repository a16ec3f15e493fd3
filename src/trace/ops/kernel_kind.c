/* What does this kernel do, as far as its name tells? */
#include "trace/ops/kernel_kind.h"

#include "base/mem.h"
#include "trace/ops/op_class.h"

static const char *const attention[] = {"flash",     "fmha", "sdpa",	  "attention",
					"Attention", "mha_", "paged_attn"};

/* Words of libraries' names for kernels that multiply matrices. */
static const char *const matrix[] = {
	"gemm", "nvjet",   "cutlass",		"xmma",	 "wgmma", "matmul",
	"GEMM", "cublas",  "implicit_convolve", "dgrad", "wgrad", "fprop",
	"gemv", "Kernel2<"};

/* Tensor cores at work: instruction and tile names that only they have. */
static const char *const tensor[] = {"nvjet", "tf32",	  "TF32",  "hmma", "gmma",   "imma",
				     "qmma",  "tensorop", "16816", "1688", "f16f16", "bf16",
				     "f16_",  "_f16",	  "s8_",   "fp8",  "e4m3",   "h16816"};

/* The plain units: fused multiply-add, or the libraries' old SIMT kernels. */
static const char *const simt[] = {"ffma", "sgemm", "simt", "SIMT", "Simt"};

static bool has_any(struct str name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (memmem(name.s, name.len, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

enum kernel_kind kernel_kind(struct str name)
{
	if (op_name_is_comm(name))
		return KERNEL_COMM;
	if (has_any(name, attention, ARRAY_LEN(attention)))
		return KERNEL_ATTENTION;
	if (!has_any(name, matrix, ARRAY_LEN(matrix)))
		return KERNEL_OTHER;
	/* What says both is on tensor cores: "tf32" and "sgemm" stand side by side in names. */
	if (has_any(name, tensor, ARRAY_LEN(tensor)))
		return KERNEL_MATRIX;
	return has_any(name, simt, ARRAY_LEN(simt)) ? KERNEL_MATRIX_FP32 : KERNEL_MATRIX;
}
