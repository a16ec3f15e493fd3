/* How does a rule say what it found? */
#include "analysis/findings/explain.h"
#include "analysis/gpu/timeline.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "text/units.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the window: what is worth a word, a warning, an alarm. */
static const double LOW_PCT = 1, MEDIUM_PCT = 5, HIGH_PCT = 20;

const char find_idle_how[] = "idle time of the worst-affected GPU in gaps with this cause; time "
			     "when the GPU was busy is not counted";

enum severity find_severity(double pct)
{
	return pct >= HIGH_PCT ? SEVERITY_HIGH : pct >= MEDIUM_PCT ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

bool find_costs(double pct)
{
	return pct >= LOW_PCT;
}

static struct finding *add_finding(struct explain *x, const char *id, const char *title, va_list ap)
{
	const struct finding_kind *kind = finding_kind(id);
	struct finding *f;
	char *text;

	assert(kind);
	if (vasprintf(&text, title, ap) < 0)
		mem_out();
	MEM_GROW(x->found, x->found_cap, x->found_count + 1);
	f = &x->found[x->found_count++];
	*f = (struct finding){
		.id = id,
		.owner = kind->owner,
		.title = arena_strdup(&x->report->arena, text),
		.confidence = CONFIDENCE_MEDIUM,
	};
	free(text);
	return f;
}

static struct finding *add_cost(struct explain *x, const char *id, int64_t recoverable_ns,
				const char *title, va_list ap)
{
	const int64_t of_ns = x->window_ns - x->input_ns;
	const int64_t ns = recoverable_ns < of_ns ? recoverable_ns : of_ns;
	const double pct = of_ns > 0 ? 100.0 * (double)ns / (double)of_ns : 0;
	struct finding *f;

	if (!find_costs(pct))
		return NULL;
	f = add_finding(x, id, title, ap);
	f->recoverable_ns = ns;
	f->recoverable_pct = pct;
	f->severity = find_severity(pct);
	f->share_of = x->input_ns ? "the time without waiting for input" : NULL;
	return f;
}

struct finding *find_cost(struct explain *x, const char *id, int64_t recoverable_ns,
			  const char *title, ...)
{
	struct finding *f;
	va_list ap;

	va_start(ap, title);
	f = add_cost(x, id, recoverable_ns, title, ap);
	va_end(ap);
	return f;
}

struct finding *find_lost(struct explain *x, const char *id, int64_t recoverable_ns,
			  const char *title, ...)
{
	struct finding *f;
	va_list ap;

	va_start(ap, title);
	f = add_cost(x, id, recoverable_ns < x->slack_ns ? recoverable_ns : x->slack_ns, title, ap);
	va_end(ap);
	return f;
}

struct finding *find_fact(struct explain *x, const char *id, enum severity severity,
			  const char *title, ...)
{
	struct finding *f;
	va_list ap;

	va_start(ap, title);
	f = add_finding(x, id, title, ap);
	va_end(ap);
	f->severity = severity;
	f->how = "not estimated: the timeline does not show what it costs";
	return f;
}

void find_evidence(struct finding *f, const char *label, enum unit unit, struct cell value)
{
	if (f->evidence_count < FINDING_EVIDENCE + f->code_count)
		f->evidence[f->evidence_count++] =
			(struct evidence){.label = label, .unit = unit, .value = value};
}

void find_count(struct finding *f, const char *label, uint64_t count)
{
	find_evidence(f, label, UNIT_COUNT, cell_int((int64_t)count));
}

void find_time(struct finding *f, const char *label, int64_t ns)
{
	find_evidence(f, label, UNIT_NS, cell_int(ns));
}

void find_share(struct finding *f, const char *label, int64_t part, int64_t whole)
{
	find_evidence(f, label, UNIT_PERCENT, cell_real(100.0 * (double)part / (double)whole));
}

void find_kernel(const struct explain *x, struct finding *f, const char *label, uint32_t name)
{
	find_evidence(f, label, UNIT_KERNEL, cell_str(trace_name(x->trace, name)));
}

void find_evidence_over(struct finding *f, const char *label, enum unit unit, struct cell value,
			int64_t from_ns, int64_t to_ns)
{
	if (f->evidence_count < FINDING_EVIDENCE + f->code_count)
		f->evidence[f->evidence_count++] = (struct evidence){.label = label,
								     .unit = unit,
								     .value = value,
								     .has_when = true,
								     .start_ns = from_ns,
								     .end_ns = to_ns};
}

void find_evidence_at(struct finding *f, const char *label, int64_t ns, int64_t at_ns)
{
	find_evidence_over(f, label, UNIT_NS, cell_int(ns), at_ns, sat_add(at_ns, ns));
}

void find_advice(struct finding *f, const char *advice)
{
	if (f->advice_count < FINDING_ADVICE)
		f->advice[f->advice_count++] = advice;
}

const char *find_to_sample(const struct explain *x)
{
	return x->program.python && !x->on_windows ? "--python-sampling=true"
						   : "--sample=process-tree";
}

void find_advice_for(const struct explain *x, struct finding *f, const char *torch,
		     const char *plain)
{
	find_advice(f, x->program.torch ? torch : plain);
}

void find_inspect(struct explain *x, struct finding *f, const char *what)
{
	find_advice(f, arena_printf(&x->report->arena,
				    "profile %s with Nsight Compute: gpuwhy %s -- COMMAND", what,
				    verdict_advised(x, "inspect", x->scope.span)));
}

int64_t find_within_waits(const struct explain *x, int64_t ns)
{
	/* Without calls in the trace nothing is known of the host. */
	if (!x->judge.joined)
		return ns;
	return ns < x->wait_ns ? ns : x->wait_ns;
}

const char *find_code(struct explain *x, struct str name)
{
	char *text = arena_printf(&x->report->arena, "`%.*s`", (int)name.len, name.s);

	/* The name's own would end the quotation. */
	for (char *c = text + 1; *c && c[1]; c++)
		*c = (char)(*c == '`' ? '\'' : *c);
	return text;
}

/* How long the words for a namespace without a name are, where they come next. */
static size_t nameless(struct str rest)
{
	static const char *const words[] = {"<unnamed>", "(anonymous namespace)"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_starts(rest, words[i]))
			return strlen(words[i]);
	}
	return 0;
}

/* What a person calls a kernel: neither what it returns nor its arguments. */
static struct str spoken(struct str name)
{
	size_t len = 0;

	if (name.len > 5 && memcmp(name.s, "void ", 5) == 0)
		name = (struct str){name.s + 5, name.len - 5};
	while (len < name.len && name.s[len] != '<' && name.s[len] != '(') {
		len++;
		len += nameless((struct str){name.s + len, name.len - len});
	}
	return len ? (struct str){name.s, len} : name;
}

const char *find_kernel_code(struct explain *x, uint32_t name)
{
	return find_code(x, spoken(trace_name(x->trace, name)));
}

/* A program without ranges has no outside, and without launches a gap is in no range we know of. */
static bool tells_ranges(const struct explain *x)
{
	return x->judge.joined && x->judge.attribution.forest.count;
}

const char *find_more_ranges(const struct explain *x)
{
	return tells_ranges(x) ? "finer NVTX ranges" : "NVTX ranges";
}

const char *find_range(struct explain *x, uint32_t folded)
{
	if (folded == NAME_NONE)
		return tells_ranges(x) ? " outside any NVTX range" : "";
	return arena_printf(&x->report->arena, " in %s",
			    find_code(x, x->folded_names.items[folded]));
}

const char *find_where(struct explain *x, const struct time_total *s)
{
	const struct time_sum *top = &s->sums->rows[s->top[0]];
	const char *range = find_range(x, top->name);

	if (is_share(top->total_ns, s->total_ns, 0.5))
		return range;
	return arena_printf(&x->report->arena, " in %zu places, the largest%s", s->rows, range);
}

const char *find_place(struct explain *x, const struct time_total *s)
{
	const struct time_sum *top = &s->sums->rows[s->top[0]];
	bool has_most = is_share(top->total_ns, s->total_ns, 0.5);
	const char *where = find_where(x, s);

	if (!*where)
		return where;
	return arena_printf(&x->report->arena, ",%s%s", has_most ? " mostly" : "", where);
}

static_assert((size_t)PARTS_LISTED <= (size_t)FINDING_PLACES, "a list is a finding's places");

struct time_part find_places(struct finding *f, const struct longest_parts *s)
{
	const struct part_list l = longest_parts_list(s);

	f->place_count = l.count;
	f->place_total = l.total;
	for (size_t i = 0; i < l.count; i++)
		f->places[i] = l.all[i];
	return l.longest;
}

struct time_part find_places_of(struct finding *f, const struct time_total *s)
{
	struct longest_parts all = {0};
	struct time_part longest;

	time_total_places(s, &all);
	longest = find_places(f, &all);
	longest_parts_free(&all);
	return longest;
}

struct time_part find_places_of_group(struct finding *f, const struct time_sums *sums,
				      uint32_t group)
{
	struct time_part longest;
	struct time_total s;

	time_total_of_group(&s, sums, group);
	longest = find_places_of(f, &s);
	time_total_free(&s);
	return longest;
}

void find_evidence_in(struct finding *f, const char *label, struct span time)
{
	if (span_ns(time))
		find_evidence_at(f, label, span_ns(time), time.start_ns);
}

static int by_share(const void *a, const void *b, void *ctx)
{
	const struct finding_share *x = a, *y = b;

	(void)ctx;
	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : strcmp(x->range, y->range);
}

/* A GPU that waits most has the cost, which is shared as all GPUs' time is. */
static void find_shares(struct explain *x, struct finding *f, const struct time_total *s)
{
	struct finding_share *all = mem_alloc(s->sums->count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < s->sums->count; i++) {
		const struct time_sum *row = &s->sums->rows[i];

		if (s->has[i] && s->total_ns > 0)
			all[count++] = (struct finding_share){
				row->name == NAME_NONE ? ""
						       : arena_str(&x->report->arena,
								   x->folded_names.items[row->name])
								 .s,
				sat_of_double((double)f->recoverable_ns * (double)row->total_ns /
					      (double)s->total_ns)};
	}
	sort_stable(all, count, sizeof(*all), by_share, NULL);
	f->share_count = count < FINDING_SHARES ? count : FINDING_SHARES;
	for (size_t i = 0; i < f->share_count; i++)
		f->shares[i] = all[i];
	free(all);
}

void find_main_range(struct explain *x, struct finding *f, const struct time_total *s)
{
	const struct time_sum *top = s->rows ? &s->sums->rows[s->top[0]] : NULL;

	if (top && top->name != NAME_NONE && is_share(top->total_ns, s->total_ns, 0.5))
		f->range = arena_str(&x->report->arena, x->folded_names.items[top->name]).s;
}

struct time_part find_gaps(struct explain *x, struct finding *f, const struct time_total *s)
{
	const struct time_part longest = find_places_of(f, s);

	find_main_range(x, f, s);
	if (s->sums == &x->sums[SUM_CAUSES])
		find_shares(x, f, s);
	find_count(f, "gaps", s->count);
	/* One gap may be begun and ended by it, and not be its own in between. */
	if (2 * f->place_total >= 3 * s->count)
		find_count(f, "parts of them that it takes", f->place_total);
	find_evidence_in(f,
			 span_ns(longest.time) == span_ns(longest.of) ? "longest gap"
								      : "longest part of a gap",
			 longest.time);
	return longest;
}

/* Of captures of one job: who holds it up comes before what all ranks pay for, as in `fleet`. */
static bool holds_up_job(const struct explain *x, const struct finding *f)
{
	return x->trace->joined && strcmp(f->id, "straggler") == 0;
}

/* A rule may know better than the time that it is less severe: then it comes later, too. */
static int compare_findings(const void *a, const void *b, void *ctx)
{
	const struct finding *f = a, *g = b;
	const bool one = holds_up_job(ctx, f), other = holds_up_job(ctx, g);

	if (one != other)
		return one ? -1 : 1;
	if (f->leads != g->leads)
		return f->leads ? -1 : 1;
	if (f->severity != g->severity)
		return f->severity > g->severity ? -1 : 1;
	return (f->recoverable_ns < g->recoverable_ns) - (f->recoverable_ns > g->recoverable_ns);
}

/* Of the evidence that says when it is: the most exact, which is the shortest. */
static struct span exact_evidence(const struct finding *f)
{
	struct span found = SPAN_NONE;

	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct span when = {f->evidence[i].start_ns, f->evidence[i].end_ns};

		if (f->evidence[i].has_when &&
		    (found.end_ns < found.start_ns || span_ns(when) < span_ns(found)))
			found = when;
	}
	return found;
}

/* What has no one place is about the whole window: there is always a time to look at. */
static void place_in_time(const struct explain *x, struct finding *f)
{
	const struct span window = {x->timeline.from_ns, x->timeline.to_ns};
	struct span exact = exact_evidence(f);

	if (exact.end_ns < exact.start_ns) {
		exact = window;
		f->evidence[0].has_when = true;
		f->evidence[0].start_ns = window.start_ns;
		f->evidence[0].end_ns = window.end_ns;
	}
	if (!f->place_count) {
		f->places[f->place_count++] = exact;
		f->place_total = 1;
	}
}

/* The verdict is as severe as whatever is told after it. */
static void raise_leads(struct explain *x)
{
	enum severity most = SEVERITY_INFO;

	for (size_t i = 0; i < x->found_count; i++)
		most = x->found[i].severity > most ? x->found[i].severity : most;
	for (size_t i = 0; i < x->found_count; i++) {
		if (x->found[i].leads)
			x->found[i].severity = most;
	}
}

/* The order in which they are told; the first is the verdict. */
void explain_rank(struct explain *x)
{
	raise_leads(x);
	sort_stable(x->found, x->found_count, sizeof(*x->found), compare_findings, x);
}

/* Much is lost, though nothing of it by what this program does on the GPU; or one rank loses it. */
static bool leads_elsewhere(const struct explain *x)
{
	static const char *const ids[] = {"one_shot", "waiting_for_input", "idle_unexplained"};

	if (x->found_count && holds_up_job(x, &x->found[0]))
		return true;
	for (size_t i = 0; x->found_count && i < ARRAY_LEN(ids); i++) {
		if (strcmp(x->found[0].id, ids[i]) == 0)
			return true;
	}
	return false;
}

/* Of what is told, but for launches that the profiler may slow. */
static bool costs_little(const struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		const struct finding *f = &x->found[i];

		if (f->recoverable_ns > 0 && f->recoverable_pct >= MEDIUM_PCT &&
		    strcmp(f->id, "launch_bound") != 0 && strcmp(f->id, "tiny_kernels") != 0)
			return false;
	}
	return true;
}

void explain_report(struct explain *x)
{
	size_t warnings = 0;

	for (size_t i = 0; i < x->found_count; i++)
		warnings += finding_is_warning(&x->found[i]);
	if (!warnings && !leads_elsewhere(x))
		report_note(x->report, "No significant problem found%s%s.",
			    x->found_count && strcmp(x->found[0].id, "gpu_bound") == 0
				    ? " outside the kernels"
				    : "",
			    x->found_count <= 1 ? ""
			    : costs_little(x)	? ": each finding listed costs less than 5 %, or "
						  "may be profiler overhead"
					      : ": what the findings listed cost is not the run's");
	for (size_t i = 0; i < x->found_count; i++) {
		struct finding *f = arena_alloc(&x->report->arena, 1, sizeof(*f));

		*f = x->found[i];
		place_in_time(x, f);
		report_finding(x->report, f);
	}
}

static void add_part(struct buf *b, int64_t ns, int64_t capture_ns, const char *what)
{
	if (!is_share(ns, capture_ns, 0.01))
		return;
	buf_adds(b, b->len ? ", " : "");
	units_add_ns(b, (double)ns);
	buf_addf(b, " %s", what);
}

/* What starting costs, where that is more than all that the answer is about; NULL: it is not. */
static const char *larger_start(const struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (strcmp(x->found[i].id, "cold_steps") == 0 &&
		    x->scope.cold.more_ns > x->window_ns)
			return x->found[i].title;
	}
	return NULL;
}

/* GPU work that outlasts what was recorded is part of the capture: see window_of_capture(). */
static int64_t capture_ns(const struct explain *x)
{
	struct span capture = {x->timeline.first_ns, x->timeline.last_ns};

	span_widen(&capture, (struct span){0, x->trace->meta.span_ns});
	return sat_sub(capture.end_ns, capture.start_ns);
}

/* A little of a capture may be all there is of GPU work: then that counts, not the capture. */
static void note_share(struct explain *x, const char *of_capture)
{
	const struct timeline *l = &x->timeline;
	const int64_t gpu_ns = sat_sub(l->last_ns, l->first_ns);
	const char *start = larger_start(x);
	SCOPED_BUF of_gpu = {0};

	if (l->first_ns >= l->from_ns && l->last_ns <= l->to_ns) {
		report_note(x->report,
			    "The window is %s of the capture; no GPU work lies outside it.",
			    of_capture);
		return;
	}
	if (!start && (gpu_ns <= 0 || is_share(gpu_ns, capture_ns(x), 0.5))) {
		report_note(x->report,
			    "The window is %s of the capture; --span all asks about all of it.",
			    of_capture);
		return;
	}
	units_add_share(&of_gpu, 100 * (double)x->window_ns / (double)gpu_ns, 1);
	if (start) {
		report_note(x->report,
			    "%s; the window is %s of the time with GPU work: --span all asks about "
			    "all.",
			    start, of_gpu.s);
		return;
	}
	report_note(x->report,
		    "The window is %s of the time with GPU work; --span all asks about all.",
		    of_gpu.s);
}

/* What the answer is not about: nobody should take the window for the run. */
static void note_outside(struct explain *x)
{
	const struct timeline *l = &x->timeline;
	const struct trace_meta *meta = &x->trace->meta;
	const bool warm = x->scope.chosen == SPAN_WARM;
	const int64_t all_ns = capture_ns(x);
	SCOPED_BUF b = {0}, share = {0};

	if (!meta->has_span || meta->span_ns <= 0 || !(warm || x->scope.chosen == SPAN_GPU))
		return;
	units_add_share(&share, 100 * (double)x->window_ns / (double)all_ns, 1);
	if (x->report->brief) {
		note_share(x, share.s);
		return;
	}
	add_part(&b, l->first_ns, all_ns, "before the first GPU work");
	if (warm) {
		add_part(&b, sat_sub(l->from_ns, l->first_ns), all_ns,
			 "from there to the first of these steps");
		add_part(&b, sat_sub(l->last_ns, l->to_ns), all_ns,
			 "from the last of them to the last GPU work");
	}
	add_part(&b, sat_sub(meta->span_ns, l->last_ns), all_ns, "after the last GPU work");
	if (b.len)
		report_note(x->report,
			    "The window is %s of the capture. Outside it: %s; --span all asks "
			    "about all of it.",
			    share.s, b.s);
}

int explain_window(struct explain *x, const struct analysis *self, struct err *e)
{
	time_window_report(x->report, self, &x->timeline, &x->scope);
	if (x->report->verdict)
		report_note(x->report, "%s", x->report->verdict_text);
	if (x->report->cost)
		report_note(x->report, "%s", x->report->cost->text);
	if (x->report->brief && x->report->workload)
		report_note(x->report, "%s", x->report->workload->text);
	note_outside(x);
	time_window_warn(x->report, &x->ops.times.faults);
	return missing_warn(x->report, x->trace, e);
}
