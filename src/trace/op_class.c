/* Does this kernel compute or communicate? */
#include "trace/op_class.h"

#include "base/cxx.h"
#include "base/mem.h"
#include "base/pattern.h"

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
	bool found;

	if (op_name_is_comm(name) || !t->comm)
		return op_name_is_comm(name);
	trace_lock(t);
	found = pattern_match(t->comm, name, &too_long) > 0;
	trace_unlock(t);
	return found;
}

/* A pattern is for one thread at a time. */
static int match_names(struct trace *t, uint8_t *classes, size_t count, struct err *e)
{
	int found = 0;

	trace_lock(t);
	for (size_t i = 0; found >= 0 && i < count; i++) {
		if (classes[i] == OP_COMM)
			continue;
		found = pattern_match(t->comm, t->names.items[i], e);
		if (found > 0)
			classes[i] = OP_COMM;
	}
	trace_unlock(t);
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
