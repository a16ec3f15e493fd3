/*
 * What a CUDA API function does with the host's time, told from its name alone (with or without
 * the version CUPTI appends): launches, copies, waits, allocates, loads code.
 */
#ifndef TRACE_CALL_CLASS_H
#define TRACE_CALL_CLASS_H

#include "trace/trace.h"

enum call_class {
	CALL_OTHER,
	CALL_LAUNCH,	 /* of kernels and of whole graphs */
	CALL_COPY_SYNC,	 /* memcpy and memset without Async in their name */
	CALL_COPY_ASYNC, /* with it, and prefetches */
	CALL_SYNC,	 /* waits for a device, a context, a stream or an event */
	CALL_WAIT_FREE,	 /* orders or asks, and returns at once: StreamWaitEvent, EventQuery, … */
	CALL_ALLOC,	 /* allocates, frees, maps, pins; pools too */
	CALL_MODULE,	 /* loads or looks up code, which lazy loading makes slow */
	CALL_CLASSES,
};

/* By number in trace->names, as of the reading. */
struct call_classes {
	uint8_t *of_name; /* enum call_class */
	bool *blocks;	  /* by its nature it returns only when the GPU is done: also cudaFree */
	size_t count;
};

/* Classifies every name of the trace once; loads the names. */
int call_classes_read(struct trace *t, struct call_classes *ret, struct err *e);
void call_classes_free(struct call_classes *c);

/* CALL_OTHER for NAME_NONE. */
static inline enum call_class call_class_of(const struct call_classes *c, uint32_t name)
{
	return name < c->count ? (enum call_class)c->of_name[name] : CALL_OTHER;
}

static inline bool call_blocks(const struct call_classes *c, uint32_t name)
{
	return name < c->count && c->blocks[name];
}

/* The same for one function. */
enum call_class call_class(struct str function, bool *ret_blocks);
/* Whether it launches a whole graph: one call, many kernels. */
bool call_launches_graph(struct str function);
/* Whether what is launched on a stream then waits for an event or a value. */
bool call_makes_stream_wait(struct str function);

#endif
