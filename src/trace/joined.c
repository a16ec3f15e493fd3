/* How do several exports become one trace? */
#include "trace/joined.h"

#include "base/mem.h"
#include "text/shell_words.h"
#include "trace/join_rules.h"
#include "trace/small_table.h"

#include <stdlib.h>

/*
 * Numbers for things that exports number each for itself: a thing keeps its own where nothing else
 * has that, else it gets the first that is free.
 */
struct numbering {
	struct idmap taken;  /* number → thing */
	struct idmap things; /* thing → number */
	uint32_t next;
};

/* One of the exports. */
struct member {
	const char *path;
	struct clock_shift clock;
	uint64_t first_string; /* what its numbers of strings begin with */
	uint64_t first_stack;
	struct idmap hosts, gpus; /* own number → shared one */
	uint32_t machine;	  /* which of the machines it is of */
	uint32_t *pids;		  /* that use CUDA */
	size_t pid_count;
	uint64_t *processes; /* all keys that it names */
	size_t process_count;
	struct idmap process_of; /* pid → index */
	struct str host_name;	 /* empty: not said */
};

struct joined {
	const struct export_part *parts;
	struct member *all;
	size_t count;
	struct arena arena;
};

static uint32_t shared_number(const struct idmap *numbers, uint32_t own)
{
	const uint32_t shared = idmap_get(numbers, own);

	return shared == IDMAP_NONE ? own : shared;
}

/* Host and VM are the upper 16 bits of the ids of processes and threads. */
enum { HOST_SHIFT = 48, PID_SHIFT = 24 };

static int64_t map_process(const struct member *m, int64_t id)
{
	const uint64_t rest = (uint64_t)id & ((UINT64_C(1) << HOST_SHIFT) - 1);
	const uint32_t host = (uint32_t)((uint64_t)id >> HOST_SHIFT);

	return (int64_t)((uint64_t)shared_number(&m->hosts, host) << HOST_SHIFT | rest);
}

/* The process's key where the export knows it, which tells it from one of another machine. */
static int64_t map_pid(const struct member *m, int64_t pid)
{
	const uint32_t known = idmap_get(&m->process_of, (uint64_t)pid);

	if (known == IDMAP_NONE)
		return pid;
	return (int64_t)((uint64_t)map_process(m, (int64_t)(m->processes[known] << PID_SHIFT)) >>
			 PID_SHIFT);
}

static int64_t map_one(const struct member *m, unsigned kind, int64_t value)
{
	switch (kind) {
	case JOIN_TIME:
	case JOIN_SPAN:
		return sat_add(value, clock_shift_at(&m->clock, value));
	case JOIN_UTC:
		return sat_sub(value, m->clock.by_ns);
	case JOIN_PROCESS:
		return map_process(m, value);
	case JOIN_PID:
		return map_pid(m, value);
	case JOIN_STRING:
		return (int64_t)((uint64_t)value + m->first_string);
	case JOIN_STACK:
		return (int64_t)((uint64_t)value + m->first_stack);
	case JOIN_GPU:
		return value < 0 || value > UINT32_MAX
			       ? value
			       : (int64_t)shared_number(&m->gpus, (uint32_t)value);
	case JOIN_METRICS:
		return (value & ~INT64_C(0xff)) |
		       (shared_number(&m->gpus, (uint32_t)(value & 0xff)) & 0xff);
	default:
		return value;
	}
}

/* An event lasts as long as it did, whatever clocks say. */
static void map_ends(const struct member *m, const struct sqlite_values *from,
		     const struct sqlite_values *starts, size_t rows, int64_t *to)
{
	for (size_t i = 0; i < rows; i++) {
		const int64_t at =
			starts && starts->type[i] == SQLITE_IS_INT ? starts->num[i] : from->num[i];

		to[i] = from->type[i] == SQLITE_IS_INT
				? sat_add(from->num[i], clock_shift_at(&m->clock, at))
				: from->num[i];
	}
}

static void map_values(void *ctx, size_t file, unsigned kind, const struct sqlite_values *from,
		       const struct sqlite_values *beside, size_t rows, int64_t *to)
{
	const struct member *m = &((const struct joined *)ctx)->all[file];

	if (kind == JOIN_END) {
		map_ends(m, from, beside, rows, to);
		return;
	}
	for (size_t i = 0; i < rows; i++)
		to[i] = from->type[i] == SQLITE_IS_INT ? map_one(m, kind, from->num[i])
						       : from->num[i];
}

static struct join_rule rule_of(void *ctx, const struct sqlite_table *t, size_t column)
{
	(void)ctx;
	return join_rule_of(t, column);
}

static int find_largest(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	uint64_t *largest = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (b->values[0].type[i] == SQLITE_IS_INT &&
		    (uint64_t)b->values[0].num[i] > *largest)
			*largest = (uint64_t)b->values[0].num[i];
	}
	return 0;
}

/* Strings are numbered 0, 1, 2, …: kept dense, they need no map. */
static int number_strings(struct joined *j, struct err *e)
{
	uint64_t next = 0;

	for (size_t i = 0; i < j->count; i++) {
		struct sqlitefile *f = j->parts[i].trace->file;
		const struct sqlite_table *t = sqlitefile_find_table(f, "StringIds");
		const int column = t ? sqlite_table_find_column(t, "id") : -1;
		struct sqlite_scan *scan = NULL;
		uint64_t largest = 0, rows;
		int result = 0;

		j->all[i].first_string = next;
		j->all[i].first_stack = (uint64_t)i << 40;
		if (column < 0)
			continue;
		if (sqlite_scan_open(&scan, f, t, &column, 1, &rows, e) < 0)
			return -1;
		result = sqlite_scan_run_in_order(scan, find_largest, &largest, e);
		sqlite_scan_close(scan);
		if (result < 0)
			return -1;
		next += largest + 1;
	}
	return 0;
}

static int read_processes(struct joined *j, const struct export_part *p, struct member *m,
			  struct err *e)
{
	static const char *const of_cuda[] = {"pid", NULL}, *const of_all[] = {"globalPid", NULL};
	struct small_table s;

	if (trace_read_small(p->trace, "TARGET_INFO_CUDA_DEVICE", of_cuda, &s, e) < 0)
		return -1;
	m->pids = arena_alloc(&j->arena, s.rows, sizeof(*m->pids));
	for (size_t i = 0; i < s.rows; i++)
		m->pids[m->pid_count++] = (uint32_t)value_int(small_value(&s, i, 0), 0);
	if (trace_read_small(p->trace, "PROCESSES", of_all, &s, e) < 0)
		return -1;
	m->processes = arena_alloc(&j->arena, s.rows, sizeof(*m->processes));
	for (size_t i = 0; i < s.rows; i++) {
		const uint64_t key = (uint64_t)value_int(small_value(&s, i, 0), 0) >> PID_SHIFT;

		idmap_add(&m->process_of, process_pid(key), (uint32_t)m->process_count);
		m->processes[m->process_count++] = key;
	}
	return 0;
}

/* Exports of one machine say its name; two programs on it never have one pid at once. */
static void find_machines(struct joined *j)
{
	struct strtab names = {0};
	struct idmap pids = {0}, named = {0}; /* pids of each machine; machines by name */
	uint32_t machines = 0;

	for (size_t i = 0; i < j->count; i++) {
		struct member *m = &j->all[i];
		const uint32_t name = m->host_name.len ? strtab_add(&names, m->host_name) : 0;
		bool is_new = !m->host_name.len || idmap_get(&named, name) == IDMAP_NONE;

		m->machine = is_new ? 0 : idmap_get(&named, name);
		for (size_t k = 0; k < m->pid_count && !is_new; k++)
			is_new = idmap_get(&pids, (uint64_t)m->machine << 32 | m->pids[k]) !=
				 IDMAP_NONE;
		if (is_new)
			m->machine = machines++;
		if (m->host_name.len)
			idmap_add(&named, name, m->machine);
		for (size_t k = 0; k < m->pid_count; k++)
			idmap_add(&pids, (uint64_t)m->machine << 32 | m->pids[k], 0);
	}
	strtab_free(&names);
	idmap_free(&pids);
	idmap_free(&named);
}

static uint32_t give_number(struct numbering *n, uint32_t own, uint32_t thing)
{
	uint32_t number = idmap_get(&n->things, thing);

	if (number != IDMAP_NONE)
		return number;
	number = own;
	while (idmap_add(&n->taken, number, thing) != thing)
		number = n->next++;
	return idmap_add(&n->things, thing, number);
}

static void free_numbering(struct numbering *n)
{
	idmap_free(&n->taken);
	idmap_free(&n->things);
}

static void number_hosts(struct joined *j)
{
	struct numbering n = {.next = 1};
	struct idmap things = {0};

	for (size_t i = 0; i < j->count; i++) {
		struct member *m = &j->all[i];

		for (size_t k = 0; k < m->process_count; k++) {
			const uint32_t own = process_host(m->processes[k]);
			const uint32_t thing = idmap_number_pair(&things, m->machine, own);

			idmap_add(&m->hosts, own, give_number(&n, own, thing));
		}
	}
	idmap_free(&things);
	free_numbering(&n);
}

/* One GPU, whichever exports name it: by its UUID, or by its number on its machine. */
static uint32_t which_gpu(struct strtab *uuids, struct idmap *others, const struct member *m,
			  struct str uuid, uint32_t own)
{
	if (uuid.len)
		return strtab_add(uuids, uuid) << 1;
	return idmap_number_pair(others, m->machine, own) << 1 | 1;
}

static int number_gpus(struct joined *j, struct err *e)
{
	static const char *const columns[] = {"id", "uuid", NULL};
	struct numbering n = {0};
	struct idmap others = {0};
	struct strtab uuids = {0};
	int result = 0;

	for (size_t i = 0; i < j->count && result == 0; i++) {
		struct member *m = &j->all[i];
		struct small_table s;

		result = trace_read_small(j->parts[i].trace, "TARGET_INFO_GPU", columns, &s, e);
		for (size_t k = 0; result == 0 && k < s.rows; k++) {
			const uint32_t own = (uint32_t)value_int(small_value(&s, k, 0), (int64_t)k);
			const uint32_t thing =
				which_gpu(&uuids, &others, m, small_value(&s, k, 1)->s, own);

			idmap_add(&m->gpus, own, give_number(&n, own, thing));
		}
	}
	strtab_free(&uuids);
	idmap_free(&others);
	free_numbering(&n);
	return result;
}

static int find_numbers(struct joined *j, struct err *e)
{
	for (size_t i = 0; i < j->count; i++) {
		j->all[i].path = j->parts[i].trace->path;
		j->all[i].clock = j->parts[i].clock;
		if (trace_read_host(j->parts[i].trace, &j->all[i].host_name, e) < 0 ||
		    read_processes(j, &j->parts[i], &j->all[i], e) < 0)
			return -1;
	}
	find_machines(j);
	number_hosts(j);
	return number_gpus(j, e) < 0 ? -1 : number_strings(j, e);
}

/* Whose rank is known from without. */
/* Of two that are wrong by the most. */
static int64_t largest_doubt(const struct export_part *parts, size_t count)
{
	int64_t first_ns = 0, second_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (parts[i].doubt_ns > first_ns) {
			second_ns = first_ns;
			first_ns = parts[i].doubt_ns;
		} else if (parts[i].doubt_ns > second_ns) {
			second_ns = parts[i].doubt_ns;
		}
	}
	return sat_add(first_ns, second_ns);
}

static void give_ranks(const struct joined *j, struct trace *t)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct member *m = &j->all[i];

		for (size_t k = 0; j->parts[i].has_rank && k < m->pid_count; k++)
			idmap_add(&t->given_ranks, (uint64_t)map_pid(m, m->pids[k]),
				  j->parts[i].rank);
	}
}

void trace_add_operands(struct buf *b, const struct trace *t, bool with_folders)
{
	enum { MOST = 8 };
	const size_t count = t->joined ? t->joined->count : 1;

	for (size_t i = 0; i < count && i < MOST; i++) {
		const char *path = t->joined ? t->joined->all[i].path : t->path;

		buf_adds(b, i ? " " : "");
		word_add_quoted(b, with_folders ? path : str_last_part(path));
	}
	buf_adds(b, count > MOST ? " …" : "");
}

void joined_free(struct joined *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->count; i++) {
		idmap_free(&j->all[i].hosts);
		idmap_free(&j->all[i].gpus);
		idmap_free(&j->all[i].process_of);
	}
	free(j->all);
	arena_free(&j->arena);
	free(j);
}

int trace_join(struct trace **ret, const char *path, const struct export_part *parts, size_t count,
	       struct err *e)
{
	struct joined *j = mem_zalloc(1, sizeof(*j));
	const struct join_rules rules = {rule_of, map_values, j};
	SCOPED struct sqlitefile **files = mem_alloc(count, sizeof(struct sqlitefile *));
	struct sqlitefile *file;

	*j = (struct joined){.parts = parts, .count = count};
	j->all = mem_zalloc(count, sizeof(*j->all));
	for (size_t i = 0; i < count; i++)
		files[i] = parts[i].trace->file;
	if (find_numbers(j, e) < 0) {
		joined_free(j);
		return -1;
	}
	sqlitefile_join(&file, files, count, &rules);
	if (trace_open(ret, path, file, e) < 0) {
		joined_free(j);
		return -1;
	}
	(*ret)->joined = j;
	(*ret)->clock_doubt_ns = largest_doubt(parts, count);
	give_ranks(j, *ret);
	return 0;
}
