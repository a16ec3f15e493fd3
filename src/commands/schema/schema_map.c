/* Which tables does this trace have, how many rows, and what are they about? */
#include "commands/schema/schema_map.h"

#include "base/mem.h"
#include "text/text.h"

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

bool schema_name_matches(const char *patterns, const char *name)
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

	while (i + 1 < ARRAY_LEN(groups) && !schema_name_matches(groups[i].tables, name))
		i++;
	return i;
}

/* What a page's own ids and links are not made of: they have a - in them. */
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
	schema_find_keys(m);
	sort_users(m);
	return 0;
}

void schema_map_free(struct schema_map *m)
{
	free(m->keys);
	arena_free(&m->arena);
}
