/* Does one report look right in every format? */
#include "base/mem.h"
#include "groups.h"
#include "report/cell_text.h"
#include "report/finding.h"
#include "report/present.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define ADD_NAME                                                  \
	"void at::native::vectorized_elementwise_kernel<(int)4, " \
	"at::native::CUDAFunctor_add<float>>(int, T2, T3)"
#define EVIL "ev\033[31mil|`x`, \"q\"\n\xff"

static const struct column kernel_columns[] = {
	{.key = "kernel", .title = "Kernel", .unit = UNIT_KERNEL, .id = ""},
	{.key = "device", .title = "Dev", .unit = UNIT_ID, .id = "dev:"},
	{.key = "total_ns", .title = "Total", .unit = UNIT_NS},
	{.key = "pct", .title = "Share", .unit = UNIT_PERCENT},
	{.key = "count", .title = "Count", .unit = UNIT_COUNT},
	{.key = "host", .title = "Host", .unit = UNIT_NAME, .show = MACHINE_ONLY},
};

static const struct column fact_columns[] = {
	{.key = "span_ns", .title = "Span", .unit = UNIT_NS},
	{.key = "gpu", .title = "GPU name", .unit = UNIT_NAME},
	{.key = "none_bytes", .title = "Nothing known", .unit = UNIT_BYTES},
	{.key = "whole", .title = "Whole", .unit = UNIT_BOOL},
};

static const struct column nsys_columns[] = {
	{.key = "pct", .title = "Time (%)", .unit = UNIT_PERCENT, .decimals = 1},
	{.key = "total_ns", .title = "Total Time (ns)", .unit = UNIT_NS},
	{.key = "avg_ns", .title = "Avg (ns)", .unit = UNIT_NS, .decimals = 1},
	{.key = "grid", .title = "GridXYZ", .unit = UNIT_NAME},
	{.key = "name", .title = "Name", .unit = UNIT_KERNEL},
};

static int to_buf(void *ctx, const char *bytes, size_t len)
{
	buf_add(ctx, bytes, len);
	return 0;
}

static struct buf present(const struct report *r, const char *format, struct style style)
{
	struct buf text = {0};
	struct sink sink = {to_buf, &text};
	struct err e = {0};

	assert_int_equal(present_report(presenter_find(format), r, &style, &sink, &e), 0);
	return text;
}

static void assert_presents(const struct report *r, const char *format, struct style style,
			    const char *expected)
{
	struct buf text = present(r, format, style);

	assert_string_equal(buf_str(&text).s, expected);
	buf_free(&text);
}

static void add_kernel(struct rows *t, const char *name, int64_t total_ns, double pct,
		       struct cell n)
{
	rows_add(t, cell_text(name));
	rows_add(t, cell_int(0));
	rows_add(t, cell_int(total_ns));
	rows_add(t, cell_real(pct));
	rows_add(t, n);
	rows_add(t, cell_text("h"));
}

static struct rows *add_kernels(struct report *r)
{
	struct rows *t =
		report_new_rows(r, "kernels", "By time", kernel_columns, ARRAY_LEN(kernel_columns));

	t->table.kind = "kernel";
	add_kernel(t, ADD_NAME, 1234567, 60.25, cell_int(12345));
	add_kernel(t, EVIL, 850, NAN, cell_null());
	return t;
}

static void add_facts(struct report *r)
{
	struct rows *t =
		report_new_rows(r, "facts", "Facts", fact_columns, ARRAY_LEN(fact_columns));

	t->table.facts = true;
	rows_add(t, cell_int(5000000000));
	rows_add(t, cell_text("NVIDIA H200"));
	rows_add(t, cell_null());
	rows_add(t, cell_int(1));
}

static void add_nsys(struct report *r)
{
	struct rows *t = report_new_rows(r, "cuda_gpu_kern_sum", "CUDA GPU Kernel Summary",
					 nsys_columns, ARRAY_LEN(nsys_columns));

	t->table.nsys = true;
	rows_add(t, cell_real(60.25));
	rows_add(t, cell_int(12863229));
	rows_add(t, cell_real(3215807.25));
	rows_add(t, cell_text(" 264    2    1"));
	rows_add(t, cell_text(ADD_NAME));
	rows_add(t, cell_real(39.75));
	rows_add(t, cell_int(3420456));
	rows_add(t, cell_real(21377.85));
	rows_add(t, cell_null());
	rows_add(t, cell_text("say \"hi\""));
}

static void test_text_table(void **state)
{
	struct report r = {0};

	(void)state;
	report_heading(&r, "Kernels of %s", "a\033b");
	report_note(&r, "window %d", 3);
	report_warning(&r, "no NVTX");
	add_kernels(&r)->table.total_rows = 1236;
	assert_presents(
		&r, "text", (struct style){0},
		"Kernels of a\\x1bb\n"
		"window 3\n"
		"warning: no NVTX\n"
		"\n"
		"By time\n"
		"Kernel                                          Dev    Total  Share   Count\n"
		"───────────────────────────────────────────────────────────────────────────\n"
		"vectorized_elementwise_kernel<CUDAFunctor_add>    0  1.23 ms  60.3%  12,345\n"
		"ev\\x1b[31mil|`x`, \"q\"\\n\\xff                       0   850 ns      -       -\n"
		"… 1,234 more rows (--limit 0 shows all)\n");
	report_free(&r);
}

static void test_text_fits_the_terminal(void **state)
{
	struct report r = {0};

	(void)state;
	add_kernels(&r);
	assert_presents(&r, "text", (struct style){.width = 60},
			"By time\n"
			"Kernel                           Dev    Total  Share   Count\n"
			"────────────────────────────────────────────────────────────\n"
			"vectorized_elem…UDAFunctor_add>    0  1.23 ms  60.3%  12,345\n"
			"ev\\x1b[31mil|`x`, \"q\"\\n\\xff        0   850 ns      -       -\n");
	report_free(&r);
}

static const struct column copy_columns[] = {
	{.key = "name", .title = "Name", .unit = UNIT_KERNEL},
	{.key = "duration_us", .title = "Duration", .unit = UNIT_US},
	{.key = "range", .title = "Range", .unit = UNIT_NAME},
};

static void add_copy(struct rows *t, const char *name, double us)
{
	rows_add(t, cell_literal(str_of(name)));
	rows_add(t, cell_real(us));
	rows_add(t, cell_null());
}

static struct rows *add_copies(struct report *r)
{
	struct rows *t = report_new_rows(r, "copies", NULL, copy_columns, ARRAY_LEN(copy_columns));

	add_copy(t, "[CUDA memcpy Host-to-Device]", 41286.809);
	add_copy(t, "[CUDA memcpy Device-to-Device]", 1.312);
	add_copy(t, "[CUDA memcpy Unified Host-to-Device]", 0.001);
	add_copy(t, "[CUDA memcpy Unknown]", 2.345);
	add_copy(t, "[CUDA memcpy -to-]", 0);
	return t;
}

/* What tells copies apart is there in 80 columns, too; a column that says nothing is not. */
static void test_text_copies(void **state)
{
	struct report r = {0};

	(void)state;
	add_copies(&r)->table.drops_empty = true;
	assert_presents(&r, "text", (struct style){.width = 22},
			"Name          Duration\n"
			"──────────────────────\n"
			"memcpy H2D     41.3 ms\n"
			"memcpy D2D     1.31 µs\n"
			"memcpy U H2D      1 ns\n"
			"[CUDA…known]   2.35 µs\n"
			"[CUDA… -to-]      0 ns\n");
	report_free(&r);
	r = (struct report){0};
	add_copies(&r);
	assert_presents(&r, "text", (struct style){.width = 60},
			"Name                                  Duration  Range\n"
			"─────────────────────────────────────────────────────\n"
			"[CUDA memcpy Host-to-Device]           41.3 ms  -\n"
			"[CUDA memcpy Device-to-Device]         1.31 µs  -\n"
			"[CUDA memcpy Unified Host-to-Device]      1 ns  -\n"
			"[CUDA memcpy Unknown]                  2.35 µs  -\n"
			"[CUDA memcpy -to-]                        0 ns  -\n");
	report_free(&r);
}

/* A row that was not looked at may have something. */
static void test_columns_of_many_rows_stay(void **state)
{
	struct report r = {0};
	struct rows *t = add_copies(&r);
	struct buf text;

	(void)state;
	for (int i = 0; i < 2000; i++)
		add_copy(t, "k", 1);
	t->table.drops_empty = true;
	text = present(&r, "text", (struct style){0});
	assert_non_null(strstr(text.s, "Duration  Range\n"));
	buf_free(&text);
	report_free(&r);
}

static void test_text_colours(void **state)
{
	struct report r = {0};

	(void)state;
	report_heading(&r, "H");
	report_warning(&r, "W");
	report_new_rows(&r, "none", NULL, fact_columns, 1);
	assert_presents(&r, "text", (struct style){.colour = true},
			"\033[1mH\033[0m\n"
			"\033[33mwarning: \033[0mW\n"
			"\n"
			"\033[1mSpan\033[0m\n"
			"\033[2m────\033[0m\n"
			"\033[2m(no rows)\033[0m\n");
	report_free(&r);
}

static void test_text_facts(void **state)
{
	struct report r = {0};

	(void)state;
	add_facts(&r);
	assert_presents(&r, "text", (struct style){0},
			"Facts\n"
			"  Span       5.00 s\n"
			"  GPU name   NVIDIA H200\n"
			"  Whole      yes\n");
	report_free(&r);
}

static void add_advice(struct report *r)
{
	static const struct column columns[] = {
		{"title", "Problem", UNIT_NAME, 0, "", SHOW},
		{"means", "Means", UNIT_NAME, 0, NULL, SHOW},
		{"command", "Do", UNIT_COMMAND, 0, NULL, SHOW},
	};
	struct rows *t = report_new_rows(r, "problems", NULL, columns, ARRAY_LEN(columns));

	t->table.facts = true;
	rows_add(t, cell_text("first"));
	rows_add(t, cell_text("prose is broken between words and a_very_long_word_is_cut"));
	rows_add(t, cell_text("nsys profile --trace=cuda,nvtx -- <your command>"));
	rows_add(t, cell_text("second"));
	rows_add(t, cell_text("short"));
	rows_add(t, cell_null());
}

static void test_text_facts_of_many(void **state)
{
	struct report r = {0};

	(void)state;
	add_advice(&r);
	assert_presents(&r, "text", (struct style){.width = 32},
			"  Problem   first\n"
			"  Means     prose is broken\n"
			"            between words and\n"
			"            a_very_lo…ord_is_cut\n"
			"  Do        nsys profile --trace=cuda,nvtx -- <your command>\n"
			"\n"
			"  Problem   second\n"
			"  Means     short\n");
	assert_presents(&r, "markdown", (struct style){0},
			"- Problem: first\n"
			"- Means: `prose is broken between words and a_very_long_word_is_cut`\n"
			"- Do: `nsys profile --trace=cuda,nvtx -- <your command>`\n"
			"\n"
			"---\n"
			"\n"
			"- Problem: second\n"
			"- Means: short\n");
	report_free(&r);
}

static void test_text_nsys(void **state)
{
	struct report r = {0};

	(void)state;
	add_nsys(&r);
	assert_presents(
		&r, "text", (struct style){.width = 90},
		" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n"
		"\n"
		" Time (%)  Total Time (ns)  Avg (ns)      GridXYZ                     Name\n"
		" --------  ---------------  ---------  --------------  "
		"-----------------------------------\n"
		"     60.3         12863229  3215807.3   264    2    1  void "
		"at::native::…at>>(int, T2, T3)\n"
		"     39.8          3420456    21377.8                  say \"hi\"\n");
	report_free(&r);
}

static void test_markdown(void **state)
{
	struct report r = {0};

	(void)state;
	report_heading(&r, "<b> & *x*");
	report_warning(&r, "no `NVTX` | data");
	add_kernels(&r)->table.total_rows = 3;
	add_facts(&r);
	assert_presents(&r, "markdown", (struct style){0},
			"## &lt;b&gt; &amp; \\*x\\*\n"
			"\n"
			"> **Warning:** no `NVTX` \\| data\n"
			"\n"
			"### By time\n"
			"\n"
			"| Kernel | Dev | Total | Share | Count |\n"
			"| --- | ---: | ---: | ---: | ---: |\n"
			"| `vectorized_elementwise_kernel<CUDAFunctor_add>` | 0 | 1.23 ms | 60.3% "
			"| 12,345 |\n"
			"| ``ev\\x1b[31mil\\|`x`, \"q\"\\n\\xff`` | 0 | 850 ns | - | - |\n"
			"\n"
			"… 1 more row (`--limit 0` shows all)\n"
			"\n"
			"### Facts\n"
			"\n"
			"- Span: 5.00 s\n"
			"- GPU name: NVIDIA H200\n"
			"- Whole: yes\n");
	report_free(&r);
}

static void assert_markdown_cell(const char *text, const char *expected)
{
	static const struct column columns[] = {{.key = "n", .title = "N", .unit = UNIT_NAME}};
	struct report r = {0};
	struct buf all = {0};

	rows_add(report_new_rows(&r, "t", NULL, columns, 1), cell_text(text));
	buf_addf(&all, "| N |\n| --- |\n| %s |\n", expected);
	assert_presents(&r, "markdown", (struct style){0}, all.s);
	buf_free(&all);
	report_free(&r);
}

static void test_markdown_cells_are_literal(void **state)
{
	(void)state;
	assert_markdown_cell("PushPop", "PushPop");
	assert_markdown_cell("@octocat", "`@octocat`");
	assert_markdown_cell("https://x", "`https://x`");
	assert_markdown_cell("<script>", "`<script>`");
	assert_markdown_cell("`", "`` ` ``");
	assert_markdown_cell("a```b", "````a```b````");
	assert_markdown_cell("a|b", "`a\\|b`");
	/* Backslashes before a | must be odd, or the row is cut there. */
	assert_markdown_cell("a\\|b", "`a\\\\\\|b`");
	assert_markdown_cell("a\\\\|b", "`a\\\\\\|b`");
	assert_markdown_cell("", "");
}

static void assert_markdown_title(const char *title, const char *expected)
{
	struct finding f = {.title = title, .severity = SEVERITY_LOW};
	struct report r = {0};
	struct buf all = {0};

	f.evidence[f.evidence_count++] =
		(struct evidence){.label = "kernel", .value = cell_text("a|<b>")};
	report_finding(&r, &f);
	buf_addf(&all, "1. **low** · %s\n   - kernel: `a|<b>`\n", expected);
	assert_presents(&r, "markdown", (struct style){0}, all.s);
	buf_free(&all);
	report_free(&r);
}

/* A name is shown as code; one that would end its span early is still code or escaped. */
static void test_markdown_titles(void **state)
{
	(void)state;
	assert_markdown_title("waits in `fwd_pass`", "waits in `fwd_pass`");
	assert_markdown_title("in `a|b *c* <d>`, most", "in `a|b *c* <d>`, most");
	assert_markdown_title("in `a`<b>@c`", "in `a`&lt;b&gt;@&#8203;c\\`");
	assert_markdown_title("#12 a#b https://x www.x",
			      "\\#&#8203;12 a\\#b https:&#8203;//x www&#8203;.x");
	assert_markdown_title("in `` <b>", "in \\`\\` &lt;b&gt;");
	assert_markdown_title("in ```", "in \\`\\`\\`");
	assert_markdown_title("in ` x`", "in `  x `");
	assert_markdown_title("*no* range", "\\*no\\* range");
	assert_markdown_title("in `a\nb`", "in `a\\nb`");
}

/* A comment has at most so many bytes, ends what it began, and says what it leaves out. */
static void test_markdown_comment(void **state)
{
	enum { MOST = 8000, ROWS = 500 };
	static const struct column columns[] = {
		{.key = "name", .title = "Name", .unit = UNIT_NAME}};
	struct report r = {.title = "T", .most_bytes = MOST};
	struct rows *rows;
	struct buf name = {0}, text;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		buf_adds(&name, i % 2 ? "@|" : "\xcc\x81");
	report_note(&r, "%s", name.s);
	report_heading(&r, "More");
	r.blocks[r.block_count - 1].detail = true;
	for (int t = 0; t < 20; t++) {
		rows = REPORT_ROWS(&r, "rows", "Rows", columns);
		for (size_t i = 0; i < ROWS; i++)
			rows_add(rows, cell_text(name.s));
	}
	text = present(&r, "markdown", (struct style){0});
	assert_true(text.len <= MOST);
	assert_non_null(strstr(text.s, "<details>\n<summary>More</summary>\n\n### Rows"));
	assert_non_null(strstr(text.s, " more rows"));
	assert_non_null(strstr(text.s, "more tables or notes have no room here.*\n\n</details>\n"));
	buf_free(&text);
	buf_free(&name);
	report_free(&r);
}

static void test_csv(void **state)
{
	struct report r = {0};

	(void)state;
	report_note(&r, "not in CSV");
	add_kernels(&r);
	add_facts(&r);
	assert_presents(&r, "csv", (struct style){0},
			"kernel,device,total_ns,pct,count,host\n"
			"\"" ADD_NAME "\",0,1234567,60.25,12345,h\n"
			"\"ev\\x1b[31mil|`x`, \"\"q\"\"\\n\\xff\",0,850,,,h\n"
			"\n"
			"span_ns,gpu,none_bytes,whole\n"
			"5000000000,NVIDIA H200,,true\n");
	report_free(&r);
}

static void test_csv_nsys(void **state)
{
	struct report r = {0};

	(void)state;
	add_nsys(&r);
	assert_presents(&r, "csv", (struct style){0},
			"Time (%),Total Time (ns),Avg (ns),GridXYZ,Name\n"
			"60.3,12863229,3215807.3, 264    2    1,\"" ADD_NAME "\"\n"
			"39.8,3420456,21377.8,,say \"hi\"\n");
	report_free(&r);
}

static void assert_csv_field(const char *text, const char *expected)
{
	struct buf b = {0};

	buf_adds(&b, "x,");
	csv_add_field(&b, str_of(text));
	assert_string_equal(b.s + 2, expected);
	assert_int_equal(b.len, strlen(b.s));
	buf_free(&b);
}

static void test_csv_field(void **state)
{
	(void)state;
	assert_csv_field("", "");
	assert_csv_field(" both ends ", " both ends ");
	assert_csv_field("a,b", "\"a,b\"");
	assert_csv_field("\"", "\"\"\"\"");
	assert_csv_field("a\"b\"", "\"a\"\"b\"\"\"");
	assert_csv_field("a\nb", "a\\nb");
	assert_csv_field("it's; fine\\", "it's; fine\\");
}

static void describe(struct report *r)
{
	r->command = "kernels";
	r->has_trace = true;
	r->trace = (struct report_trace){.path = "a\"b.sqlite", .has_span = true, .span_ns = 1005};
	r->has_window = true;
	r->window_end_ns = 1000;
	r->has_coverage = true;
	r->coverage = 0.925;
}

static void test_json(void **state)
{
	struct report r = {0};
	struct rows *t;

	(void)state;
	describe(&r);
	report_heading(&r, "not in JSON");
	report_note(&r, "a note");
	t = add_kernels(&r);
	add_kernel(t, ADD_NAME, 7, INFINITY, cell_int(1));
	t->table.total_rows = 20;
	report_new_rows(&r, "none", NULL, fact_columns, 1);
	assert_presents(
		&r, "json", (struct style){0},
		"{\n"
		"  \"gpuwhy\": {\"version\": \"0.1.0\", \"schema\": 1},\n"
		"  \"command\": \"kernels\",\n"
		"  \"trace\": {\"path\": \"a\\\"b.sqlite\", \"tool\": null, \"schema\": null, "
		"\"span_ns\": 1005},\n"
		"  \"window\": {\"start_ns\": 0, \"end_ns\": 1000},\n"
		"  \"coverage\": 0.925,\n"
		"  \"tables\": [\n"
		"    {\"name\": \"kernels\", \"columns\": [{\"key\": \"kernel\", \"unit\": "
		"\"kernel\"}, "
		"{\"key\": \"device\", \"unit\": \"id\"}, {\"key\": \"total_ns\", \"unit\": "
		"\"ns\"}, "
		"{\"key\": \"pct\", \"unit\": \"percent\"}, {\"key\": \"count\", \"unit\": "
		"\"count\"}, "
		"{\"key\": \"host\", \"unit\": \"name\"}], \"rows\": [\n"
		"      {\"key\": \"kernel|" ADD_NAME "|dev:0\", \"kernel\": \"" ADD_NAME "\", "
		"\"device\": 0, \"total_ns\": 1234567, \"pct\": 60.25, \"count\": 12345, \"host\": "
		"\"h\"},\n"
		"      {\"key\": \"kernel|ev\\u001b[31mil|`x`, \\\"q\\\"\\n\xef\xbf\xbd|dev:0\", "
		"\"kernel\": \"ev\\u001b[31mil|`x`, \\\"q\\\"\\n\xef\xbf\xbd\", \"device\": 0, "
		"\"total_ns\": 850, \"pct\": null, \"count\": null, \"host\": \"h\"},\n"
		"      {\"key\": \"kernel|" ADD_NAME "|dev:0#2\", \"kernel\": \"" ADD_NAME "\", "
		"\"device\": 0, \"total_ns\": 7, \"pct\": null, \"count\": 1, \"host\": \"h\"}\n"
		"    ], \"total_rows\": 20},\n"
		"    {\"name\": \"none\", \"columns\": [{\"key\": \"span_ns\", \"unit\": \"ns\"}], "
		"\"rows\": [], \"total_rows\": 0}\n"
		"  ],\n"
		"  \"findings\": [],\n"
		"  \"notes\": [\n"
		"    \"a note\"\n"
		"  ],\n"
		"  \"warnings\": []\n"
		"}\n");
	report_free(&r);
}

static void test_json_keys_without_id_columns(void **state)
{
	struct report r = {0};
	struct buf text;

	(void)state;
	add_facts(&r);
	text = present(&r, "json", (struct style){0});
	assert_non_null(strstr(text.s, "{\"key\": \"facts|0\", \"span_ns\": 5000000000, "
				       "\"gpu\": \"NVIDIA H200\", \"none_bytes\": null, "
				       "\"whole\": true}"));
	assert_non_null(strstr(text.s,
			       "\"command\": null,\n  \"trace\": null,\n  \"window\": null,\n"
			       "  \"coverage\": null,\n"));
	buf_free(&text);
	report_free(&r);
}

static struct buf error_text(const struct report *r)
{
	struct err failure = {.code = ERR_INPUT, .message = "bad \"file\"", .hint = ""}, e = {0};
	struct buf text = {0};
	struct sink sink = {to_buf, &text};

	assert_int_equal(present_error(presenter_find("json"), r, &failure, &sink, &e), 0);
	return text;
}

static void test_json_error(void **state)
{
	struct report r = {.command = "kernels"};
	struct buf text = error_text(&r);

	(void)state;
	assert_string_equal(text.s,
			    "{\n"
			    "  \"gpuwhy\": {\"version\": \"0.1.0\", \"schema\": 1},\n"
			    "  \"command\": \"kernels\",\n"
			    "  \"trace\": null,\n"
			    "  \"window\": null,\n"
			    "  \"coverage\": null,\n"
			    "  \"error\": {\"message\": \"bad \\\"file\\\"\", \"hint\": null, "
			    "\"code\": 3},\n"
			    "  \"notes\": [],\n"
			    "  \"warnings\": []\n"
			    "}\n");
	buf_free(&text);
}

/* Pipes JSON to a validator; true when the shipped schema accepts it. */
static bool schema_accepts(struct str json)
{
	static const char validate[] = "/usr/bin/python3 -c \"import json, jsonschema, sys; "
				       "jsonschema.validate(json.load(sys.stdin), "
				       "json.load(open('docs/answer.schema.json')))"
				       "\" 2>/dev/null";
	FILE *pipe = popen(validate, "w");

	assert_non_null(pipe);
	fwrite(json.s, 1, json.len, pipe);
	return pclose(pipe) == 0;
}

/* Runs where the repository's root is the current folder, as `make test` does. */
static void test_json_follows_the_schema(void **state)
{
	struct report r = {0};
	struct buf answer, failure;
	char *hole;

	(void)state;
	if (access("docs/answer.schema.json", R_OK) < 0)
		skip();
	describe(&r);
	report_warning(&r, "a warning");
	add_kernels(&r);
	add_facts(&r);
	add_nsys(&r);
	answer = present(&r, "json", (struct style){0});
	failure = error_text(&r);
	assert_true(schema_accepts(buf_str(&answer)));
	assert_true(schema_accepts(buf_str(&failure)));
	hole = strstr(answer.s, "\"total_rows\"");
	hole[1] = 'T';
	assert_false(schema_accepts(buf_str(&answer)));
	buf_free(&answer);
	buf_free(&failure);
	report_free(&r);
}

/* Rows that are made when asked for, with text that the next call overwrites. */
struct lazy {
	char text[32];
};

static void lazy_row(const void *ctx, uint64_t i, struct cell *cells)
{
	struct lazy *lazy = (struct lazy *)ctx;

	snprintf(lazy->text, sizeof(lazy->text), "row %llu", (unsigned long long)i);
	cells[0] = cell_text(lazy->text);
	cells[1] = cell_int((int64_t)i);
}

static const struct column lazy_columns[] = {
	{.key = "name", .title = "Name", .unit = UNIT_NAME},
	{.key = "n", .title = "N", .unit = UNIT_ID},
};

static struct table lazy_table(struct lazy *lazy, uint64_t rows)
{
	return (struct table){
		.name = "lazy",
		.columns = lazy_columns,
		.column_count = ARRAY_LEN(lazy_columns),
		.rows = rows,
		.total_rows = rows,
		.row = lazy_row,
		.ctx = lazy,
	};
}

static void test_rows_past_the_measured_run_over(void **state)
{
	struct report r = {0};
	struct lazy lazy;
	struct table t = lazy_table(&lazy, 10001);
	struct buf text;

	(void)state;
	report_table(&r, &t);
	text = present(&r, "text", (struct style){0});
	assert_non_null(strstr(text.s, "\nrow 0        0\n"));
	assert_non_null(strstr(text.s, "\nrow 1999  1999\n"));
	assert_non_null(strstr(text.s, "\nrow 10000  10000\n"));
	buf_free(&text);
	report_free(&r);
}

/* Takes two pieces, then the disk is full. */
static int to_full_disk(void *ctx, const char *bytes, size_t len)
{
	int *left = ctx;

	(void)bytes;
	assert_true(len < 200000);
	if (--*left >= 0)
		return 0;
	errno = ENOSPC;
	return -1;
}

static void test_every_presenter_streams_and_stops(void **state)
{
	struct report r = {0};
	struct lazy lazy;
	struct table t = lazy_table(&lazy, 100000);

	(void)state;
	/* A page shows some hundred rows of each. */
	for (int i = 0; i < 20; i++)
		report_table(&r, &t);
	for (size_t i = 0; presenter_at(i); i++) {
		int left = 2;
		struct sink sink = {to_full_disk, &left};
		struct style style = {0};
		struct err e = {0};

		t.tree = presenter_at(i)->trees_only;
		t.weight = 1;
		assert_int_equal(present_report(presenter_at(i), &r, &style, &sink, &e), -1);
		assert_int_equal(left, -1);
		assert_int_equal(e.code, ERR_SYSTEM);
		assert_non_null(strstr(e.message, "No space left"));
	}
	report_free(&r);
}

static void test_presenters_are_listed(void **state)
{
	static const char *const names[] = {"text", "markdown", "json", "csv", "html", "folded"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_string_equal(presenter_at(i)->name, names[i]);
		assert_ptr_equal(presenter_find(names[i]), presenter_at(i));
	}
	assert_null(presenter_at(ARRAY_LEN(names)));
	assert_null(presenter_find("xml"));
}

/* A limit said before or after the rows are added stays said. */
static void test_rows_keep_a_total_that_was_said(void **state)
{
	struct report r = {0};
	struct rows *t = report_new_rows(&r, "t", NULL, lazy_columns, 2);

	(void)state;
	for (int i = 0; i < 1000; i++)
		rows_add(t, cell_int(i));
	assert_int_equal(t->table.rows, 500);
	assert_int_equal(t->table.total_rows, 500);
	t = report_new_rows(&r, "t", NULL, lazy_columns, 2);
	t->table.total_rows = 9;
	for (int i = 0; i < 6; i++)
		rows_add(t, cell_int(i));
	assert_int_equal(t->table.rows, 3);
	assert_int_equal(t->table.total_rows, 9);
	report_free(&r);
}

static void test_little_use_is_some(void **state)
{
	static const struct {
		double pct;
		const char *shown;
	} cases[] = {
		{127, "127.0%"},	{12.34, "12.3%"},    {0.05, "0.1%"},
		{0.049, "0.05%"},	{0.03, "0.03%"},     {0.005, "0.01%"},
		{0.0049, "<0.01%"},	{1e-9, "<0.01%"},    {0, "0.0%"},
		{-0.03, "-0.03%"},	{-0.001, ">-0.01%"}, {-12.34, "-12.3%"},
		{99999.9, "99,999.9%"}, {1e5, ">100,000%"},  {1e21, ">100,000%"},
		{-1e9, "<-100,000%"},
	};
	struct buf b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cell c = cell_real(cases[i].pct);

		buf_clear(&b);
		cell_add_human(&b, UNIT_UTILISATION, c);
		assert_string_equal(b.s, cases[i].shown);
	}
	buf_free(&b);
}

static const struct column sum_columns[] = {
	{.key = "what", .title = "What", .unit = UNIT_NAME},
	{.key = "delta_ns", .title = "Change", .unit = UNIT_CHANGE_NS},
};

enum { SUMMED = 40 };

/* Notes that may go, one that may not, and a table of rows of 1 ns, 2 ns, … with their sum. */
static void add_foldable(struct report *r)
{
	struct rows *rows;

	*r = (struct report){.command = "diff", .fits_screen = true};
	report_note(r, "This stays.");
	for (unsigned char i = 1; i <= 9; i++) {
		report_note(r, "Note %d goes.", i);
		report_last_yields(r, i);
	}
	rows = report_new_rows(r, "rows", "Rows", sum_columns, ARRAY_LEN(sum_columns));
	for (int64_t i = 1; i <= SUMMED; i++) {
		rows_add(rows, cell_text("row"));
		rows_add(rows, cell_int(i));
	}
	rows_add(rows, cell_text("all"));
	rows_add(rows, cell_int((int64_t)SUMMED * (SUMMED + 1) / 2));
	rows->table.folds = true;
	rows->table.most = SUMMED;
	rows->table.closing = 1;
}

static size_t count_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->s[i] == '\n';
	return lines;
}

/* No screen is exceeded that has room for what stays, and the rows that are left out are summed up.
 */
static void test_a_report_fits_any_screen(void **state)
{
	struct report r;

	(void)state;
	add_foldable(&r);
	for (size_t rows = 8; rows < 80; rows++) {
		struct buf text = present(&r, "text", (struct style){.width = 80, .rows = rows});
		long kept = 0, others = 0, rest = 0;
		const char *found = strstr(text.s, " others");

		assert_true(count_lines(&text) < rows);
		assert_non_null(strstr(text.s, "This stays.\n"));
		assert_non_null(strstr(text.s, "\nall "));
		assert_non_null(strstr(text.s, "+820 ns\n"));
		/* It is worth all rows but one. */
		assert_non_null(strstr(text.s, "Note 1 goes."));
		for (const char *at = text.s; (at = strstr(at, "row ")); at++)
			kept++;
		if (!found) {
			assert_int_equal(kept, SUMMED);
			buf_free(&text);
			continue;
		}
		while (found > text.s && found[-1] != '\n')
			found--;
		assert_int_equal(sscanf(found, "%ld others +%ld ns", &others, &rest), 2);
		assert_int_equal(kept + others, SUMMED);
		assert_int_equal(rest, SUMMED * (SUMMED + 1) / 2 - kept * (kept + 1) / 2);
		assert_non_null(strstr(text.s, "(--limit 0 shows them)"));
		buf_free(&text);
	}
	report_free(&r);
}

static bool has_line(const char *text, const char *line)
{
	const char *found = strstr(text, line);

	return found && found[strlen(line)] == '\n';
}

/* A sentence has whole clauses, as many as there are lines for, before more rows have them. */
static void test_sentences_lose_whole_clauses(void **state)
{
	static const char all[] = "Why: one two three; four five six if seven eight nine is less "
				  "than ten; eleven\nis twelve, and thirteen is 14.2 %.";
	static const char cut[] =
		"Why: one two three; four five six if seven eight nine is less than ten;\u00a0…";
	struct report r;

	(void)state;
	add_foldable(&r);
	r.blocks[0].text = "Why: one two three; four five six if seven eight nine is less than "
			   "ten; eleven is twelve, and thirteen is 14.2 %.";
	for (size_t rows = 4; rows < 30; rows++) {
		struct buf text = present(&r, "text", (struct style){.width = 80, .rows = rows});

		assert_true(has_line(text.s, cut) || strstr(text.s, all));
		/* More rows than the last one have lines that no clause needs. */
		if (strstr(text.s, "+2 ns\n"))
			assert_non_null(strstr(text.s, all));
		buf_free(&text);
	}
	report_free(&r);
}

int report_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_table),
		cmocka_unit_test(test_text_fits_the_terminal),
		cmocka_unit_test(test_text_copies),
		cmocka_unit_test(test_columns_of_many_rows_stay),
		cmocka_unit_test(test_text_colours),
		cmocka_unit_test(test_text_facts),
		cmocka_unit_test(test_text_facts_of_many),
		cmocka_unit_test(test_text_nsys),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_markdown_cells_are_literal),
		cmocka_unit_test(test_markdown_titles),
		cmocka_unit_test(test_markdown_comment),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_nsys),
		cmocka_unit_test(test_csv_field),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_keys_without_id_columns),
		cmocka_unit_test(test_json_error),
		cmocka_unit_test(test_json_follows_the_schema),
		cmocka_unit_test(test_rows_past_the_measured_run_over),
		cmocka_unit_test(test_every_presenter_streams_and_stops),
		cmocka_unit_test(test_presenters_are_listed),
		cmocka_unit_test(test_rows_keep_a_total_that_was_said),
		cmocka_unit_test(test_little_use_is_some),
		cmocka_unit_test(test_a_report_fits_any_screen),
		cmocka_unit_test(test_sentences_lose_whole_clauses),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
