/* Why can this SQL not be run, and what did its author mean? */
#include "commands/query/query_tables.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/nearest.h"
#include "trace/kinds.h"

#include <stdio.h>
#include <strings.h>

/* What brings tables that no kind of event of ours lies in; a name may go on after a '*'. */
static const struct {
	const char *table, *flag;
} flags[] = {
	{"SCHED_EVENTS", "--cpuctxsw=process-tree"},
	{"COMPOSITE_EVENTS", "--sample=process-tree"},
	{"SAMPLING_CALLCHAINS", "--sample=process-tree"},
	{"CUDA_CALLCHAINS", "--cudabacktrace=all:0"},
	{"OSRT_*", "--trace=osrt"},
	{"GPU_METRICS", "--gpu-metrics-devices=all"},
	{"GPU_CONTEXT_SWITCH_EVENTS", "--gpuctxsw=true"},
	{"CUDNN_EVENTS", "--trace=cudnn"},
	{"CUBLAS_EVENTS", "--trace=cublas"},
	{"MPI_*", "--trace=mpi"},
	{"UCX_*", "--trace=ucx"},
	{"OPENMP_*", "--trace=openmp"},
	{"OPENACC_*", "--trace=openacc"},
	{"VULKAN_*", "--trace=vulkan"},
	{"OPENGL_*", "--trace=opengl"},
	{"CUDA_UM_*", "--cuda-um-cpu-page-faults=true"},
	{"NET_NIC_METRIC", "--nic-metrics=true"},
	{"CUPTI_ACTIVITY_KIND_*", "--trace=cuda"},
	{"CUDA_GRAPH*", "--trace=cuda --cuda-graph-trace=node"},
};

static bool is_called(const char *name, const char *table)
{
	size_t len = strlen(table);

	if (table[len - 1] == '*')
		return strncasecmp(name, table, len - 1) == 0;
	return strcasecmp(name, table) == 0;
}

static const char *flag_for(const char *name)
{
	for (int k = 0; k < TRACE_KINDS; k++) {
		for (size_t i = 0; i < ARRAY_LEN(trace_kinds[k].tables); i++) {
			if (trace_kinds[k].tables[i] && is_called(name, trace_kinds[k].tables[i]))
				return trace_kinds[k].flag;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (is_called(name, flags[i].table))
			return flags[i].flag;
	}
	return NULL;
}

/* "the query, line 2, column 8: " */
static void add_place(struct buf *b, const struct sql_problem *p, const char *where)
{
	buf_adds(b, where);
	if (p->has_place)
		buf_addf(b, ", line %zu, column %zu", p->line, p->column);
}

/* A third of the letters may be wrong: more, and it is another word. */
static struct nearest nearest_begin(const char *word)
{
	return (struct nearest){word, NULL, NEAREST_BEGINS + strlen(word) / 3 + 1};
}

static const char *nearest_table(const char *name, const struct trace *t)
{
	struct nearest n = nearest_begin(name);

	for (size_t i = 0; i < QUERY_TABLES; i++)
		nearest_try_name(&n, query_table_kinds[i].name);
	for (size_t i = 0; t && i < sqlitefile_table_count(t->file); i++)
		nearest_try_name(&n, sqlitefile_table(t->file, i)->name);
	return n.found;
}

static bool mentions(struct str text, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; n && i + n <= text.len; i++) {
		if (strncasecmp(text.s + i, name, n) == 0)
			return true;
	}
	return false;
}

/* The table of the trace that stands where one of ours would, or NULL. */
static const struct sqlite_table *own_table(const struct trace *t, size_t i)
{
	return t ? sqlitefile_find_table(t->file, query_table_kinds[i].name) : NULL;
}

/* Columns of the tables that the text speaks of. */
static const char *nearest_column(const char *name, struct str text, const struct trace *t)
{
	const char *dot = strrchr(name, '.');
	struct nearest n = nearest_begin(dot ? dot + 1 : name);

	for (size_t i = 0; i < QUERY_TABLES; i++) {
		if (!mentions(text, query_table_kinds[i].name) || own_table(t, i))
			continue;
		for (int f = 0; f < EVENT_FIELDS; f++) {
			if (query_table_kinds[i].fields & EVENT_BIT(f))
				nearest_try_name(&n, event_columns[f].key);
		}
	}
	for (size_t i = 0; t && i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);

		for (size_t c = 0; mentions(text, table->name) && c < table->column_count; c++)
			nearest_try_name(&n, table->columns[c].name);
	}
	return n.found;
}

static int no_table(const struct sql_problem *p, const struct trace *t, struct err *e)
{
	const char *flag = flag_for(p->name), *nearest = nearest_table(p->name, t);

	if (flag && t) {
		err_set(e, ERR_INPUT, "'%s' does not contain the table %s", t->path, p->name);
		e->absent = true;
		return err_hint(e, "capture again with: nsys profile %s …", flag);
	}
	if (nearest)
		return err_hint(e, "did you mean %s?", nearest);
	return err_hint(e, "kernels, copies, api, ranges and gpu_ops are built in; `gpuwhy schema` "
			   "lists the trace's own tables");
}

static int no_column(const struct sql_problem *p, struct str text, const struct trace *t,
		     struct err *e)
{
	const char *nearest = nearest_column(p->name, text, t);
	char quoted[sizeof(p->name) + 2];

	snprintf(quoted, sizeof(quoted), "\"%s\"", p->name);
	for (size_t i = 0; i < QUERY_TABLES; i++) {
		const struct sqlite_table *own = own_table(t, i);

		if (own && mentions(text, own->name))
			return err_hint(e,
					"this trace has its own table %s, which takes precedence "
					"over the built-in one: `gpuwhy schema` lists its columns",
					own->name);
	}
	if (nearest)
		return err_hint(e, "did you mean %s?", nearest);
	if (mentions(text, quoted))
		return err_hint(e, "\"…\" quotes a name; text needs single quotes: '%s'", p->name);
	return err_hint(e,
			"`gpuwhy query TRACE \"SELECT * FROM pragma_table_info('kernels')\"` lists "
			"the columns of a table");
}

int query_problem_say(const struct sql_problem *p, const char *where, struct str text,
		      const struct trace *t, struct err *e)
{
	struct buf place = {0};

	if (p->fault == SQL_REFUSED) {
		*e = p->refused;
		return -1;
	}
	add_place(&place, p, where);
	switch (p->fault) {
	case SQL_WRITES:
		err_set(e, ERR_USAGE, "%s: queries are read-only, and %s is refused", place.s,
			p->what);
		break;
	case SQL_HIDDEN:
		err_set(e, ERR_USAGE,
			"%s: %s cannot be read directly, because it contains the captured "
			"environment",
			place.s, p->name);
		err_hint(e, "write %s without a schema prefix: such values are then NULL", p->name);
		break;
	case SQL_EMPTY:
		err_set(e, ERR_USAGE, "%s has no SQL statement in it", place.s);
		break;
	case SQL_MORE:
		err_set(e, ERR_USAGE, "%s: a second statement begins there; only one is allowed",
			place.s);
		break;
	default:
		err_set(e, ERR_USAGE, "%s: %s", place.s, p->what);
	}
	buf_free(&place);
	if (p->fault == SQL_NO_TABLE)
		return no_table(p, t, e);
	return p->fault == SQL_NO_COLUMN ? no_column(p, text, t, e) : -1;
}
