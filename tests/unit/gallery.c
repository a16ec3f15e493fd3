/* Prints a page with one of everything that a report may hold, evil names included. */
#include "base/mem.h"
#include "report/chart.h"
#include "report/finding.h"
#include "report/present.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define EVIL                                                   \
	"</title></style><script>alert(1)</script><img src=x " \
	"onerror=\"alert('2')\">&amp;\033[31m\xff"
#define LONG_KERNEL                                               \
	"void at::native::vectorized_elementwise_kernel<(int)4, " \
	"at::native::CUDAFunctor_add<float>, "                    \
	"std::array<char *, (unsigned long)3>>(int, T2, T3)"

static const struct chart_part time_parts[] = {
	{"compute", HUE_COMPUTE},
	{"exposed communication", HUE_COMM},
	{"exposed copy", HUE_COPY},
	{"idle", HUE_IDLE},
};

static const struct chart_part gpu_parts[] = {
	{"GPU 0", HUE_NEXT},
	{"GPU 1", HUE_NEXT},
	{"GPU 2", HUE_NEXT},
	{"GPU 3", HUE_NEXT},
};

static const struct column columns[] = {
	{.key = "kernel", .title = "Kernel", .unit = UNIT_KERNEL, .id = ""},
	{.key = "total_ns", .title = "Total", .unit = UNIT_NS},
	{.key = "pct", .title = "Share", .unit = UNIT_PERCENT},
	{.key = "bytes", .title = "Size <b>", .unit = UNIT_BYTES},
	{.key = "count", .title = "Count", .unit = UNIT_COUNT},
	{.key = "range", .title = "Range", .unit = UNIT_NAME},
	{.key = "host", .title = "Hidden", .unit = UNIT_NAME, .show = MACHINE_ONLY},
};

static const struct column fact_columns[] = {
	{.key = "gpu", .title = "GPU", .unit = UNIT_NAME},
	{.key = "memory_bytes", .title = "Memory", .unit = UNIT_BYTES},
	{.key = "span_ns", .title = "Span", .unit = UNIT_NS},
	{.key = "none", .title = "Not known", .unit = UNIT_NAME},
	{.key = "whole", .title = "Whole", .unit = UNIT_BOOL},
};

static const struct finding findings[] = {
	{
		.id = "host_stall",
		.severity = SEVERITY_HIGH,
		.title = "GPU 0 waits for host code between batches, mostly in `collate`",
		.recoverable_ns = 544000000,
		.recoverable_pct = 71.2,
		.how = "gaps of over 1 ms that no CUDA call explains, less the median gap",
		.confidence = CONFIDENCE_HIGH,
		.unless = "the program was meant to wait, as a server without requests does",
		.evidence = {{"idle in such gaps",
			      UNIT_NS,
			      {.kind = CELL_INT, .i = 548000000},
			      false,
			      0,
			      0},
			     {"gaps", UNIT_COUNT, {.kind = CELL_INT, .i = 41}, false, 0, 0},
			     {"longest",
			      UNIT_NS,
			      {.kind = CELL_INT, .i = 31200000},
			      true,
			      14217932000,
			      1}},
		.evidence_count = 3,
		.advice = {"Move collation to worker processes: DataLoader(num_workers=8, "
			   "pin_memory=True, prefetch_factor=4)",
			   "Look at 14.217932 s in the timeline"},
		.advice_count = 2,
	},
	{
		.id = "pageable",
		.severity = SEVERITY_MEDIUM,
		.title = "Copies to the GPU come from pageable memory: 6.71 GB/s",
		.recoverable_ns = 96000000,
		.recoverable_pct = 12.6,
		.how = "bytes at 50 GB/s",
		.confidence = CONFIDENCE_MEDIUM,
		.evidence =
			{{"bytes", UNIT_BYTES, {.kind = CELL_INT, .i = 3750000000}, false, 0, 0}},
		.evidence_count = 1,
		.advice = {"tensor.pin_memory().to(device, non_blocking=True)"},
		.advice_count = 1,
	},
	{
		.id = "evil",
		.severity = SEVERITY_LOW,
		.title = "Kernel " EVIL " is small",
		.recoverable_ns = 8000000,
		.recoverable_pct = NAN,
		.how = EVIL,
		.unless = EVIL,
		.evidence = {{EVIL,
			      UNIT_NAME,
			      {.kind = CELL_TEXT, .s = {EVIL, sizeof(EVIL) - 1}},
			      false,
			      0,
			      0}},
		.evidence_count = 1,
		.advice = {EVIL},
		.advice_count = 1,
	},
	{.id = "info", .severity = SEVERITY_INFO, .title = "NVTX ranges are there"},
};

static void add_stack(struct report *r)
{
	struct chart *c = report_new_chart(r, CHART_STACK, "Each GPU's time", UNIT_NS, 4,
					   time_parts, ARRAY_LEN(time_parts));

	for (size_t i = 0; i < c->count; i++) {
		double *parts = chart_item(c, i);

		c->labels[i] = str_of(gpu_parts[i].name);
		parts[0] = 3.1e9 - 2.1e8 * (double)i;
		parts[1] = 0.9e9 + 1.1e8 * (double)i;
		parts[2] = 1.2e8;
		parts[3] = 5.75e9 - parts[0] - parts[1] - parts[2];
	}
}

static void add_series(struct report *r, const char *title, size_t parts, bool stacked)
{
	struct chart *c = report_new_chart(r, CHART_SERIES, title, UNIT_PERCENT, 200,
					   stacked ? time_parts : gpu_parts, parts);

	c->from = 14.217932e9;
	c->to = 19.965837e9;
	c->top = 100;
	c->stacked = stacked;
	for (size_t i = 0; i < c->count; i++) {
		double *v = chart_item(c, i);

		for (size_t p = 0; p < parts; p++)
			v[p] = fmax(0, (stacked ? 24 : 70) +
					       20 * sin((double)i / (7.0 + (double)p)) -
					       (i % 50 < 6 ? 60 : 0));
		if (!stacked && i > 120 && i < 130)
			v[0] = NAN;
	}
}

static void add_bars(struct report *r)
{
	static const char *const names[] = {
		LONG_KERNEL,
		"nvjet_sm90_tst_64x8_64x16_2x1_v_bz_TNT",
		EVIL,
		("cudnn_generated_fort_native_sdpa_sm80_flash_fprop_"
		 "wmma_f16_knob_35_16x128x128_1x4x1_cga1x1x1_kernel0_0"),
		"CatArrayBatchedCopy",
		"ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
		""};
	struct chart *c =
		report_new_chart(r, CHART_BARS, "Top kernels", UNIT_NS, ARRAY_LEN(names), NULL, 1);

	c->label_unit = UNIT_KERNEL;
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(names[i]);
		chart_item(c, i)[0] = 45.5e6 / (double)(i + 1);
	}
}

static void add_changes(struct report *r)
{
	static const double by[] = {-31e6, -4e6, 0, 2.5e6, 12e6};
	struct chart *c = report_new_chart(r, CHART_BARS, "Changed since the last run", UNIT_NS,
					   ARRAY_LEN(by), NULL, 1);

	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of("elementwise_kernel");
		chart_item(c, i)[0] = by[i];
	}
}

static void add_histograms(struct report *r)
{
	static const char *const classes[] = {"<1 µs",	  "1–10 µs", "10–100 µs",
					      "0.1–1 ms", "1–10 ms", "≥10 ms"};
	struct chart *gaps = report_new_chart(r, CHART_HISTOGRAM, "Number of gaps by length",
					      UNIT_COUNT, ARRAY_LEN(classes), gpu_parts, 2);
	struct chart *time = report_new_chart(r, CHART_HISTOGRAM, "Idle time by gap length",
					      UNIT_NS, ARRAY_LEN(classes), gpu_parts, 2);

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		gaps->labels[i] = time->labels[i] = str_of(classes[i]);
		for (size_t p = 0; p < 2; p++) {
			chart_item(gaps, i)[p] = floor(6000 / (1 + pow((double)i - 2, 2)));
			chart_item(time, i)[p] = chart_item(gaps, i)[p] * pow(10, (double)i + 2);
		}
	}
}

static void add_icicle(struct report *r)
{
	static const struct {
		const char *name;
		uint32_t parent;
		double value;
	} nodes[] = {
		{"train", CHART_ROOT, 980},
		{"step", 0, 900},
		{"forward", 1, 380},
		{"attn", 2, 190},
		{"softmax", 3, 70},
		{"mlp", 2, 160},
		{"backward", 1, 420},
		{"attn", 6, 200},
		{"mlp", 6, 190},
		{"optimizer", 1, 90},
		{"validate", 0, 60},
		{EVIL, CHART_ROOT, 120},
		{"claims too much", 11, 90},
		{"and more", 11, 90},
		{"below itself", 14, 10},
	};
	struct chart *c = report_new_chart(r, CHART_ICICLE, "GPU time by NVTX range", UNIT_NS,
					   ARRAY_LEN(nodes), NULL, 1);

	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(nodes[i].name);
		c->parents[i] = nodes[i].parent;
		chart_item(c, i)[0] = nodes[i].value * 1e6;
	}
}

/* What cannot be drawn, and what lies far outside, is left out or at the edge. */
static void add_roofline(struct report *r)
{
	static const struct chart_roof roofs[] = {
		{"fp32", 67e12}, {"bf16 tensor", 989e12}, {"fp16 tensor", 1000e12}, {EVIL, 1e15}};
	static const double values[][CHART_ROOF_VALUES] = {
		{964.5, 751e12, 52.6e6}, {7.9, 22.5e12, 19e6}, {0.2, 47e9, 45e6},
		{1e-30, 1e-30, 1},	 {1e30, 1e30, 1e30},   {0, 0, 5},
		{NAN, 1e12, 5},		 {-1, 1e12, 5},	       {1, INFINITY, NAN}};
	struct chart *c = report_new_chart(r, CHART_ROOFLINE, "Roofline", UNIT_NS,
					   ARRAY_LEN(values), NULL, CHART_ROOF_VALUES);

	c->roofs = roofs;
	c->roof_count = ARRAY_LEN(roofs);
	c->bytes_per_s = 4.8e12;
	c->label_unit = UNIT_KERNEL;
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = i % 2 ? STR_LIT(EVIL) : STR_LIT(LONG_KERNEL);
		memcpy(chart_item(c, i), values[i], sizeof(values[i]));
	}
}

static void add_waterfall(struct report *r)
{
	static const struct {
		const char *name;
		double ns;
	} items[] = {{"before", 21.5e6},
		     {"compute", 4.5e6},
		     {"idle: " EVIL, -1.2e6},
		     {"exposed copies", 0},
		     {"after", 24.8e6}};
	struct chart *c = report_new_chart(r, CHART_WATERFALL, "From before to after", UNIT_NS,
					   ARRAY_LEN(items), NULL, 1);

	c->remark = EVIL;
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(items[i].name);
		*chart_item(c, i) = items[i].ns;
	}
}

static const struct chart_part change_keys[] = {
	{"longer", HUE_UP}, {EVIL, HUE_DOWN}, {"the same", HUE_EVEN}, {"cut", HUE_CUT}};

static void add_changed_tree(struct report *r)
{
	static const char *const names[] = {"step", "forward", "backward", EVIL};
	static const double ns[] = {10e6, 4e6, 4e6, 2e6}, changes[] = {2e6, 2.4e6, -4e5, 0};
	struct chart *c = report_new_chart(r, CHART_ICICLE, "Changed ranges", UNIT_NS,
					   ARRAY_LEN(names), NULL, 1);

	c->keys = change_keys;
	c->key_count = 3;
	c->changes = arena_alloc(&r->arena, c->count, sizeof(*c->changes));
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(names[i]);
		c->parents[i] = i ? 0 : CHART_ROOT;
		c->changes[i] = changes[i];
		*chart_item(c, i) = ns[i];
	}
}

static void add_dots(struct report *r)
{
	static const struct chart_part rows[] = {{"runs before", HUE_NEXT}, {EVIL, HUE_NEXT}};
	static const struct chart_band bands[] = {{"tolerance", 20e6, 20.8e6, true},
						  {EVIL, 21e6, 25e6, false},
						  {"unknown", NAN, INFINITY, false}};
	struct chart *c = report_new_chart(r, CHART_DOTS, "Runs", UNIT_NS, 6, rows, 2);

	c->bands = bands;
	c->band_count = ARRAY_LEN(bands);
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(i ? "run" : EVIL);
		chart_item(c, i)[i % 2] = 20e6 + 1e6 * (double)i;
		chart_item(c, i)[!(i % 2)] = NAN;
	}
}

/* A few columns have tips; many are paths, and still more are merged. */
static void add_columns(struct report *r, size_t count)
{
	static const struct chart_part rows[] = {{"before", HUE_NEXT}, {EVIL, HUE_NEXT}};
	struct chart *c = report_new_chart(r, CHART_COLUMNS, "Steps", UNIT_NS, count, rows, 2);

	c->keys = change_keys;
	c->key_count = ARRAY_LEN(change_keys);
	c->cut = 40e6;
	for (size_t i = 0; i < 2 * count; i++) {
		c->labels[i / 2] = str_of("step");
		c->values[i] = i == 3 ? NAN : i == 8 ? 9e9 : 20e6 + 1e5 * (double)(i % 17);
		c->looks[i] = i < 6 ? 3 : i % 11 ? 0 : 200;
	}
}

/* Three that became one, one that became another, and two of one row alone. */
static void add_ribbons(struct report *r)
{
	static const struct chart_part rows[] = {{"before: " EVIL, HUE_NEXT}, {"after", HUE_NEXT}};
	static const struct chart_ribbon ribbons[] = {{{0, 5}, {0, 0}, {1, 0.3F}, 0},
						      {{1, 5}, {0, 0.3F}, {1, 0.6F}, 0},
						      {{2, 5}, {0, 0.6F}, {1, 1}, 0},
						      {{3, 6}, {0, 0}, {1, 1}, 2}};
	static const struct chart_name names[] = {{STR_LIT(EVIL), 0, 4e6, 0},
						  {STR_LIT("forward"), 0, 5e6, 1},
						  {STR_LIT("narrow"), 5e6, 5.01e6, 1}};
	static const double values[][CHART_RIBBON_VALUES] = {{0, 1e6},	 {1.1e6, 9e5}, {2.1e6, 1e6},
							     {4e6, 2e6}, {7e6, 1e3},   {0, 2.5e6},
							     {3e6, 2e6}, {9e6, NAN},   {NAN, 1e6}};
	struct chart *c = report_new_chart(r, CHART_RIBBONS, "Two steps", UNIT_NS,
					   ARRAY_LEN(values), rows, CHART_RIBBON_VALUES);

	c->keys = change_keys;
	c->key_count = 3;
	c->ribbons = ribbons;
	c->ribbon_count = ARRAY_LEN(ribbons);
	c->names = names;
	c->name_count = ARRAY_LEN(names);
	c->lanes_of[0] = 1;
	c->lanes_of[1] = 300;
	for (size_t i = 0; i < c->count; i++) {
		c->labels[i] = str_of(i % 3 ? "gemm" : EVIL);
		c->places[i] = (struct chart_place){i > 4, (unsigned char)(i * 40), i % 4};
		memcpy(chart_item(c, i), values[i], sizeof(values[i]));
	}
}

static void add_odd_charts(struct report *r)
{
	static const double values[] = {NAN, INFINITY, -INFINITY, -5, 0, 1e300, 1};

	for (int kind = 0; kind < CHART_KINDS; kind++) {
		struct chart *c = report_new_chart(r, (enum chart_kind)kind, EVIL, UNIT_BYTES,
						   ARRAY_LEN(values), NULL, 1);

		for (size_t i = 0; i < c->count; i++) {
			chart_item(c, i)[0] = values[i];
			if (c->labels)
				c->labels[i] = str_of(EVIL);
			if (c->parents)
				c->parents[i] = (uint32_t)i * 2;
		}
		report_new_chart(r, (enum chart_kind)kind, "No data", UNIT_NS, 0, NULL, 1);
	}
}

static void add_kernels(struct report *r, uint64_t count)
{
	struct rows *t = report_new_rows(r, "kernels", "Kernels", columns, ARRAY_LEN(columns));

	for (uint64_t i = 0; i < count; i++) {
		rows_add(t, cell_text(i == 2 ? EVIL : i % 2 ? LONG_KERNEL : "gemm"));
		rows_add(t, i == 1 ? cell_null() : cell_int((int64_t)((i * 7919) % 100003) * 100));
		rows_add(t, cell_real(i == 3 ? NAN : 90 / (double)(i + 1)));
		rows_add(t, cell_real(1e12 / (double)(i + 1)));
		rows_add(t, cell_int((int64_t)(i * i)));
		rows_add(t, cell_text(i == 0 ? EVIL : "decode"));
		rows_add(t, cell_text("not for people"));
	}
}

static void add_facts(struct report *r)
{
	struct rows *t =
		report_new_rows(r, "machine", "Machine", fact_columns, ARRAY_LEN(fact_columns));

	t->table.facts = true;
	rows_add(t, cell_text("NVIDIA H200"));
	rows_add(t, cell_int(150754820096));
	rows_add(t, cell_int(21300000000));
	rows_add(t, cell_null());
	rows_add(t, cell_int(1));
}

static void describe(struct report *r)
{
	r->has_trace = r->has_window = r->has_coverage = true;
	r->trace = (struct report_trace){
		.path = "runs/" EVIL ".sqlite",
		.tool = "NVIDIA Nsight Systems 2025.3.2",
		.has_span = true,
		.span_ns = 21300000000,
	};
	r->window_start_ns = 14217932000;
	r->window_end_ns = 19965837000;
	r->coverage = 0.998;
}

static int to_stdout(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	return fwrite(bytes, 1, len, stdout) == len ? 0 : -1;
}

int main(void)
{
	struct report r = {.command = "gallery"};
	struct sink sink = {to_stdout, NULL};
	struct style style = {0};
	struct err e = {0};
	int result;

	describe(&r);
	report_heading(&r, "Where the GPU time went, 5.75 s from the first GPU work to the last");
	report_note(&r, "A page with one of everything. %s", EVIL);
	report_warning(&r, "3 launches of whole CUDA graphs hide their kernels: %s", EVIL);
	add_stack(&r);
	add_series(&r, "Utilisation", 1, false);
	add_series(&r, "Utilisation of each GPU", 4, false);
	add_series(&r, "What all GPUs did", 4, true);
	report_heading(&r, "Findings");
	for (size_t i = 0; i < ARRAY_LEN(findings); i++)
		report_finding(&r, &findings[i]);
	report_heading(&r, "Kernels by total time, whole capture of 21.3 s");
	add_bars(&r);
	add_changes(&r);
	add_kernels(&r, 1234);
	add_histograms(&r);
	add_icicle(&r);
	add_roofline(&r);
	add_waterfall(&r);
	add_changed_tree(&r);
	add_dots(&r);
	add_columns(&r, 20);
	add_columns(&r, 2000);
	add_ribbons(&r);
	report_heading(&r, "Machine");
	add_facts(&r);
	report_new_rows(&r, "none", "Nothing", columns, ARRAY_LEN(columns));
	report_heading(&r, "Odd charts %s", EVIL);
	add_odd_charts(&r);
	result = present_report(presenter_find("html"), &r, &style, &sink, &e);
	report_free(&r);
	return result < 0 ? 4 : 0;
}
