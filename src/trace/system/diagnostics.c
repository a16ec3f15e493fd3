/* What does the profiler say went wrong while it recorded? */
#include "trace/system/diagnostics.h"

#include "base/mem.h"
#include "trace/small_table.h"
#include "trace/strings.h"

enum { SEVERITY_NOTE = 1, SEVERITY_WARNING, SEVERITY_ERROR };

static const struct {
	const char *words;
	enum diagnostic is;
	int64_t from; /* this severity on */
} messages[] = {
	{"Not all CUDA events might have been collected", DIAGNOSTIC_CUDA_LOST, SEVERITY_WARNING},
	{"Not all NVTX events might have been collected", DIAGNOSTIC_NVTX_LOST, SEVERITY_WARNING},
	{"Some CUPTI events might be missing", DIAGNOSTIC_CUPTI_LOST, SEVERITY_NOTE},
	{"CUDA profiling might have not been started", DIAGNOSTIC_CUDA_NOT_STARTED,
	 SEVERITY_WARNING},
	{"dropped", DIAGNOSTIC_DROPPED, SEVERITY_WARNING},
	{"events were lost", DIAGNOSTIC_DROPPED, SEVERITY_WARNING},
	{"lost events", DIAGNOSTIC_DROPPED, SEVERITY_WARNING},
	{"Installed CUDA driver version", DIAGNOSTIC_DRIVER_TOO_NEW, SEVERITY_WARNING},
	{"Unable to configure the collection of CPU", DIAGNOSTIC_NO_SAMPLES, SEVERITY_WARNING},
	{"failed to start event source Perf", DIAGNOSTIC_NO_SAMPLES, SEVERITY_WARNING},
};

static enum diagnostic recognise(struct str text, int64_t severity)
{
	if (severity < SEVERITY_NOTE || severity > SEVERITY_ERROR)
		return DIAGNOSTICS;
	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		if (str_holds(text, messages[i].words))
			return severity >= messages[i].from ? messages[i].is : DIAGNOSTICS;
	}
	return severity == SEVERITY_ERROR ? DIAGNOSTIC_OTHER_ERROR : DIAGNOSTICS;
}

/* What is behind some words of a text; empty where they are not in it. */
static struct str behind(struct str text, const char *words)
{
	const char *at = text.len ? memmem(text.s, text.len, words, strlen(words)) : NULL;

	if (!at)
		return STR_LIT("");
	at += strlen(words);
	return (struct str){at, (size_t)(text.s + text.len - at)};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The whole number behind the words, 0 where there is none; the text is then what follows it. */
static uint64_t number_behind(struct str *text, const char *words)
{
	struct str rest = behind(*text, words);
	uint64_t n = 0;

	while (rest.len && str_is_space(rest.s[0]))
		rest = (struct str){rest.s + 1, rest.len - 1};
	while (rest.len && is_digit(rest.s[0]) && n < UINT32_MAX) {
		n = 10 * n + (uint64_t)(rest.s[0] - '0');
		rest = (struct str){rest.s + 1, rest.len - 1};
	}
	*text = rest;
	return n;
}

static void note_driver(struct str text, struct diagnostics *ret)
{
	const struct str rest = behind(text, "Installed CUDA driver version (");
	size_t len = 0;

	while (len < rest.len && (is_digit(rest.s[len]) || rest.s[len] == '.'))
		len++;
	if (!len || len >= sizeof(ret->driver))
		return;
	memcpy(ret->driver, rest.s, len);
	ret->driver[len] = '\0';
}

/* Of the first process that nsys launched: it is the one that was asked for. */
static void note_output(struct str text, struct diagnostics *ret)
{
	const uint64_t session =
		number_behind(&text, "see /tmp/nvidia/nsight_systems/quadd_session_");
	const uint64_t pid =
		str_starts(text, "/streams/pid_") ? number_behind(&text, "/streams/pid_") : 0;

	if (ret->pid || !session || !pid || !str_starts(text, "_stdout.log"))
		return;
	ret->session = session;
	ret->pid = pid;
}

static void note_numbers(struct str text, struct diagnostics *ret)
{
	struct str produced = text;

	note_driver(text, ret);
	note_output(text, ret);
	ret->produced += number_behind(&produced, "Number of CUPTI events produced:");
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
		const struct str text = small_value(&s, i, 1)->s;
		enum diagnostic d = recognise(text, value_int(small_value(&s, i, 0), 0));

		if (!concerns_gpu_work(t, small_value(&s, i, 2), has_gpu_work))
			continue;
		note_numbers(text, ret);
		if (d != DIAGNOSTICS)
			ret->count[d]++;
	}
	return 0;
}

int diagnostics_search(struct trace *t, struct diagnostics *ret, struct err *e)
{
	TRACE_LOCK_SCOPE(t); /* others may be adding names */

	if (sqlitefile_find_table(t->file, "DIAGNOSTIC_EVENT"))
		return diagnostics_read(t, NULL, ret, e);
	*ret = (struct diagnostics){0};
	if (strings_load(t, e) < 0)
		return -1;
	for (uint32_t i = 0; i < t->names.count; i++) {
		const struct str text = trace_name(t, i);
		enum diagnostic d = recognise(text, SEVERITY_WARNING);

		note_numbers(text, ret);
		if (d != DIAGNOSTICS)
			ret->count[d]++;
	}
	return 0;
}
