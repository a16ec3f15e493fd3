/*
 * A trace: the events of one Nsight Systems export as columns, and what the export says about
 * the machine and the processes. Nothing is read before it is asked for, and no column twice.
 *
 * Every table and column but StringIds(id, value) is optional. A column that the export lacks stays
 * NULL after loading; a row without a value holds the *_NONE of its kind. Tables hold rows in the
 * export's order, which is not always order of time.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/saturate.h"
#include "sqlitefile/sqlitefile.h"
#include "text/strtab.h"

#include <pthread.h>
#include <stdatomic.h>

#define ID_NONE	      UINT32_MAX  /* no value in a 32-bit id column */
#define NAME_NONE     STRTAB_NONE /* no name */
#define INT_NONE      INT64_MIN	  /* no value in a 64-bit column */
#define DURATION_NONE INT64_MIN	  /* an event without an end: a marker, or a range never closed */

/* The kinds of events. */
enum trace_kind {
	TRACE_KERNELS,
	TRACE_MEMCPYS,
	TRACE_MEMSETS,
	TRACE_GRAPHS,		     /* whole-graph launches of a graph-level capture */
	TRACE_GPU_KINDS,	     /* work on a GPU comes first */
	TRACE_API = TRACE_GPU_KINDS, /* CUDA runtime and driver calls */
	TRACE_NVTX,
	TRACE_OSRT,	   /* operating-system runtime calls */
	TRACE_ALLOCATIONS, /* of GPU memory, and what gives it back */
	TRACE_KINDS,
};

/* The columns of events; which kinds have which, src/trace/kinds.c says. */
enum trace_column {
	COL_START,
	COL_DURATION,
	COL_PROCESS,
	COL_THREAD,
	COL_DEVICE,
	COL_CONTEXT,
	COL_GREEN_CONTEXT,
	COL_STREAM,
	COL_CORRELATION,
	COL_NAME,
	COL_BASE_NAME,
	COL_MANGLED_NAME,
	COL_GRID_X,
	COL_GRID_Y,
	COL_GRID_Z,
	COL_BLOCK_X,
	COL_BLOCK_Y,
	COL_BLOCK_Z,
	COL_REGISTERS,
	COL_STATIC_SMEM,
	COL_DYNAMIC_SMEM,
	COL_BYTES,
	COL_COPY_KIND,
	COL_SRC_KIND,
	COL_DST_KIND,
	COL_RESULT,
	COL_EVENT_CLASS,
	COL_EVENT_TYPE,
	COL_DOMAIN,
	COL_END_THREAD, /* of a range that ends on another thread */
	COL_GRAPH,	/* the CUDA graph that an op is part of, or that was launched whole */
	COL_PAYLOAD,	/* what a range carries, as JSON; few ask for it, and it is large */
	COL_COUNT,
};

#define COL_BIT(column) (UINT32_C(1) << (column))
#define COLS_ALL	((uint32_t)((UINT64_C(1) << COL_PAYLOAD) - 1)) /* but that */
/* When an event was, and where work on a GPU ran. */
#define COLS_TIMES	    (COL_BIT(COL_START) | COL_BIT(COL_DURATION))
#define COLS_PROCESS_DEVICE (COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE))
#define COLS_GRID                                                                                 \
	(COL_BIT(COL_GRID_X) | COL_BIT(COL_GRID_Y) | COL_BIT(COL_GRID_Z) | COL_BIT(COL_BLOCK_X) | \
	 COL_BIT(COL_BLOCK_Y) | COL_BIT(COL_BLOCK_Z))

/*
 * The events of one kind. Times in nanoseconds of the capture's clock, which may be negative;
 * durations are end − start. `process` and `thread` are numbers of trace->process_keys and
 * thread_keys; `name` columns are numbers of trace->names; the others are the export's own numbers.
 */
struct events {
	const struct sqlite_table *table; /* NULL: the export has none of this kind */
	uint64_t count;			  /* known once any column is loaded */
	uint32_t loaded;		  /* COL_BITs */
	int64_t *start_ns;
	int64_t *duration_ns;
	uint32_t *process;
	uint32_t *thread;
	uint32_t *device, *context, *green_context, *stream;
	uint32_t *correlation;
	uint32_t *name, *base_name, *mangled_name;
	uint32_t *grid[3], *block[3];
	uint32_t *registers, *static_smem_bytes, *dynamic_smem_bytes;
	int64_t *bytes;
	uint32_t *copy_kind, *src_kind, *dst_kind;
	int64_t *result;
	uint32_t *event_class, *event_type;
	uint32_t *domain;
	uint32_t *end_thread;
	uint32_t *graph;
	uint32_t *payload; /* numbers of trace->names */
};

/*
 * Numbers for large ids, handed out as they are met; see src/trace/intern.h. A process's key is
 * globalPid >> 24 (host, VM and pid), a thread's its globalTid.
 */
struct intern {
	pthread_mutex_t lock;
	struct idmap map;
	uint64_t *keys;
	size_t count, cap;
};

struct trace_meta {
	const char
		*tool; /* "NVIDIA Nsight Systems 2025.3.2.0"; NULL when the export does not say */
	const char *schema; /* "3.20.3" */
	bool has_span;
	int64_t span_ns; /* the capture's length: its window is [0, span_ns) */
};

struct trace {
	struct {
		pthread_mutex_t mutex;
		pthread_cond_t changed; /* somebody has made something; see trace_cache.h */
		_Atomic(const char *) owner;
		unsigned depth; /* how often the owner has taken it */
	} lock;
	struct cache_entry *cache;
	bool uses_cache;    /* what is made of the trace is kept: it will be asked for again */
	bool keeps_answers; /* so are answers: several analyses will ask */
	struct arena arena;
	const char *path; /* as the user named it */
	struct sqlitefile *file;
	struct trace_meta meta;
	struct events events[TRACE_KINDS];
	/* COL_BITs of each kind that trace_unload() leaves alone: they are needed again. */
	uint32_t keeps_columns[TRACE_KINDS];
	bool names_loaded;
	struct strtab names;  /* every name once, whatever its id, or none, in the export */
	uint32_t *name_by_id; /* the export's small ids → number */
	size_t name_by_id_count;
	struct idmap name_ids; /* the export's other ids → number */
	struct intern process_keys, thread_keys;
	uint32_t *never_closed; /* rows of NVTX ranges; see range_never_closed() */
	size_t never_closed_count;
	bool ranges_closed;    /* those rows have an end that was made up, since they were loaded */
	uint64_t joined_bytes; /* of names put together from two; see trace_join_names() */
	struct pattern *comm;  /* names of further kernels that communicate; or NULL */
	/* Of several exports that are read as one: see joined.h. */
	struct joined *joined;
	int64_t clock_doubt_ns;	  /* by how much times of two of them may be wrong */
	bool steps_in_doubt;	  /* by whole steps, as far as anybody knows */
	struct idmap given_ranks; /* process key → rank, where somebody knows beside the exports */
};

/* `path` is shown in messages; `file` is the SQLite file behind it, owned by the trace from here.
 */
int trace_open(struct trace **ret, const char *path, struct sqlitefile *file, struct err *e);
/* See sqlitefile_set_stop(). */
void trace_set_stop(struct trace *t, bool (*stop)(void));
void trace_close(struct trace *t); /* NULL is fine */

/*
 * Kernels whose names match a regular expression communicate, beside those that
 * trace/ops/op_class.c knows. Before anything is asked of the trace.
 */
int trace_add_comm(struct trace *t, const char *regex, struct err *e);

/*
 * Several analyses may run at once. Whatever reads the file, or adds to what the trace holds, does
 * it under this lock, which one thread may take again; assertions see to it. Who reads columns and
 * names takes none: those that run at once must have been loaded before, with the processes and
 * threads they name. What is made once for all of them: see trace_cache.h.
 */
void trace_lock(struct trace *t);
void trace_unlock(struct trace *t);
/* Whether this thread holds it. */
bool trace_is_locked(const struct trace *t);

static inline void trace_end_scope(struct trace *const *t)
{
	trace_unlock(*t);
}

/* The last of a block's declarations: the lock is held until the block is left. */
#define TRACE_LOCK_SCOPE(t)                                                             \
	struct trace *const locked_ __attribute__((cleanup(trace_end_scope), unused)) = \
		(trace_lock(t), (t))

/*
 * Makes the columns (COL_BITs) of a kind available. Columns that the export lacks are left NULL.
 * An absent table is no error: count is 0 and table NULL; use trace_require() to refuse it.
 */
int trace_load(struct trace *t, enum trace_kind kind, uint32_t columns, struct err *e);

/* Gives the memory of columns back; asking for one again reads it again. */
void trace_unload(struct trace *t, enum trace_kind kind, uint32_t columns);

/* How many rows a table has: counted, unless it is known. */
int trace_count_rows(struct trace *t, const struct sqlite_table *table, uint64_t *ret,
		     struct err *e);

/* ERR_INPUT with the capture flag that would bring it, when the trace has no rows of this kind. */
int trace_require(struct trace *t, enum trace_kind kind, struct err *e);
/* The same for columns (COL_BITs); what has no events lacks nothing. */
int trace_require_columns(const struct trace *t, enum trace_kind kind, uint32_t columns,
			  struct err *e);

static inline int trace_require_column(const struct trace *t, enum trace_kind kind,
				       enum trace_column column, struct err *e)
{
	return trace_require_columns(t, kind, COL_BIT(column), e);
}

/* The error for a column that a table lacks; -1. */
int trace_refuse_column(const struct trace *t, const struct sqlite_table *table, const char *column,
			struct err *e);
/* What a column of a kind is called that its table lacks; NULL: it has it, or there is no table. */
const char *trace_lacks_column(const struct trace *t, enum trace_kind kind,
			       enum trace_column column);
/* Which column of its table it is, for those who read that themselves; -1: it has none. */
int trace_sql_column(const struct trace *t, enum trace_kind kind, enum trace_column column);
/* Whether the export has a table of names; without one only some ranges have theirs. */
bool trace_has_strings(const struct trace *t);

/* end − start, as columns hold it: no real duration is as long as the one that stands for none. */
static inline int64_t event_duration(int64_t start_ns, int64_t end_ns)
{
	int64_t d = sat_sub(end_ns, start_ns);

	return d == DURATION_NONE ? DURATION_NONE + 1 : d;
}

/* An array of ids that are all ID_NONE, as are names, ranges and the like; for free(). */
uint32_t *new_ids(size_t count);

/* What a kind is called ("CUDA kernels") and which nsys flag records it ("--trace=cuda"). */
const char *trace_kind_title(enum trace_kind kind);
const char *trace_kind_flag(enum trace_kind kind);

/*
 * "a" + separator + "b" in `arena`. Real names are short; once all of them together outgrow the
 * file many times over they are cut, so that no trace makes a name of megabytes a thousand times.
 */
struct str trace_join_names(struct trace *t, struct arena *arena, struct str a, char separator,
			    struct str b);

/* "?" for NAME_NONE, which also stands for ids that StringIds does not have. */
struct str trace_name(const struct trace *t, uint32_t name);

/* Numbers the processes of all threads met so far; loading a thread column does it. */
void trace_number_processes(struct trace *t);
/* The process (number in process_keys) of a thread. */
uint32_t trace_thread_process(const struct trace *t, uint32_t thread);

/* The process of an event of a kind that says it; ID_NONE. */
static inline uint32_t event_process(const struct events *ev, uint64_t row)
{
	return ev->process ? ev->process[row] : ID_NONE;
}

static inline uint32_t process_pid(uint64_t key)
{
	return (uint32_t)(key & 0xffffff);
}

/* What tells the hosts and virtual machines of a report apart. */
static inline uint32_t process_host(uint64_t key)
{
	return (uint32_t)(key >> 24);
}

/* Whether the export has a table of that name, with rows. */
int trace_has_rows(struct trace *t, const char *table, bool *ret, struct err *e);

/* Whether processes of several are known by now. */
bool trace_has_hosts(const struct trace *t);

static inline uint32_t thread_tid(uint64_t key)
{
	return (uint32_t)(key & 0xffffff);
}

#endif
