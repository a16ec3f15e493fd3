/* Rules about launches that are too slow for the GPU: is it one tiny kernel over and over? */
#include "analysis/findings/code_functions.h"
#include "analysis/host/launch_rates.h"
#include "base/mem.h"

#include <stdlib.h>

enum { OFTEN = 4 /* gaps to a wait, at most */ };
enum { PROFILER_PCT = 10, LOOP = 100 /* launches of a loop */, KERNELS_SHOWN = 2 };

/* What the launches are that a range's gaps wait for. */
struct launch_mix {
	const struct time_sum *top; /* the tiny kernel that is most of them */
	uint64_t tiny, all;
};

/* Time and launches of a tiny kernel, in all ranges that are loops of one. */
struct tiny_kernel {
	uint32_t stem;
	uint64_t count;
	int64_t total_ns;
};

struct launch_bound {
	struct explain *x;
	struct launch_mix *mixes; /* by range */
	struct tiny_kernel *kernels;
	size_t kernel_count;
	uint64_t launches; /* in loops */
};

static struct launch_mix *mix_at(const struct launch_bound *b, uint32_t range)
{
	return &b->mixes[range == NAME_NONE ? b->x->folded_names.count : range];
}

static void mix_launches(struct launch_bound *b)
{
	const struct explain *x = b->x;

	b->mixes = mem_zalloc(x->folded_names.count + 1, sizeof(*b->mixes));
	for (size_t i = 0; i < x->sums[SUM_ENDERS].count; i++) {
		const struct time_sum *row = &x->sums[SUM_ENDERS].rows[i];
		struct launch_mix *m = mix_at(b, row->group);

		m->all += row->count;
		if (row->name == NAME_NONE)
			continue;
		m->tiny += row->count;
		if (!m->top || row->count > m->top->count)
			m->top = row;
	}
}

/* Whether the launches of this range are one tiny kernel over and over. */
static bool is_loop(const struct launch_bound *b, uint32_t range)
{
	const struct launch_mix *m = mix_at(b, range);

	return m->top && m->all >= LOOP && m->top->count * 2 >= m->all;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct tiny_kernel *k = a, *l = b;

	if (k->total_ns != l->total_ns)
		return k->total_ns > l->total_ns ? -1 : 1;
	return (k->stem > l->stem) - (k->stem < l->stem);
}

/* The kernels of all loops, by the time that the GPU waited for them. */
static void rank_kernels(struct launch_bound *b)
{
	const struct explain *x = b->x;

	b->kernels = mem_zalloc(x->stems.count, sizeof(*b->kernels));
	for (size_t i = 0; i < x->sums[SUM_ENDERS].count; i++) {
		const struct time_sum *row = &x->sums[SUM_ENDERS].rows[i];
		struct tiny_kernel *k;

		if (!is_loop(b, row->group))
			continue;
		b->launches += row->count;
		if (row->name == NAME_NONE)
			continue;
		k = &b->kernels[row->name];
		k->count += row->count;
		k->total_ns = sat_add(k->total_ns, row->total_ns);
	}
	for (size_t i = 0; i < x->stems.count; i++) {
		if (b->kernels[i].count) {
			b->kernels[b->kernel_count] = b->kernels[i];
			b->kernels[b->kernel_count++].stem = (uint32_t)i;
		}
	}
	qsort(b->kernels, b->kernel_count, sizeof(*b->kernels), compare_kernels);
}

/*
 * Under the profiler every CUDA call takes some microseconds longer. A host that just keeps up in
 * real life looks a little too slow in a capture: a tenth of the window is the profiler's, and what
 * is beyond that is as severe as any other loss.
 */
static void soften(struct finding *f)
{
	f->severity = find_severity(f->recoverable_pct - PROFILER_PCT);
	f->unless = "the loss is mostly profiler overhead: profiling adds a few microseconds to "
		    "each CUDA call, so the real loss is smaller";
}

static void add_kernels(struct finding *f, struct launch_bound *b)
{
	size_t shown = 0;

	rank_kernels(b);
	for (; shown < b->kernel_count && shown < KERNELS_SHOWN; shown++) {
		const struct tiny_kernel *k = &b->kernels[shown];

		if (!is_share(k->total_ns, b->kernels[0].total_ns, 0.25))
			break;
		find_evidence(f, "kernel", UNIT_KERNEL, cell_str(b->x->stems.items[k->stem]));
		find_count(f, "its launches of at most 5 µs with the GPU idle", k->count);
	}
	if (b->kernel_count > shown)
		find_count(f, "more tiny kernels there", b->kernel_count - shown);
	find_count(f, "all such launches there", b->launches);
}

static void find_tiny_kernels(struct launch_bound *b, const struct time_total *s)
{
	const struct code_choice calls = calls_of_total(b->x, s);
	const char *where = explain_calls_where(b->x, &calls);
	struct finding *f =
		find_lost(b->x, "tiny_kernels", time_total_worst(s),
			  "Tiny kernels launched one at a time%s: the GPU waits for each launch",
			  where ? where : find_where(b->x, s));

	if (!f)
		return;
	soften(f);
	f->how = find_idle_how;
	add_kernels(f, b);
	find_gaps(b->x, f, s);
	explain_calls_add(b->x, f, &calls, "calls", s);
	explain_code_add(b->x, f, s);
	find_advice_for(b->x, f,
			"use one launch instead: a fused or 'foreach' optimizer, torch.compile, or "
			"one batched kernel over all tensors",
			"use one launch instead: fuse the kernels, or let one kernel work on all "
			"items");
	find_advice(f, "or capture the loop as a CUDA graph and replay it");
}

/* A host that often waits for the GPU is never ahead of it, and no graph holds such a wait. */
static void advise_waits(struct explain *x, struct finding *f, uint64_t gaps)
{
	const struct time_sums *causes = &x->sums[SUM_CAUSES], *waits = &x->sums[SUM_WAITS];
	uint64_t count = 0;

	for (size_t i = 0; i < causes->count; i++)
		count += causes->rows[i].group == CAUSE_SYNC ? causes->rows[i].count : 0;
	for (size_t i = 0; i < waits->count; i++)
		count += waits->rows[i].group == WAITS_SYNC ? waits->rows[i].count : 0;
	if (count * OFTEN < gaps)
		return;
	find_count(f, "waits for the GPU that such gaps follow", count);
	find_advice_for(
		x, f,
		"first remove what waits for the GPU in between (.item(), .cpu(), print of a "
		"tensor): it costs the host its lead, and a CUDA graph cannot hold it",
		"first remove what waits for the GPU in between (synchronisation, blocking "
		"copies): it costs the host its lead, and a CUDA graph cannot hold it");
}

static void find_slow_host(struct launch_bound *b, const struct time_total *s)
{
	const struct time_sum *top = &s->sums->rows[s->top[0]];
	const struct part_list there = time_sums_places(s->sums, s->top[0]);
	const struct launch_mix *m = mix_at(b, top->name);
	const struct code_choice calls = calls_of_total(b->x, s);
	struct finding *f = find_lost(b->x, "launch_bound", time_total_worst(s),
				      "Launch-bound: the CPU cannot keep the GPU fed%s",
				      explain_calls_place(b->x, &calls, s));

	if (!f)
		return;
	soften(f);
	f->how = find_idle_how;
	find_count(f, "gaps between launches", s->count);
	explain_calls_add(b->x, f, &calls, "calls", s);
	if (top->name != NAME_NONE)
		find_time(f, "time in that range", time_sums_worst(s->sums, s->top[0]));
	if (m->all)
		find_share(f, "share of launches there with kernels of at most 5 µs", m->tiny,
			   m->all);
	find_places_of(f, s);
	find_main_range(b->x, f, s);
	find_evidence_in(f, "longest gap there", there.longest.time);
	explain_code_add(b->x, f, s);
	advise_waits(b->x, f, s->count);
	find_advice_for(b->x, f,
			"make fewer launches: capture the step as a CUDA graph and replay it, or "
			"let torch.compile(mode=\"reduce-overhead\") do it",
			"make fewer launches: capture the loop as a CUDA graph and replay it");
	find_advice(f, "do more per launch: larger batches, fused kernels");
}

/* Loops that are not worth a word of their own are launches as all others. */
static bool sum_loops(struct launch_bound *b, struct time_total *loops, struct time_total *others)
{
	const struct time_sums *causes = &b->x->sums[SUM_CAUSES];

	time_total_begin(loops, causes);
	time_total_begin(others, causes);
	for (size_t i = 0; i < causes->count; i++) {
		if (causes->rows[i].group == CAUSE_LAUNCH_BOUND)
			time_total_add(is_loop(b, causes->rows[i].name) ? loops : others, i);
	}
	return loops->rows && is_share(time_total_worst(loops), b->x->window_ns, 0.01);
}

void explain_launch_bound(struct explain *x)
{
	struct launch_bound b = {.x = x};
	struct time_total loops, others;

	/* What launches cost without the wait after each nobody knows: that wait is the finding. */
	if (explain_syncs_each(x))
		return;
	mix_launches(&b);
	if (sum_loops(&b, &loops, &others)) {
		find_tiny_kernels(&b, &loops);
	} else {
		time_total_free(&others);
		time_total_of_group(&others, &x->sums[SUM_CAUSES], CAUSE_LAUNCH_BOUND);
	}
	if (others.rows)
		find_slow_host(&b, &others);
	time_total_free(&loops);
	time_total_free(&others);
	free(b.mixes);
	free(b.kernels);
}

/* The rule about launch storms: so many launches of so little work that nothing else matters. */

enum { MANY = 1000 };

/* Where launches hold the GPU up there is a finding that says where: this one would repeat it. */
static bool is_launch_bound(const struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (strcmp(x->found[i].id, "launch_bound") == 0 ||
		    strcmp(x->found[i].id, "tiny_kernels") == 0)
			return true;
	}
	return false;
}

static void find_storm(struct explain *x, const struct launch_rate *rate)
{
	/* A GPU that does other things than compute is not kept up by them. */
	bool keeps_up = !is_share(x->slack_ns, x->window_ns, 0.25);
	struct finding *f =
		find_fact(x, "launch_storm", SEVERITY_LOW, "Launch storm of tiny kernels%s",
			  keeps_up ? ": the GPU only just keeps up" : "");

	find_count(f, "launches", rate->all.launches);
	find_count(f, "launches per second", (uint64_t)launch_rate_per_s(rate));
	find_evidence(f, "median kernel", UNIT_NS, cell_real(rate->kernel_p50_ns));
	find_advice(f, "capture the step as a CUDA graph and replay it");
	find_advice_for(
		x, f, "fuse: torch.compile, fused optimizers, one batched kernel over all tensors",
		"fuse: let one kernel work on all items");
	f->unless = "the kernels are meant to run in parallel on several streams";
}

int explain_launches(struct explain *x, struct err *e)
{
	struct launch_rates rates;

	if (is_launch_bound(x) || !x->judge.joined ||
	    !(x->judge.attribution.launches.kinds & 1u << TRACE_KERNELS))
		return 0;
	if (launch_rates_read(x->trace, &x->judge.attribution.launches, &x->scope, &rates, e) < 0)
		return e->absent ? 0 : -1;
	for (size_t i = 0; i < rates.count; i++) {
		const struct launch_rate *rate = &rates.all[i].rate;

		if (rate->all.launches >= MANY && launch_rate_is_storm(rate)) {
			find_storm(x, rate);
			break;
		}
	}
	launch_rates_free(&rates);
	return 0;
}
