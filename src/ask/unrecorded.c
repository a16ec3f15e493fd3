/* What has a capture not recorded, and which flag would have? */
#include "ask/asking.h"

#include "base/mem.h"
#include "options/args.h"
#include "text/units.h"

#include <ctype.h>

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
enum { MOST_PHRASES = 26 };

static const struct {
	const char *needs; /* as in struct topic */
	bool needs_all;
	const char *phrases[MOST_PHRASES];
} only_with[] = {
	{"gpu_time",
	 true,
	 {"node of the graph", "nodes of the graph", "graph node", "graph nodes",
	  "within the graph", "inside the graph", "inside the cuda graph", "inside the graphs",
	  "within the cuda graph", "in the cuda graph"}},
	{"code",
	 false,
	 {"nvtx range", "nvtx ranges", "source range", "which range", "which module"}},
	{"gpu_units",
	 false,
	 {"nvlink", "pcie utilization", "pcie bandwidth", "pcie throughput", "pcie traffic",
	  "pcie rate", "pcie use", "sm occupancy", "achieved occupancy", "hardware counter",
	  "hardware counters", "warp occupancy", "warp stall", "warp stalls", "dram bandwidth",
	  "dram utilization", "sm utilization", "tensor core utilization",
	  "dram memory bandwidth"}},
	{"lines", false, {"call stack",	   "call stacks", "stack trace",  "backtrace",
			  "backtraces",	   "source line", "source lines", "line of code",
			  "lines of code", "line number", "line numbers", "file and line",
			  "file line",	   "python line", "which line",	  "flame graph",
			  "flamegraph",	   "cpu hotspot", "cpu hotspots", "cpu hot spots",
			  "python stack",  "burns cpu"}},
	{"memory_use",
	 false,
	 {"peak memory", "memory footprint", "memory consumption", "gpu memory use", "memory peak",
	  "peak gpu memory", "memory high water", "vram", "memory leak", "memory usage",
	  "gib does the model", "gb does the model", "memory does the model"}},
};

/* The same for what no question of `doctor` is about. */
static const struct recording {
	const char *tables; /* of the export: one with rows shows it; NULL: no capture has it */
	const char *names;  /* functions are called so; NULL: by no name */
	bool needs_name;    /* the phrases are about a function of such a name, or a launch */
	const char *lacks;  /* of the capture */
	const char *brings; /* what to do about it */
	const char *phrases[MOST_PHRASES];
} recordings[] = {
	{"CUDA_CALLCHAINS",
	 "cu",
	 true,
	 "backtraces of CUDA calls were not recorded",
	 "Capture with --cudabacktrace=all:0 or --python-backtrace=cuda",
	 {"which line", "line of code", "lines of code", "call stack", "stack trace", "backtrace",
	  "file and line", "source line", "called from", "from where", "which function calls",
	  "which code calls"}},
	{"SCHED_EVENTS",
	 NULL,
	 false,
	 "the operating system's scheduler was not recorded",
	 "Capture with --cpuctxsw=process-tree",
	 {"context switch", "context switches", "context switched", "descheduled", "preempted",
	  "preemption", "off cpu", "os scheduler", "scheduled out", "migrate between cores",
	  "migrated between cores", "which core", "which cpu core", "what core", "pinned to a core",
	  "cpu affinity"}},
	{"OSRT_API",
	 NULL,
	 false,
	 "calls of the operating system were not recorded",
	 "Capture with --trace=osrt",
	 {"system call", "system calls", "syscall",   "syscalls", "os runtime", "os call",
	  "os calls",	 "osrt",	 "pthread",   "mutex",	  "mutexes",	"lock contention",
	  "poll calls",	 "epoll",	 "fopen",     "ioctl",	  "futex",	"file i o",
	  "disk i o",	 "sem_wait",	 "nanosleep", "usleep",	  "fsync"}},
	{"CUBLAS_EVENTS",
	 "cublas",
	 false,
	 "calls of cuBLAS were not recorded",
	 "Capture with --trace=cublas",
	 {"cublas call", "cublas calls", "cublas function", "cublas functions", "cublas api"}},
	{"CUDNN_EVENTS",
	 "cudnn",
	 false,
	 "calls of cuDNN were not recorded",
	 "Capture with --trace=cudnn",
	 {"cudnn call", "cudnn calls", "cudnn function", "cudnn functions", "cudnn api"}},
	{"MPI_COLLECTIVES_EVENTS MPI_P2P_EVENTS MPI_START_WAIT_EVENTS MPI_OTHER_EVENTS",
	 "MPI_",
	 false,
	 "calls of MPI were not recorded",
	 "Capture with --trace=mpi",
	 {"mpi call", "mpi calls", "in mpi", "mpi time", "mpi function", "mpi functions",
	  "mpi collective", "mpi collectives", "mpi wait", "mpi message", "mpi messages"}},
	{"UCP_EVENTS UCP_SUBMIT_EVENTS UCP_PROGRESS_EVENTS UCP_WORKERS",
	 NULL,
	 false,
	 "UCX was not recorded",
	 "Capture with --trace=ucx",
	 {"ucx", "ucp"}},
	{NULL,
	 NULL,
	 false,
	 "OpenSHMEM was not recorded, and gpuwhy does not read it",
	 "Capture with --trace=openshmem",
	 {"openshmem", "nvshmem", "shmem"}},
	{"OPENMP_EVENT_KIND_PARALLEL OPENMP_EVENT_KIND_TASK_CREATE",
	 NULL,
	 false,
	 "OpenMP was not recorded",
	 "Capture with --trace=openmp",
	 {"openmp", "omp parallel", "parallel region", "parallel regions"}},
	{"VULKAN_API VULKAN_WORKLOAD",
	 NULL,
	 false,
	 "Vulkan was not recorded",
	 "Capture with --trace=vulkan",
	 {"vulkan"}},
	{"OPENGL_API OPENGL_WORKLOAD",
	 NULL,
	 false,
	 "OpenGL was not recorded",
	 "Capture with --trace=opengl",
	 {"opengl"}},
	{"DX12_API DX11_API D3D12_API D3D11_API",
	 NULL,
	 false,
	 "DirectX was not recorded",
	 "Capture on Windows with --trace=dx12",
	 {"directx", "dx11", "dx12", "d3d12", "direct3d"}},
	{"CUDA_UM_GPU_PAGE_FAULT_EVENTS CUDA_UM_CPU_PAGE_FAULT_EVENTS",
	 NULL,
	 false,
	 "page faults of unified memory were not recorded",
	 "Capture with --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true",
	 {"page fault", "page faults", "pagefault", "pagefaults", "faulted pages"}},
	{"GPU_METRICS",
	 NULL,
	 false,
	 "GPU metrics were not sampled",
	 "Capture with --gpu-metrics-devices=all",
	 {"clock frequency", "clock speed", "boost clock", "sm clock", "gpu clock"}},
	{NULL,
	 NULL,
	 false,
	 "counters of single kernels are what Nsight Compute records",
	 "Profile the kernel with it: gpuwhy inspect TRACE -- COMMAND",
	 {"roofline",
	  "arithmetic intensity",
	  "bank conflict",
	  "bank conflicts",
	  "register spill",
	  "register spills",
	  "register spilling",
	  "spilled registers",
	  "cache hit",
	  "cache hit rate",
	  "cache miss",
	  "cache misses",
	  "hit rate",
	  "stall reason",
	  "stall reasons",
	  "instructions per cycle",
	  "ipc",
	  "instruction mix",
	  "branch divergence",
	  "warp divergence",
	  "coalesced",
	  "flops does"}},
};

/* What the trace has by a name was recorded: "nvshmem kernels", `ipc_copy_kernel`. */
static bool says(const struct asking *a, const char *phrase)
{
	const struct question *q = &a->question;

	if (question_says(q, phrase))
		return !(q->work.kinds & WORK_KERNEL) || !asking_is_name(a->trace, phrase);
	for (size_t i = 0; i < q->names.count; i++) {
		const struct str name = q->names.all[i];

		if (str_starts(name, phrase) &&
		    !asking_is_name(a->trace, arena_str(&a->report->arena, name).s))
			return true;
	}
	return false;
}

static bool says_any(const struct asking *a, const char *const *phrases)
{
	for (size_t p = 0; p < MOST_PHRASES && phrases[p]; p++) {
		if (says(a, phrases[p]))
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
			if (!says(a, arena_str(&a->report->arena, next).s))
				continue;
			a->answer->status = "cannot_tell";
			sentences_addf(&a->told, "This capture cannot tell: %s.", t->none);
			return true;
		}
	}
	return false;
}

/* Whether a table of the list has rows; what cannot be read may have some. */
static bool is_recorded(struct asking *a, const char *tables)
{
	for (struct str next; tables && (next = str_next_word(&tables)).len;) {
		const char *table = arena_str(&a->report->arena, next).s;
		struct err ignored = {0};
		bool has_rows;

		if (trace_has_rows(a->trace, table, &has_rows, &ignored) < 0 || has_rows)
			return true;
	}
	return false;
}

/* "cublasGemmEx": a function of the library is named; NULL: none is. */
static const char *named_function(const struct asking *a, const char *prefix)
{
	const struct asked_names *n = &a->question.names;

	for (size_t i = 0; prefix && i < n->count; i++) {
		if (str_starts(n->all[i], prefix) && n->all[i].len > strlen(prefix))
			return arena_str(&a->report->arena, n->all[i]).s;
	}
	return NULL;
}

/* Ranges may be called as functions are: then these are known. */
static bool is_known_function(const struct asking *a, const struct recording *r, const char *name)
{
	return !r->needs_name && name && asking_is_name(a->trace, name);
}

/* "which line launches it": that is known of calls alone. */
static bool says_launch(const struct question *q)
{
	return question_says_any(q, ANY_OF("launch", "launches", "launched", "launching"));
}

static bool refuse_recording(struct asking *a)
{
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		const struct recording *r = &recordings[i];
		const char *name = named_function(a, r->names);
		const bool is_said = says_any(a, r->phrases),
			   has_name = name || (r->needs_name && says_launch(&a->question));

		if (!(r->needs_name ? is_said && has_name : is_said || name) ||
		    is_known_function(a, r, name) || is_recorded(a, r->tables))
			continue;
		a->answer->status = "cannot_tell";
		sentences_addf(&a->told, "This capture cannot tell: %s. %s.", r->lacks, r->brings);
		return true;
	}
	return false;
}

bool asking_refuse_unrecorded(struct asking *a)
{
	if (a->question.intent != ASKS_WHY && refuse_recording(a))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(only_with); i++) {
		const struct topic topic = {.needs = only_with[i].needs,
					    .needs_all = only_with[i].needs_all};

		if (says_any(a, only_with[i].phrases) && a->question.intent != ASKS_WHY &&
		    asking_tell_unrecorded(a, &topic)) {
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

/* What is said of another run, which is no part of this capture. */
static bool refuse_other_run(struct asking *a)
{
	const struct question *q = &a->question;

	if (q->intent == ASKS_WHY ||
	    !question_says_any(q,
			       ANY_OF("previous version", "previous run", "previous capture",
				      "other run", "other capture", "old version", "older version",
				      "last version", "previous release", "last release",
				      "before the change", "after the change", "than yesterday",
				      "than last week", "the baseline", "regression", "regressed",
				      "previous commit", "last commit")))
		return false;
	a->answer->status = "cannot_tell";
	sentences_addf(&a->told, "This capture cannot tell: it knows nothing of another run. "
				 "gpuwhy diff compares two captures.");
	return true;
}

bool asking_refuse_absent(struct asking *a)
{
	return refuse_other_run(a) || refuse_absent_gpu(a) || refuse_later_window(a);
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
		sentences_addf(&a->told, "%c%s.", toupper((unsigned char)asked->failure.hint[0]),
			       asked->failure.hint + 1);
}
