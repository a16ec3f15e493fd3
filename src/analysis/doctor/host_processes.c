/* Which processes did something in a capture, when, and was the profiler in them? */
#include "analysis/doctor/host_processes.h"

#include "base/mem.h"
#include "trace/calls/cpu_events.h"
#include "trace/small_table.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* Shorter than this is a helper: a shell, or a look at the machine. */
enum { WORKED_NS = 100000000 };

struct host_process {
	uint64_t key;
	int64_t first_ns, last_ns;
	bool traced;
};

struct listing {
	struct host_process *all;
	size_t count, cap;
	struct idmap by_key;
};

const char *host_launcher_word(struct str program)
{
	static const char *const words[] = {"mpirun",  "mpiexec", "mpiexec.hydra", "mpirun_rsh",
					    "orterun", "prterun", "srun",	   "jsrun"};
	const char *slash = program.len ? memrchr(program.s, '/', program.len) : NULL;

	if (slash)
		program = (struct str){slash + 1, (size_t)(program.s + program.len - slash - 1)};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(program, str_of(words[i])))
			return words[i];
	}
	return NULL;
}

static void note(struct listing *l, uint64_t key, int64_t start_ns, int64_t end_ns, bool traced)
{
	const uint32_t at = idmap_add(&l->by_key, key, (uint32_t)l->count);
	struct host_process *p;

	if (at == l->count) {
		MEM_GROW(l->all, l->cap, l->count + 1);
		l->all[l->count++] = (struct host_process){key, start_ns, end_ns, traced};
	}
	p = &l->all[at];
	p->first_ns = start_ns < p->first_ns ? start_ns : p->first_ns;
	p->last_ns = end_ns > p->last_ns ? end_ns : p->last_ns;
	p->traced |= traced;
}

/* Calls and ranges are recorded by the profiler's library in the process. */
static int note_events(struct trace *t, enum trace_kind kind, struct listing *l, struct err *e)
{
	const struct events *ev = &t->events[kind];
	TRACE_LOCK_SCOPE(t); /* others may be numbering threads meanwhile */

	if (trace_load(t, kind, COLS_TIMES | COL_BIT(COL_THREAD), e) < 0)
		return -1;
	for (uint64_t i = 0; i < ev->count && ev->thread && ev->start_ns; i++) {
		const int64_t start_ns = ev->start_ns[i];
		const int64_t ns = ev->duration_ns ? ev->duration_ns[i] : 0;

		if (ev->thread[i] == ID_NONE || start_ns == INT_NONE)
			continue;
		note(l, t->thread_keys.keys[ev->thread[i]] >> 24, start_ns,
		     ns > 0 ? sat_add(start_ns, ns) : start_ns, true);
	}
	return 0;
}

/* Where it records nothing, it still notes what it takes to start. */
static int note_overhead(struct trace *t, struct listing *l, struct err *e)
{
	static const char *const columns[] = {"globalTid", "start", NULL};
	struct small_table s;

	if (trace_read_small(t, "PROFILER_OVERHEAD", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *thread = small_value(&s, i, 0), *at = small_value(&s, i, 1);

		if (thread->type == SQLITE_IS_INT && at->type == SQLITE_IS_INT)
			note(l, (uint64_t)thread->i >> 24, at->i, at->i, true);
	}
	return 0;
}

/* The system knows of what runs on its CPUs whether the profiler is in it or not. */
static void note_cpu_events(struct cpu_events *c, struct listing *l)
{
	for (size_t i = 0; i < c->count; i++)
		note(l, c->thread[i] >> 24, c->start_ns[i], c->start_ns[i], false);
	cpu_events_free(c);
}

static int list_processes(struct trace *t, struct listing *l, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_API, TRACE_NVTX, TRACE_OSRT};
	struct cpu_events c;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (note_events(t, kinds[i], l, e) < 0)
			return -1;
	}
	if (note_overhead(t, l, e) < 0 || cpu_switches_read(t, &c, e) < 0)
		return -1;
	note_cpu_events(&c, l);
	if (cpu_samples_read(t, &c, e) < 0)
		return -1;
	note_cpu_events(&c, l);
	return 0;
}

static void sum_up_traced(const struct listing *l, const struct host_names *names,
			  struct strtab *called, struct host_processes *ret)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct host_process *p = &l->all[i];
		const struct str name = host_names_process(names, p->key);

		if (!p->traced)
			continue;
		ret->traced++;
		if (p->last_ns > ret->last_ns)
			ret->last_ns = p->last_ns;
		if (name.len)
			strtab_add(called, name);
		if (!ret->launcher)
			ret->launcher = host_launcher_word(name);
	}
}

/*
 * A child that calls no exec has its parent's name. Other processes on the CPUs may be anybody's:
 * the whole system may have been sampled.
 */
static void count_forks(const struct listing *l, const struct host_names *names,
			struct strtab *called, struct host_processes *ret)
{
	const size_t known = called->count;

	for (size_t i = 0; i < l->count; i++) {
		const struct host_process *p = &l->all[i];
		const struct str name = host_names_process(names, p->key);

		ret->not_followed += !p->traced && name.len &&
				     sat_sub(p->last_ns, p->first_ns) >= WORKED_NS &&
				     strtab_add(called, name) < known;
	}
}

int host_processes_read(struct trace *t, struct host_processes *ret, struct err *e)
{
	struct host_names names = {0};
	struct strtab called = {0};
	struct listing l = {0};
	int result = list_processes(t, &l, e);

	*ret = (struct host_processes){.last_ns = INT_NONE};
	if (result == 0)
		result = host_names_read(t, &names, e);
	if (result == 0) {
		sum_up_traced(&l, &names, &called, ret);
		count_forks(&l, &names, &called, ret);
		host_names_free(&names);
	}
	strtab_free(&called);
	idmap_free(&l.by_key);
	free(l.all);
	return result;
}
