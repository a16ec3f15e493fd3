/* Have the blocks of the kernels that take the time enough threads? */
#include "analysis/findings/explain.h"

#include "base/saturate.h"
#include "trace/ops/ops.h"

static const double empty_lanes = 0.25; /* of each warp, on average: fewer are a remainder */
static const double resident = 0.4;	/* of the threads that an SM can hold: less hides little */
static const double much = 0.3;		/* of the window, in kernels that cost nobody knows what */
static const double worth = 0.05;	/* of the window, to be had back */

/* The share of lanes without a thread: the last warp of a block is as long as the others. */
static double empty_share(const struct block_shape *b)
{
	const unsigned warps = (b->threads + WARP - 1u) / WARP;

	return b->threads ? 1 - (double)b->threads / (double)(warps * WARP) : 0;
}

/* Where warps are full, and an SM takes no more blocks while it could hold many more threads. */
static bool is_short_of_threads(const struct block_shape *b)
{
	return b->resident < resident * b->room;
}

static bool has_few(const struct block_shape *b)
{
	return empty_share(b) >= empty_lanes || is_short_of_threads(b);
}

static bool is_longer(const struct few_threads *few, int64_t ns, int64_t at_ns)
{
	return ns > few->longest_ns || (ns == few->longest_ns && at_ns < few->longest_at_ns);
}

/* A kernel that has too few blocks has another fault, which counts first. */
void few_threads_add(struct few_threads *few, const struct explain *x, uint64_t row, int64_t ns)
{
	const struct kernel_fill *fill = &x->ops.fill;
	const struct block_shape *b = fill->blocks ? &fill->blocks[row] : NULL;
	const int64_t at_ns = x->trace->events[TRACE_KERNELS].start_ns[row];

	if (!b || !has_few(b) || (fill->device && fill->device[row] < FILL_ALL))
		return;
	few->count++;
	few->total_ns = sat_add(few->total_ns, ns);
	few->empty_ns = sat_add(few->empty_ns, sat_of_double((double)ns * empty_share(b)));
	if (is_longer(few, ns, at_ns)) {
		few->longest_ns = ns;
		few->longest_at_ns = at_ns;
		few->blocks = *b;
	}
}

void few_threads_add_all(struct few_threads *few, const struct few_threads *more)
{
	few->count += more->count;
	few->total_ns = sat_add(few->total_ns, more->total_ns);
	few->empty_ns = sat_add(few->empty_ns, more->empty_ns);
	if (is_longer(few, more->longest_ns, more->longest_at_ns)) {
		few->longest_ns = more->longest_ns;
		few->longest_at_ns = more->longest_at_ns;
		few->blocks = more->blocks;
	}
}

/* All such kernels, and the one that has most of it. */
struct few_kernels {
	const struct kernel_time *top;
	size_t count;
	int64_t total_ns, empty_ns; /* on all devices */
};

static struct few_kernels sum_few(const struct explain *x)
{
	struct few_kernels s = {0};

	for (size_t i = 0; i < x->kernel_count; i++) {
		const struct few_threads *few = &x->kernels[i].few;

		if (!few->count)
			continue;
		s.count++;
		s.total_ns = sat_add(s.total_ns, few->total_ns);
		s.empty_ns = sat_add(s.empty_ns, few->empty_ns);
		if (!s.top || few->total_ns > s.top->few.total_ns)
			s.top = &x->kernels[i];
	}
	return s;
}

/* What full warps would save, where warps are not full; else nobody knows. */
static struct finding *find_it(struct explain *x, const struct few_kernels *s)
{
	const int64_t devices = (int64_t)x->timeline.count;
	const int64_t ns = find_within_waits(x, s->empty_ns / devices);
	const struct block_shape *b = &s->top->few.blocks;
	const char *name = find_kernel_code(x, s->top->name);
	struct finding *f;

	if (is_share(ns, x->window_ns, worth) && empty_share(b) >= empty_lanes) {
		f = find_cost(x, "few_threads", ns,
			      "%s has blocks of %u thread%s, which leave %.0f %% of their "
			      "warps' lanes idle",
			      name, b->threads, b->threads == 1 ? "" : "s", 100 * empty_share(b));
		if (f)
			f->bound = arena_printf(&x->report->arena,
						"GPU-bound by %s, whose blocks of %u thread%s "
						"leave %.0f %% of their warps' lanes idle",
						name, b->threads, b->threads == 1 ? "" : "s",
						100 * empty_share(b));
		return f;
	}
	if (!is_share(s->total_ns / devices, x->window_ns, much) || !is_short_of_threads(b))
		return NULL;
	return find_fact(x, "few_threads", SEVERITY_LOW,
			 "%s has blocks of %u threads: they cannot fill an SM", name, b->threads);
}

static void add_facts(struct explain *x, struct finding *f, const struct few_kernels *s)
{
	const struct few_threads *few = &s->top->few;

	find_kernel(x, f, s->count > 1 ? "largest such kernel" : "kernel", s->top->name);
	find_count(f, "threads in a block", few->blocks.threads);
	find_ops(x, f, TRACE_KERNELS, s->top->name);
	find_count(f, "launches", few->count);
	find_share(f, "share of kernel time", few->total_ns, x->kernel_ns);
	if (few->blocks.room) {
		find_count(f, "resident threads per SM, at its limit of blocks",
			   few->blocks.resident);
		find_count(f, "threads that an SM can hold", few->blocks.room);
	}
	if (few->longest_ns)
		find_evidence_at(f, "longest launch", few->longest_ns,
				 few->longest_at_ns > x->timeline.from_ns ? few->longest_at_ns
									  : x->timeline.from_ns);
	if (s->count > 1)
		find_time(f, "time in all such kernels", s->total_ns);
}

void explain_blocks(struct explain *x, bool *told)
{
	const struct few_kernels s = sum_few(x);
	struct finding *f;

	if (!s.top || told[s.top->name])
		return;
	f = find_it(x, &s);
	if (!f)
		return;
	told[s.top->name] = true;
	f->confidence = CONFIDENCE_LOW;
	f->how = "the time of these launches, times the share of their warps' lanes that have no "
		 "thread; starting so many small blocks may cost more than that";
	add_facts(x, f, &s);
	find_advice(f, "give each block a multiple of 32 threads, such as 128 or 256 (16×16, "
		       "32×8), and launch fewer of them");
	find_advice(f, "if the work shrinks from launch to launch, let the grid shrink with it");
	f->unless = "the kernel is limited by memory bandwidth, which few threads may use up";
}
