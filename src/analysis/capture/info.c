/* What is this trace: tool, machine, processes, events, what is missing, and its tables? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/mem.h"
#include "trace/small_table.h"
#include "trace/system/machine.h"
#include "trace/system/system_facts.h"

#include <stdlib.h>

static const struct column capture_columns[] = {
	{"path", "File", UNIT_NAME, 0, "", SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"tool", "Exported by", UNIT_NAME, 0, NULL, SHOW},
	{"schema", "Schema", UNIT_NAME, 0, NULL, SHOW},
	{"captured_at", "Captured (UTC)", UNIT_NAME, 0, NULL, SHOW},
	{"span_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	{"driver", "NVIDIA driver", UNIT_NAME, 0, NULL, SHOW},
	{"cuda", "CUDA driver API", UNIT_NAME, 0, NULL, SHOW},
	{"os", "Operating system", UNIT_NAME, 0, NULL, SHOW},
	{"cpu", "CPU", UNIT_NAME, 0, NULL, SHOW},
	{"cpu_cores", "CPU cores", UNIT_COUNT, 0, NULL, SHOW},
	{"read_by", "Read by", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column gpu_columns[] = {
	{"gpu", "GPU", UNIT_ID, 0, "", SHOW},
	{"cuda_device", "CUDA device", UNIT_ID, 0, NULL, SHOW_PREFERRED},
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"sm_count", "SMs", UNIT_COUNT, 0, NULL, SHOW},
	{"memory_bytes", "Memory", UNIT_BYTES, 0, NULL, SHOW},
	{"bandwidth_bytes_per_s", "Bandwidth", UNIT_BYTES_PER_S, 0, NULL, SHOW_PREFERRED},
	{"compute_capability", "Compute capability", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"worked", "Ran work", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column process_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"name", "Process", UNIT_NAME, 0, NULL, SHOW},
	{"threads", "Threads", UNIT_COUNT, 0, NULL, SHOW},
	{"thread_names", "Thread names", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
};

static const struct column event_columns[] = {
	{"kind", "Kind", UNIT_NAME, 0, "", SHOW},
	{"table", "Table", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"rows", "Rows", UNIT_COUNT, 0, NULL, SHOW},
};

static const struct column missing_columns[] = {
	{"missing", "Missing", UNIT_NAME, 0, "", SHOW},
	{"why", "Needed for", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"flag", "Capture with", UNIT_NAME, 0, NULL, SHOW},
};

static int add_capture(struct trace *t, struct report *r, struct err *e)
{
	struct rows *rows = report_new_rows(r, "capture", "Capture", capture_columns,
					    ARRAY_LEN(capture_columns));
	const char *declined = sqlitefile_declined(t->file);
	const struct trace_meta *m = &t->meta;
	struct system_facts system;

	rows->table.facts = true;
	if (system_facts_read(t, &system, e) < 0)
		return -1;
	rows_add(rows, cell_text(t->path));
	rows_add(rows, cell_int((int64_t)sqlitefile_size_bytes(t->file)));
	rows_add(rows, word_or_null(m->tool));
	rows_add(rows, word_or_null(m->schema));
	rows_add(rows, text_or_null(system.captured_at));
	rows_add(rows, m->has_span ? cell_int(m->span_ns) : cell_null());
	rows_add(rows, text_or_null(system.driver));
	rows_add(rows,
		 system.cuda[0] ? cell_text(arena_strdup(&r->arena, system.cuda)) : cell_null());
	rows_add(rows, text_or_null(system.os));
	rows_add(rows, text_or_null(system.cpu));
	rows_add(rows, number_or_null(system.cores));
	rows_add(rows, declined ? cell_text(arena_printf(&r->arena, "libsqlite3 (%s)", declined))
				: cell_null());
	return 0;
}

static int add_gpus(struct trace *t, struct report *r, struct err *e)
{
	struct machine m;
	struct rows *rows;

	if (machine_read(t, &m, e) < 0 || machine_find_work(t, &m, e) < 0)
		return -1;
	if (!m.gpu_count)
		return 0;
	rows = report_new_rows(r, "gpus", "GPUs", gpu_columns, ARRAY_LEN(gpu_columns));
	rows->table.kind = "gpu";
	for (size_t i = 0; i < m.gpu_count; i++) {
		const struct gpu *g = &m.gpus[i];

		rows_add(rows, cell_int(g->id));
		rows_add(rows, number_or_null(g->cuda_device));
		rows_add(rows, text_or_null(g->name));
		rows_add(rows, number_or_null(g->sm_count));
		rows_add(rows, number_or_null(g->memory_bytes));
		rows_add(rows, number_or_null(g->bandwidth_bytes_per_s));
		rows_add(rows, g->compute_major < 0
				       ? cell_null()
				       : cell_text(arena_printf(&r->arena, "%lld.%lld",
								(long long)g->compute_major,
								(long long)g->compute_minor)));
		rows_add(rows, cell_text(g->worked ? "yes" : "no"));
	}
	return 0;
}

/* The export lists every process of the machine; only those that were traced are anybody's
 * business. */
static int find_traced(struct trace *t, struct err *e)
{
	for (int k = 0; k < TRACE_KINDS; k++) {
		if (trace_load(t, (enum trace_kind)k, COL_BIT(COL_PROCESS) | COL_BIT(COL_THREAD),
			       e) < 0)
			return -1;
	}
	return 0;
}

/* Names worth showing, each once; a process may have thousands of threads of one name. */
enum { NAMES_SHOWN = 12, NAME_SHOWN_BYTES = 200 };

struct thread_names {
	struct strtab seen;
	struct buf text;
};

static void add_thread_name(struct thread_names *n, struct str name)
{
	size_t before = n->seen.count;

	if (name.len > NAME_SHOWN_BYTES)
		name.len = NAME_SHOWN_BYTES;
	if (!name.len || before > NAMES_SHOWN || strtab_add(&n->seen, name) != before)
		return;
	if (before == NAMES_SHOWN)
		buf_adds(&n->text, ", …");
	else
		buf_addf(&n->text, "%s%.*s", before ? ", " : "", STR_FMT(name));
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct traced_keys {
	uint64_t *all; /* sorted */
	size_t count;
};

static void mark(bool *is_traced, size_t most, const uint32_t *ids, uint64_t count)
{
	for (uint64_t i = 0; ids && i < count; i++) {
		if (ids[i] < most)
			is_traced[ids[i]] = true;
	}
}

/* Other analyses of the trace may have met others, such as threads that were only sampled. */
static struct traced_keys find_keys(struct report *r, const struct trace *t, bool of_threads)
{
	const struct intern *in = of_threads ? &t->thread_keys : &t->process_keys;
	bool *is_traced = arena_zalloc(&r->arena, in->count, sizeof(*is_traced));
	struct traced_keys found = {.all = arena_alloc(&r->arena, in->count, sizeof(*found.all))};

	for (int k = 0; k < TRACE_KINDS; k++) {
		const struct events *ev = &t->events[k];

		mark(is_traced, in->count, of_threads ? ev->thread : ev->process, ev->count);
	}
	for (size_t i = 0; i < in->count; i++) {
		if (is_traced[i])
			found.all[found.count++] = in->keys[i];
	}
	qsort(found.all, found.count, sizeof(*found.all), compare_keys);
	return found;
}

/* Sorted, the threads of a process lie together: its key is the head of theirs. */
static void add_process_rows(struct report *r, const struct trace *t,
			     const struct host_names *host_names)
{
	const struct traced_keys processes = find_keys(r, t, false);
	const struct traced_keys threads = find_keys(r, t, true);
	size_t thread = 0;
	struct rows *rows;

	if (!processes.count)
		return;
	rows = report_new_rows(r, "processes", "Traced processes", process_columns,
			       ARRAY_LEN(process_columns));
	rows->table.kind = "process";
	for (size_t i = 0; i < processes.count; i++) {
		struct thread_names names = {0};
		size_t first = thread;

		for (; thread < threads.count && threads.all[thread] >> 24 <= processes.all[i];
		     thread++) {
			const struct thread_name *n =
				host_names_thread(host_names, threads.all[thread]);

			if (n)
				add_thread_name(&names, n->name);
		}
		rows_add(rows, cell_int(process_pid(processes.all[i])));
		rows_add(rows, text_or_null(host_names_process(host_names, processes.all[i])));
		rows_add(rows, cell_int((int64_t)(thread - first)));
		rows_add(rows, text_or_null(arena_str(&r->arena, buf_str(&names.text))));
		strtab_free(&names.seen);
		buf_free(&names.text);
	}
}

static int add_processes(struct trace *t, struct report *r, struct err *e)
{
	struct host_names host_names;

	if (find_traced(t, e) < 0 || host_names_read(t, &host_names, e) < 0)
		return -1;
	add_process_rows(r, t, &host_names);
	host_names_free(&host_names);
	return 0;
}

static int add_events(struct trace *t, struct report *r, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "events", "Events", event_columns, ARRAY_LEN(event_columns));

	rows->table.kind = "events";
	for (int k = 0; k < TRACE_KINDS; k++) {
		struct events *ev = &t->events[k];

		if (!ev->table)
			continue;
		if (!ev->loaded && sqlitefile_count_rows(t->file, ev->table, &ev->count, e) < 0)
			return -1;
		rows_add(rows, cell_text(trace_kind_title((enum trace_kind)k)));
		rows_add(rows, cell_text(ev->table->name));
		rows_add(rows, cell_int((int64_t)ev->count));
	}
	return 0;
}

static void add_missing(struct trace *t, struct report *r)
{
	const struct events *ev = t->events;
	const struct {
		bool missing;
		const char *what, *why, *flag;
	} gaps[] = {
		{!ev[TRACE_KERNELS].count, "CUDA kernels", "anything about GPU time",
		 "--trace=cuda"},
		{!ev[TRACE_API].count, "CUDA API calls",
		 "launches, synchronisation, causes of idle time", "--trace=cuda"},
		{!ev[TRACE_NVTX].count, "NVTX ranges", "phases, layers and steps of the program",
		 "--trace=nvtx (and annotate the program)"},
		{!ev[TRACE_OSRT].count, "OS runtime calls", "what the host waited for outside CUDA",
		 "--trace=osrt"},
		{ev[TRACE_GRAPHS].count > 0, "kernels inside CUDA graphs",
		 "what runs inside a graph launch", "--cuda-graph-trace=node"},
		{!ev[TRACE_ALLOCATIONS].count, "GPU memory usage", "allocations over time",
		 "--cuda-memory-usage=true"},
		{!sqlitefile_find_table(t->file, "GPU_METRICS"), "GPU metrics",
		 "SM, tensor-core and memory-bandwidth utilisation", "--gpu-metrics-devices=all"},
	};
	struct rows *rows = NULL;

	for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
		if (!gaps[i].missing)
			continue;
		if (!rows) {
			rows = report_new_rows(r, "missing", "Missing for a full analysis",
					       missing_columns, ARRAY_LEN(missing_columns));
		}
		rows_add(rows, cell_text(gaps[i].what));
		rows_add(rows, cell_text(gaps[i].why));
		rows_add(rows, cell_text(gaps[i].flag));
	}
}

static int run_info(const struct analysis *self, struct trace *t, const void *args,
		    struct report *r, struct err *e)
{
	(void)args;
	report_heading(r, "%s", self->title);
	if (add_capture(t, r, e) < 0 || add_gpus(t, r, e) < 0 || add_processes(t, r, e) < 0 ||
	    add_events(t, r, e) < 0)
		return -1;
	add_missing(t, r);
	return 0;
}

static const struct topic topics_info[] = {
	{.table = "capture",
	 .subject = "driver version capture",
	 .words =
		 "capture captured file version nsys tool recorded recording machine driver cuda "
		 "os operating system cpu cores node processor when date long length size duration "
		 "seconds cover",
	 .questions = "which nsys version recorded this\n"
		      "how long is the trace\n"
		      "how long was recorded\n"
		      "how long is the capture\n"
		      "how many seconds does the capture cover\n"
		      "what is the length of the recording\n"
		      "what is the CPU model of the node\n"
		      "which driver version\n"
		      "which CUDA version\n"
		      "when was this captured\n"
		      "when was this profile taken\n"
		      "on which machine was it recorded\n"
		      "how large is the file\n"
		      "how many CPU cores has the machine\n"
		      "what operating system\n",
	 .row = "captured with {tool}|, schema {schema}|, {span_ns} long|, driver {driver}|, CUDA "
		"{cuda}|, {os}|, {cpu}|, {cpu_cores} cores|, at {captured_at}|, {size_bytes}"},
	{.table = "gpus",
	 .subject = "model gpus",
	 .words = "gpu gpus model hardware card hbm board sm count memory capacity name "
		  "device devices",
	 .questions = "which GPU is this\n"
		      "which GPU did it run on\n"
		      "which GPU was it recorded on\n"
		      "what GPU model was used\n"
		      "how many GPUs are there\n"
		      "how much memory has the GPU\n"
		      "how much HBM does the GPU have\n"
		      "how many SMs does the GPU have\n"
		      "what is the compute capability\n"
		      "what is the peak memory bandwidth of the GPU\n",
	 .row = "GPU {gpu} is {name}|, {sm_count} SMs|, {memory_bytes} of memory|, "
		"{bandwidth_bytes_per_s}|, compute capability {compute_capability}",
	 .sum = "{#} GPUs"},
	{.table = "processes",
	 .subject = "traced",
	 .words = "process processes program programs traced pid pids threads thread names called",
	 .questions = "how many processes were traced\n"
		      "which processes are in the capture\n"
		      "how many threads does the traced process have\n"
		      "what are the threads of the process called\n",
	 .row = "process {pid} is {name}|, {threads} threads|: {thread_names}",
	 .sum = "{#} processes|, {threads} threads"},
	{.table = "events",
	 .subject = "events recorded record",
	 .words = "events recorded kinds counts number contains what data",
	 .questions = "what was recorded\n"
		      "how many events are in the trace\n"
		      "which kinds of events does the trace have\n"
		      "how many CUDA events were recorded\n"
		      "how many kernels were recorded in total\n"
		      "how many kernels did nsys record\n"
		      "how many kernels are stored in the file\n",
	 .row = "{rows} {kind} in {table}",
	 .by = "rows"},
	{0},
};

const struct analysis analysis_info = {
	.name = "info",
	.title = "About this trace",
	.summary = "tool, machine, processes, event counts, missing data",
	.example = "gpuwhy info trace.nsys-rep",
	.run = run_info,
	.topics = topics_info,
};

static const struct column table_columns[] = {
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"rows", "Rows", UNIT_COUNT, 0, NULL, SHOW},
	{"columns", "Columns", UNIT_COUNT, 0, NULL, SHOW},
	{"comment", "Contents", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column column_columns[] = {
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"column", "Column", UNIT_NAME, 0, "", SHOW},
	{"type", "Type", UNIT_NAME, 0, NULL, SHOW},
	{"references", "Refers to", UNIT_NAME, 0, NULL, SHOW},
	{"comment", "Contents", UNIT_NAME, 0, NULL, SHOW},
};

static int add_table_rows(struct trace *t, struct report *r, struct rows **ret, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "tables", "Tables", table_columns, ARRAY_LEN(table_columns));

	for (size_t i = 0; i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);
		uint64_t count = 0;

		/* A view's rows are another table's: counting them would run somebody's SQL.
		 */
		if (!table->is_view && trace_count_rows(t, table, &count, e) < 0)
			return -1;
		rows_add(rows, cell_text(table->name));
		rows_add(rows, table->is_view ? cell_null() : cell_int((int64_t)count));
		rows_add(rows, cell_int((int64_t)table->column_count));
		rows_add(rows, word_or_null(table->comment));
	}
	*ret = rows;
	return 0;
}

static struct rows *add_column_rows(struct trace *t, struct report *r)
{
	struct rows *rows =
		report_new_rows(r, "columns", "Columns", column_columns, ARRAY_LEN(column_columns));

	rows->table.kind = "column";
	for (size_t i = 0; i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);

		for (size_t c = 0; c < table->column_count; c++) {
			rows_add(rows, cell_text(table->name));
			rows_add(rows, cell_text(table->columns[c].name));
			rows_add(rows, cell_text(table->columns[c].type));
			rows_add(rows, word_or_null(table->columns[c].references));
			rows_add(rows, word_or_null(table->columns[c].comment));
		}
	}
	return rows;
}

static int run_schema(const struct analysis *self, struct trace *t, const void *args,
		      struct report *r, struct err *e)
{
	const struct row_choice *c = args;
	struct rows *tables, *columns;

	report_heading(r, "%s", self->title);
	if (add_table_rows(t, r, &tables, e) < 0)
		return -1;
	columns = add_column_rows(t, r);
	/* Without --sort a table stays in the order of the file. */
	rows_arrange_also(tables, c, NULL);
	rows_arrange_also(columns, c, NULL);
	if (!c->sort || table_has_column(&tables->table, c->sort) ||
	    table_has_column(&columns->table, c->sort))
		return 0;
	return rows_arrange(tables, c, c->sort, e);
}

static const struct topic topics_schema[] = {
	{.table = "tables",
	 .subject = "schema table column",
	 .words = "schema table tables column columns sqlite database sql field fields",
	 .questions = "which tables are in this trace\n"
		      "what columns does the kernel table have\n"
		      "how many rows does the table have\n"
		      "what is the database schema\n"
		      "which SQLite tables exist\n",
	 .row = "{table}: {rows} rows, {columns} columns|; {comment}",
	 .by = "rows"},
	{0},
};

const struct analysis analysis_schema = {
	.name = "schema",
	.title = "Schema of the export",
	.summary = "tables of the export: columns, types, row counts, references",
	.example = "gpuwhy schema trace.sqlite --html -o schema.html",
	.options = &row_options,
	.all_rows = true,
	.run = run_schema,
	.topics = topics_schema,
};
