/* What could these GPUs have done at best? */
#include "analysis/mfu/mfu_peak.h"

#include "text/units.h"

enum dtype mfu_dtype(const struct mfu_question *q, const struct mfu_rows *rows)
{
	return q->dtype ? q->dtype : rows->has_model ? rows->model.dtype : DTYPE_NONE;
}

static int unknown_device(uint32_t device, struct str name, enum dtype dtype, struct err *e)
{
	if (name.len)
		err_set(e, ERR_INPUT, "the peak of '%.*s', device %u, is unknown",
			(int)(name.len < 100 ? name.len : 100), name.s, device);
	else
		err_set(e, ERR_INPUT, "the trace does not say which GPU device %u is", device);
	return err_hint(e,
			"set it with --peak-tflops X: dense TFLOP/s of one GPU in %s, from its "
			"datasheet; gpuwhy mfu --peaks lists the known ones",
			dtype_name(dtype));
}

static int no_rate(const struct gpu_peak *p, enum dtype dtype, struct err *e)
{
	err_set(e, ERR_INPUT, "the %s has no peak for %s", p->title, dtype_name(dtype));
	return err_hint(e, "--dtype is the data type of the matrix multiplications; --peak-tflops "
			   "X sets a peak; gpuwhy mfu --peaks lists the known ones");
}

static int device_peak(uint32_t device, const struct machine *m, const struct mfu_question *q,
		       enum dtype dtype, double *ret, struct err *e)
{
	const struct gpu *gpu = machine_gpu(m, 0, device);
	const struct gpu_peak *p = gpu ? gpu_peak_find(gpu->name) : NULL;

	*ret = q->peak_tflops * 1e12;
	if (q->peak_tflops > 0)
		return 0;
	if (!p)
		return unknown_device(device, gpu ? gpu->name : STR_LIT(""), dtype, e);
	*ret = p->tflops[dtype] * 1e12;
	return *ret > 0 ? 0 : no_rate(p, dtype, e);
}

static int no_dtype(const struct mfu_question *q, struct err *e)
{
	err_set(e, ERR_USAGE,
		"'%s' does not give the type of its weights: mfu needs --dtype to select the peak",
		q->model);
	return err_hint(e,
			"for example --dtype bf16; or --peak-tflops X, the dense peak of one GPU");
}

int mfu_peak_of(const struct mfu_stage *s, const struct machine *m, const struct mfu_question *q,
		enum dtype dtype, struct mfu_peak *ret, struct err *e)
{
	*ret = (struct mfu_peak){0};
	if (!dtype && q->peak_tflops == 0)
		return no_dtype(q, e);
	for (size_t i = 0; i < s->device_count; i++) {
		double peak;

		if (device_peak(s->devices[i].device, m, q, dtype, &peak, e) < 0)
			return -1;
		ret->each = !i || peak == ret->each ? peak : 0;
		ret->flops_per_s += peak;
		ret->busy_flops += peak * (double)s->devices[i].busy_ns / 1e9;
	}
	return 0;
}

static bool same_gpu(const struct gpu *a, const struct gpu *b)
{
	return a == b || (a && b && str_eq(a->name, b->name));
}

/* One line for each kind of GPU, however many there are of it in a row. */
static void note_gpus(struct report *r, const struct mfu_stage *w, const struct machine *m,
		      enum dtype dtype, const char *who)
{
	for (size_t i = 0, next; i < w->device_count; i = next) {
		const struct gpu *gpu = machine_gpu(m, 0, w->devices[i].device);
		const struct gpu_peak *p = gpu ? gpu_peak_find(gpu->name) : NULL;
		struct buf b = {0};

		for (next = i + 1; next < w->device_count; next++) {
			if (!same_gpu(gpu, machine_gpu(m, 0, w->devices[next].device)))
				break;
		}
		if (!p)
			continue;
		units_add_real(&b, p->tflops[dtype]);
		if (next - i > 1)
			buf_addf(&b, " × %zu devices", next - i);
		report_note(r, "Peak: %s, %s TFLOP/s of dense %s%s (%s).", p->title, b.s,
			    dtype_name(dtype), who, p->source);
		buf_free(&b);
	}
}

static void note_dtype(struct report *r, const struct mfu_question *q, const struct mfu_rows *rows,
		       enum dtype dtype)
{
	if (dtype == DTYPE_FP32)
		report_note(r, "FP32 multiplications run as TF32 if the program allows it: then "
			       "use --dtype tf32.");
	if (rows->has_model && rows->model.quantised[0] && !q->dtype)
		report_warning(r,
			       "the config says that the weights are quantised (%s): if "
			       "multiplications run in fp8, int8 or fp4, set --dtype",
			       rows->model.quantised);
}

void mfu_peak_note(struct report *r, const struct mfu_stage *window, const struct machine *m,
		   const struct mfu_question *q, const struct mfu_rows *rows)
{
	const enum dtype dtype = mfu_dtype(q, rows);
	struct buf b = {0};

	if (q->peak_tflops == 0) {
		note_gpus(r, window, m, dtype,
			  q->dtype ? "" : ", from the config; change it with --dtype");
		note_dtype(r, q, rows, dtype);
		return;
	}
	units_add_real(&b, q->peak_tflops);
	report_note(r, "Peak: %s TFLOP/s of each device, as given.", b.s);
	buf_free(&b);
}
