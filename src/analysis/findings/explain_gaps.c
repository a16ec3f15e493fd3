/* Rules about idle GPUs: what did the host do instead of launching? */
#include "analysis/findings/code_functions.h"
#include "analysis/workload/loading.h"
#include "base/mem.h"
#include "trace/system/labels.h"

static void find_alloc_or_loading(struct explain *x, const struct time_total *s)
{
	if (!explain_loading(x, s))
		explain_alloc(x, s);
}

/* A launch takes microseconds. What else it does there the trace does not tell. */
static void find_slow_launches(struct explain *x, const struct time_total *s)
{
	const struct code_choice calls = calls_of_total(x, s);
	struct finding *f =
		find_lost(x, "slow_launches", time_total_worst(s),
			  "GPU idle during slow launch calls%s", explain_calls_place(x, &calls, s));

	if (!f)
		return;
	f->how = "time in launch calls of 100 µs or more while the GPU was idle";
	f->confidence = CONFIDENCE_LOW;
	find_gaps(x, f, s);
	find_evidence(f, "average duration of these calls", UNIT_NS,
		      cell_real((double)s->total_ns / (double)s->count));
	explain_calls_add(x, f, &calls, "calls", s);
	find_advice(f, "large CUDA graphs launch slowly: make the graph smaller, or upload it in "
		       "advance (cudaGraphUpload)");
	find_advice(f, "threads that launch concurrently contend for the driver's lock: use one "
		       "launching thread per GPU");
	f->unless = "the profiler itself slows these calls down: compare with a run without it";
}

static const char *function(struct explain *x, const struct time_sum *row)
{
	struct str name;

	if (row->name == NAME_NONE)
		return "calls without a name in the export";
	name = label_api(trace_name(x->trace, row->name));
	return arena_printf(&x->report->arena, "`%.*s`", (int)name.len, name.s);
}

/* The functions, by the idle time of gaps that they are most of. */
static void add_functions(struct explain *x, struct finding *f, const struct time_total *s)
{
	size_t shown = time_total_tops(s);

	for (size_t i = 0; i < shown; i++) {
		const struct time_sum *row = &s->sums->rows[s->top[i]];

		find_time(f, arena_printf(&x->report->arena, "idle in %s", function(x, row)),
			  row->total_ns);
	}
	if (s->rows > shown)
		find_count(f, "more functions", s->rows - shown);
}

static void find_slow_calls(struct explain *x, const struct time_total *gaps)
{
	const struct code_choice calls = calls_of_causes(x, CAUSE_CALLS, CAUSE_CALLS);
	struct time_total functions;
	struct finding *f;

	time_total_of_group(&functions, &x->sums[SUM_SLOW_CALLS], 0);
	f = find_lost(x, "slow_calls", time_total_worst(gaps),
		      "GPU idle while the host is in %s%s%s",
		      function(x, &functions.sums->rows[functions.top[0]]),
		      functions.rows > 1 ? " and other CUDA calls" : "",
		      explain_calls_place(x, &calls, gaps));
	if (f) {
		f->how = "idle time in gaps of which half or more is in CUDA calls other than "
			 "launches, copies, synchronisation and allocation";
		add_functions(x, f, &functions);
		find_gaps(x, f, gaps);
		explain_calls_add(x, f, &calls, "calls", gaps);
		explain_code_add(x, f, gaps);
		find_advice(f, "move the call out of the loop: make it once and keep the result "
			       "(streams, events, attributes, instantiated graphs)");
		find_advice(f, "if a graph changes, update it (cudaGraphExecUpdate) instead of "
			       "instantiating it again; do not poll in a loop");
		f->unless = "the capture is short and this is still warm-up";
	}
	time_total_free(&functions);
}

static const char *how_to_see(struct explain *x)
{
	if (explain_lacks_python(x))
		return "capture Python's own samples (gpuwhy profile, or nsys profile "
		       "--python-sampling=true and nsys export --include-blobs=true)";
	if (x->has_samples)
		return "look at the samples of its thread in the longest gap, in Nsight Systems";
	return arena_printf(&x->report->arena, "capture with --trace=cuda,nvtx%s %s",
			    x->on_windows ? "" : ",osrt", find_to_sample(x));
}

static void advise_stall(struct finding *f, struct explain *x, uint32_t range)
{
	if (range != NAME_NONE && name_is_loading(x->folded_names.items[range])) {
		f->owner = OWNER_DATA;
		find_advice_for(x, f,
				"prepare the next step's input in another process or thread while "
				"the GPU works (data-loader workers, prefetching)",
				"prepare the next input in another thread while the GPU works on "
				"this one: two buffers");
	} else {
		find_advice(f, "find out what the host does there, then overlap it with GPU work, "
			       "or remove it");
	}
	find_advice(f, arena_printf(&x->report->arena, "to see what it does: %s, or add %s",
				    how_to_see(x), find_more_ranges(x)));
}

/* Of places that are told of together: which have most, and how many there are besides. */
static void add_tops(struct explain *x, struct finding *f, const struct time_total *s)
{
	size_t shown = time_total_tops(s);

	for (size_t i = 0; i < shown; i++) {
		const struct time_sum *row = &s->sums->rows[s->top[i]];

		const char *where = find_range(x, row->name);

		find_time(f, where + strspn(where, " "), row->total_ns);
	}
	if (s->rows > shown)
		find_count(f, "more places", s->rows - shown);
}

static const char *name_places(struct explain *x, const struct time_total *s, bool others)
{
	const char *top = find_range(x, s->sums->rows[s->top[0]].name);

	return s->rows == 1 ? top
			    : arena_printf(&x->report->arena, " in %zu %splaces, the largest%s",
					   s->rows, others ? "other " : "", top);
}

/*
 * What has no name may be anything: the program's start, a pause, another's work. And gaps after a
 * wait are the wait's, though the same host code may lie in them: where these are more, what is
 * left for the stall is a part at best.
 */
static enum confidence stall_confidence(const struct explain *x, const struct time_total *s)
{
	const int64_t drained_ns = time_sums_group(&x->sums[SUM_CAUSES], CAUSE_SYNC, NULL);

	return s->sums->rows[s->top[0]].name == NAME_NONE || drained_ns > time_total_worst(s)
		       ? CONFIDENCE_MEDIUM
		       : CONFIDENCE_HIGH;
}

/* With the line that makes it, where its backtrace was captured. */
static const char *call_at(struct explain *x, uint32_t thread, size_t place)
{
	const struct calls *c = &x->judge.calls;
	const size_t number = thread_calls_at(&x->judge.threads, place);
	const struct api_call call = calls_at(c, number);
	const uint32_t name = c->origins[calls_origin(c, number)].name;
	const char *code, *line;

	if (name == NAME_NONE)
		return NULL;
	code = find_code(x, label_api(trace_name(x->trace, name)));
	line = explain_call_code(x, thread, (struct span){call.start_ns, api_call_last(&call)});
	return line ? arena_printf(&x->report->arena, "%s, made in %s", code, line) : code;
}

/* The call of the stall's thread after which it made none for longest; the end of its calls. */
static size_t longest_pause(const struct explain *x, const struct stall *s)
{
	const struct thread_calls *t = &x->judge.threads;
	const struct calls *c = &x->judge.calls;
	const size_t end = t->begin[s->thread + 1];
	size_t near = 0, place = thread_calls_after(t, s->thread, s->start_ns, &near), found = end;
	int64_t longest_ns = 0;

	for (place -= place > t->begin[s->thread]; place + 1 < end; place++) {
		const struct api_call call = calls_at(c, thread_calls_at(t, place));
		const int64_t next_ns = c->start_ns[thread_calls_at(t, place + 1)];

		if (call.start_ns >= s->end_ns)
			break;
		if (sat_sub(next_ns, api_call_end(&call)) > longest_ns) {
			longest_ns = sat_sub(next_ns, api_call_end(&call));
			found = place;
		}
	}
	return found;
}

/* Where no range names the host code, the calls around it do; lines say more than any range. */
static void add_calls_around(struct explain *x, struct finding *f, const struct time_total *s,
			     struct span gap)
{
	const struct thread_calls *t = &x->judge.threads;
	const bool named = s->sums->rows[s->top[0]].name != NAME_NONE;
	const char *before, *after;
	size_t i = 0, place;

	while (i < x->stalls.count && x->stalls.all[i].start_ns != gap.start_ns)
		i++;
	if ((named && !code_has_calls(&x->code)) || i == x->stalls.count ||
	    x->stalls.all[i].thread >= t->threads)
		return;
	place = longest_pause(x, &x->stalls.all[i]);
	if (place == t->begin[x->stalls.all[i].thread + 1])
		return;
	before = call_at(x, x->stalls.all[i].thread, place);
	after = call_at(x, x->stalls.all[i].thread, place + 1);
	if (before && after) {
		find_evidence(f, "CUDA call before that code", UNIT_NAME, cell_text(before));
		find_evidence(f, "CUDA call after it", UNIT_NAME, cell_text(after));
	}
}

/* The range that holds it, where the title names the code. */
static void add_range(struct explain *x, struct finding *f, const struct time_total *s)
{
	const uint32_t range = s->sums->rows[s->top[0]].name;

	if (range != NAME_NONE && s->rows == 1)
		find_evidence(f, "NVTX range", UNIT_NAME, cell_str(x->folded_names.items[range]));
}

/* Who knows the line needs no other capture. */
static void advise_code(struct explain *x, struct finding *f, const struct time_total *s)
{
	const uint32_t range = s->sums->rows[s->top[0]].name;

	if (!explain_code_help(x, f, s) && range != NAME_NONE &&
	    name_is_loading(x->folded_names.items[range]))
		f->owner = OWNER_DATA;
	find_advice(f, "overlap it with GPU work (another thread or process, launched ahead), or "
		       "remove it");
	find_advice(f, arena_printf(&x->report->arena, "see all stacks: gpuwhy %s --tree",
				    verdict_advised(x, "code", x->scope.span)));
}

static void find_stall(struct explain *x, const struct time_total *s, const char *where)
{
	const char *code = explain_code_where(x, s);
	const char *faults = explain_takes_faults(x, s) ? ", which takes page faults" : "";
	struct finding *f =
		find_lost(x, "host_stall", time_total_worst(s), "The GPU waits for host code%s%s",
			  code ? code : where, faults);

	if (!f)
		return;
	f->bound = arena_printf(&x->report->arena, "Bound by host code%s%s", code ? code : where,
				faults);
	f->how = find_idle_how;
	f->confidence = stall_confidence(x, s);
	f->unless = "the host code is itself waiting for something this capture does not show (a "
		    "lock, the disk, another process)";
	add_calls_around(x, f, s, find_gaps(x, f, s).of);
	explain_add_function(x, f, s);
	explain_add_faults(x, f, s);
	if (code)
		add_range(x, f, s);
	if (s->rows > 1)
		add_tops(x, f, s);
	if (!code)
		advise_stall(f, x, s->sums->rows[s->top[0]].name);
	else
		advise_code(x, f, s);
	explain_add_rival(x, f);
}

static bool is_mpi(const struct explain *x, uint32_t range)
{
	/* Those that wait for another rank: others pack, start, end, or use the disk. */
	static const char *const waits[] = {
		"MPI_Send",  "MPI_Ssend",  "MPI_Rsend",	   "MPI_Bsend",	   "MPI_Recv",
		"MPI_Mrecv", "MPI_Wait",   "MPI_Test",	   "MPI_Probe",	   "MPI_Barrier",
		"MPI_Bcast", "MPI_Gather", "MPI_Scatter",  "MPI_All",	   "MPI_Reduce",
		"MPI_Scan",  "MPI_Exscan", "MPI_Neighbor", "MPI_Win_fence"};

	for (size_t i = 0; range != NAME_NONE && i < ARRAY_LEN(waits); i++) {
		if (str_starts(x->folded_names.items[range], waits[i]))
			return true;
	}
	return false;
}

/* Nsight's ranges of MPI calls: the host computes nothing there, it waits for other ranks. */
static void find_mpi(struct explain *x, const struct time_total *s)
{
	const uint32_t range = s->sums->rows[s->top[0]].name;
	const char *name = find_code(x, x->folded_names.items[range]);
	struct finding *f = find_lost(x, "host_stall", time_total_worst(s),
				      "The GPU waits while the host waits in MPI (%s)", name);

	if (!f)
		return;
	f->bound =
		arena_printf(&x->report->arena, "Bound by the host, which waits in MPI (%s)", name);
	f->owner = OWNER_COMM;
	f->how = find_idle_how;
	f->confidence = stall_confidence(x, s);
	find_gaps(x, f, s);
	explain_add_function(x, f, s);
	find_advice(f, "let messages travel while the GPU works: MPI_Isend and MPI_Irecv, and "
		       "MPI_Wait only where the data is needed; send from GPU memory (CUDA-aware "
		       "MPI)");
	find_advice(f, "look at the rank on the other side: if it comes late, that is the cause");
	f->unless = "the other rank is late for a reason that is not in this capture";
}

/* A range that has much of the window has a fix of its own. */
static bool is_large(const struct explain *x, size_t row)
{
	return is_share(time_sums_worst(&x->sums[SUM_CAUSES], row), x->window_ns, 0.05);
}

/* Host code that has no better word: compilers have. */
static bool is_stall(const struct explain *x, size_t row)
{
	const struct time_sum *sum = &x->sums[SUM_CAUSES].rows[row];

	return sum->group == CAUSE_STALL && (sum->name == NAME_NONE || !x->compiles[sum->name]);
}

static void find_compiling(struct explain *x)
{
	const struct time_sums *sums = &x->sums[SUM_CAUSES];
	struct time_total compiling;

	time_total_begin(&compiling, sums);
	for (size_t i = 0; i < sums->count; i++) {
		if (sums->rows[i].group == CAUSE_STALL && !is_stall(x, i))
			time_total_add(&compiling, i);
	}
	if (compiling.rows)
		explain_compiling(x, &compiling);
	time_total_free(&compiling);
}

/* The stalls that are small, together, without one of them. */
static void sum_small_stalls(const struct explain *x, size_t without, struct time_total *ret)
{
	time_total_begin(ret, &x->sums[SUM_CAUSES]);
	for (size_t i = 0; i < x->sums[SUM_CAUSES].count; i++) {
		if (is_stall(x, i) && i != without && !is_large(x, i))
			time_total_add(ret, i);
	}
}

/* The small one that is most of them, or none. */
static size_t chief_small_stall(const struct explain *x)
{
	struct time_total small;
	size_t found = x->sums[SUM_CAUSES].count;

	sum_small_stalls(x, x->sums[SUM_CAUSES].count, &small);
	if (small.rows &&
	    is_share(x->sums[SUM_CAUSES].rows[small.top[0]].total_ns, small.total_ns, 0.5))
		found = small.top[0];
	time_total_free(&small);
	return found;
}

static void find_one_stall(struct explain *x, size_t row)
{
	struct time_total one;

	time_total_begin(&one, &x->sums[SUM_CAUSES]);
	time_total_add(&one, row);
	if (is_mpi(x, x->sums[SUM_CAUSES].rows[row].name))
		find_mpi(x, &one);
	else
		find_stall(x, &one, find_range(x, x->sums[SUM_CAUSES].rows[row].name));
	time_total_free(&one);
}

static void find_small_stalls(struct explain *x, size_t without, bool others)
{
	struct time_total rest;

	sum_small_stalls(x, without, &rest);
	if (rest.rows)
		find_stall(x, &rest, name_places(x, &rest, others));
	time_total_free(&rest);
}

/* One finding per place that counts by itself, and one for all the others. */
static void find_stalls(struct explain *x)
{
	size_t chief = chief_small_stall(x);
	bool others = false;

	for (size_t i = 0; i < x->sums[SUM_CAUSES].count; i++) {
		if (is_stall(x, i) && (i == chief || is_large(x, i))) {
			find_one_stall(x, i);
			others = true;
		}
	}
	find_small_stalls(x, chief, others);
	find_compiling(x);
}

/* By folded name: whether a range of that name lies in one that compiles. */
static bool *find_compiler_parts(const struct explain *x)
{
	const struct range_forest *forest = &x->judge.attribution.forest;
	const uint32_t *names = x->trace->events[TRACE_NVTX].name;
	bool *inside = mem_zalloc(forest->count, sizeof(*inside));
	bool *parts = mem_zalloc(x->folded_names.count, sizeof(*parts));

	for (size_t i = 0; i < forest->count; i++) {
		const struct range *r = &forest->ranges[i];
		const uint32_t outer =
			r->parent == RANGE_NONE ? NAME_NONE : names[forest->ranges[r->parent].row];

		inside[i] = r->parent != RANGE_NONE &&
			    (inside[r->parent] ||
			     (outer != NAME_NONE && x->compiles[x->folded[outer]]));
		if (inside[i] && names[r->row] != NAME_NONE)
			parts[x->folded[names[r->row]]] = true;
	}
	free(inside);
	return parts;
}

/* Host code that is no part of what compiles. */
static void find_other_stalls(struct explain *x)
{
	bool *parts = find_compiler_parts(x);

	for (size_t i = 0; i < x->sums[SUM_CAUSES].count; i++) {
		const uint32_t name = x->sums[SUM_CAUSES].rows[i].name;

		if (is_stall(x, i) && is_large(x, i) && (name == NAME_NONE || !parts[name]))
			find_one_stall(x, i);
	}
	free(parts);
}

enum { LAUNCHES_MIN = 100 };

bool explain_syncs_each(const struct explain *x)
{
	const struct time_sums *waits = &x->sums[SUM_WAITS];
	uint64_t launches = 0, waited = 0;

	for (size_t i = 0; i < x->kernel_count; i++)
		launches += x->kernels[i].count;
	for (size_t i = 0; i < waits->count; i++)
		waited += waits->rows[i].group == WAITS_KERNELS ? waits->rows[i].count : 0;
	return launches >= LAUNCHES_MIN && (double)waited >= 0.8 * (double)launches;
}

/*
 * Without the waits the host would launch the next kernel while the GPU runs this one: it is done
 * that much earlier, and the gap is gone as far as it is no longer than the wait. Gaps beside
 * copies stay, or are the copies'.
 */
static void find_sync_each(struct explain *x, const struct time_total *between)
{
	const struct code_choice calls = calls_of_causes(x, CALLS_BETWEEN, CALLS_BETWEEN);
	const char *where = explain_calls_where(x, &calls);
	struct finding *f = find_lost(x, "sync_each_launch", time_total_worst(between),
				      "Synchronisation%s after every launch: no queue hides the "
				      "launch overhead",
				      where ? where : "");

	if (!f)
		return;
	f->how = "idle time between kernels after a wait for the first, up to the length of that "
		 "wait: without it the host launches the next kernel while the GPU runs this one";
	find_gaps(x, f, between);
	explain_calls_add(x, f, &calls, "waits", NULL);
	find_time(f, "time in waiting calls", x->wait_ns);
	find_advice(f, "synchronise once, where the host needs a result: kernels on one stream run "
		       "in order anyway");
	find_advice(f, "to time kernels, use events or a profiler; to check for errors, do it in "
		       "debug builds only");
	find_advice(f, "then capture again: launches of tiny kernels may be the next limit");
	f->unless = "the host needs each result before it can launch the next kernel";
}

/* `before`: the gaps after waits, where it is known which code they wait for. */
static void advise_sync(struct explain *x, struct finding *f, const struct time_total *before)
{
	find_advice_for(x, f,
			"remove .item(), .cpu(), print(tensor), .to(device) of host values and "
			"explicit synchronize() from the step, or do them only every N steps",
			"remove cudaDeviceSynchronize, cudaStreamSynchronize and blocking copies "
			"from the loop, or do them only every N rounds");
	if (x->program.offload)
		find_advice(f, "OpenACC and OpenMP: async clauses, and nowait");
	find_advice_for(x, f,
			"where a result is needed, copy it to pinned memory with non_blocking=True "
			"and read it one step later",
			"where a result is needed, copy it to pinned memory with cudaMemcpyAsync, "
			"and wait for an event one round later");
	if (before && !explain_code_help(x, f, before))
		find_advice(f, "or make the host code after the wait shorter: the GPU is idle "
			       "for as long as it takes");
}

/* Gaps that waits drain the GPU in, and those of other causes that begin during a wait. */
static void place_waits(const struct explain *x, struct finding *f,
			const struct time_total *drained)
{
	struct longest_parts all = {0};
	struct time_total inside;

	time_total_places(drained, &all);
	time_total_of_group(&inside, &x->sums[SUM_WAITS], WAITS_SYNC);
	if (!x->waits.kept_off)
		time_total_places(&inside, &all);
	find_places(f, &all);
	time_total_free(&inside);
	longest_parts_free(&all);
}

/*
 * Waits that drain the GPU cost the gap after them; waits in gaps of another cause only what they
 * take themselves. Where they are many they are worth a word even if they cost little today.
 */
static void find_sync(struct explain *x, const struct time_total *drained)
{
	int64_t drained_ns = time_total_worst(drained);
	size_t inside = x->sums[SUM_WAITS].count;
	/* Where the thread is kept off its CPU, a wait is as long as that. */
	int64_t inside_ns =
		x->waits.kept_off ? 0 : time_sums_group(&x->sums[SUM_WAITS], WAITS_SYNC, &inside);
	int64_t touched_ns = time_sums_group(&x->sums[SUM_WAITS], WAITS_TOUCHED, NULL);
	int64_t ns = sat_add(drained_ns, inside_ns);
	const struct code_choice calls = calls_of_causes(x, CAUSE_SYNC, CAUSE_SYNC);
	const char *code = drained_ns ? explain_code_where(x, drained) : NULL;
	/* The lines are those of all waits, also of those that are as long as the thread is kept
	 * off. */
	const char *where = x->waits.kept_off ? NULL : explain_calls_where(x, &calls);
	struct finding *f =
		find_lost(x, "blocking_sync", ns, "Host synchronisation%s drains the GPU%s%s",
			  where ? where : "", code ? " before host code" : "",
			  code		? code
			  : !drained_ns ? ", mostly in gaps with another main cause"
			  : where	? ""
					: find_place(x, drained));

	if (!f && is_share(touched_ns, x->window_ns, 0.05) && is_share(ns, x->window_ns, 0.003)) {
		f = find_fact(x, "blocking_sync", SEVERITY_LOW, "Frequent host synchronisation");
		f->recoverable_ns = ns < x->slack_ns ? ns : x->slack_ns;
		f->recoverable_pct = 100.0 * (double)f->recoverable_ns / (double)x->window_ns;
	}
	if (!f)
		return;
	f->how = "idle time in gaps that begin during a host wait and in those before late "
		 "launches after it, up to the length of that wait; in other gaps, time spent in "
		 "waiting calls";
	if (drained->rows)
		find_gaps(x, f, drained);
	place_waits(x, f, drained);
	if (!x->waits.kept_off)
		explain_calls_add(x, f, &calls, "waits", drained);
	explain_code_add(x, f, drained);
	if (inside < x->sums[SUM_WAITS].count)
		find_count(f, "gaps with other causes that begin during a wait",
			   x->sums[SUM_WAITS].rows[inside].count);
	find_time(f, "time in waiting calls", x->wait_ns);
	advise_sync(x, f, code ? drained : NULL);
	f->unless = "the program needs the result before it can continue";
}

static void find_held(struct explain *x, const struct time_total *held)
{
	struct finding *f = find_lost(x, "held_back", time_total_worst(held),
				      "GPU idle with work already queued%s", find_place(x, held));

	if (!f)
		return;
	f->confidence = CONFIDENCE_LOW;
	f->how = "idle time in gaps of 5 µs or more, where the next op was launched more "
		 "than 20 µs before it started";
	find_gaps(x, f, held);
	if (x->on_windows)
		find_advice(f, "Windows collects launches before it hands them to the GPU (WDDM): "
			       "compare with Linux, or with the driver's TCC or MCDM mode");
	find_advice(f, "find the dependency: an event from another stream (cudaStreamWaitEvent), a "
		       "host function in the stream, the other ranks of a collective, or another "
		       "process on the same GPU");
	f->unless = "the dependency is real, or the GPU is running work of a process outside this "
		    "analysis";
}

static void find_unknown(struct explain *x)
{
	size_t top = 0;
	int64_t ns = time_sums_group(&x->sums[SUM_CAUSES], CAUSE_UNKNOWN, &top);
	struct finding *f;

	if (!is_share(ns, x->window_ns, 0.2) || ns <= 0)
		return;
	f = find_fact(x, "idle_unexplained", SEVERITY_MEDIUM,
		      "GPU idle for an unknown reason: the launches that end its gaps are not in "
		      "the trace");
	find_time(f, "idle time with unknown cause", ns);
	find_places_of_group(f, &x->sums[SUM_CAUSES], CAUSE_UNKNOWN);
	find_advice(f,
		    "capture CUDA API calls too (--trace=cuda), and start before the work begins");
}

/* A GPU takes its time from one op to the next: where that is much, its ops are too small for it.
 */
static void find_pauses(struct explain *x)
{
	struct time_total s;
	struct finding *f;

	time_total_of_group(&s, &x->sums[SUM_WAITS], WAITS_PAUSED);
	if (s.rows && is_share(time_total_worst(&s), x->window_ns, 0.2)) {
		f = find_fact(x, "idle_unexplained", SEVERITY_LOW,
			      "GPU idle between ops that were already queued");
		find_time(f, "idle time in these gaps", time_total_worst(&s));
		find_count(f, "gaps", s.count);
		find_evidence_in(f, "longest pause", find_places_of(f, &s).time);
		find_advice(f, "use fewer, larger kernels: fuse them, even inside a CUDA graph");
		f->unless = "the profiler causes the gaps: recording each kernel makes them longer";
	}
	time_total_free(&s);
}

/* Asks a rule about all gaps of a cause. Waits are worth a word in gaps of other causes, too. */
static void find_cause(struct explain *x, enum gap_cause cause,
		       void (*find)(struct explain *x, const struct time_total *s))
{
	struct time_total sum;

	time_total_of_group(&sum, &x->sums[SUM_CAUSES], cause);
	if (sum.rows || cause == CAUSE_SYNC)
		find(x, &sum);
	time_total_free(&sum);
}

static void find_waits(struct explain *x)
{
	struct time_total between;

	if (!explain_syncs_each(x)) {
		find_cause(x, CAUSE_SYNC, find_sync);
		return;
	}
	time_total_of_group(&between, &x->sums[SUM_WAITS], WAITS_KERNELS);
	find_sync_each(x, &between);
	time_total_free(&between);
}

void explain_gaps(struct explain *x)
{
	if (!explain_waiting(x))
		find_stalls(x);
	else if (explain_compiles_in_ranges(x))
		find_other_stalls(x);
	explain_launch_bound(x);
	find_waits(x);
	find_cause(x, CAUSE_ALLOC, find_alloc_or_loading);
	find_cause(x, CAUSE_SLOW_LAUNCH, find_slow_launches);
	find_cause(x, CAUSE_CALLS, find_slow_calls);
	find_cause(x, CAUSE_MANAGED, explain_managed_host);
	find_cause(x, CAUSE_QUEUED, find_held);
	find_pauses(x);
	find_unknown(x);
}
