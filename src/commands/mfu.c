/* gpuwhy mfu, and which GPUs' peaks are known, and from where? */
#include "cli/command.h"

#include "analysis/model/gpu_peaks.h"
#include "base/mem.h"
#include "cli/output.h"

static const struct column columns[] = {
	{"gpu", "GPU", UNIT_NAME, 0, "", SHOW},
	{"fp64_tflops", "FP64", UNIT_RATIO, 0, NULL, SHOW},
	{"fp32_tflops", "FP32", UNIT_RATIO, 0, NULL, SHOW},
	{"tf32_tflops", "TF32", UNIT_RATIO, 0, NULL, SHOW},
	{"fp16_tflops", "FP16", UNIT_RATIO, 0, NULL, SHOW},
	{"bf16_tflops", "BF16", UNIT_RATIO, 0, NULL, SHOW},
	{"fp8_tflops", "FP8", UNIT_RATIO, 0, NULL, SHOW},
	{"int8_tops", "INT8", UNIT_RATIO, 0, NULL, SHOW},
	{"fp4_tflops", "FP4", UNIT_RATIO, 0, NULL, SHOW},
	{"source", "Source", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"names", "Device names", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static void add_peak(struct rows *rows, const struct gpu_peak *p)
{
	rows_add(rows, cell_text(p->title));
	for (int d = DTYPE_FP64; d < DTYPES; d++)
		rows_add(rows, p->tflops[d] > 0 ? cell_real(p->tflops[d]) : cell_null());
	ROWS_ADD(rows, cell_text(p->source), cell_text(p->names));
}

static int list_peaks(struct invocation *inv, struct err *e)
{
	struct report *r = &inv->report;
	struct rows *rows;

	if (inv->trace_path)
		return err_set(e, ERR_USAGE,
			       "mfu --peaks lists the known peaks and takes no trace");
	report_heading(r, "Dense peaks in TFLOP/s, without sparsity");
	rows = REPORT_ROWS(r, "peaks", NULL, columns);
	rows->table.kind = "gpu";
	for (size_t i = 0; gpu_peak_at(i); i++)
		add_peak(rows, gpu_peak_at(i));
	return output_report(r, presenter_find(invocation_format(inv)), inv->output.path,
			     inv->output.colour, e);
}

struct peaks_args {
	bool peaks;
};

static const struct option_group peaks_options =
	OPTIONS(struct peaks_args,
		OPT_FLAG("peaks", struct peaks_args, peaks, "list known peaks; takes no trace"));

static int run(struct invocation *inv, struct err *e)
{
	const struct peaks_args *a = inv->args;

	return a->peaks ? list_peaks(inv, e) : invocation_answer(inv, e);
}

const struct command command_mfu = {
	.name = "mfu",
	.operand = "TRACE…",
	.options = &peaks_options,
	.analysis = "mfu",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_traces = true,
	.run = run,
};
