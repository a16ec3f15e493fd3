/* Which tables and columns of an export hold which events? */
#include "trace/kinds.h"

#include "base/mem.h"

#define FIELD(column, sql, type, member)                           \
	{                                                          \
		column, sql, type, offsetof(struct events, member) \
	}

#define SPAN_FIELDS                                      \
	FIELD(COL_START, "start", FIELD_TIME, start_ns), \
		FIELD(COL_DURATION, "end", FIELD_DURATION, duration_ns)

/* What all work on a GPU has. */
#define GPU_FIELDS                                                                   \
	SPAN_FIELDS, FIELD(COL_PROCESS, "globalPid", FIELD_PROCESS, process),        \
		FIELD(COL_DEVICE, "deviceId", FIELD_ID, device),                     \
		FIELD(COL_CONTEXT, "contextId", FIELD_ID, context),                  \
		FIELD(COL_GREEN_CONTEXT, "greenContextId", FIELD_ID, green_context), \
		FIELD(COL_STREAM, "streamId", FIELD_ID, stream),                     \
		FIELD(COL_CORRELATION, "correlationId", FIELD_ID, correlation)

/* What work that may be a node of a graph has too. */
#define NODE_FIELDS GPU_FIELDS, FIELD(COL_GRAPH, "graphNodeId", FIELD_GRAPH, graph)

static const struct field kernel_fields[] = {
	NODE_FIELDS,
	FIELD(COL_NAME, "demangledName", FIELD_NAME, name),
	FIELD(COL_BASE_NAME, "shortName", FIELD_NAME, base_name),
	FIELD(COL_MANGLED_NAME, "mangledName", FIELD_NAME, mangled_name),
	FIELD(COL_GRID_X, "gridX", FIELD_ID, grid[0]),
	FIELD(COL_GRID_Y, "gridY", FIELD_ID, grid[1]),
	FIELD(COL_GRID_Z, "gridZ", FIELD_ID, grid[2]),
	FIELD(COL_BLOCK_X, "blockX", FIELD_ID, block[0]),
	FIELD(COL_BLOCK_Y, "blockY", FIELD_ID, block[1]),
	FIELD(COL_BLOCK_Z, "blockZ", FIELD_ID, block[2]),
	FIELD(COL_REGISTERS, "registersPerThread", FIELD_ID, registers),
	FIELD(COL_STATIC_SMEM, "staticSharedMemory", FIELD_ID, static_smem_bytes),
	FIELD(COL_DYNAMIC_SMEM, "dynamicSharedMemory", FIELD_ID, dynamic_smem_bytes),
};

static const struct field memcpy_fields[] = {
	NODE_FIELDS,
	FIELD(COL_BYTES, "bytes", FIELD_INT, bytes),
	FIELD(COL_COPY_KIND, "copyKind", FIELD_ID, copy_kind),
	FIELD(COL_SRC_KIND, "srcKind", FIELD_ID, src_kind),
	FIELD(COL_DST_KIND, "dstKind", FIELD_ID, dst_kind),
	/* Of pages that the driver moves: why. */
	FIELD(COL_EVENT_CLASS, "migrationCause", FIELD_ID, event_class),
};

static const struct field memset_fields[] = {
	NODE_FIELDS,
	FIELD(COL_BYTES, "bytes", FIELD_INT, bytes),
	FIELD(COL_SRC_KIND, "memKind", FIELD_ID, src_kind),
};

/* The graph as it was instantiated; where that is not said, as it was built. */
static const struct field graph_fields[] = {
	GPU_FIELDS,
	FIELD(COL_GRAPH, "graphId", FIELD_ID, graph),
	FIELD(COL_GRAPH, "graphExecId", FIELD_ID, graph),
};

static const struct field api_fields[] = {
	SPAN_FIELDS,
	FIELD(COL_THREAD, "globalTid", FIELD_THREAD, thread),
	FIELD(COL_CORRELATION, "correlationId", FIELD_ID, correlation),
	FIELD(COL_NAME, "nameId", FIELD_NAME, name),
	FIELD(COL_RESULT, "returnValue", FIELD_INT, result),
};

static const struct field nvtx_fields[] = {
	SPAN_FIELDS,
	FIELD(COL_THREAD, "globalTid", FIELD_THREAD, thread),
	FIELD(COL_EVENT_TYPE, "eventType", FIELD_ID, event_type),
	FIELD(COL_DOMAIN, "domainId", FIELD_ID, domain),
	FIELD(COL_END_THREAD, "endGlobalTid", FIELD_THREAD, end_thread),
	FIELD(COL_NAME, "textId", FIELD_NAME, name),
	FIELD(COL_NAME, "text", FIELD_TEXT, name),
	FIELD(COL_PAYLOAD, "jsonTextId", FIELD_NAME, payload),
	FIELD(COL_PAYLOAD, "jsonText", FIELD_TEXT, payload),
};

static const struct field osrt_fields[] = {
	SPAN_FIELDS,
	FIELD(COL_THREAD, "globalTid", FIELD_THREAD, thread),
	FIELD(COL_NAME, "nameId", FIELD_NAME, name),
	FIELD(COL_EVENT_CLASS, "eventClass", FIELD_ID, event_class),
};

static const struct field allocation_fields[] = {
	FIELD(COL_START, "start", FIELD_TIME, start_ns),
	FIELD(COL_PROCESS, "globalPid", FIELD_PROCESS, process),
	FIELD(COL_DEVICE, "deviceId", FIELD_ID, device),
	FIELD(COL_BYTES, "bytes", FIELD_INT, bytes),
	FIELD(COL_SRC_KIND, "memKind", FIELD_ID, src_kind),
	FIELD(COL_EVENT_TYPE, "memoryOperationType", FIELD_ID, event_type),
};

/* Title, flag, a part of its table's name where that is another, fields, and names of the table. */
#define KIND(title, flag, name_holds, list, ...)                              \
	{                                                                     \
		title, flag, {__VA_ARGS__}, name_holds, list, ARRAY_LEN(list) \
	}

const struct kind trace_kinds[TRACE_KINDS] = {
	[TRACE_KERNELS] =
		KIND("CUDA kernels", "--trace=cuda", "KERNEL", kernel_fields,
		     "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"),
	[TRACE_MEMCPYS] = KIND("GPU memory copies", "--trace=cuda", NULL, memcpy_fields,
			       "CUPTI_ACTIVITY_KIND_MEMCPY"),
	[TRACE_MEMSETS] = KIND("GPU memsets", "--trace=cuda", NULL, memset_fields,
			       "CUPTI_ACTIVITY_KIND_MEMSET"),
	[TRACE_GRAPHS] = KIND("whole-graph launches", "--cuda-graph-trace=graph", NULL,
			      graph_fields, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"),
	[TRACE_API] = KIND("CUDA API calls", "--trace=cuda", "RUNTIME", api_fields,
			   "CUPTI_ACTIVITY_KIND_RUNTIME"),
	[TRACE_NVTX] =
		KIND("NVTX ranges", "--trace=nvtx", "NVTX_EVENTS", nvtx_fields, "NVTX_EVENTS"),
	[TRACE_OSRT] = KIND("OS runtime calls", "--trace=osrt", NULL, osrt_fields, "OSRT_API"),
	[TRACE_ALLOCATIONS] = KIND("GPU memory allocations", "--cuda-memory-usage=true", NULL,
				   allocation_fields, "CUDA_GPU_MEMORY_USAGE_EVENTS"),
};
