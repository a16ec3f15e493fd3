/* Rules about idle GPUs: what did the host do instead of launching? */
#include "analysis/explain.h"
#include "base/mem.h"

/* Gap times are idle of one device; removing the cause removes the gap, as far as we can tell. */
static const char idle_how[] = "idle time of the busiest-hit GPU in gaps that the cause made; time "
			       "in which the GPU was busy "
			       "anyway is not counted";

enum { STALL_PLACES = 3, PROFILER_PCT = 10 };

static void add_longest(struct finding *f, const struct tally_row *row)
{
	find_evidence(f, "gaps", UNIT_COUNT, cell_int((int64_t)row->count));
	find_evidence_at(f, "longest gap", row->longest_ns, row->longest_at_ns);
}

/* Words that data loading is called by. */
static bool is_loading(struct str name)
{
	static const char *const words[] = {"load",  "data",  "collate", "batch",
					    "fetch", "input", "token"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (memmem(name.s, name.len, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

static void advise_stall(struct finding *f, const struct explain *x, uint32_t range)
{
	if (range != NAME_NONE && is_loading(x->folded_names.items[range]))
		find_advice(f, "prepare the next step's input in another process or thread while "
			       "the GPU works (data-loader workers, prefetching)");
	else
		find_advice(f,
			    "find out what the host does there, and do it beside the GPU's work or "
			    "not at all");
	find_advice(f,
		    "to see it: capture with --trace=cuda,nvtx,osrt --python-sampling=true, or add "
		    "NVTX ranges inside");
}

/* One finding per place: each has a fix of its own. */
static void find_stalls(struct explain *x)
{
	bool done[STALL_PLACES] = {false};
	size_t used[STALL_PLACES];

	for (int place = 0; place < STALL_PLACES; place++) {
		size_t best = x->causes.count;
		struct finding *f;

		for (size_t i = 0; i < x->causes.count; i++) {
			bool taken = false;

			for (int k = 0; k < place; k++)
				taken |= done[k] && used[k] == i;
			if (!taken && x->causes.rows[i].group == CAUSE_STALL &&
			    (best == x->causes.count ||
			     tally_worst(&x->causes, i) > tally_worst(&x->causes, best)))
				best = i;
		}
		if (best == x->causes.count)
			return;
		done[place] = true;
		used[place] = best;
		f = find_lost(x, "host_stall", tally_worst(&x->causes, best),
			      "The GPU waits for host code in %s",
			      find_range(x, x->causes.rows[best].name));
		if (!f)
			return;
		f->how = idle_how;
		f->confidence = CONFIDENCE_HIGH;
		f->unless =
			"the host code itself waits for something that this capture does not show "
			"(a lock, the disk, another process)";
		add_longest(f, &x->causes.rows[best]);
		advise_stall(f, x, x->causes.rows[best].name);
	}
}

/* What the launches are that a range's gaps wait for. */
struct launch_mix {
	const struct tally_row *top; /* the tiny kernel that is most of them */
	uint64_t tiny, all;
};

static struct launch_mix mix_of(const struct explain *x, uint32_t range)
{
	struct launch_mix m = {0};

	for (size_t i = 0; i < x->enders.count; i++) {
		const struct tally_row *row = &x->enders.rows[i];

		if (row->group != range)
			continue;
		m.all += row->count;
		if (row->name == NAME_NONE)
			continue;
		m.tiny += row->count;
		if (!m.top || row->count > m.top->count)
			m.top = row;
	}
	return m;
}

/*
 * Under the profiler every CUDA call takes some microseconds longer. A host that just keeps up in
 * real life looks a little too slow in a capture: a tenth of the window is the profiler's, and what
 * is beyond that is as severe as any other loss.
 */
static void soften(struct finding *f)
{
	f->severity = find_severity(f->recoverable_pct - PROFILER_PCT);
	f->unless =
		"profiling itself makes each CUDA call slower by some microseconds: the part that "
		"remains without a profiler is smaller";
}

static void find_tiny_kernels(struct explain *x, size_t row, const struct launch_mix *m)
{
	struct finding *f = find_lost(
		x, "tiny_kernels", tally_worst(&x->causes, row),
		"The host launches tiny kernels one by one in %s, and the GPU waits for each",
		find_range(x, x->causes.rows[row].name));

	if (!f)
		return;
	soften(f);
	f->how = idle_how;
	find_evidence(f, "kernel", UNIT_KERNEL, cell_str(x->stems.items[m->top->name]));
	find_evidence(f, "launches of it, of at most 5 µs, with the GPU idle", UNIT_COUNT,
		      cell_int((int64_t)m->top->count));
	find_evidence(f, "all such launches there", UNIT_COUNT, cell_int((int64_t)m->all));
	add_longest(f, &x->causes.rows[row]);
	find_advice(f, "do it in one launch: a fused or 'foreach' optimizer, torch.compile, or one "
		       "batched kernel over all tensors");
	find_advice(f, "or record the loop once as a CUDA graph and replay it");
}

/* Whether the launches of this range are one tiny kernel over and over. */
static bool has_tiny_kernels(struct explain *x, size_t row)
{
	struct launch_mix m;

	/* Too little for a finding: not worth a look at all launches. */
	if (!is_share(tally_worst(&x->causes, row), x->window_ns, 0.01))
		return false;
	m = mix_of(x, x->causes.rows[row].name);
	if (!m.top || m.all < 100 || m.top->count * 2 < m.all)
		return false;
	find_tiny_kernels(x, row, &m);
	return true;
}

static void add_tiny_share(struct finding *f, const struct explain *x, uint32_t range)
{
	struct launch_mix m = mix_of(x, range);

	if (m.all)
		find_evidence(f, "of the launches there, kernels of at most 5 µs", UNIT_PERCENT,
			      cell_real(100.0 * (double)m.tiny / (double)m.all));
}

static void find_launch_bound(struct explain *x)
{
	int64_t total_ns = 0, top_ns = -1;
	size_t top = 0;
	uint64_t gaps = 0;
	struct finding *f;

	for (size_t i = 0; i < x->causes.count; i++) {
		int64_t ns = tally_worst(&x->causes, i);

		if (x->causes.rows[i].group != CAUSE_LAUNCH_BOUND || has_tiny_kernels(x, i))
			continue;
		total_ns = sat_add(total_ns, ns);
		gaps += x->causes.rows[i].count;
		if (ns > top_ns) {
			top_ns = ns;
			top = i;
		}
	}
	if (top_ns < 0)
		return;
	f = find_lost(x, "launch_bound", total_ns,
		      "The host launches more slowly than the GPU executes, most in %s",
		      find_range(x, x->causes.rows[top].name));
	if (!f)
		return;
	soften(f);
	f->how = idle_how;
	find_evidence(f, "gaps between launches", UNIT_COUNT, cell_int((int64_t)gaps));
	find_evidence(f, "of it in that range", UNIT_NS, cell_int(top_ns));
	add_tiny_share(f, x, x->causes.rows[top].name);
	find_evidence_at(f, "longest gap there", x->causes.rows[top].longest_ns,
			 x->causes.rows[top].longest_at_ns);
	find_advice(f, "launch less: record the step as a CUDA graph and replay it, or let "
		       "torch.compile(mode=\"reduce-overhead\") do so");
	find_advice(f, "give each launch more to do: larger batches, fused kernels");
}

/* The range that a cause hits most, for a title. */
static const char *main_place(struct explain *x, enum gap_cause cause)
{
	size_t top = x->causes.count;

	tally_group(&x->causes, cause, &top);
	return find_range(x, top < x->causes.count ? x->causes.rows[top].name : NAME_NONE);
}

/*
 * Waits that drain the GPU cost the gap after them; waits in gaps of another cause only what they
 * take themselves. Where they are many they are worth a word even if they cost little today.
 */
static void find_sync(struct explain *x)
{
	size_t top = x->causes.count;
	int64_t drained_ns = tally_group(&x->causes, CAUSE_SYNC, &top);
	size_t ignored;
	int64_t inside_ns = tally_group(&x->waits, 0, &ignored);
	int64_t touched_ns = tally_group(&x->waits, 1, &ignored);
	int64_t ns = sat_add(drained_ns, inside_ns);
	const char *place = drained_ns ? main_place(x, CAUSE_SYNC) : "gaps of another cause";
	struct finding *f =
		find_lost(x, "blocking_sync", ns,
			  "The host waits until the GPU has run dry, most in %s", place);

	if (!f && is_share(touched_ns, x->window_ns, 0.05) && is_share(ns, x->window_ns, 0.003)) {
		f = find_fact(x, "blocking_sync", SEVERITY_LOW,
			      "The host waits for the GPU again and again");
		f->recoverable_ns = ns < x->slack_ns ? ns : x->slack_ns;
		f->recoverable_pct = 100.0 * (double)f->recoverable_ns / (double)x->window_ns;
	}
	if (!f)
		return;
	f->how =
		"idle time in gaps that begin while the host waits, as far as the wait had lasted; "
		"in other gaps, the time in the waiting calls";
	if (top < x->causes.count)
		add_longest(f, &x->causes.rows[top]);
	if (x->waits.count)
		find_evidence(f, "gaps of other causes that begin with a wait", UNIT_COUNT,
			      cell_int((int64_t)x->waits.rows[0].count));
	find_evidence(f, "time in waiting calls", UNIT_NS, cell_int(x->wait_ns));
	find_advice(f, "remove .item(), .cpu(), print(tensor) and explicit synchronize() from the "
		       "step, or "
		       "do them once every many steps");
	find_advice(
		f,
		"where a result is needed, copy it to pinned memory without blocking and read it a "
		"step later");
	f->unless = "the program needs the result before it can go on";
}

static void find_alloc(struct explain *x)
{
	size_t top = x->causes.count;
	int64_t ns = tally_group(&x->causes, CAUSE_ALLOC, &top);
	struct finding *f;

	ns = ns < x->alloc_ns ? ns : x->alloc_ns;
	f = find_lost(x, "alloc_in_steady", ns,
		      "Memory is allocated or code loaded while the GPU waits, most in %s",
		      main_place(x, CAUSE_ALLOC));
	if (!f)
		return;
	f->how = "idle time in gaps of which a quarter or more went into such calls, at most what "
		 "the "
		 "calls themselves took";
	f->confidence = CONFIDENCE_HIGH;
	add_longest(f, &x->causes.rows[top]);
	find_evidence(f, "time in such calls", UNIT_NS, cell_int(x->alloc_ns));
	find_advice(f, "keep memory: use a caching allocator (PyTorch's is on unless "
		       "PYTORCH_NO_CUDA_MEMORY_CACHING is set), allocate buffers once");
	find_advice(f, "load modules and choose kernels in a warm-up step before the work begins");
	f->unless = "the capture is short and this is still its warm-up";
}

static void find_held(struct explain *x)
{
	size_t top = x->causes.count;
	int64_t ns = tally_group(&x->causes, CAUSE_QUEUED, &top);
	struct finding *f = find_lost(x, "held_back", ns,
				      "The GPU is idle although work has been launched: something "
				      "holds it back, most in %s",
				      main_place(x, CAUSE_QUEUED));

	if (!f)
		return;
	f->confidence = CONFIDENCE_LOW;
	f->how = "idle time in gaps whose next work had been launched over 20 µs before it began";
	add_longest(f, &x->causes.rows[top]);
	find_advice(f,
		    "look what it waits for: an event of another stream (cudaStreamWaitEvent), a "
		    "host function in the stream, a collective's other ranks, or another process "
		    "on the same GPU");
	f->unless = "the dependency is real, or the GPU works for a process that is not looked at";
}

static void find_unknown(struct explain *x)
{
	size_t top = 0;
	int64_t ns = tally_group(&x->causes, CAUSE_UNKNOWN, &top);
	struct finding *f;

	if (!is_share(ns, x->window_ns, 0.2) || ns <= 0)
		return;
	f = find_fact(
		x, "idle_unexplained", SEVERITY_MEDIUM,
		"The GPU is idle, and the trace does not have the launches that ended its gaps");
	find_evidence(f, "idle of unknown cause", UNIT_NS, cell_int(ns));
	find_advice(f, "capture CUDA API calls too (--trace=cuda), from before the work begins");
}

void explain_gaps(struct explain *x)
{
	find_stalls(x);
	find_launch_bound(x);
	find_sync(x);
	find_alloc(x);
	find_held(x);
	find_unknown(x);
}
