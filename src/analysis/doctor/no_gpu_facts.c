/* What does a trace know of why it holds no GPU work? */
#include "analysis/doctor/no_gpu.h"

#include "base/mem.h"
#include "trace/ranges/ranges.h"
#include "trace/small_table.h"
#include "trace/strings.h"

/* nsys takes longer than this to stop once the program has ended, and no longer than that. */
enum { STOPPING_NS = 10000000, STOPPED_NS = 1000000000 };

/* The whole number that a text is; 0 where it is none, or has more digits than any real one. */
static int64_t text_number(struct str s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] < '0' || s.s[i] > '9' || s.len > 12)
			return 0;
		n = 10 * n + (s.s[i] - '0');
	}
	return n;
}

/*
 * A capture without a limit notes how long it became, rounded up: only one that a limit has stopped
 * lasts as long as what is noted.
 */
static void note_limit(const struct trace *t, struct str ms, struct no_gpu_facts *ret)
{
	const int64_t limit_ns = text_number(ms) * 1000000;

	if (limit_ns > 0 && t->meta.has_span && t->meta.span_ns >= limit_ns)
		ret->limit_ns = limit_ns;
}

/* The options of the capture; those of nsys's own helper may say no where others say yes. */
static int read_options(struct trace *t, struct no_gpu_facts *ret, struct err *e)
{
	static const char *const columns[] = {"name", "value", NULL};
	struct small_table s;

	if (trace_read_small(t, "META_DATA_CAPTURE", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		const struct str name = small_value(&s, i, 0)->s, value = small_value(&s, i, 1)->s;

		ret->traced |=
			str_holds(name, "COLLECT_CUDA_TRACE") && str_eq(value, STR_LIT("true"));
		if (str_eq(name, STR_LIT("RUN_DURATION_MS")))
			note_limit(t, value, ret);
		if (!ret->launcher && str_eq(name, STR_LIT("PROCESS_0:COMMAND")))
			ret->launcher = host_launcher_word(value);
	}
	return 0;
}

/*
 * The profiler notes how long it takes to prepare for each API, in a program that loads it, and on
 * which thread: `loader` is that which loads CUDA.
 */
static int read_start(struct trace *t, struct no_gpu_facts *ret, uint64_t *loader, struct err *e)
{
	static const char *const columns[] = {"nameId", "start", "globalTid", NULL};
	struct small_table s;

	if (strings_load(t, e) < 0 || trace_read_small(t, "PROFILER_OVERHEAD", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *id = small_value(&s, i, 0);
		struct str name;

		if (id->type != SQLITE_IS_INT)
			continue;
		name = trace_name(t, strings_number(t, id->i));
		if (str_starts(name, "CUDA profiling") && !ret->started) {
			ret->started = true;
			*loader = (uint64_t)value_int(small_value(&s, i, 2), 0);
		}
		ret->prepared |= str_ends(name, "profiling initialization") &&
				 value_int(small_value(&s, i, 1), -1) >= 0;
	}
	return 0;
}

/* Libraries by their NVTX domain that do nothing without CUDA. PyTorch's may run on the CPU. */
static const char *library_of(struct str range)
{
	static const struct {
		const char *domain, *name;
	} known[] = {
		{"TensorRT:", "TensorRT"}, {"myelin-exec:", "TensorRT"}, {"NCCL:", "NCCL"},
		{"CCCL:", "CCCL"},	   {"cuBLAS:", "cuBLAS"},	 {"cuDNN:", "cuDNN"},
		{"libcudf:", "libcudf"},   {"NVSHMEM:", "NVSHMEM"},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (str_starts(range, known[i].domain))
			return known[i].name;
	}
	return NULL;
}

static int find_library(struct trace *t, struct no_gpu_facts *ret, struct err *e)
{
	struct range_names names;

	if (!t->events[TRACE_NVTX].table)
		return 0;
	/* Ranges without types or names prove nothing. */
	if (range_names_read(t, &names, e) < 0)
		return e->absent ? 0 : -1;
	for (size_t i = 0; i < names.names.count && !ret->library; i++)
		ret->library = library_of(names.names.items[i]);
	range_names_free(&names);
	return 0;
}

/* Call stacks name the modules that were loaded; these serve no purpose but offloading to a GPU. */
static int find_runtime(struct trace *t, struct no_gpu_facts *ret, struct err *e)
{
	static const char *const known[] = {"/libaccdevice.", "/libomptarget.rtl.cuda",
					    "/libgomp-plugin-nvptx."};
	TRACE_LOCK_SCOPE(t); /* others may be adding names */

	if (strings_load(t, e) < 0)
		return -1;
	for (uint32_t i = 0; i < t->names.count && !ret->runtime; i++) {
		for (size_t k = 0; k < ARRAY_LEN(known) && !ret->runtime; k++)
			ret->runtime = str_holds(trace_name(t, i), known[k]) ? known[k] + 1 : NULL;
	}
	return 0;
}

/* The last that was seen of it lies a little before the end: the time that nsys takes to stop. */
static void find_end(const struct trace *t, struct no_gpu_facts *ret)
{
	const int64_t last_ns = ret->processes.last_ns;
	const int64_t stopping_ns = sat_sub(t->meta.span_ns, last_ns);

	if (t->meta.has_span && !ret->limit_ns && last_ns > 0 && stopping_ns > STOPPING_NS &&
	    stopping_ns < STOPPED_NS)
		ret->ended_ns = last_ns;
}

int no_gpu_facts_read(struct trace *t, const struct scope *s, struct no_gpu_facts *ret,
		      struct err *e)
{
	uint64_t loader = 0;

	*ret = (struct no_gpu_facts){0};
	if (host_calls_count(t, s, &ret->found, e) < 0 ||
	    host_processes_read(t, &ret->processes, e) < 0 ||
	    diagnostics_search(t, &ret->said, e) < 0 || read_start(t, ret, &loader, e) < 0 ||
	    host_loop_find(t, loader, &ret->loop, e) < 0 || find_library(t, ret, e) < 0 ||
	    find_runtime(t, ret, e) < 0)
		return -1;
	ret->silent = ret->said.count[DIAGNOSTIC_CUDA_NOT_STARTED] > 0;
	ret->traced = ret->silent;
	ret->launcher = ret->processes.launcher;
	if (read_options(t, ret, e) < 0)
		return -1;
	find_end(t, ret);
	return 0;
}
