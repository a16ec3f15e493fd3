/* What has a capture not recorded, and which flag would have? */
#include "ask/asking.h"

#include "base/mem.h"
#include "options/args.h"
#include "text/units.h"

/* The question of `doctor` that says whether it was recorded: its row, or -1. */
static int64_t find_doctor_row(const struct table *t, const char *question)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		if (str_eq(table_cell(t, i, "question").s, str_of(question)))
			return (int64_t)i;
	}
	return -1;
}

static bool is_missing(const struct topic *topic, struct str verdict)
{
	return str_eq(verdict, STR_LIT("no")) ||
	       (topic->needs_all && str_eq(verdict, STR_LIT("partly")));
}

bool asking_tell_unrecorded(struct asking *a, const struct topic *topic)
{
	const struct analysis *doctor = analysis_find("doctor", false);
	struct report r = {.command = doctor->name};
	void *args = arena_zalloc(&r.arena, 1, doctor->options->size);
	struct err ignored = {0};
	bool is_unrecorded = false;

	args_init(doctor->options, args);
	if (topic->needs && analysis_run(doctor, a->trace, args, &r, &ignored) == 0) {
		const struct table *t = report_find_table(&r, "questions");
		const int64_t row = find_doctor_row(t, topic->needs);

		if (row >= 0 && is_missing(topic, table_cell(t, (uint64_t)row, "verdict").s)) {
			const struct cell why = table_cell(t, (uint64_t)row, "why");
			const struct cell flags = table_cell(t, (uint64_t)row, "flags");

			is_unrecorded = true;
			sentences_addf(&a->told, "This capture cannot tell: %.*s.", STR_FMT(why.s));
			if (flags.kind == CELL_TEXT)
				sentences_addf(&a->told, "Capture with %.*s.", STR_FMT(flags.s));
		}
	}
	report_free(&r);
	args_free(doctor->options, args);
	return is_unrecorded;
}

/* What only one sort of recording brings, whatever else a question is about. */
static const struct {
	const char *needs; /* as in struct topic */
	const char *phrases[24];
} only_with[] = {
	{"gpu_units",
	 {"nvlink",
	  "pcie utilization",
	  "pcie bandwidth",
	  "pcie throughput",
	  "pcie traffic",
	  "pcie rate",
	  "pcie use",
	  "sm occupancy",
	  "achieved occupancy",
	  "hardware counter",
	  "hardware counters",
	  "warp occupancy",
	  "warp stall",
	  "warp stalls",
	  "dram bandwidth",
	  "dram utilization",
	  "sm utilization",
	  "sm clock",
	  "gpu clock",
	  "tensor core utilization",
	  "dram memory bandwidth"}},
	{"host_waits",
	 {"system call", "system calls", "syscall", "syscalls", "os runtime", "os call", "os calls",
	  "osrt", "descheduled", "context switch", "context switches", "preempted", "off cpu",
	  "pthread", "mutex", "mutexes", "lock contention", "os scheduler"}},
	{"lines",
	 {"call stack", "call stacks", "stack trace", "backtrace", "backtraces", "source line",
	  "source lines", "line of code", "lines of code", "line number", "line numbers",
	  "file and line", "file line", "which line"}},
	{"memory_use",
	 {"peak memory", "memory footprint", "memory consumption", "gpu memory use", "memory peak",
	  "peak gpu memory", "memory high water"}},
};

static bool says(const struct question *q, const char *phrase)
{
	if (question_says(q, phrase))
		return true;
	for (size_t i = 0; i < q->names.count; i++) {
		if (str_starts(q->names.all[i], phrase))
			return true;
	}
	return false;
}

/* What no capture has: watts. The topic that says so is meant, whatever else fits. */
static bool refuse_unrecordable(struct asking *a)
{
	for (size_t d = 0; d < a->corpus.count; d++) {
		const struct topic *t = a->corpus.documents[d].topic;
		const bool is_doctor = strcmp(a->corpus.documents[d].analysis->name, "doctor") == 0;
		const char *list = !is_doctor || t->table || t->needs ? NULL : t->subject;

		for (struct str next; list && (next = str_next_word(&list)).len;) {
			if (!says(&a->question, arena_str(&a->report->arena, next).s))
				continue;
			a->answer->status = "cannot_tell";
			sentences_addf(&a->told, "This capture cannot tell: %s.", t->none);
			return true;
		}
	}
	return false;
}

bool asking_refuse_unrecorded(struct asking *a)
{
	for (size_t i = 0; i < ARRAY_LEN(only_with); i++) {
		const struct topic topic = {.needs = only_with[i].needs};
		bool said = false;

		for (size_t p = 0; only_with[i].phrases[p] && !said; p++)
			said = says(&a->question, only_with[i].phrases[p]);
		if (said && a->question.intent != ASKS_WHY && asking_tell_unrecorded(a, &topic)) {
			a->answer->status = "cannot_tell";
			return true;
		}
	}
	return a->question.intent != ASKS_WHY && refuse_unrecordable(a);
}

/* Whether a window is asked about that begins when the capture is over: then that is told. Of one
 * that begins in it, that it is shorter. */
static bool refuse_later_window(struct asking *a)
{
	const struct question *q = &a->question;
	const int64_t span_ns = a->trace->meta.has_span ? a->trace->meta.span_ns : INT64_MAX;
	const bool is_later = q->has_window && q->from_ns >= span_ns;
	SCOPED_BUF end = {0};

	if (!q->has_window || (!is_later && (q->to_ns <= span_ns || q->to_end)))
		return false;
	units_add_time(&end, span_ns);
	sentences_addf(&a->told, "The capture ends at %s%s.", end.s,
		       is_later ? ": nothing was recorded in that window" : "");
	if (is_later)
		a->answer->status = "cannot_tell";
	return is_later;
}

static bool refuse_absent_gpu(struct asking *a)
{
	const struct asked_ids *ids = &a->question.devices;
	const struct analysis *info = analysis_find("info", false);
	struct report r = {.command = info->name};
	const struct table *gpus;
	struct err ignored = {0};
	bool is_absent = false;

	if (!ids->count)
		return false;
	gpus = analysis_run(info, a->trace, NULL, &r, &ignored) == 0 ? report_find_table(&r, "gpus")
								     : NULL;
	for (size_t i = 0; gpus && gpus->rows && i < ids->count && !is_absent; i++) {
		bool found = false;

		for (uint64_t row = 0; row < gpus->rows && !found; row++)
			found = table_cell(gpus, row, "gpu").i == (int64_t)ids->all[i] ||
				table_cell(gpus, row, "cuda_device").i == (int64_t)ids->all[i];
		if (found)
			continue;
		is_absent = true;
		a->answer->status = "cannot_tell";
		sentences_addf(&a->told, "There is no GPU %u in this capture.", ids->all[i]);
	}
	report_free(&r);
	return is_absent;
}

bool asking_refuse_absent(struct asking *a)
{
	return refuse_absent_gpu(a) || refuse_later_window(a);
}

void asking_tell_failure(struct asking *a, const struct asked_analysis *asked)
{
	a->answer->status = "cannot_tell";
	if (asked->topic->needs && asking_tell_unrecorded(a, asked->topic))
		return;
	sentences_addf(&a->told, "%s: %s.",
		       asked->failure.absent ? "This capture cannot tell" : "There is no answer",
		       asked->failure.message);
	if (asked->failure.hint[0])
		sentences_addf(&a->told, "%s.", asked->failure.hint);
}
