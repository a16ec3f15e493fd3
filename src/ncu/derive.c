/* Which figures follow from the metrics of a launch? */
#include "ncu/metrics.h"

#include <math.h>

/* A step of a warp's HMMA.884 on the first tensor cores: later ones have many sizes. */
enum { VOLTA = 70, VOLTA_OPS_PER_HMMA = 512 };

static double first_known(double a, double b)
{
	return isnan(a) ? b : a;
}

double slots_time(const double *s)
{
	return first_known(s[SLOT_TIME], s[SLOT_TIME_AVG]);
}

static double sm_clock(const double *s)
{
	return first_known(s[SLOT_SM_CLOCK], s[SLOT_SMSP_CLOCK]);
}

/* ncu's own figures by cycle are by the average of the partitions, not by the longest. */
static double cycles(const double *s)
{
	return first_known(first_known(s[SLOT_SMSP_CYCLES], s[SLOT_SM_CYCLES]), s[SLOT_CYCLES]);
}

/* A rate of 0 needs no time to be 0 of. */
static double times(double rate, double of)
{
	return rate == 0 ? 0 : rate * of;
}

/* How often something happened, from whichever form there is; `by` is FORMS places. */
static double happened(const double *s, const double *by)
{
	double n = by[FORM_SUM];

	n = first_known(n, times(by[FORM_PER_CYCLE], cycles(s)));
	return first_known(n, times(by[FORM_PER_SECOND], slots_time(s) / 1e9));
}

/* Adds, multiplies, and both at once, which are two; halves come two in one instruction. */
static double plain_ops(const double *s, int precision)
{
	double lanes = precision == NCU_FP16 ? 2 : 1, sum = 0;

	for (int op = 0; op < OPS; op++)
		sum += happened(s, &s[slot_op(precision, op, FORM_SUM)]) * (op == OP_FMA ? 2 : 1);
	return first_known(lanes * sum, s[SLOT_FLOPS_FP64 + precision]);
}

/* The metrics that sum up most; those of single instructions where there are no others. */
static double tensor_ops(const double *s, enum ncu_path p)
{
	double n = NAN;

	for (int level = 0; level < LEVELS && isnan(n); level++)
		n = happened(s, &s[slot_tensor(p, level, FORM_SUM)]);
	return n;
}

static void find_tensor_ops(struct ncu_kernel *k)
{
	const double *s = k->slots;
	double inst = first_known(s[SLOT_TENSOR_HMMA], s[SLOT_TENSOR_INST]);
	bool any = false;

	for (enum ncu_path p = NCU_TENSOR_FP64; p < NCU_PATHS; p++) {
		k->ops[p] = tensor_ops(s, p);
		any = any || !isnan(k->ops[p]);
	}
	if (!any && k->cc == VOLTA)
		k->ops[NCU_TENSOR_FP16] = VOLTA_OPS_PER_HMMA * inst;
}

/* Whether it is known that the tensor cores did nothing, or what they did. */
static bool knows_tensor(const struct ncu_kernel *k)
{
	const double *s = k->slots;

	for (enum ncu_path p = NCU_TENSOR_FP64; p < NCU_PATHS; p++) {
		if (!isnan(k->ops[p]))
			return true;
	}
	return s[SLOT_TENSOR_INST] == 0 || s[SLOT_TENSOR_BUSY] == 0 || (k->cc && k->cc < VOLTA);
}

static double sum_of(const double *ops, enum ncu_path from, enum ncu_path to)
{
	double sum = 0;

	for (enum ncu_path p = from; p < to; p++)
		sum += isnan(ops[p]) ? 0 : ops[p];
	return sum;
}

/* Whether the file speaks of it in any form, be it without a number. */
static bool is_mentioned(const struct ncu_kernel *k, int slot)
{
	for (int form = 0; form < FORMS; form++) {
		if (!isnan(k->slots[slot + form]) || k->unsaid[slot + form])
			return true;
	}
	return false;
}

/* Of a path that the file speaks of, what it does not say. */
static uint32_t lacking_ops(const struct ncu_kernel *k, int precision)
{
	bool any = k->unsaid[SLOT_FLOPS_FP64 + precision];
	uint32_t lacking = 0;

	for (int op = 0; op < OPS; op++) {
		int slot = slot_op(precision, op, FORM_SUM);

		any = any || is_mentioned(k, slot);
		if (isnan(happened(k->slots, &k->slots[slot])))
			lacking |= UINT32_C(1) << (precision * OPS + op);
	}
	return any ? lacking : 0;
}

static uint32_t lacking_tensor(const struct ncu_kernel *k, enum ncu_path p)
{
	for (int level = 0; level < LEVELS; level++) {
		if (is_mentioned(k, slot_tensor(p, level, FORM_SUM)))
			return UINT32_C(1) << (LACKING_TENSOR + p - NCU_TENSOR_FP64);
	}
	return 0;
}

/* A path of which some counters are there may have done anything. */
static uint32_t find_lacking(const struct ncu_kernel *k)
{
	uint32_t lacking = 0;

	for (enum ncu_path p = NCU_FP64; p < NCU_PATHS; p++) {
		if (isnan(k->ops[p]))
			lacking |= ncu_path_is_tensor(p) ? lacking_tensor(k, p)
							 : lacking_ops(k, (int)p);
	}
	return lacking;
}

void ncu_lacking_add(struct buf *b, uint32_t lacking)
{
	static const char *const ops[OPS] = {"add", "mul", "fma"};
	const char *between = "";

	for (int i = 0; i < LACKING_COUNTERS; i++) {
		if (!(lacking & UINT32_C(1) << i))
			continue;
		buf_adds(b, between);
		if (i < LACKING_TENSOR)
			buf_addf(b, "smsp__sass_thread_inst_executed_op_%c%s_pred_on",
				 "dfh"[i / OPS], ops[i % OPS]);
		else
			buf_addf(b, "sm__ops_path_tensor of %s",
				 ncu_path_name(NCU_TENSOR_FP64 + (i - LACKING_TENSOR)));
		between = ", ";
	}
}

/* Where tensor cores worked, the rest is little; where they did not, FP32 is what counts. */
static double all_ops(const struct ncu_kernel *k)
{
	double tensor = sum_of(k->ops, NCU_TENSOR_FP64, NCU_PATHS);

	if (k->lacking || !knows_tensor(k) || (tensor == 0 && isnan(k->ops[NCU_FP32])))
		return NAN;
	return tensor + sum_of(k->ops, NCU_FP64, NCU_TENSOR_FP64);
}

static void find_ops(struct ncu_kernel *k)
{
	for (enum ncu_path p = NCU_FP64; p < NCU_TENSOR_FP64; p++)
		k->ops[p] = plain_ops(k->slots, (int)p);
	find_tensor_ops(k);
	k->lacking = find_lacking(k);
	k->flops = all_ops(k);
}

static double dram_bytes(const double *s)
{
	double seconds = slots_time(s) / 1e9;
	double n = first_known(s[SLOT_DRAM], s[SLOT_DRAM_READ] + s[SLOT_DRAM_WRITE]);

	n = first_known(n, times(s[SLOT_DRAM_RATE], seconds));
	return first_known(n, times(s[SLOT_DRAM_READ_RATE] + s[SLOT_DRAM_WRITE_RATE], seconds));
}

/* Types without a sparse form have one peak, which is dense. */
static bool is_always_dense(enum ncu_path p)
{
	return p == NCU_TENSOR_FP64 || p == NCU_TENSOR_INT1;
}

static double tensor_peak(const double *s, enum ncu_path p)
{
	const double *peaks = &s[slot_tensor_peak(p, 0)];
	double peak = first_known(peaks[PEAK_DENSE_SECOND], peaks[PEAK_DENSE_CYCLE] * sm_clock(s));

	if (!isnan(peak) || !is_always_dense(p))
		return peak;
	return first_known(peaks[PEAK_ANY_SECOND], peaks[PEAK_ANY_CYCLE] * sm_clock(s));
}

static void find_peaks(struct ncu_kernel *k)
{
	const double *s = k->slots;

	for (enum ncu_path p = NCU_FP64; p < NCU_TENSOR_FP64; p++)
		k->peak_ops_per_s[p] =
			s[SLOT_FMA_PEAK + (int)p] * sm_clock(s) * (p == NCU_FP16 ? 4 : 2);
	for (enum ncu_path p = NCU_TENSOR_FP64; p < NCU_PATHS; p++)
		k->peak_ops_per_s[p] = tensor_peak(s, p);
	k->peak_dram_bytes_per_s = s[SLOT_DRAM_PEAK] * s[SLOT_DRAM_CLOCK];
}

/* The least limit; what is as little as the warps is no further limit. */
static enum ncu_limiter find_limiter(const double *s)
{
	enum ncu_limiter least = NCU_LIMIT_UNKNOWN;
	double blocks = INFINITY;

	for (int i = 0; i <= NCU_LIMIT_BARRIERS - NCU_LIMIT_WARPS; i++) {
		double limit = s[SLOT_LIMIT_WARPS + i];

		if (limit > 0 && limit < blocks) {
			blocks = limit;
			least = (enum ncu_limiter)(NCU_LIMIT_WARPS + i);
		}
	}
	return least;
}

const char *ncu_limiter_name(enum ncu_limiter l)
{
	static const char *const names[] = {
		[NCU_LIMIT_WARPS] = "warps",
		[NCU_LIMIT_REGISTERS] = "registers",
		[NCU_LIMIT_SHARED_MEMORY] = "shared memory",
		[NCU_LIMIT_BLOCKS] = "blocks",
		[NCU_LIMIT_BARRIERS] = "barriers",
	};

	return names[l];
}

const char *ncu_bound_name(enum ncu_bound b)
{
	static const char *const names[] = {
		[NCU_BOUND_UNKNOWN] = "unknown", [NCU_BOUND_COMPUTE] = "compute",
		[NCU_BOUND_DRAM] = "DRAM",	 [NCU_BOUND_L2] = "L2",
		[NCU_BOUND_L1] = "L1",		 [NCU_BOUND_MEMORY] = "memory",
		[NCU_BOUND_LATENCY] = "latency",
	};

	return names[b];
}

/* The share of all memory is that of its busiest part, but a part's own may be measured better. */
static enum ncu_bound memory_part(const struct ncu_shares *s)
{
	if (isnan(s->dram) || (isnan(s->l2) && isnan(s->l1)))
		return s->dram >= NCU_BUSY_PCT ? NCU_BOUND_DRAM : NCU_BOUND_MEMORY;
	/* Whatever comes from DRAM passes the caches: a busy DRAM is the reason, not they. */
	if (s->dram >= NCU_BUSY_PCT || (!(s->l2 > s->dram) && !(s->l1 > s->dram)))
		return NCU_BOUND_DRAM;
	return !(s->l2 < s->l1) ? NCU_BOUND_L2 : NCU_BOUND_L1;
}

enum ncu_bound ncu_bound_of(const struct ncu_shares *s, double *ret_margin)
{
	/* fmax() leaves out what is unknown. */
	double memory = isnan(s->memory) ? fmax(s->dram, fmax(s->l2, s->l1)) : s->memory;
	double most = fmax(s->sm, memory);

	*ret_margin = NAN;
	if (isnan(s->sm) || isnan(memory))
		return NCU_BOUND_UNKNOWN;
	if (most < NCU_BUSY_PCT) {
		*ret_margin = NCU_BUSY_PCT - most;
		return NCU_BOUND_LATENCY;
	}
	*ret_margin = fabs(s->sm - memory);
	return s->sm >= memory ? NCU_BOUND_COMPUTE : memory_part(s);
}

void kernel_derive(struct ncu_kernel *k)
{
	const double *s = k->slots;

	k->duration_ns = slots_time(s);
	find_ops(k);
	k->dram_bytes = dram_bytes(s);
	k->pct = (struct ncu_shares){s[SLOT_SM_PCT], s[SLOT_MEMORY_PCT],
				     first_known(s[SLOT_DRAM_PCT], s[SLOT_DRAM_OWN_PCT]),
				     s[SLOT_L2_PCT], s[SLOT_L1_PCT]};
	k->occupancy_pct = s[SLOT_OCCUPANCY];
	k->theoretical_pct = s[SLOT_THEORETICAL];
	k->limiter = find_limiter(s);
	k->registers = s[SLOT_REGISTERS];
	k->shared_bytes =
		first_known(s[SLOT_SHARED],
			    s[SLOT_SHARED_DYNAMIC] + s[SLOT_SHARED_STATIC] + s[SLOT_SHARED_DRIVER]);
	k->waves = s[SLOT_WAVES];
	find_peaks(k);
	k->bound = ncu_bound_of(&k->pct, &k->margin);
}

double ncu_intensity(double flops, double dram_bytes)
{
	return dram_bytes > 0 ? flops / dram_bytes : NAN;
}

const char *ncu_path_name(enum ncu_path p)
{
	static const char *const names[NCU_PATHS] = {
		"fp64",	       "fp32",	      "fp16",	     "fp64 tensor",  "tf32 tensor",
		"bf16 tensor", "fp16 tensor", "fp8 tensor",  "fp6 tensor",   "fp4 tensor",
		"int8 tensor", "int4 tensor", "int1 tensor", "other tensor",
	};

	return names[p];
}

const char *ncu_path_key(enum ncu_path p)
{
	static const char *const keys[NCU_PATHS] = {
		"fp64",	       "fp32",	      "fp16",	     "tensor_fp64",  "tensor_tf32",
		"tensor_bf16", "tensor_fp16", "tensor_fp8",  "tensor_fp6",   "tensor_fp4",
		"tensor_int8", "tensor_int4", "tensor_int1", "tensor_other",
	};

	return keys[p];
}
