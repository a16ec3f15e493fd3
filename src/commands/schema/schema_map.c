/* Which tables does this trace have, how many rows, what are they about, and which columns hold
 * another table's values? */
#include "commands/schema/schema_map.h"

#include "base/mem.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>

enum { MOST_TABLES = 300 };

/* The first that a table's name is like. */
static const struct group {
	const char *title;
	const char *tables;
} groups[] = {
	{"Kernels and copies",
	 "CUPTI_*KERNEL*|CUPTI_*MEMCPY*|CUPTI_*MEMSET*|CUPTI_*GRAPH*|CUDA_GRAPH_*|"
	 "CUDA_GPU_MEMORY_*|CUDA_UM_*"},
	{"API calls", "CUPTI_*|CUDA_CALLCHAINS|CUBLAS_*|CUDNN_*|MPI_*|UCX_*|NCCL_*|OPENMP_EVENT_*|"
		      "NVVIDEO_*|OPENGL_*|VULKAN_*|DX1*|D3D1*"},
	{"NVTX", "NVTX_*"},
	{"CPU and operating system", "OSRT_*|SCHED_*|SAMPLING_*|COMPOSITE_*|PMU_*|ETW_*|SYSCALL*"},
	{"GPU and network metrics", "GPU_*|*GPU_METRICS|FECS_*|NET_*|IB_*|NIC_*|*_NIC_*|GENERIC_*"},
	{"Names", "StringIds|ThreadNames|PROCESSES|UnwindMethodType"},
	{"Machine and capture", "TARGET_INFO_*|META_DATA_*|EXPORT_META_DATA|ANALYSIS_*|"
				"DIAGNOSTIC_*|PROFILER_*|ProcessStreams"},
	{"Enumerations", "ENUM_*"},
	{"Other tables", "*"},
};

const char *schema_group_title(size_t group)
{
	return group < ARRAY_LEN(groups) ? groups[group].title : NULL;
}

/* Whether a name is like one of several patterns of a shell, with | between them. */
static bool name_matches(const char *patterns, const char *name)
{
	while (*patterns) {
		size_t len = strcspn(patterns, "|");
		char one[64];

		if (len < sizeof(one)) {
			memcpy(one, patterns, len);
			one[len] = '\0';
			if (fnmatch(one, name, FNM_CASEFOLD) == 0)
				return true;
		}
		patterns += len + (patterns[len] == '|');
	}
	return false;
}

static size_t group_of(const char *name)
{
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(groups) && !name_matches(groups[i].tables, name))
		i++;
	return i;
}

/* Ids of the page itself have a '-' in them, so that a plain table name never clashes with one. */
static const char *id_of(struct schema_map *m, const char *name, size_t number)
{
	size_t i = 0;

	while (isalnum((unsigned char)name[i]) || name[i] == '_')
		i++;
	return i && !name[i] ? name : arena_printf(&m->arena, "table-%zu", number);
}

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct schema_map *m = ctx;
	const uint32_t *x = a, *y = b;

	return strcasecmp(m->tables[*x].sql->name, m->tables[*y].sql->name);
}

int64_t schema_find_table(const struct schema_map *m, struct str name)
{
	size_t low = 0, high = m->table_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = m->tables[m->by_name[middle]].sql->name;
		int order = strncasecmp(other, name.s, name.len);

		if (order == 0 && !other[name.len])
			return m->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

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
		    !strcasestr(c->type, "int") || !name_matches(k->columns, c->name) ||
		    !name_matches(k->tables, sql->name))
			continue;
		if (is_same(known[i], declared))
			note = k->note;
		else if (declared.table < 0)
			add_key(m, table, column, known[i], false, k->note);
	}
	if (declared.table >= 0)
		add_key(m, table, column, declared, true, note);
}

/* Fills keys, and first_key and key_count of each table. */
static void find_keys(struct schema_map *m)
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

/* Keys by where they lead, those to one table in the order of their own. */
static void sort_users(struct schema_map *m)
{
	size_t next = 0;

	m->users = arena_alloc(&m->arena, m->key_count, sizeof(*m->users));
	for (size_t i = 0; i < m->key_count; i++)
		m->tables[m->keys[i].to].user_count++;
	for (size_t i = 0; i < m->table_count; i++) {
		m->tables[i].first_user = next;
		next += m->tables[i].user_count;
		m->tables[i].user_count = 0;
	}
	for (size_t i = 0; i < m->key_count; i++) {
		struct schema_table *to = &m->tables[m->keys[i].to];

		m->users[to->first_user + to->user_count++] = (uint32_t)i;
	}
}

/* Exports have some 120. Of more than anybody could look at those that are known come first. */
static void choose_tables(struct schema_map *m, const struct sqlitefile *f)
{
	const size_t all = sqlitefile_table_count(f), other = ARRAY_LEN(groups) - 1;
	size_t known = 0, room;

	for (size_t i = 0; i < all; i++)
		known += group_of(sqlitefile_table(f, i)->name) != other;
	room = known < MOST_TABLES ? MOST_TABLES - known : 0;
	for (size_t i = 0; i < all; i++) {
		const struct sqlite_table *t = sqlitefile_table(f, i);
		size_t group = group_of(t->name);

		if (m->table_count == MOST_TABLES || (group == other && !room)) {
			m->left_out++;
			continue;
		}
		room -= group == other;
		m->tables[m->table_count] =
			(struct schema_table){.sql = t, .id = id_of(m, t->name, i), .group = group};
		m->table_count++;
	}
}

int schema_map_make(struct schema_map *m, struct trace *t, struct err *e)
{
	m->tables = arena_zalloc(&m->arena, MOST_TABLES, sizeof(*m->tables));
	m->by_name = arena_alloc(&m->arena, MOST_TABLES, sizeof(*m->by_name));
	choose_tables(m, t->file);
	for (size_t i = 0; i < m->table_count; i++) {
		struct schema_table *table = &m->tables[i];

		m->by_name[i] = (uint32_t)i;
		/* A view's rows are another table's: counting them would run somebody's SQL. */
		if (!table->sql->is_view && trace_count_rows(t, table->sql, &table->rows, e) < 0)
			return -1;
	}
	qsort_r(m->by_name, m->table_count, sizeof(*m->by_name), compare_names, m);
	find_keys(m);
	sort_users(m);
	return 0;
}

void schema_map_free(struct schema_map *m)
{
	free(m->keys);
	arena_free(&m->arena);
}
