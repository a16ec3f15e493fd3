/* What does a capture hold in which no GPU worked, and why did none? */
#include "analysis/doctor/doctor.h"
#include "analysis/doctor/no_gpu.h"
#include "analysis/findings/explain.h"

#include "analysis/time_table.h"
#include "analysis/window.h"
#include "options/args.h"
#include "text/units.h"
#include "trace/calls/cpu_events.h"
#include "trace/ranges/ranges.h"
#include "trace/system/system_facts.h"

/* The host's part of the window, and what the whole capture knows. */
struct host_side {
	struct no_gpu_facts facts;
	uint64_t ranges, os_calls, samples; /* in the window; samples are of the CPU */
	bool more; /* the capture holds something else: marks, switches, metrics */
};

/* How many events of a kind are asked about; of NVTX these are the ranges. */
static int count_events(const struct explain *x, enum trace_kind kind, uint64_t *ret, struct err *e)
{
	const struct events *ev = &x->trace->events[kind];
	const uint32_t type = kind == TRACE_NVTX ? COL_BIT(COL_EVENT_TYPE) : 0;

	if (trace_load(x->trace, kind, COLS_TIMES | COL_BIT(COL_THREAD) | type, e) < 0)
		return -1;
	if (kind == TRACE_NVTX)
		ranges_close_open(x->trace);
	for (uint64_t i = 0; i < ev->count; i++) {
		const bool is_range = !type || !ev->event_type ||
				      nvtx_is_push_pop(ev->event_type[i]) ||
				      nvtx_is_start_end(ev->event_type[i]);

		*ret += is_range &&
			host_is_asked(&x->scope, x->trace, ev->thread ? ev->thread[i] : ID_NONE,
				      ev->start_ns ? ev->start_ns[i] : INT_NONE,
				      ev->duration_ns ? ev->duration_ns[i] : DURATION_NONE);
	}
	return 0;
}

static bool is_sample_asked(const struct explain *x, int64_t at_ns, uint64_t thread)
{
	return (!x->scope.has_pid || process_pid(thread >> 24) == x->scope.pid) &&
	       (!x->scope.has_trim || (at_ns >= x->scope.from_ns && at_ns < x->scope.to_ns));
}

static int count_samples(const struct explain *x, uint64_t *ret, struct err *e)
{
	struct cpu_events samples;

	if (cpu_samples_read(x->trace, &samples, e) < 0)
		return -1;
	for (size_t i = 0; i < samples.count; i++)
		*ret += is_sample_asked(x, samples.start_ns[i], samples.thread[i]);
	cpu_events_free(&samples);
	return 0;
}

static int look_for_more(struct trace *t, bool *ret, struct err *e)
{
	static const char *const names[] = {"NVTX_EVENTS", "COMPOSITE_EVENTS", "SCHED_EVENTS",
					    "GPU_METRICS"};

	for (size_t i = 0; i < ARRAY_LEN(names) && !*ret; i++) {
		if (trace_has_rows(t, names[i], ret, e) < 0)
			return -1;
	}
	return 0;
}

static int measure(struct explain *x, struct host_side *ret, struct err *e)
{
	*ret = (struct host_side){0};
	if (no_gpu_facts_read(x->trace, &x->scope, &ret->facts, e) < 0 ||
	    count_events(x, TRACE_NVTX, &ret->ranges, e) < 0 ||
	    count_events(x, TRACE_OSRT, &ret->os_calls, e) < 0 ||
	    count_samples(x, &ret->samples, e) < 0 || look_for_more(x->trace, &ret->more, e) < 0)
		return -1;
	return system_is_windows(x->trace, &x->on_windows, e);
}

static void add_count(struct buf *b, uint64_t count, const char *one)
{
	if (!count)
		return;
	buf_adds(b, b->len ? ", " : "");
	units_add_count(b, (int64_t)count);
	buf_addf(b, " %s%s", one, count == 1 ? "" : "s");
}

/* " (300 of them launches or copies, 12 failed)" */
static void add_calls_part(struct buf *b, const struct host_calls *h)
{
	const char *of_them = h->launches ? "" : " of them";

	if (!h->launches && !h->failed)
		return;
	buf_adds(b, " (");
	if (h->launches) {
		units_add_count(b, (int64_t)h->launches);
		buf_addf(b, " of them launches or copies%s", h->failed ? ", " : "");
	}
	if (h->failed) {
		units_add_count(b, (int64_t)h->failed);
		buf_addf(b, "%s failed", of_them);
	}
	buf_adds(b, ")");
}

/* "412 CUDA calls (300 of them launches or copies), 12 NVTX ranges, 9,000 OS calls" */
static const char *list_contents(struct explain *x, const struct host_side *h)
{
	struct buf b = {0};

	add_count(&b, h->facts.found.asked.calls, "CUDA call");
	add_calls_part(&b, &h->facts.found.asked);
	add_count(&b, h->ranges, "NVTX range");
	add_count(&b, h->os_calls, "OS call");
	if (!b.len)
		add_count(&b, h->samples, "CPU sample");
	return report_take_text(x->report, &b);
}

static const char *asked_part(const struct explain *x)
{
	return x->scope.has_trim ? "window" : x->scope.has_pid ? "process" : "capture";
}

enum { LONGEST_NAME = 40 }; /* of an OS call */

static void add_loop(struct explain *x, struct finding *f, const struct host_loop *l)
{
	const struct str name = trace_name(x->trace, l->name);
	const int len = name.len < LONGEST_NAME ? (int)name.len : LONGEST_NAME;

	find_evidence_over(f,
			   arena_printf(&x->report->arena,
					"OS calls of the thread that loaded CUDA, all %.*s", len,
					name.s),
			   UNIT_COUNT, cell_int((int64_t)l->count), l->from_ns, l->to_ns);
}

static void add_evidence(struct explain *x, struct finding *f, const struct host_side *h)
{
	const struct host_calls *asked = &h->facts.found.asked;

	find_count(f, "CUDA calls", asked->calls);
	if (asked->calls)
		find_count(f, "launches and copies among them", asked->launches);
	if (asked->failed)
		find_count(f, "calls that failed", asked->failed);
	if (h->facts.said.count[DIAGNOSTIC_CUPTI_LOST])
		find_count(f, "CUDA events that CUPTI produced", h->facts.said.produced);
	if (h->facts.loop.count)
		add_loop(x, f, &h->facts.loop);
	if (h->ranges)
		find_count(f, "NVTX ranges", h->ranges);
	if (h->os_calls)
		find_count(f, "OS calls", h->os_calls);
	if (h->samples)
		find_count(f, "CPU samples", h->samples);
}

static void add_advice(struct explain *x, struct finding *f, const struct no_gpu_reason *why)
{
	const unsigned flags = why->flags | (x->on_windows ? FLAG_WINDOWS : 0);
	const char *again = arena_printf(&x->report->arena, "capture again: %s",
					 doctor_command(x->report, flags));

	find_advice(f, why->mend_first ? why->advice : again);
	find_advice(f, why->mend_first ? again : why->advice);
	if (why->driver_advice)
		find_advice(f, why->driver_advice);
	if (why->launcher_advice)
		find_advice(f, why->launcher_advice);
}

static void find_reasons(struct explain *x, const struct host_side *h)
{
	const struct no_gpu_reason why = no_gpu_find_reason(x->report, &h->facts);
	struct finding *f = find_fact(x, "no_gpu_work", SEVERITY_HIGH, "No GPU work: %s", why.why);

	f->confidence = why.confidence;
	f->bound = arena_printf(&x->report->arena, "%s. The %s holds %s", f->title, asked_part(x),
				list_contents(x, h));
	f->how = "not estimated: nothing is known of the GPU";
	add_evidence(x, f, h);
	add_advice(x, f, &why);
	f->unless = "only the host was to be looked at";
}

/* The table of an analysis of the host, of the same window. */
static int add_table(struct explain *x, const char *name, uint64_t limit, struct err *e)
{
	const struct analysis *a = analysis_find(name, false);
	void *args = arena_zalloc(&x->report->arena, 1, a->options->size);
	struct row_choice *rows;

	args_init(a->options, args);
	*args_scope(a->options, args) = x->scope;
	rows = args_part(a->options, args, &limit_options);
	if (rows)
		rows->limit = limit;
	return analysis_run(a, x->trace, args, x->report, e);
}

/* The most telling of what there is; NULL: no command lists it. */
static const char *host_question(const struct host_side *h)
{
	return h->ranges ? "ranges" : h->facts.found.asked.calls ? "api" : NULL;
}

enum { TOP_ROWS = 3 };

/* All that is shown of the last table: the next command lists the others. */
static void end_table(struct report *r)
{
	for (size_t i = r->block_count; i > 0; i--) {
		struct table *cut;

		if (r->blocks[i - 1].kind != BLOCK_TABLE)
			continue;
		cut = arena_alloc(&r->arena, 1, sizeof(*cut));
		*cut = *r->blocks[i - 1].table;
		cut->total_rows = cut->rows;
		r->blocks[i - 1].table = cut;
		return;
	}
}

static int add_overview(struct explain *x, const struct host_side *h, struct err *e)
{
	const char *look = host_question(h);

	/* There are no bars and no further findings. */
	x->report->has_room = true;
	if (look && add_table(x, look, TOP_ROWS, e) < 0)
		return -1;
	end_table(x->report);
	report_heading(x->report, "What to do next");
	explain_report(x);
	report_note(x->report, "Next: gpuwhy %s", verdict_command(x, look ? look : "doctor"));
	return 0;
}

static bool holds_nothing(const struct host_side *h)
{
	return !h->facts.found.asked.calls && !h->ranges && !h->os_calls && !h->samples;
}

static int refuse_empty(const struct explain *x, struct err *e)
{
	err_set(e, ERR_INPUT,
		"'%s' is empty: it holds no CUDA call, no NVTX range, no OS call and no sample",
		x->trace->path);
	return err_hint(e,
			"did the program start? see what it and nsys printed then, and whether "
			"this nsys supports the system; capture again with: nsys profile "
			"--trace=cuda,nvtx%s …",
			x->on_windows ? "" : ",osrt");
}

static int answer(struct explain *x, const struct analysis *self, struct err *e)
{
	struct report *r = x->report;
	struct host_side h;

	if (measure(x, &h, e) < 0)
		return -1;
	if (!x->scope.has_device && !x->scope.has_pid && !x->scope.has_trim && !h.more &&
	    holds_nothing(&h))
		return refuse_empty(x, e);
	/* Of a GPU that somebody names there is nothing at all. */
	if (x->scope.has_device || holds_nothing(&h))
		return trace_require(x->trace, TRACE_KERNELS, e);
	if (window_report(r, self, x->trace, &x->scope, NULL, e) < 0)
		return -1;
	x->timeline.from_ns = r->window_start_ns;
	x->timeline.to_ns = r->window_end_ns;
	find_reasons(x, &h);
	explain_verdict(x);
	report_note(r, "%s", r->verdict_text);
	if (missing_warn(r, x->trace, e) < 0)
		return -1;
	if (r->brief)
		return add_overview(x, &h, e);
	explain_report(x);
	return 0;
}

int no_gpu_work_answer(const struct analysis *self, struct trace *t, const void *args,
		       struct report *r, struct err *e)
{
	const struct explain_args *a = args;
	struct explain x = {.trace = t, .report = r, .args = a, .scope = a->scope};
	int result = answer(&x, self, e);

	explain_free(&x);
	return result;
}
