/* Does this kernel compute or communicate, and what does it compute? */
#include "trace/ops/op_class.h"

#include "base/mem.h"
#include "text/cxx.h"
#include "text/pattern.h"

#include <stdlib.h>

struct comm_name {
	const char *text;
	bool at_begin; /* of the kernel's own name, or of a namespace's; else anywhere */
};

/* Names as the libraries write them; compared with case. */
static const struct comm_name comm_names[] = {
	{"nccl", true}, /* ncclDevKernel_…, ncclKernel_… */
	{"rccl", true},
	{"nvshmem", false},		/* nvshmemi_…, nvshmemx_… */
	{"deep_ep::", false},		/* DeepEP: dispatch, combine, notify */
	{"cross_device_reduce", false}, /* vLLM and SGLang custom all-reduce */
	{"one_shot_all_reduce", false},
	{"two_shot_all_reduce", false},
	{"multimem_all_reduce", false},
	{"multimem_one_shot", false},
	{"multimem_all_gather", false},
	{"lamport_allreduce", false},
	{"oneShotAllReduce", false},
	{"twoShotAllReduce", false},
	{"oneshot_allreduce", false},
	{"twoshot_allreduce", false},
	{"allreduce_fusion_kernel", false},
	{"allReduceKernel", false},
	{"userbuffers_", false}, /* Transformer Engine */
	{"all_to_all_kernel", false},
	{"mscclpp", false},
	{"mscclKernel", false},
};

static bool contains(struct str s, const char *text)
{
	return memmem(s.s, s.len, text, strlen(text)) != NULL;
}

bool op_name_is_comm(struct str name)
{
	/* Types of arguments are called like the library, too, whatever takes them. */
	const struct str qualified = cxx_qualified_name(name);

	for (size_t i = 0; i < ARRAY_LEN(comm_names); i++) {
		const struct comm_name *p = &comm_names[i];

		if (p->at_begin ? cxx_part_begins(qualified, p->text) : contains(name, p->text))
			return true;
	}
	return false;
}

bool op_is_comm(struct trace *t, struct str name)
{
	struct err too_long;
	bool found = op_name_is_comm(name);

	if (found || !t->comm)
		return found;
	trace_lock(t); /* a pattern is for one thread at a time */
	found = pattern_match(t->comm, name, &too_long) > 0;
	trace_unlock(t);
	return found;
}

static int match_names(struct trace *t, uint8_t *classes, size_t count, struct err *e)
{
	int found = 0;
	TRACE_LOCK_SCOPE(t);

	for (size_t i = 0; found >= 0 && i < count; i++) {
		if (classes[i] == OP_COMM)
			continue;
		found = pattern_match(t->comm, t->names.items[i], e);
		if (found > 0)
			classes[i] = OP_COMM;
	}
	return found < 0 ? -1 : 0;
}

int op_class_of_names(struct trace *t, uint8_t **ret, struct err *e)
{
	size_t count = t->names.count;
	uint8_t *classes = mem_alloc(count, sizeof(*classes));

	for (size_t i = 0; i < count; i++)
		classes[i] = op_name_is_comm(t->names.items[i]) ? OP_COMM : OP_COMPUTE;
	if (t->comm && match_names(t, classes, count, e) < 0) {
		free(classes);
		return -1;
	}
	*ret = classes;
	return 0;
}

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
