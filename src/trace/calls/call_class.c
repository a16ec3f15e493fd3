/* What does a CUDA API function do with the host's time? */
#include "trace/calls/call_class.h"

#include "base/mem.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { LONGEST = 128 }; /* no function's name is longer; a hostile string may be */

struct rule {
	const char *pattern; /* '*' stands for any text; the first rule that fits counts */
	enum call_class class;
	bool blocks;
};

/*
 * Memset without Async returns at once unless it sets host memory, and neither cuMemUnmap nor
 * cuMemRelease waits for the GPU as cudaFree does: they are not marked as blocking. Destroying a
 * context does wait, until the device is idle.
 */
static const struct rule rules[] = {
	{"cu*LaunchHostFunc*", CALL_WAIT_FREE, false},
	{"cu*GraphLaunch*", CALL_LAUNCH, false},
	{"cudaLaunch*", CALL_LAUNCH, false},
	{"cuLaunch*", CALL_LAUNCH, false},
	{"cudaGraph*", CALL_OTHER, false}, /* the names of its nodes look like those of calls */
	{"cuGraph*", CALL_OTHER, false},
	{"cu*Synchronize*", CALL_SYNC, true},
	{"cu*StreamWaitEvent*", CALL_WAIT_FREE, false},
	{"cu*StreamQuery*", CALL_WAIT_FREE, false},
	{"cu*StreamWaitValue*", CALL_WAIT_FREE, false},
	{"cu*StreamWriteValue*", CALL_WAIT_FREE, false},
	{"cu*StreamBatchMemOp*", CALL_WAIT_FREE, false},
	{"cu*StreamAddCallback*", CALL_WAIT_FREE, false},
	{"cu*StreamAttachMemAsync*", CALL_WAIT_FREE, false},
	{"cu*EventQuery*", CALL_WAIT_FREE, false},
	{"cu*EventRecord*", CALL_WAIT_FREE, false},
	{"cu*EventElapsedTime*", CALL_WAIT_FREE, false},
	{"cu*ExternalSemaphoresAsync*", CALL_WAIT_FREE, false},
	{"cu*Mem*PrefetchAsync*", CALL_COPY_ASYNC, false},
	{"cu*Mem*PrefetchBatchAsync*", CALL_COPY_ASYNC, false},
	{"cudaMemcpy*Async*", CALL_COPY_ASYNC, false},
	{"cudaMemset*Async*", CALL_COPY_ASYNC, false},
	{"cuMemcpy*Async*", CALL_COPY_ASYNC, false},
	{"cuMemset*Async*", CALL_COPY_ASYNC, false},
	{"cudaMemcpy*", CALL_COPY_SYNC, true},
	{"cuMemcpy*", CALL_COPY_SYNC, true},
	{"cudaMemset*", CALL_COPY_SYNC, false},
	{"cuMemset*", CALL_COPY_SYNC, false},
	{"cudaFreeAsync*", CALL_ALLOC, false},
	{"cudaFree*", CALL_ALLOC, true},
	{"cuMemFreeAsync*", CALL_ALLOC, false},
	{"cuMemFree*", CALL_ALLOC, true},
	{"cu*ArrayDestroy*", CALL_ALLOC, true},
	{"cu*Array*Create*", CALL_ALLOC, false},
	{"cudaMalloc*", CALL_ALLOC, false},
	{"cudaHostAlloc*", CALL_ALLOC, false},
	{"cudaHostRegister*", CALL_ALLOC, false},
	{"cudaHostUnregister*", CALL_ALLOC, false},
	{"cuMemAlloc*", CALL_ALLOC, false},
	{"cuMemHostAlloc*", CALL_ALLOC, false},
	{"cuMemHostRegister*", CALL_ALLOC, false},
	{"cuMemHostUnregister*", CALL_ALLOC, false},
	{"cuMemAddress*", CALL_ALLOC, false},
	{"cuMemCreate*", CALL_ALLOC, false},
	{"cuMemMap*", CALL_ALLOC, false},
	{"cuMemUnmap*", CALL_ALLOC, false},
	{"cuMemRelease*", CALL_ALLOC, false},
	{"cuMemSetAccess*", CALL_ALLOC, false},
	{"cu*MemPool*", CALL_ALLOC, false},
	{"cu*GraphMemTrim*", CALL_ALLOC, false},
	{"cu*Ipc*MemHandle*", CALL_ALLOC, false},
	{"cuModule*", CALL_MODULE, false},
	{"cu*Library*", CALL_MODULE, false},
	{"cuLink*", CALL_MODULE, false},
	{"cuKernel*", CALL_MODULE, false},
	{"cudaKernel*", CALL_MODULE, false},
	{"cudaGetKernel*", CALL_MODULE, false},
	{"cudaGetFuncBySymbol*", CALL_MODULE, false},
	{"cudaGetSymbol*", CALL_MODULE, false},
	{"cudaFunc*", CALL_MODULE, false},
	{"cuFunc*", CALL_MODULE, false},
	{"cu*Occupancy*", CALL_MODULE, false},
	{"cudaDeviceReset*", CALL_OTHER, true},
	{"cuCtxDestroy*", CALL_OTHER, true},
	{"cuDevicePrimaryCtxReset*", CALL_OTHER, true},
};

/* memmem() prepares for long texts. Names are short, and most lack the part's first letter. */
static const char *find_part(struct str s, const char *part, size_t len)
{
	const char *at = s.s, *end = s.s + s.len;

	for (; (size_t)(end - at) >= len; at++) {
		at = memchr(at, *part, (size_t)(end - at) - len + 1);
		if (!at || memcmp(at, part, len) == 0)
			return at;
	}
	return NULL;
}

/* Patterns end in a star: what it begins with, then what comes later, in this order. */
static bool fits(struct str s, const char *pattern)
{
	for (bool first = true; *pattern; first = false) {
		const size_t len = (size_t)(strchrnul(pattern, '*') - pattern);
		const char *at = s.s;

		if (!first)
			at = find_part(s, pattern, len);
		else if (s.len < len || memcmp(s.s, pattern, len) != 0)
			return false;
		if (!at)
			return false;
		s.len -= (size_t)(at - s.s) + len;
		s.s = at + len;
		pattern += len + 1;
	}
	return true;
}

enum call_class call_class(struct str function, bool *ret_blocks)
{
	*ret_blocks = false;
	if (function.len > LONGEST || !str_starts(function, "cu"))
		return CALL_OTHER;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (fits(function, rules[i].pattern)) {
			*ret_blocks = rules[i].blocks;
			return rules[i].class;
		}
	}
	return CALL_OTHER;
}

bool call_launches_graph(struct str function)
{
	return function.len <= LONGEST && fits(function, "cu*GraphLaunch*");
}

int call_classes_read(struct trace *t, struct call_classes *ret, struct err *e)
{
	*ret = (struct call_classes){0};
	if (strings_load(t, e) < 0)
		return -1;
	ret->count = t->names.count;
	ret->of_name = mem_alloc(ret->count, sizeof(*ret->of_name));
	ret->blocks = mem_alloc(ret->count, sizeof(*ret->blocks));
	for (size_t i = 0; i < ret->count; i++)
		ret->of_name[i] = call_class(t->names.items[i], &ret->blocks[i]);
	return 0;
}

void call_classes_free(struct call_classes *c)
{
	free(c->of_name);
	free(c->blocks);
	*c = (struct call_classes){0};
}

bool call_makes_stream_wait(struct str function)
{
	return function.len <= LONGEST && fits(function, "cu*StreamWait*");
}
