/* Which columns hold another table's values? */
#include "commands/schema/schema_map.h"

#include "base/mem.h"

#include <stdlib.h>
#include <strings.h>

/* What exports before 2022 do not declare, and what none does. */
static const struct known_key {
	const char *tables;  /* patterns, with | between them */
	const char *columns; /* the same, of integers */
	const char *to;	     /* TABLE(column), the first that there is */
	const char *note;
} known_keys[] = {
	{"*",
	 "nameId|endNameId|textId|jsonTextId|demangledName|shortName|mangledName|filenameId|"
	 "contentId|symbol|module|srcFile|funcName|varName|kernelName|fieldNameId",
	 "StringIds(id)", NULL},
	{"CUPTI_*|CUDA_*", "correlationId", "CUPTI_ACTIVITY_KIND_RUNTIME(correlationId)",
	 "within a process: globalTid >> 24 = globalPid >> 24"},
	{"*", "globalTid|endGlobalTid", "ThreadNames(globalTid)", NULL},
	{"*", "globalPid", "PROCESSES(globalPid)", NULL},
	{"CUPTI_*|CUDA_*|TARGET_INFO_CUDA_*", "deviceId|srcDeviceId|dstDeviceId",
	 "TARGET_INFO_GPU(cuDevice)|TARGET_INFO_GPU(id)|TARGET_INFO_GPU(deviceId)|"
	 "TARGET_INFO_CUDA_GPU(deviceId)",
	 "a process that sees other GPUs numbers them differently"},
	{"CUPTI_*|CUDA_*", "deviceId", "TARGET_INFO_CUDA_DEVICE(cudaId)", "of the process pid"},
	{"TARGET_INFO_CUDA_DEVICE", "gpuId", "TARGET_INFO_GPU(id)", NULL},
	{"CUPTI_*|CUDA_*", "streamId", "TARGET_INFO_CUDA_STREAM(streamId)",
	 "within a process and context"},
	{"CUPTI_*|CUDA_*|TARGET_INFO_CUDA_STREAM", "contextId|srcContextId|dstContextId",
	 "TARGET_INFO_CUDA_CONTEXT_INFO(contextId)", "within a process"},
	{"CUPTI_*", "graphNodeId",
	 "CUDA_GRAPH_NODE_EVENTS(graphNodeId)|CUDA_GRAPH_EVENTS(graphNodeId)", NULL},
	{"CUPTI_*", "callchainId", "CUDA_CALLCHAINS(id)", NULL},
	{"OSRT_API", "callchainId", "OSRT_CALLCHAINS(id)", NULL},
	{"SAMPLING_CALLCHAINS", "id", "COMPOSITE_EVENTS(id)", NULL},
	{"CUPTI_*", "copyKind", "ENUM_CUDA_MEMCPY_OPER(id)", NULL},
	{"CUPTI_*|CUDA_*", "srcKind|dstKind|memKind", "ENUM_CUDA_MEM_KIND(id)", NULL},
	{"CUPTI_*", "launchType",
	 "ENUM_CUDA_KERNEL_LAUNCH_TYPE(id)|ENUM_CUDA_KRENEL_LAUNCH_TYPE(id)", NULL},
	{"CUPTI_*", "cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG(id)", NULL},
	{"CUPTI_*", "sharedMemoryLimitConfig", "ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG(id)", NULL},
	{"CUPTI_*", "migrationCause", "ENUM_CUDA_UNIF_MEM_MIGRATION(id)", NULL},
	{"CUPTI_*", "syncType|deprecatedSyncType", "ENUM_CUPTI_SYNC_TYPE(id)", NULL},
	{"CUDA_*", "memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER(id)", NULL},
	{"*", "eventClass", "ENUM_NSYS_EVENT_CLASS(id)", NULL},
	{"NVTX_EVENTS", "eventType", "ENUM_NSYS_EVENT_TYPE(id)", NULL},
	{"*", "overheadType", "ENUM_CUPTI_OVERHEAD_TYPE(id)", NULL},
	{"COMPOSITE_EVENTS|SCHED_EVENTS", "threadState", "ENUM_SAMPLING_THREAD_STATE(id)", NULL},
	{"TARGET_INFO_CUDA_STREAM", "flag", "ENUM_CUPTI_STREAM_TYPE(id)", NULL},
};

struct place {
	int64_t table; /* -1: not in this trace */
	int column;
};

static const struct place nowhere = {-1, -1};

/* Where the first of TABLE(column)|… is. */
static struct place find_place(const struct schema_map *m, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "|"), name = strcspn(text, "(|");
		struct place p = {schema_find_table(m, (struct str){text, name}), -1};

		if (p.table >= 0 && name + 1 < len) {
			char *column = strndup(text + name + 1, len - name - 2);

			p.column = column ? sqlite_table_find_column(m->tables[p.table].sql, column)
					  : -1;
			free(column);
		}
		if (p.column >= 0)
			return p;
		text += len + (text[len] == '|');
	}
	return nowhere;
}

static void add_key(struct schema_map *m, size_t from, size_t column, struct place to,
		    bool declared, const char *note)
{
	MEM_GROW(m->keys, m->key_cap, m->key_count + 1);
	m->keys[m->key_count++] = (struct schema_key){.from = (uint32_t)from,
						      .from_column = (int)column,
						      .to = (uint32_t)to.table,
						      .to_column = to.column,
						      .declared = declared,
						      .note = note};
	m->tables[from].key_count++;
}

static bool is_same(struct place a, struct place b)
{
	return a.table == b.table && a.column == b.column;
}

/* A declared key is the only one of its column, unless what it names is not in this trace. */
static void add_keys_of(struct schema_map *m, const struct place *known, size_t table,
			size_t column)
{
	const struct sqlite_table *sql = m->tables[table].sql;
	const struct sqlite_column *c = &sql->columns[column];
	struct place declared = c->references ? find_place(m, c->references) : nowhere;
	const char *note = NULL;

	for (size_t i = 0; i < ARRAY_LEN(known_keys); i++) {
		const struct known_key *k = &known_keys[i];

		if (known[i].table < 0 || known[i].table == (int64_t)table ||
		    !strcasestr(c->type, "int") || !schema_name_matches(k->columns, c->name) ||
		    !schema_name_matches(k->tables, sql->name))
			continue;
		if (is_same(known[i], declared))
			note = k->note;
		else if (declared.table < 0)
			add_key(m, table, column, known[i], false, k->note);
	}
	if (declared.table >= 0)
		add_key(m, table, column, declared, true, note);
}

void schema_find_keys(struct schema_map *m)
{
	struct place known[ARRAY_LEN(known_keys)];

	for (size_t i = 0; i < ARRAY_LEN(known_keys); i++)
		known[i] = find_place(m, known_keys[i].to);
	for (size_t i = 0; i < m->table_count; i++) {
		m->tables[i].first_key = m->key_count;
		for (size_t c = 0; c < m->tables[i].sql->column_count; c++)
			add_keys_of(m, known, i, c);
	}
}
