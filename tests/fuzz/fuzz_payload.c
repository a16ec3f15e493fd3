/* Does any payload whatever make the readers of Python's stacks crash, hang or read too far? */
#include "trace/code/payload.h"

#include "base/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As the profiler lays them out, and with fields of other sizes that touch each other. */
static const struct payload_layouts layouts = {
	.all = {{0x100000002, PAYLOAD_SAMPLE, {12, 4}, 16, 24, {0, 8}, {8, 8}, {16, 4}},
		{0x100000005, PAYLOAD_BACKTRACE, {0, 8}, 8, 3, {0, 1}, {1, 1}, {2, 1}}},
	.count = 2,
	.named = true,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct payload_stack stack;
	/* A copy of that very size: what is read beyond it is found. */
	char *bytes = mem_alloc(size, 1);

	if (size)
		memcpy(bytes, data, size);
	if (payload_of_bytes(&layouts, (struct str){bytes, size}, &stack) &&
	    (!stack.count || stack.count > STACK_DEPTH))
		abort();
	if (payload_of_json((struct str){bytes, size}, &stack) &&
	    (!stack.count || stack.count > STACK_DEPTH))
		abort();
	free(bytes);
	return 0;
}
