/* How much GPU time does each category of work take, to a question in words? */
#include "analysis/categories/category_times.h"
#include "commands/ask/asked_besides.h"
#include "text/strtab.h"

struct categories_args {
	struct scope scope;
};
static const struct option_group options =
	OPTIONS(struct categories_args,
		OPT_INCLUDE(struct categories_args, scope, struct scope, scope_options));
static const struct column columns[] = {
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW},
};

/* As `gpuwhy categories` has it: the mean over the GPUs. */
static struct cell mean_cell(const struct category_times *times, int64_t ns)
{
	const int64_t of = times->device_count ? (int64_t)times->device_count : 1;

	return ns % of ? cell_real((double)ns / (double)of) : cell_int(ns / of);
}

static void add_rows(struct report *r, const struct category_times *times)
{
	struct rows *rows = report_new_rows(r, "categories", NULL, columns, ARRAY_LEN(columns));
	struct strtab names = {0};

	for (size_t i = 0; i < times->count; i++)
		strtab_add(&names, times->lines[i].category);
	for (size_t c = 0; c < names.count; c++) {
		int64_t ns = 0, instances = 0;

		for (size_t i = 0; i < times->count; i++) {
			const struct category_line *l = &times->lines[i];
			const bool is_its = str_eq(l->category, names.items[c]);

			ns += is_its ? l->ns : 0;
			instances += is_its ? (int64_t)l->instances : 0;
		}
		ROWS_ADD(rows, cell_str(arena_str(&r->arena, names.items[c])), mean_cell(times, ns),
			 times->busy_ns ? cell_real(100.0 * (double)ns / (double)times->busy_ns)
					: cell_null(),
			 cell_int(instances));
	}
	strtab_free(&names);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct categories_args *a = args;
	struct category_times times = {0};
	struct category_maps maps = {0};
	struct categories c = {0};
	enum category_missing missing;
	int result = window_report(r, self, t, &a->scope, NULL, e);

	if (result == 0)
		result = category_maps_read(&maps, NULL, 0, e);
	if (result == 0)
		result = categories_compile(
			&c,
			category_maps_find(&maps, STR_LIT("default"), STR_LIT("default"), &missing),
			e);
	if (result == 0)
		result = category_times_measure(t, &c, &a->scope, &times, e);
	if (result == 0)
		add_rows(r, &times);
	category_times_free(&times);
	categories_free(&c);
	category_maps_free(&maps);
	return result;
}

static const struct topic topics[] = {
	{.table = "categories",
	 .subject = "category",
	 .words = "category categories breakdown kind sort group groups gemm attention "
		  "communication elementwise normalization optimizer",
	 .questions = "time by category of work\n"
		      "which category of kernels takes the most time\n"
		      "break the GPU time down by category\n"
		      "how much time goes to gemm, attention and communication\n"
		      "which kind of operation dominates\n",
	 .row = "{category} takes {time_ns}|, {gpu_pct} of the busy GPU time|, in {instances} ops",
	 .by = "time_ns",
	 .needs = "gpu_time",
	 .none = "no GPU work is there"},
	{0},
};

const struct analysis asked_categories = {
	.name = "categories",
	.title = "Categories",
	.summary = "GPU time by category of work",
	.topics = topics,
	.span = SPAN_ALL,
	.needs_any = NEEDS_GPU_WORK,
	.options = &options,
	.run = run,
};
