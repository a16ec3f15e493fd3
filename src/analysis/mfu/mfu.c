/* How much of what the GPUs can do did the model need? */
#include "analysis/gpu/timeline.h"
#include "analysis/mfu/mfu_answer.h"
#include "analysis/model/model_weights.h"
#include "text/units.h"

/* What could these GPUs have done at best? */

/* What the weights are in, and who says so. */
static enum dtype mfu_dtype(const struct mfu_question *q, const struct mfu_rows *rows)
{
	return q->dtype ? q->dtype : rows->has_model ? rows->model.dtype : DTYPE_NONE;
}

static int unknown_device(uint32_t device, struct str name, enum dtype dtype, struct err *e)
{
	if (name.len)
		err_set(e, ERR_INPUT, "the peak of '%.*s', device %u, is unknown",
			(int)(name.len < 100 ? name.len : 100), name.s, device);
	else
		err_set(e, ERR_INPUT, "the trace does not name the GPU of device %u", device);
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
	return err_hint(
		e,
		"for example --dtype bf16; or give the dense peak of one GPU with --peak-tflops X");
}

/* ERR_INPUT that names the device where its peak is unknown: there is no default. */
static int mfu_peak_of(const struct mfu_part *s, const struct machine *m,
		       const struct mfu_question *q, enum dtype dtype, struct mfu_peak *ret,
		       struct err *e)
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
static void note_gpus(struct report *r, const struct mfu_part *w, const struct machine *m,
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
			       "the config describes quantised weights (%s): if "
			       "multiplications run in fp8, int8 or fp4, set --dtype",
			       rows->model.quantised);
}

/* Notes what the peak is, and where it comes from. */
static void mfu_peak_note(struct report *r, const struct mfu_part *window, const struct machine *m,
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

static void note_model(const struct mfu_answer *a)
{
	const struct model *m = &a->rows.model;
	struct model_parameters n;
	struct buf b = {0};

	if (!a->rows.has_model)
		return;
	model_count_parameters(m, &n);
	buf_addf(&b, "Model: %s, ", m->kind->name);
	units_add_count(&b, (int64_t)n.total);
	buf_adds(&b, " parameters");
	if (n.active < n.total) {
		buf_adds(&b, ", of which a token uses ");
		units_add_count(&b, (int64_t)n.active);
	}
	if (m->traits & MODEL_POSITIONS && !m->positions)
		buf_adds(&b,
			 ", without its learned positions: the config does not give their number");
	report_note(a->report, "%s.%s", b.s,
		    m->is_text_part ? " Only its text part is counted." : "");
	buf_free(&b);
}

static void note_part(const struct mfu_answer *a, const struct mfu_row *row)
{
	const struct mfu_part *s = &row->part;
	struct report *r = a->report;

	mfu_note_counted(r, s, str_of(row->name), a->p);
	if (row->sharers > 1)
		report_note(r,
			    "The %zu processes of '%s' are assumed to share the FLOPs of an "
			    "instance%s.",
			    row->sharers, row->name,
			    row->sharers > s->processes ? ", including those that were filtered out"
							: "");
	else if (s->processes > 1)
		report_note(r,
			    "Each of the %zu processes of '%s' is assumed to do all of these "
			    "FLOPs, as in data parallelism; use --shared if they split them, as in "
			    "tensor or pipeline parallelism.",
			    s->processes, row->name);
}

/* Where several took longer once, the first is enough to think of. */
static void note_warm_up(const struct mfu_answer *a)
{
	struct buf found = {0};
	bool has_median = false;

	for (size_t i = 0; i < a->rows.count && !found.len; i++) {
		const struct mfu_row *row = &a->rows.rows[i];

		mfu_add_warm_up(&found, &row->part, str_of(row->name));
		has_median = row->part.count > 2 && row->part.processes == 1;
	}
	mfu_note_warm_ups(a->report, &found,
			  has_median ? "; it does not distort the median MFU" : "");
}

static double tokens_of(const struct mfu_answer *a, const char *part)
{
	for (size_t i = 0; i < a->rows.count; i++) {
		if (strcmp(a->rows.rows[i].name, part) == 0)
			return a->rows.rows[i].tokens;
	}
	return 0;
}

/* A rate that is mostly of prompts looks like one of answers. */
static void add_tokens(struct buf *b, const struct mfu_answer *a)
{
	const double prompts = tokens_of(a, "prefill"), made = tokens_of(a, "decode");
	const int64_t wall_ns = a->rows.rows[a->rows.count - 1].part.wall_ns;

	if (prompts > 0) {
		buf_adds(b, " Its tokens/s count ");
		units_add_grouped(b, prompts, 0);
		buf_adds(b, " prompt tokens");
	}
	if (prompts > 0 && made > 0 && wall_ns > 0) {
		buf_adds(b, " and ");
		units_add_grouped(b, made, 0);
		buf_adds(b, " generated tokens (");
		units_add_grouped(b, made / ((double)wall_ns / 1e9), 1);
		buf_adds(b, " per second)");
	}
	if (prompts > 0)
		buf_addc(b, '.');
}

/* What parts do in the time of everything; that of cut ones is there, and their FLOPs are not. */
static void note_whole(const struct mfu_answer *a)
{
	struct buf b = {0};
	uint64_t cut = 0;

	for (size_t i = 0; i < a->rows.count; i++)
		cut += a->rows.rows[i].part.cut;
	for (size_t i = 0; i < a->rows.missed_count; i++)
		cut += a->rows.missed[i].part.cut;
	if (a->rows.count < 2)
		return;
	buf_addf(&b, "The whole window counts the FLOPs of the rows above over all of its time%s.",
		 cut ? ", including instances that it cuts" : "");
	add_tokens(&b, a);
	report_note(a->report, "%s", b.s);
	buf_free(&b);
}

static void note_all(const struct mfu_answer *a)
{
	if (a->rows.steps)
		report_note(a->report, "Steps: %s.", a->rows.steps);
	if (a->rows.is_training_found)
		report_note(a->report,
			    "Range names show forward and backward passes, but no prefill or "
			    "decode: each step is taken as a training step, as with --mode train.");
	if (a->rows.share > SHARE_ALL)
		report_note(a->report, "'%s' counts its share of a step's FLOPs: %s.", a->q->phase,
			    a->rows.share == SHARE_FORWARD ? "a third" : "two thirds");
	note_model(a);
	mfu_doubt_said(a);
	if (a->rows.has_ncu)
		mfu_ncu_note(a->report, &a->rows.ncu);
	mfu_peak_note(a->report, &a->rows.window, &a->machine, a->q, &a->rows);
	for (size_t i = 0; i < a->rows.missed_count; i++)
		note_part(a, &a->rows.missed[i]);
	for (size_t i = 0; i < a->rows.count; i++)
		note_part(a, &a->rows.rows[i]);
	note_warm_up(a);
	note_whole(a);
}

static void head(const struct mfu_answer *a, const struct analysis *self)
{
	const struct mfu_instance *w = &a->rows.window.instances[0];
	const struct timeline l = {.from_ns = w->from_ns, .to_ns = w->to_ns};
	struct analysis mine = *self;

	if (a->rows.has_ncu)
		mine.title = "Hardware FLOPs utilisation";
	time_window_report(a->report, &mine, &l, a->p);
}

static int answer(struct mfu_answer *a, const struct analysis *self, struct err *e)
{
	const enum dtype dtype = mfu_dtype(a->q, &a->rows);
	size_t after_head;

	for (size_t i = 0; i < a->rows.count; i++) {
		if (mfu_peak_of(&a->rows.rows[i].part, &a->machine, a->q, dtype, &a->peaks[i], e) <
		    0)
			return -1;
	}
	head(a, self);
	after_head = a->report->block_count;
	note_all(a);
	if (a->rows.has_ncu &&
	    ncu_devices_warn(&a->rows.ncu.report, a->trace, a->p, a->report, e) < 0)
		return -1;
	if (mfu_add_parts(a, e) < 0)
		return -1;
	mfu_add_instances(a);
	mfu_add_kernels(a);
	mfu_add_terms(a);
	mfu_doubt_reached(a, after_head);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct mfu_args *asked = args;
	const struct scope *p = &asked->table.scope;
	const struct mfu_question *q = &asked->question;
	struct mfu_answer a = {
		.q = q, .p = p, .sorted = &asked->table.rows, .trace = t, .report = r};
	int result;

	if (mfu_question_check(q, p, e) < 0 || machine_read(t, &a.machine, e) < 0)
		return -1;
	result = mfu_rows_make(&a.rows, t, p, q, e);
	if (result == 0)
		result = answer(&a, self, e);
	mfu_rows_free(&a.rows);
	return result;
}

const struct option_group mfu_options = OPTIONS(
	struct mfu_args,
	OPT_INCLUDE(struct mfu_args, question, struct mfu_question, mfu_question_options),
	OPT_LIST("ncu", struct mfu_args, question.ncu, "FILE", "a CSV of Nsight Compute",
		 ACCESS_READS, "Nsight Compute CSV, raw page, for the HFU of a window; repeatable"),
	OPT_INCLUDE(struct mfu_args, table.scope, struct scope, phase_options),
	OPT_INCLUDE(struct mfu_args, table, struct table_args, step_table_options));

static const struct topic topics_mfu[] = {
	{.table = "mfu",
	 .subject = "mfu flops",
	 .words = "mfu flops flop tflops utilization model peak theoretical efficiency achieved",
	 .questions = "what is the MFU\n"
		      "how many TFLOPS are achieved\n"
		      "what is the model FLOPs utilization\n"
		      "how close are we to peak FLOPs\n"
		      "what is the arithmetic efficiency\n",
	 .row = "{stage}: MFU {mfu_pct}|, {flops_per_s}"},
	{0},
};

const struct analysis analysis_mfu = {
	.name = "mfu",
	.span = SPAN_GPU,
	.title = "Model FLOPs utilisation",
	.summary = "MFU (model FLOPs utilisation) of each phase, step or window",
	.example =
		"gpuwhy mfu trace.sqlite --model config.json --batch 1 --seq 512 --new-tokens 32",
	.detail = "FLOPs come from one of: --flops N --per step, token, range or window; --model, "
		  "the config.json of a Hugging Face model, with --batch, --seq, --new-tokens and "
		  "--mode (the formula is shown); --ncu, FLOPs that Nsight Compute counted in a "
		  "window. Time comes from --phase, --range, the steps (--marker, --per step, "
		  "--iteration N) or the window (--trim). By default, --model measures each "
		  "prefill and decode found by range name, or each training step, and the whole "
		  "window; with --trim but without --mode, only instances that lie entirely in the "
		  "window. --mode with --trim treats the window as one instance of that mode.\n\n"
		  "MFU is FLOPs / (wall time x peak of the GPUs used); MFU busy uses GPU busy time "
		  "instead of wall time. Recomputation counts in HFU only. Wall time of a range "
		  "starts at its start on the host, or at the end of the previous one, and ends at "
		  "its end on the host or at the end of its last GPU op.\n\n"
		  "Peaks are dense, by GPU name and data type: --dtype, or the config's; --peaks "
		  "lists them. For an unknown GPU, set --peak-tflops.",
	.least = "-p flops=2.5T -p dtype=bf16",
	.needs_any = NEEDS_GPU_WORK,
	.options = &mfu_options,
	.run = run,
	.topics = topics_mfu,
};
