/* Rules about the kernels themselves, and about communication. */
#include "analysis/explain.h"
#include "trace/kernel_kind.h"
#include "trace/op_class.h"

static uint64_t launches_of(const struct explain *x, uint32_t name)
{
	for (size_t i = 0; i < x->kernel_count; i++) {
		if (x->kernels[i].name == name)
			return x->kernels[i].count;
	}
	return 0;
}

/* A kernel that leaves most of the device empty. */
static uint32_t find_narrow(struct explain *x)
{
	size_t top = x->exposed.count;
	uint32_t name;
	int64_t ns;
	struct finding *f;

	for (size_t i = 0; i < x->exposed.count; i++) {
		if (x->exposed.rows[i].group == SLICE_NARROW &&
		    (top == x->exposed.count ||
		     tally_worst(&x->exposed, i) > tally_worst(&x->exposed, top)))
			top = i;
	}
	if (top == x->exposed.count)
		return NAME_NONE;
	name = x->exposed.rows[top].name;
	ns = find_within_waits(x, tally_worst(&x->exposed, top));
	/* Each of many short ones is what it is; one that takes the time of the run is worth work.
	 */
	if (!is_share(ns, x->window_ns, 0.05))
		return NAME_NONE;
	f = find_cost(x, "narrow_kernel", ns,
		      "A kernel of fewer blocks than the GPU has SMs runs alone");
	if (!f)
		return NAME_NONE;
	f->how = "time in which it ran with nothing beside it, times the share of SMs without a "
		 "block; "
		 "no more than the host spent waiting";
	find_evidence(f, "kernel", UNIT_KERNEL, cell_str(trace_name(x->trace, name)));
	find_evidence(f, "launches", UNIT_COUNT, cell_int((int64_t)launches_of(x, name)));
	find_evidence(f, "time lost to empty SMs", UNIT_NS,
		      cell_int(tally_worst(&x->exposed, top)));
	find_evidence_at(f, "longest stretch of it", x->exposed.rows[top].longest_ns,
			 x->exposed.rows[top].longest_at_ns);
	find_advice(
		f,
		"give it more parallelism: split the reduction or the sequence over blocks, or a "
		"larger batch");
	find_advice(f, "or run it on a stream of its own beside other work");
	f->unless = "the algorithm is sequential, and nothing else could run meanwhile";
	return name;
}

/* The user's --comm has the first word. */
static enum kernel_kind kind_of(const struct explain *x, uint32_t name)
{
	enum kernel_kind kind = kernel_kind(trace_name(x->trace, name));

	return x->trace->comm && op_is_comm(x->trace, trace_name(x->trace, name)) ? KERNEL_COMM
										  : kind;
}

static const struct kernel_time *off_tensor_cores(const struct explain *x, int64_t *ret_ns)
{
	const struct kernel_time *top = NULL;

	*ret_ns = 0;
	for (size_t i = 0; i < x->kernel_count; i++) {
		if (kind_of(x, x->kernels[i].name) != KERNEL_MATRIX_FP32)
			continue;
		*ret_ns = sat_add(*ret_ns, x->kernels[i].total_ns);
		top = top ? top : &x->kernels[i];
	}
	return top;
}

/* Tensor cores are 7 to 15 times as fast on the GPUs of today; with memory, say four times. */
static void find_off_tensor_cores(struct explain *x)
{
	int64_t ns;
	const struct kernel_time *top = off_tensor_cores(x, &ns);
	int64_t per_device = x->timeline.count ? ns / (int64_t)x->timeline.count / 4 * 3 : 0;
	struct finding *f;

	if (!top || !is_share(ns, x->kernel_ns, 0.1))
		return;
	f = find_cost(x, "off_tensor_cores", find_within_waits(x, per_device),
		      "Matrix products run in plain FP32, not on the tensor cores");
	if (!f)
		return;
	f->how = "three quarters of their time, per GPU: TF32 or BF16 is at least four times as "
		 "fast "
		 "where memory does not limit it";
	f->confidence = CONFIDENCE_LOW;
	find_evidence(f, "largest such kernel", UNIT_KERNEL,
		      cell_str(trace_name(x->trace, top->name)));
	find_evidence(f, "time in such kernels", UNIT_NS, cell_int(ns));
	find_evidence(f, "of all kernel time", UNIT_PERCENT,
		      cell_real(100.0 * (double)ns / (double)x->kernel_ns));
	find_advice(f,
		    "allow TF32 (torch.set_float32_matmul_precision(\"high\")), or use autocast to "
		    "bfloat16");
	f->unless = "the products need full FP32, or are too small or misaligned for tensor cores";
}

static void find_dominant(struct explain *x, uint32_t already)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	enum kernel_kind kind;
	struct finding *f;

	if (!top || x->kernel_count < 2 || top->count < 10 || top->name == already ||
	    !is_share(top->total_ns, x->kernel_ns, 0.5))
		return;
	kind = kind_of(x, top->name);
	/* A model is made of matrix products and attention: that they take the time is no news. */
	if (kind != KERNEL_OTHER)
		return;
	/* A kernel that takes half of a GPU that is mostly idle is not what holds the run up. */
	if (!is_share(x->kernel_ns / (int64_t)x->timeline.count, x->window_ns, 0.25))
		return;
	f = find_fact(x, "dominant_kernel", SEVERITY_LOW,
		      "One kernel takes half of all kernel time or more, and is no matrix product");
	find_evidence(f, "kernel", UNIT_KERNEL, cell_str(trace_name(x->trace, top->name)));
	find_evidence(f, "of all kernel time", UNIT_PERCENT,
		      cell_real(100.0 * (double)top->total_ns / (double)x->kernel_ns));
	find_evidence(f, "launches", UNIT_COUNT, cell_int((int64_t)top->count));
	find_advice(f, "profile it with Nsight Compute: ncu --set full -k regex:NAME -c 3 …");
	f->unless = "the kernel is as fast as the hardware allows";
}

static void find_comm(struct explain *x)
{
	size_t top = 0;
	int64_t ns = tally_group(&x->exposed, SLICE_COMM, &top), all_ns = 0;
	struct finding *f;

	if (ns <= 0)
		return;
	f = find_lost(x, "exposed_comm", find_within_waits(x, ns),
		      "The GPUs communicate with nothing to compute beside it");
	if (!f)
		return;
	for (size_t d = 0; d < x->timeline.count; d++)
		all_ns = sat_add(all_ns, x->timeline.devices[d].comm_ns);
	f->how = "time of the worst-hit GPU in which it did nothing but communicate";
	find_evidence(f, "longest such kernel", UNIT_KERNEL,
		      cell_str(trace_name(x->trace, x->exposed.rows[top].name)));
	find_evidence(f, "exposed on the worst GPU", UNIT_NS, cell_int(ns));
	find_evidence(f, "communication on all GPUs", UNIT_NS, cell_int(all_ns));
	find_evidence_at(f, "longest piece", x->exposed.rows[top].longest_ns,
			 x->exposed.rows[top].longest_at_ns);
	find_advice(f, "start communication as soon as its data is ready, on a stream of its own "
		       "(bucketed "
		       "all-reduce, prefetched all-gather)");
	find_advice(
		f,
		"look whether one rank comes late: a collective lasts until the last has joined");
	f->unless = "the kernels wait for a slower rank: then that rank is the cause";
}

void explain_kernels(struct explain *x)
{
	uint32_t narrow = find_narrow(x);

	find_off_tensor_cores(x);
	find_dominant(x, narrow);
	find_comm(x);
}
