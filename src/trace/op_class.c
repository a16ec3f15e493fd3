/* Does this kernel compute or communicate? */
#include "trace/op_class.h"

#include "base/mem.h"

struct pattern {
	const char *text;
	bool at_begin; /* of the name, after "void " and namespaces; else anywhere */
};

/* Names as the libraries write them; compared with case. */
static const struct pattern comm_patterns[] = {
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

static bool begins_with(struct str s, const char *text)
{
	size_t len = strlen(text);

	return s.len >= len && memcmp(s.s, text, len) == 0;
}

static bool contains(struct str s, const char *text)
{
	return memmem(s.s, s.len, text, strlen(text)) != NULL;
}

bool op_name_is_comm(struct str name)
{
	if (begins_with(name, "void "))
		name = (struct str){name.s + 5, name.len - 5};
	for (size_t i = 0; i < ARRAY_LEN(comm_patterns); i++) {
		const struct pattern *p = &comm_patterns[i];

		if (p->at_begin ? begins_with(name, p->text) : contains(name, p->text))
			return true;
	}
	return false;
}

uint8_t *op_class_of_names(const struct trace *t)
{
	uint8_t *classes = mem_alloc(t->names.count, sizeof(*classes));

	for (size_t i = 0; i < t->names.count; i++)
		classes[i] = op_name_is_comm(t->names.items[i]) ? OP_COMM : OP_COMPUTE;
	return classes;
}
