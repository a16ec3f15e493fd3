/* What does the profiler say went wrong while it recorded? */
#include "trace/system/diagnostics.h"

#include "base/mem.h"
#include "trace/small_table.h"

enum { SEVERITY_WARNING = 2, SEVERITY_ERROR = 3 };

static const struct {
	const char *words;
	enum diagnostic is;
} messages[] = {
	{"Not all CUDA events might have been collected", DIAGNOSTIC_CUDA_LOST},
	{"Not all NVTX events might have been collected", DIAGNOSTIC_NVTX_LOST},
	{"CUDA profiling might have not been started", DIAGNOSTIC_CUDA_NOT_STARTED},
	{"dropped", DIAGNOSTIC_DROPPED},
	{"events were lost", DIAGNOSTIC_DROPPED},
	{"lost events", DIAGNOSTIC_DROPPED},
	{"Installed CUDA driver version", DIAGNOSTIC_DRIVER_TOO_NEW},
	{"Unable to configure the collection of CPU", DIAGNOSTIC_NO_SAMPLES},
	{"failed to start event source Perf", DIAGNOSTIC_NO_SAMPLES},
};

static enum diagnostic recognise(struct str text, int64_t severity)
{
	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		if (str_holds(text, messages[i].words))
			return messages[i].is;
	}
	return severity == SEVERITY_ERROR ? DIAGNOSTIC_OTHER_ERROR : DIAGNOSTICS;
}

/* A message of no process is about the capture, and so is any where no process worked on a GPU. */
static bool concerns_gpu_work(const struct trace *t, const struct value *global_pid,
			      const bool *has_gpu_work)
{
	uint64_t key = (uint64_t)global_pid->i >> 24;
	uint32_t process;

	if (!has_gpu_work || global_pid->type != SQLITE_IS_INT || process_pid(key) == 0)
		return true;
	process = idmap_get(&t->process_keys.map, key);
	return process != IDMAP_NONE && has_gpu_work[process];
}

int diagnostics_read(struct trace *t, const bool *has_gpu_work, struct diagnostics *ret,
		     struct err *e)
{
	static const char *const columns[] = {"severity", "text", "globalPid", NULL};
	struct small_table s;

	*ret = (struct diagnostics){0};
	if (trace_read_small(t, "DIAGNOSTIC_EVENT", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		int64_t severity = value_int(small_value(&s, i, 0), 0);
		enum diagnostic d = recognise(small_value(&s, i, 1)->s, severity);

		if (d == DIAGNOSTICS || severity < SEVERITY_WARNING || severity > SEVERITY_ERROR)
			continue;
		if (concerns_gpu_work(t, small_value(&s, i, 2), has_gpu_work))
			ret->count[d]++;
	}
	return 0;
}
