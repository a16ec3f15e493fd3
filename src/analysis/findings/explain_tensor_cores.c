/* Do matrix products leave the tensor cores unused, and what would those bring on this GPU? */
#include "analysis/findings/explain.h"

#include "analysis/metrics/metric_sums.h"
#include "analysis/model/gpu_peaks.h"
#include "base/saturate.h"
#include "trace/system/machine.h"

#include <math.h>

/* Rates against plain FP32; 0: the GPU does not have the type on tensor cores. */
struct rates {
	double tf32, half;
	bool bf16; /* the half precision that it has is bfloat16, too */
};

static const double unhurried = 4; /* times as fast as plain FP32, at most: memory is no faster */

static const double worth_it = 1.5; /* times as fast: less is lost in conversions */

static const struct rates usual = {8, 16, true}; /* GPUs for data centres */

static struct rates rates_of_peak(const struct gpu_peak *peak)
{
	const double fp32 = peak->tflops[DTYPE_FP32], bf16 = peak->tflops[DTYPE_BF16];

	if (fp32 <= 0)
		return usual;
	return (struct rates){peak->tflops[DTYPE_TF32] / fp32,
			      (bf16 > 0 ? bf16 : peak->tflops[DTYPE_FP16]) / fp32, bf16 > 0};
}

/* The small Turings have no tensor cores. */
static bool is_turing_without(const struct gpu *gpu)
{
	static const char *const names[] = {"GTX 16", "MX450", "MX550", "T400", "T500",
					    "T550",   "T600",  "T1000", "T1200"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (gpu->compute_major == 7 && gpu->compute_minor == 5 &&
		    str_holds(gpu->name, names[i]))
			return true;
	}
	return false;
}

/*
 * Of a GPU without published figures here its generation tells. Graphics cards since Ampere run
 * TF32 twice and half precision four times as fast as FP32; GeForce halves both. Volta and Turing
 * have FP16 alone, and GPUs before have no tensor cores.
 */
static struct rates rates_of_generation(const struct gpu *gpu)
{
	const bool graphics =
		(gpu->compute_major == 8 && gpu->compute_minor > 0) || gpu->compute_major == 12;

	if (gpu->compute_major < 0)
		return usual;
	if (gpu->compute_major < 7 || is_turing_without(gpu))
		return (struct rates){0, 0, false};
	if (gpu->compute_major == 7)
		return (struct rates){0, 4, false};
	if (!graphics)
		return usual;
	return str_holds(gpu->name, "GeForce") ? (struct rates){1, 2, true}
					       : (struct rates){2, 4, true};
}

/* Of the first GPU that worked: those of one run are alike. */
static int find_rates(struct trace *t, struct rates *ret, struct err *e)
{
	struct machine machine;

	*ret = usual;
	if (machine_read(t, &machine, e) < 0 || machine_find_work(t, &machine, e) < 0)
		return -1;
	for (size_t i = 0; i < machine.gpu_count; i++) {
		const struct gpu *gpu = &machine.gpus[i];
		const struct gpu_peak *peak = gpu_peak_find(gpu->name);

		if (!gpu->worked)
			continue;
		*ret = peak ? rates_of_peak(peak) : rates_of_generation(gpu);
		break;
	}
	return 0;
}

/* Matrix products that do not use tensor cores. */
struct plain {
	const struct kernel_time *top; /* NULL: there are none */
	int64_t ns;
	double tensor_pct; /* in the top one, as its counters say; NAN: they were not sampled */
};

/*
 * Counters know better than names. Products that wait for memory, as those with a vector do, would
 * be no faster on tensor cores.
 */
static bool is_plain(struct explain *x, uint32_t name, double *ret_tensor_pct)
{
	const enum kernel_kind kind = explain_kernel_kind(x, name);
	struct metric_average a;

	*ret_tensor_pct = NAN;
	if (kind != KERNEL_MATRIX && kind != KERNEL_MATRIX_FP32)
		return false;
	if (!explain_kernel_counters(x, name, &a) || isnan(a.value[METRIC_TENSOR]))
		return kind == KERNEL_MATRIX_FP32;
	*ret_tensor_pct = a.value[METRIC_TENSOR];
	return a.value[METRIC_TENSOR] < 5 && a.value[METRIC_SMS_ACTIVE] >= 50 &&
	       !(a.value[METRIC_DRAM_READ] + a.value[METRIC_DRAM_WRITE] >= 50);
}

static struct plain sum_plain(struct explain *x)
{
	struct plain p = {.tensor_pct = NAN};

	for (size_t i = 0; i < x->kernel_count; i++) {
		double tensor_pct;

		if (!is_plain(x, x->kernels[i].name, &tensor_pct))
			continue;
		p.ns = sat_add(p.ns, x->kernels[i].total_ns);
		if (p.top)
			continue;
		p.top = &x->kernels[i];
		p.tensor_pct = tensor_pct;
	}
	return p;
}

static void advise(const struct explain *x, struct finding *f, const struct rates *rates)
{
	if (rates->tf32 >= worth_it)
		find_advice_for(
			x, f,
			"allow TF32 (torch.set_float32_matmul_precision(\"high\")), or use "
			"bfloat16 "
			"autocast",
			"allow TF32 (cublasSetMathMode with CUBLAS_TF32_TENSOR_OP_MATH), or use "
			"half precision");
	else if (rates->bf16)
		find_advice_for(x, f,
				"use bfloat16 autocast; TF32 is no faster than FP32 on this GPU",
				"use half precision; TF32 is no faster than FP32 on this GPU");
	else
		find_advice_for(x, f,
				"use float16 autocast: this GPU has neither TF32 nor bfloat16",
				"use FP16: this GPU has neither TF32 nor BF16");
}

static const char *plain_title(const struct explain *x, const struct plain *p)
{
	return explain_kernel_kind(x, p->top->name) == KERNEL_MATRIX_FP32
		       ? "Matrix multiplications run in plain FP32, not on tensor cores"
		       : "Matrix multiplications do not use the tensor cores";
}

static void find_plain(struct explain *x, const struct plain *p, const struct rates *rates)
{
	const double best = rates->half > rates->tf32 ? rates->half : rates->tf32;
	const double times = best < unhurried ? best : unhurried;
	const int64_t per_device = p->ns / (int64_t)x->timeline.count;
	struct finding *f =
		find_cost(x, "off_tensor_cores",
			  find_within_waits(x, sat_of_double((double)per_device * (1 - 1 / times))),
			  "%s", plain_title(x, p));

	if (!f)
		return;
	f->how = arena_printf(&x->report->arena,
			      "the time they would save, per GPU, in %s: %s%.3g times as fast "
			      "unless memory-bound",
			      rates->tf32 >= worth_it ? "TF32 or half precision" : "half precision",
			      best < unhurried ? "" : "at least ", times);
	f->confidence = isnan(p->tensor_pct) ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	find_kernel(x, f, "largest such kernel", p->top->name);
	explain_add_counter(f, "tensor pipe active in it", p->tensor_pct);
	explain_add_longest_launch(x, f, p->top->name);
	find_time(f, "time in these kernels", p->ns);
	find_share(f, "share of kernel time", p->ns, x->kernel_ns);
	advise(x, f, rates);
	f->unless = "the multiplications need full FP32, or are too small or misaligned for tensor "
		    "cores";
}

int explain_tensor_cores(struct explain *x, struct err *e)
{
	struct rates rates;
	const struct plain plain = sum_plain(x);

	if (!plain.top || !x->timeline.count || !is_share(plain.ns, x->kernel_ns, 0.1))
		return 0;
	if (find_rates(x->trace, &rates, e) < 0)
		return -1;
	if (rates.tf32 >= worth_it || rates.half >= worth_it)
		find_plain(x, &plain, &rates);
	return 0;
}
