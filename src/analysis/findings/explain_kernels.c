/* Rules about the kernels themselves, and about communication. */
#include "analysis/findings/explain.h"

#include "analysis/metrics/metric_sums.h"

#include "base/mem.h"
#include "trace/system/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many kernels a finding names: its evidence holds as many besides the figures. */
enum { NAMED = 4 };

/* The rows of narrow kernels, those that lose most first. */
struct narrow {
	const struct time_sum *rows[NAMED];
	size_t named, count;
	uint64_t launches;
	int64_t all_ns;	   /* lost, on all devices */
	bool *is_narrow;   /* by name */
	const char *shape; /* "1 block of 1 thread on 132 SMs": of the first */
};

static void rank_row(struct narrow *n, const struct time_sum *row)
{
	size_t at = n->named;

	while (at > 0 && n->rows[at - 1]->total_ns < row->total_ns)
		at--;
	if (at == NAMED)
		return;
	n->named += n->named < NAMED;
	for (size_t i = n->named - 1; i > at; i--)
		n->rows[i] = n->rows[i - 1];
	n->rows[at] = row;
}

static struct narrow rank_narrow(const struct explain *x)
{
	struct narrow n = {.is_narrow = mem_zalloc(x->trace->names.count + 1, sizeof(bool))};

	for (size_t i = 0; i < x->sums[SUM_EXPOSED].count; i++) {
		const struct time_sum *row = &x->sums[SUM_EXPOSED].rows[i];

		if (row->group != SLICE_NARROW)
			continue;
		n.count++;
		n.all_ns = sat_add(n.all_ns, row->total_ns);
		if (row->name != NAME_NONE)
			n.is_narrow[row->name] = true;
		rank_row(&n, row);
	}
	for (size_t i = 0; i < x->kernel_count; i++)
		n.launches += n.is_narrow[x->kernels[i].name] ? x->kernels[i].count : 0;
	return n;
}

/* Nobody else is to blame where one has more than half of it. */
static bool is_chief(const struct narrow *n)
{
	return n->count == 1 || n->rows[0]->total_ns > n->all_ns / 2;
}

/* The least and the most of something that launches have. */
struct extent {
	uint64_t least, most;
};

static void extent_add(struct extent *e, uint64_t value)
{
	e->least = !e->most || value < e->least ? value : e->least;
	e->most = value > e->most ? value : e->most;
}

/* "1 block", "4 to 26 blocks" */
static void extent_say(struct buf *b, const struct extent *e, const char *what)
{
	if (e->least != e->most)
		buf_addf(b, "%" PRIu64 " to ", e->least);
	buf_addf(b, "%" PRIu64 " %s%s", e->most, what, e->most == 1 ? "" : "s");
}

static uint64_t volume(uint32_t *const *axes, uint64_t row)
{
	return (uint64_t)axes[0][row] * axes[1][row] * axes[2][row];
}

/* The SMs of the GPU that a launch ran on; 0: not said. */
static int64_t sms_of(const struct explain *x, const struct machine *m, uint64_t row)
{
	uint32_t process, device;
	const struct gpu *gpu;

	ops_place(&x->ops, TRACE_KERNELS, row, &process, &device);
	gpu = device == ID_NONE ? NULL : machine_gpu(m, 0, device);
	return gpu && gpu->sm_count > 0 ? gpu->sm_count : 0;
}

/* How many blocks the launches of the first have that are too few, in the window. */
static const char *say_shape(struct explain *x, const struct machine *m, uint32_t name)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct extent blocks = {0}, threads = {0}, sms = {0};
	struct buf b = {0};

	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->name[i] != name || x->ops.fill.device[i] == FILL_ALL ||
		    explain_op_ns(x, TRACE_KERNELS, i) <= 0)
			continue;
		extent_add(&blocks, volume(ev->grid, i));
		extent_add(&threads, volume(ev->block, i));
		extent_add(&sms, (uint64_t)sms_of(x, m, i));
	}
	if (!blocks.most || !threads.most || !sms.least)
		return NULL;
	extent_say(&b, &blocks, "block");
	buf_adds(&b, " of ");
	extent_say(&b, &threads, "thread");
	buf_adds(&b, " on ");
	extent_say(&b, &sms, "SM");
	return report_take_text(x->report, &b);
}

/* A damaged export may have some of the six columns. */
static bool has_shapes(const struct events *ev)
{
	bool all = true;

	for (int i = 0; i < 3; i++)
		all &= ev->grid[i] && ev->block[i];
	return all;
}

/*
 * Grids are not kept: they are read again for those few programs that have such kernels. Nobody
 * else may do so, and let them go, meanwhile.
 */
static int find_shape(struct explain *x, struct narrow *n, struct err *e)
{
	struct trace *t = x->trace;
	struct machine machine;
	TRACE_LOCK_SCOPE(t);

	if (!n->count || n->rows[0]->name == NAME_NONE || !x->ops.fill.device)
		return 0;
	if (trace_load(t, TRACE_KERNELS, COLS_GRID, e) < 0 || machine_read(t, &machine, e) < 0)
		return -1;
	if (has_shapes(&t->events[TRACE_KERNELS]))
		n->shape = say_shape(x, &machine, n->rows[0]->name);
	trace_unload(t, TRACE_KERNELS, COLS_GRID);
	return 0;
}

static const char *narrow_title(struct explain *x, const struct narrow *n)
{
	const char *name = find_kernel_code(x, n->rows[0]->name);

	if (is_chief(n) && n->shape)
		return arena_printf(&x->report->arena, "%s runs %s, and nothing overlaps it", name,
				    n->shape);
	if (is_chief(n))
		return arena_printf(
			&x->report->arena,
			"%s has fewer blocks than the GPU has SMs, and nothing overlaps it", name);
	return arena_printf(
		&x->report->arena,
		"%zu kernels have fewer blocks than the GPU has SMs, and nothing overlaps them",
		n->count);
}

static void add_narrow_facts(struct explain *x, struct finding *f, const struct narrow *n,
			     int64_t lost_ns)
{
	const struct time_sum *top = n->rows[0];
	const char *where = x->timeline.count > 1 ? ", on all GPUs" : "";
	/* One row is for the rest. */
	const size_t shown = n->count > n->named ? n->named - 1 : n->named;
	struct metric_average counters;
	int64_t named_ns = 0;

	for (size_t i = 0; i < shown; i++)
		named_ns = sat_add(named_ns, n->rows[i]->total_ns);
	find_kernel(x, f, n->count > 1 ? "largest such kernel" : "kernel", top->name);
	if (n->shape && !is_chief(n))
		find_evidence(f, "which runs", UNIT_NAME, cell_text(n->shape));
	find_count(f, "launches", n->launches);
	if (is_chief(n) && explain_kernel_counters(x, top->name, &counters))
		explain_add_counter(f, "SMs active", counters.value[METRIC_SMS_ACTIVE]);
	find_time(f, "time lost to empty SMs", lost_ns);
	find_evidence_in(f, "longest stretch",
			 find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_NARROW).time);
	for (size_t i = 1; i < shown; i++) {
		find_time(f,
			  arena_printf(&x->report->arena, "time lost in %s%s",
				       find_kernel_code(x, n->rows[i]->name), where),
			  n->rows[i]->total_ns);
	}
	if (n->count > shown)
		find_time(f,
			  arena_printf(&x->report->arena, "time lost in %zu more%s",
				       n->count - shown, where),
			  sat_sub(n->all_ns, named_ns));
}

/* Kernels that leave most of the device empty: they are one cause, however many names it has. */
static void advise_narrow(struct explain *x, struct finding *f)
{
	find_advice(f, x->program.model
			       ? "increase their parallelism: split the reduction or the sequence "
				 "across blocks, or use a larger batch"
			       : "launch more blocks, at least as many as the GPU has SMs: split "
				 "the loop of each block or thread among them");
	find_advice(f, "or run them on a separate stream, overlapped with other work");
}

static int find_narrow(struct explain *x, struct narrow *n, bool *told, struct err *e)
{
	int64_t lost_ns = time_sums_group(&x->sums[SUM_EXPOSED], SLICE_NARROW, NULL);
	int64_t ns = find_within_waits(x, lost_ns);
	struct finding *f;

	*told = false;
	/* A few short ones are what they are; those that take the time of the run are worth work.
	 */
	if (!n->count || !is_share(ns, x->window_ns, 0.05))
		return 0;
	if (find_shape(x, n, e) < 0)
		return -1;
	f = find_cost(x, "narrow_kernel", ns, "%s", narrow_title(x, n));
	if (!f)
		return 0;
	*told = true;
	f->bound = arena_printf(&x->report->arena, "GPU-bound by %s, which leave%s SMs empty",
				is_chief(n) ? find_kernel_code(x, n->rows[0]->name)
					    : "kernels with few blocks",
				is_chief(n) ? "s" : "");
	f->how = "time when nothing overlapped them, times the share of SMs without a block; at "
		 "most the host's waiting time";
	add_narrow_facts(x, f, n, lost_ns);
	advise_narrow(x, f);
	f->unless = "the algorithm is sequential, and nothing else could run in the meantime";
	return 0;
}

enum kernel_kind explain_kernel_kind(const struct explain *x, uint32_t name)
{
	enum kernel_kind kind = kernel_kind(trace_name(x->trace, name));

	return x->trace->comm && op_is_comm(x->trace, trace_name(x->trace, name)) ? KERNEL_COMM
										  : kind;
}

void explain_add_longest_launch(const struct explain *x, struct finding *f, uint32_t name)
{
	struct ops_found found = find_ops(x, f, TRACE_KERNELS, name);

	if (found.count)
		find_evidence_at(f, "longest launch", found.longest_ns, found.longest_at_ns);
}

/* `told`: by name, what other findings are about. */
static void find_dominant(struct explain *x, const bool *told)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	enum kernel_kind kind;
	struct finding *f;

	if (!top || x->kernel_count < 2 || top->count < 10 || told[top->name] ||
	    !is_share(top->total_ns, x->kernel_ns, 0.5))
		return;
	kind = explain_kernel_kind(x, top->name);
	/* A model is made of matrix products and attention: that they take the time is no news. */
	if (kind != KERNEL_OTHER)
		return;
	/* A kernel that takes half of a GPU that is mostly idle is not what holds the run up. */
	if (!is_share(x->kernel_ns / (int64_t)x->timeline.count, x->window_ns, 0.25))
		return;
	f = find_fact(x, "dominant_kernel", SEVERITY_LOW,
		      "One kernel takes at least half of the kernel time, and is not a matrix "
		      "multiplication");
	find_kernel(x, f, "kernel", top->name);
	find_share(f, "share of kernel time", top->total_ns, x->kernel_ns);
	find_count(f, "launches", top->count);
	explain_add_longest_launch(x, f, top->name);
	find_inspect(x, f, "it");
	f->unless = "the kernel already runs at the hardware's limit";
}

/* Of a device: how much of its communication compute could hide that runs without any now. */
static int64_t hideable_ns(const struct device_time *d)
{
	const int64_t exposed_ns = d->ns[SLICE_COMM], hidden_ns = d->comm_ns - exposed_ns;
	const int64_t alone_ns = device_compute_ns(d) - hidden_ns;

	return alone_ns < exposed_ns ? alone_ns : exposed_ns;
}

/* Communication that is exposed, on the device that has most of it. */
struct comm_cost {
	int64_t exposed_ns; /* without what findings about late ranks have */
	int64_t late_ns;    /* that */
	int64_t hidden_ns;  /* what overlap could hide of it */
	int64_t all_ns;	    /* communication on all devices */
	size_t longest;	    /* row of the sums */
};

static struct comm_cost comm_cost(const struct explain *x)
{
	const int64_t exposed_ns = explain_comm_ns(x);
	struct comm_cost c = {.late_ns = x->late_ns < exposed_ns ? x->late_ns : exposed_ns};

	if (!exposed_ns)
		return c;
	time_sums_group(&x->sums[SUM_EXPOSED], SLICE_COMM, &c.longest);
	c.exposed_ns = exposed_ns - c.late_ns;
	c.hidden_ns = hideable_ns(&x->timeline.devices[explain_comm_device(x)]);
	c.hidden_ns = c.hidden_ns < c.exposed_ns ? c.hidden_ns : c.exposed_ns;
	for (size_t d = 0; d < x->timeline.count; d++)
		c.all_ns = sat_add(c.all_ns, x->timeline.devices[d].comm_ns);
	return c;
}

/* What limits the cost, where something does. */
static const char *comm_how(const struct explain *x, const struct comm_cost *c, int64_t cost_ns)
{
	if (cost_ns >= c->exposed_ns)
		return "exposed communication of the worst-affected GPU";
	if (cost_ns >= c->hidden_ns)
		return "compute that runs without communication and could overlap it";
	if (cost_ns >= x->slack_ns)
		return "exposed communication of the worst-affected GPU; at most the time by which "
		       "the window exceeds the compute time of the busiest GPU";
	return "exposed communication of the worst-affected GPU; at most the host's waiting time";
}

static void add_comm_facts(struct explain *x, struct finding *f, const struct comm_cost *c)
{
	find_kernel(x, f, "longest such kernel", x->sums[SUM_EXPOSED].rows[c->longest].name);
	find_time(f, "exposed on the worst-affected GPU", c->exposed_ns);
	if (c->late_ns)
		find_time(f, "without that: lost to ranks that arrive later", c->late_ns);
	if (c->hidden_ns < c->exposed_ns)
		find_time(f, "compute that could overlap it", c->hidden_ns);
	find_time(f, "communication on all GPUs", c->all_ns);
	find_evidence_in(f, "longest exposed stretch",
			 find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM).time);
}

/* A collective lasts until the last rank has joined: alone, a capture cannot know. */
static void doubt_ranks(const struct explain *x, struct finding *f, const char *unless)
{
	f->unless = unless;
	if (x->late_ns)
		return;
	find_advice(f, "check whether one rank is late: a collective lasts until the last "
		       "rank has joined (gpuwhy stragglers)");
	f->unless = "the kernels are waiting for a slower rank, which is then the cause";
}

/* Queued work waits for something that is not known: where communication takes longer than that, it
 * may well be what it waits for. */
static void lower_held(struct explain *x, int64_t exposed_ns)
{
	for (size_t i = 0; i < x->found_count; i++) {
		struct finding *f = &x->found[i];

		if (strcmp(f->id, "held_back") == 0 && f->recoverable_ns < exposed_ns &&
		    f->severity > SEVERITY_MEDIUM)
			f->severity = SEVERITY_MEDIUM;
	}
}

/* More communication than all compute: overlapping hides the smaller of the two, no more. */
static void find_comm_bound(struct explain *x, const struct comm_cost *c)
{
	const double lost_pct = 100.0 * (double)c->exposed_ns / (double)x->window_ns;
	const int64_t ns = find_within_waits(x, c->hidden_ns);
	struct finding *f;

	if (!find_costs(lost_pct))
		return;
	f = find_fact(
		x, "exposed_comm", find_severity(lost_pct),
		"Communication-bound: it takes longer than the compute that could overlap it");
	f->bound =
		arena_printf(&x->report->arena,
			     "Communication-bound: it takes %.0f %% of the time, longer than the "
			     "compute that could overlap it",
			     lost_pct);
	f->recoverable_ns = ns < x->slack_ns ? ns : x->slack_ns;
	f->recoverable_pct = 100.0 * (double)f->recoverable_ns / (double)x->window_ns;
	f->how = comm_how(x, c, f->recoverable_ns);
	add_comm_facts(x, f, c);
	find_advice(f, "send fewer bytes, or send them less often: a smaller type, gradients of "
		       "several batches at once, fewer ranks where one GPU has the room");
	find_advice(f, "check the link: gpuwhy nccl shows the bandwidth that was reached, and "
		       "NCCL_DEBUG=INFO which transport NCCL took");
	doubt_ranks(x, f, "the link is as fast as it can be, and nothing can be left unsent");
	lower_held(x, c->exposed_ns);
}

static void find_comm(struct explain *x)
{
	const struct comm_cost c = comm_cost(x);
	struct finding *f;

	if (c.exposed_ns <= 0)
		return;
	if (c.hidden_ns < c.exposed_ns) {
		find_comm_bound(x, &c);
		return;
	}
	f = find_lost(x, "exposed_comm", find_within_waits(x, c.exposed_ns),
		      "Exposed communication: no compute overlaps it");
	if (!f)
		return;
	f->how = comm_how(x, &c, f->recoverable_ns);
	add_comm_facts(x, f, &c);
	find_advice(f, "start communication as soon as its data is ready, on a separate stream "
		       "(bucketed all-reduce, prefetched all-gather)");
	doubt_ranks(x, f, "nothing else could be computed before its data has arrived");
}

int explain_kernels(struct explain *x, struct err *e)
{
	struct narrow narrow = rank_narrow(x);
	bool told;

	if (find_narrow(x, &narrow, &told, e) < 0) {
		free(narrow.is_narrow);
		return -1;
	}
	if (!told)
		memset(narrow.is_narrow, 0, x->trace->names.count);
	explain_blocks(x, narrow.is_narrow);
	explain_counters(x, narrow.is_narrow);
	find_dominant(x, narrow.is_narrow);
	find_comm(x);
	free(narrow.is_narrow);
	return 0;
}
