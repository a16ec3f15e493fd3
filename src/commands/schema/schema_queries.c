/* What can be asked of this trace in SQL? */
#include "commands/schema/schema_map.h"

#include "base/mem.h"
#include "text/text.h"

#include <ctype.h>
#include <strings.h>

/*
 * The example queries as data. {k} is a table under its alias, {k.a|b} its column a, or b where it
 * has no a. Where a trace lacks a table or a column of one, the next of the same name is for it.
 * The table after the first FROM must have rows.
 */

/* What a table is called in the queries, and in exports: the first that there is. */
static const struct {
	const char *alias;
	const char *tables; /* with | between them */
} aliases[] = {
	{"k", "CUPTI_ACTIVITY_KIND_KERNEL|CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"},
	{"m", "CUPTI_ACTIVITY_KIND_MEMCPY"},
	{"z", "CUPTI_ACTIVITY_KIND_MEMSET"},
	{"g", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"},
	{"r", "CUPTI_ACTIVITY_KIND_RUNTIME"},
	{"y", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"},
	{"n", "NVTX_EVENTS"},
	{"o", "OSRT_API"},
	{"c", "SCHED_EVENTS"},
	{"v", "CUDA_GPU_MEMORY_USAGE_EVENTS"},
	{"x", "GPU_METRICS"},
	{"xi", "TARGET_INFO_GPU_METRICS"},
	{"d", "TARGET_INFO_GPU|TARGET_INFO_CUDA_GPU"},
	{"t", "ThreadNames"},
	{"p", "PROCESSES"},
	{"a", "ANALYSIS_DETAILS"},
	{"h", "PROFILER_OVERHEAD"},
	{"s", "StringIds"},
	{"ek", "ENUM_CUDA_MEMCPY_OPER"},
	{"es", "ENUM_CUDA_MEM_KIND"},
	{"ed", "ENUM_CUDA_MEM_KIND"},
	{"ey", "ENUM_CUPTI_SYNC_TYPE"},
	{"ev", "ENUM_CUDA_DEV_MEM_EVENT_OPER"},
};

static const struct query_template {
	const char *name, *title, *purpose, *sql;
} templates[] = {
	{"kernels-by-time", "Kernels by total time", "Where the GPU's time went.",
	 "SELECT {s.value} AS kernel, count(*) AS launches,\n"
	 "       sum({k.end} - {k.start}) AS total_ns, avg({k.end} - {k.start}) AS avg_ns\n"
	 "FROM {k}\nJOIN {s} ON {s.id} = {k.shortName|demangledName}\n"
	 "GROUP BY kernel\nORDER BY total_ns DESC\nLIMIT 20"},
	{"longest-kernels", "The longest single kernels",
	 "Which launches stand out, when they ran and how large they were.",
	 "SELECT {s.value} AS kernel, {k.start}, {k.end} - {k.start} AS ns,\n"
	 "       {k.deviceId} AS device, {k.streamId} AS stream,\n"
	 "       {k.gridX} * {k.gridY} * {k.gridZ} AS blocks,\n"
	 "       {k.blockX} * {k.blockY} * {k.blockZ} AS threads\n"
	 "FROM {k}\nJOIN {s} ON {s.id} = {k.demangledName|shortName}\n"
	 "ORDER BY ns DESC\nLIMIT 20"},
	{"streams", "Kernel time by device and stream", "Which streams are active, and when.",
	 "SELECT {k.deviceId} AS device, {k.streamId} AS stream, count(*) AS kernels,\n"
	 "       sum({k.end} - {k.start}) AS busy_ns,\n"
	 "       min({k.start}) AS first_ns, max({k.end}) AS last_ns\n"
	 "FROM {k}\nGROUP BY device, stream\nORDER BY busy_ns DESC"},
	{"gaps", "The longest gaps between kernels",
	 "When a GPU ran no kernel; copies may fill a gap (gpuwhy idle counts copies as busy).",
	 "SELECT device, start - gap_ns AS gap_start, gap_ns\n"
	 "FROM (SELECT {k.deviceId} AS device, {k.start} AS start,\n"
	 "             {k.start} - max({k.end}) OVER (\n"
	 "               PARTITION BY {k.deviceId} ORDER BY {k.start}\n"
	 "               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap_ns\n"
	 "      FROM {k})\n"
	 "WHERE gap_ns > 0\nORDER BY gap_ns DESC\nLIMIT 20"},
	{"low-occupancy", "Kernels with fewer blocks than the GPU has multiprocessors",
	 "Kernels that leave part of the GPU empty.",
	 "SELECT {s.value} AS kernel, {k.gridX} * {k.gridY} * {k.gridZ} AS blocks,\n"
	 "       count(*) AS launches, sum({k.end} - {k.start}) AS total_ns\n"
	 "FROM {k}\nJOIN {s} ON {s.id} = {k.shortName|demangledName}\n"
	 "WHERE blocks < (SELECT max({d.smCount|numMultiprocessors}) FROM {d})\n"
	 "GROUP BY kernel, blocks\nORDER BY total_ns DESC\nLIMIT 20"},
	{"copies", "Copies by direction", "How much is copied, and how fast.",
	 "SELECT {ek.label} AS direction, count(*) AS copies, sum({m.bytes}) AS bytes,\n"
	 "       sum({m.end} - {m.start}) AS total_ns,\n"
	 "       1.0 * sum({m.bytes}) / sum({m.end} - {m.start}) AS gb_per_s\n"
	 "FROM {m}\nJOIN {ek} ON {ek.id} = {m.copyKind}\n"
	 "GROUP BY direction\nORDER BY total_ns DESC"},
	{"copies", "Copies by direction",
	 "How much is copied, and how fast. Kinds: 1 host to device, 2 device to host, 8 on a "
	 "device, 10 between devices.",
	 "SELECT {m.copyKind} AS kind, count(*) AS copies, sum({m.bytes}) AS bytes,\n"
	 "       sum({m.end} - {m.start}) AS total_ns,\n"
	 "       1.0 * sum({m.bytes}) / sum({m.end} - {m.start}) AS gb_per_s\n"
	 "FROM {m}\nGROUP BY kind\nORDER BY total_ns DESC"},
	{"pageable", "Copies from and to pageable memory",
	 "Copies that pinned memory would speed up.",
	 "SELECT {es.label} AS from_memory, {ed.label} AS to_memory, count(*) AS copies,\n"
	 "       sum({m.bytes}) AS bytes, sum({m.end} - {m.start}) AS total_ns\n"
	 "FROM {m}\nJOIN {es} ON {es.id} = {m.srcKind}\nJOIN {ed} ON {ed.id} = {m.dstKind}\n"
	 "GROUP BY from_memory, to_memory\nORDER BY total_ns DESC"},
	{"memsets", "Memsets", "How much memory is cleared, by device.",
	 "SELECT {z.deviceId} AS device, count(*) AS sets, sum({z.bytes}) AS bytes,\n"
	 "       sum({z.end} - {z.start}) AS total_ns\n"
	 "FROM {z}\nGROUP BY device"},
	{"graphs", "CUDA graphs recorded as a whole", "Replays and time of each.",
	 "SELECT {g.graphId} AS graph, count(*) AS replays,\n"
	 "       sum({g.end} - {g.start}) AS total_ns, max({g.end} - {g.start}) AS longest_ns\n"
	 "FROM {g}\nGROUP BY graph\nORDER BY total_ns DESC"},
	{"api-calls", "CUDA calls by host time", "Host time spent in CUDA.",
	 "SELECT {s.value} AS call, count(*) AS calls, sum({r.end} - {r.start}) AS total_ns,\n"
	 "       max({r.end} - {r.start}) AS longest_ns\n"
	 "FROM {r}\nJOIN {s} ON {s.id} = {r.nameId}\n"
	 "GROUP BY call\nORDER BY total_ns DESC\nLIMIT 20"},
	{"launches", "From the launch call to the kernel",
	 "How long kernels wait in the queue. A launch is identified by process and correlation "
	 "id.",
	 "SELECT {s.value} AS kernel, {r.start} AS call_start, {r.end} - {r.start} AS call_ns,\n"
	 "       {k.start} - {r.end} AS queued_ns, {k.end} - {k.start} AS kernel_ns\n"
	 "FROM {k}\nJOIN {r} ON {r.correlationId} = {k.correlationId}\n"
	 "      AND {r.globalTid} >> 24 = {k.globalPid} >> 24\n"
	 "JOIN {s} ON {s.id} = {k.shortName|demangledName}\n"
	 "ORDER BY queued_ns DESC\nLIMIT 20"},
	{"failed-calls", "CUDA calls that returned an error", "0 is cudaSuccess.",
	 "SELECT {s.value} AS call, {r.returnValue} AS error, count(*) AS calls\n"
	 "FROM {r}\nJOIN {s} ON {s.id} = {r.nameId}\n"
	 "WHERE {r.returnValue} <> 0\nGROUP BY call, error\nORDER BY calls DESC"},
	{"synchronization", "What the host waits for", "Synchronisation by kind.",
	 "SELECT {ey.label} AS kind, count(*) AS waits, sum({y.end} - {y.start}) AS total_ns\n"
	 "FROM {y}\nJOIN {ey} ON {ey.id} = {y.syncType}\n"
	 "GROUP BY kind\nORDER BY total_ns DESC"},
	{"threads", "CUDA calls by thread", "Which threads launch work, and their names.",
	 "SELECT {r.globalTid} & 0xFFFFFF AS tid, ({r.globalTid} >> 24) & 0xFFFFFF AS pid,\n"
	 "       (SELECT {s.value} FROM {t} JOIN {s} ON {s.id} = {t.nameId}\n"
	 "        WHERE {t.globalTid} = {r.globalTid} LIMIT 1) AS thread,\n"
	 "       count(*) AS calls, sum({r.end} - {r.start}) AS total_ns\n"
	 "FROM {r}\nGROUP BY {r.globalTid}\nORDER BY total_ns DESC"},
	{"processes", "Kernel time by process", "Which processes use the GPU.",
	 "SELECT {p.pid}, {p.name} AS process, count(*) AS kernels,\n"
	 "       sum({k.end} - {k.start}) AS total_ns\n"
	 "FROM {k}\nJOIN {p} ON {p.globalPid} = {k.globalPid}\n"
	 "GROUP BY {k.globalPid}\nORDER BY total_ns DESC"},
	{"memory-in-use", "Memory allocated and freed", "GPU memory by kind of event.",
	 "SELECT {ev.label} AS event, count(*) AS events, sum({v.bytes}) AS bytes\n"
	 "FROM {v}\nJOIN {ev} ON {ev.id} = {v.memoryOperationType}\nGROUP BY event"},
	{"ranges", "NVTX ranges by wall time",
	 "A name is text or a string id. Types: 59 push/pop, 60 start/end.",
	 "SELECT coalesce({n.text}, {s.value}) AS range, count(*) AS instances,\n"
	 "       sum({n.end} - {n.start}) AS total_ns, max({n.end} - {n.start}) AS longest_ns\n"
	 "FROM {n}\nLEFT JOIN {s} ON {s.id} = {n.textId}\n"
	 "WHERE {n.eventType} IN (59, 60) AND {n.end} IS NOT NULL\n"
	 "GROUP BY range\nORDER BY total_ns DESC\nLIMIT 20"},
	{"ranges", "NVTX ranges by wall time", "Types: 59 push/pop, 60 start/end.",
	 "SELECT {n.text} AS range, count(*) AS instances,\n"
	 "       sum({n.end} - {n.start}) AS total_ns, max({n.end} - {n.start}) AS longest_ns\n"
	 "FROM {n}\nWHERE {n.eventType} IN (59, 60) AND {n.end} IS NOT NULL\n"
	 "GROUP BY range\nORDER BY total_ns DESC\nLIMIT 20"},
	{"range-kernels", "Kernels that the longest NVTX range launched",
	 "What one range did on the GPU: change the condition in the first part.",
	 "WITH one AS (\n"
	 "  SELECT {n.globalTid} AS tid, {n.start} AS began, {n.end} AS ended\n"
	 "  FROM {n}\n  WHERE {n.eventType} = 59 AND {n.end} IS NOT NULL\n"
	 "  ORDER BY {n.end} - {n.start} DESC LIMIT 1)\n"
	 "SELECT {s.value} AS kernel, count(*) AS launches,\n"
	 "       sum({k.end} - {k.start}) AS total_ns\n"
	 "FROM one\nJOIN {r} ON {r.globalTid} = one.tid\n"
	 "      AND {r.start} BETWEEN one.began AND one.ended\n"
	 "JOIN {k} ON {k.correlationId} = {r.correlationId}\n"
	 "      AND {k.globalPid} >> 24 = {r.globalTid} >> 24\n"
	 "JOIN {s} ON {s.id} = {k.shortName|demangledName}\n"
	 "GROUP BY kernel\nORDER BY total_ns DESC\nLIMIT 20"},
	{"os-calls", "Calls into the operating system by time", "Locks, files, sockets, sleep.",
	 "SELECT {s.value} AS call, count(*) AS calls, sum({o.end} - {o.start}) AS total_ns\n"
	 "FROM {o}\nJOIN {s} ON {s.id} = {o.nameId}\n"
	 "GROUP BY call\nORDER BY total_ns DESC\nLIMIT 20"},
	{"switches", "Threads with the most context switches", "Context switches by thread.",
	 "SELECT {c.globalTid} & 0xFFFFFF AS tid, count(*) AS switches,\n"
	 "       count(DISTINCT {c.cpu}) AS cpus\n"
	 "FROM {c}\nWHERE {c.isSchedIn} = 1\n"
	 "GROUP BY {c.globalTid}\nORDER BY switches DESC\nLIMIT 20"},
	{"metrics", "GPU metrics", "Mean and maximum of each metric.",
	 "SELECT {xi.metricName} AS metric, count(*) AS samples, avg({x.value}) AS mean,\n"
	 "       max({x.value}) AS most\n"
	 "FROM {x}\nJOIN {xi} ON {xi.typeId} = {x.typeId} AND {xi.metricId} = {x.metricId}\n"
	 "GROUP BY metric\nORDER BY metric"},
	{"gpus", "The GPUs", "Multiprocessors and memory of each.",
	 "SELECT {d.id|deviceId}, {d.name}, {d.smCount|numMultiprocessors} AS multiprocessors,\n"
	 "       {d.totalMemory|globalMemorySize} AS memory_bytes\n"
	 "FROM {d}"},
	{"capture", "How long the capture is", "From its start to its stop.",
	 "SELECT {a.startTime}, {a.stopTime}, {a.duration} / 1e9 AS seconds\nFROM {a}"},
	{"profiler", "Profiler overhead", "Time spent in the profiler itself.",
	 "SELECT {s.value} AS what, count(*) AS times, sum({h.end} - {h.start}) AS total_ns\n"
	 "FROM {h}\nJOIN {s} ON {s.id} = {h.nameId}\n"
	 "GROUP BY what\nORDER BY total_ns DESC"},
};

/* Whether it reads as it is, on one line and in any font. */
static bool is_showable(const char *name)
{
	struct buf safe = {0};
	bool same;

	text_add_safe(&safe, str_of(name));
	same = name[0] && strcmp(buf_str(&safe).s, name) == 0;
	buf_free(&safe);
	return same;
}

/* No keyword of SQL has a _ in it but these three. */
static bool is_plain(const char *name)
{
	size_t i = 0;

	if (!strchr(name, '_') || strncasecmp(name, "CURRENT_", 8) == 0 ||
	    isdigit((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)name[i]) || name[i] == '_')
		i++;
	return !name[i];
}

static void add_name(struct buf *b, const char *name)
{
	if (is_plain(name)) {
		buf_adds(b, name);
		return;
	}
	buf_addc(b, '"');
	for (; *name; name++)
		buf_adds(b, (char[]){*name, *name == '"' ? '"' : '\0', '\0'});
	buf_addc(b, '"');
}

bool schema_add_first_look(struct buf *b, const struct schema_table *t)
{
	if (!is_showable(t->sql->name))
		return false;
	buf_adds(b, "SELECT * FROM ");
	add_name(b, t->sql->name);
	buf_adds(b, " LIMIT 20");
	return true;
}

/* The next of several words with | between them; empty after the last. */
static struct str next_word(struct str *words)
{
	const char *bar = words->len ? memchr(words->s, '|', words->len) : NULL;
	struct str word = {words->s, bar ? (size_t)(bar - words->s) : words->len};
	size_t used = word.len + (bar ? 1 : 0);

	*words = (struct str){words->s + used, words->len - used};
	return word;
}

static const struct schema_table *find_alias(const struct schema_map *m, struct str alias)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		struct str names = str_of(aliases[i].tables), name;

		if (!str_eq(alias, str_of(aliases[i].alias)))
			continue;
		while ((name = next_word(&names)).len) {
			int64_t found = schema_find_table(m, name);

			if (found >= 0)
				return &m->tables[found];
		}
	}
	return NULL;
}

static const char *find_column(const struct schema_table *t, struct str names)
{
	struct str name;

	while ((name = next_word(&names)).len) {
		for (size_t i = 0; i < t->sql->column_count; i++) {
			const char *found = t->sql->columns[i].name;

			if (strlen(found) == name.len && strncasecmp(found, name.s, name.len) == 0)
				return found;
		}
	}
	return NULL;
}

static bool note_table(struct schema_query *q, uint32_t table)
{
	for (size_t i = 0; i < q->table_count; i++) {
		if (q->tables[i] == table)
			return true;
	}
	if (q->table_count == QUERY_TABLES)
		return false;
	q->tables[q->table_count++] = table;
	return true;
}

/* One {…}; false: it is not in this trace. */
static bool add_part(const struct schema_map *m, struct schema_query *q, struct str part)
{
	const char *dot = memchr(part.s, '.', part.len);
	struct str alias = {part.s, dot ? (size_t)(dot - part.s) : part.len};
	const struct schema_table *t = find_alias(m, alias);
	const char *column;

	if (!t || !note_table(q, (uint32_t)(t - m->tables)))
		return false;
	if (!dot) {
		buf_addf(&q->sql, "%s AS %.*s", t->sql->name, STR_FMT(alias));
		return true;
	}
	column = find_column(t, (struct str){dot + 1, part.len - alias.len - 1});
	if (column)
		buf_addf(&q->sql, "%.*s.%s", STR_FMT(alias), column);
	return column != NULL;
}

static bool fill_in(const struct schema_map *m, struct schema_query *q, const char *sql)
{
	for (;;) {
		size_t len = strcspn(sql, "{"), part;

		buf_add(&q->sql, sql, len);
		if (!sql[len])
			return true;
		sql += len + 1;
		part = strcspn(sql, "}");
		if (!add_part(m, q, (struct str){sql, part}))
			return false;
		sql += part + 1;
	}
}

/* The table after the first FROM is what it counts. */
static bool has_rows(const struct schema_map *m, const char *sql)
{
	const char *from = strstr(sql, "FROM {");
	const struct schema_table *t;

	if (!from)
		return true;
	from += strlen("FROM {");
	t = find_alias(m, (struct str){from, strcspn(from, "}")});
	return t && (t->rows || t->sql->is_view);
}

static bool is_given(const struct schema_map *m, const struct query_template *t)
{
	struct schema_query q = {0};
	bool given = has_rows(m, t->sql) && fill_in(m, &q, t->sql);

	buf_free(&q.sql);
	return given;
}

/* Of several with one name the first will do. */
static bool is_taken(const struct schema_map *m, size_t i)
{
	for (size_t other = 0; other < i; other++) {
		if (strcmp(templates[other].name, templates[i].name) == 0 &&
		    is_given(m, &templates[other]))
			return true;
	}
	return false;
}

bool schema_query_at(const struct schema_map *m, size_t i, struct schema_query *ret)
{
	if (i >= ARRAY_LEN(templates))
		return false;
	*ret = (struct schema_query){.name = templates[i].name,
				     .title = templates[i].title,
				     .purpose = templates[i].purpose};
	if (is_taken(m, i) || !is_given(m, &templates[i]) || !fill_in(m, ret, templates[i].sql))
		buf_clear(&ret->sql);
	return true;
}
