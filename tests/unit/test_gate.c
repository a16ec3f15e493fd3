/* What a project asks of its runs, and how the answer is written for machines. */
#include "base/mem.h"
#include "baseline/baseline.h"
#include "gate/gate_report.h"
#include "gate/range_times.h"
#include "groups.h"
#include "text/date.h"
#include "text/text.h"
#include "text/yaml_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_yaml_is_a_tree_with_lines(void **state)
{
	const char *text = "\xef\xbb\xbf"
			   "a: 1\r\nb:\n  - x\n  - {c: 'd e'}\n";
	struct arena arena = {0};
	const struct yaml_node *root, *b;
	struct err e;

	(void)state;
	assert_int_equal(yaml_read_text(&root, str_of(text), "t", &arena, &e), 0);
	assert_int_equal(root->kind, YAML_KIND_MAP);
	assert_string_equal(root->first->key, "a");
	assert_string_equal(root->first->text, "1");
	b = root->first->next;
	assert_int_equal(b->kind, YAML_KIND_LIST);
	assert_int_equal(b->line, 2);
	assert_string_equal(b->first->text, "x");
	assert_int_equal(b->first->line, 3);
	assert_string_equal(b->first->next->first->text, "d e");
	assert_null(b->next);
	arena_free(&arena);
}

static void refuse_yaml(const char *text, const char *said)
{
	struct arena arena = {0};
	const struct yaml_node *root;
	struct err e;

	assert_int_equal(yaml_read_text(&root, str_of(text), "t.yml", &arena, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_non_null(strstr(e.message, said));
	arena_free(&arena);
}

static void test_yaml_that_means_more_than_it_says(void **state)
{
	(void)state;
	refuse_yaml("", "empty");
	refuse_yaml("a: &x 1\n", "anchors");
	refuse_yaml("a: 1\nb: *x\n", "line 2: anchors");
	refuse_yaml("a: !int 1\n", "tags");
	refuse_yaml("a: 1\n\na: 2\n", "line 3: 'a' is there twice");
	refuse_yaml("[a]: 1\n", "a key has to be a word");
	refuse_yaml("[[[[[[[[[[1]]]]]]]]]]\n", "nested");
	refuse_yaml("a: 1\n--- \nb: 2\n", "second document");
	refuse_yaml("a: \"\\0\"\n", "zero byte");
	refuse_yaml("a: [1\n", "line");
}

static void test_days(void **state)
{
	(void)state;
	assert_true(date_is_day("2026-11-18"));
	assert_true(date_is_day("2028-02-29"));
	assert_true(date_is_day("2000-02-29"));
	assert_false(date_is_day("2026-02-29"));
	assert_false(date_is_day("1900-02-29"));
	assert_false(date_is_day("2026-13-01"));
	assert_false(date_is_day("2026-00-10"));
	assert_false(date_is_day("2026-1-10"));
	assert_false(date_is_day("2026-01-10 "));
	assert_false(date_is_day(""));
}

static bool is_op_meant(const char *text, enum leaf_class class, const char *name)
{
	struct name_match m;
	struct err e;
	int found;

	assert_int_equal(name_match_make(&m, text, &e), 0);
	found = name_matches_op(&m, &(struct leaf){.class = class, .name = name}, &e);
	name_match_free(&m);
	return found == 1;
}

static bool is_meant(const char *text, const char *name)
{
	return is_op_meant(text, LEAF_COMPUTE, name);
}

static void test_names_of_copies(void **state)
{
	const char *name = "[CUDA memcpy Device-to-Host] Device to Pageable";

	(void)state;
	assert_true(is_op_meant(name, LEAF_COPY, name));
	assert_true(is_op_meant("[CUDA memcpy Device-to-Host]", LEAF_COPY, name));
	assert_true(is_op_meant("memcpy D2H", LEAF_COPY, name));
	assert_false(is_op_meant("Pageable", LEAF_COPY, name));
	assert_false(is_op_meant("[CUDA memcpy Device-to-Device]", LEAF_COPY, name));
	assert_false(is_op_meant("*", LEAF_IDLE, ""));
}

static void test_names_of_rules(void **state)
{
	(void)state;
	assert_true(is_meant("gemm", "gemm"));
	assert_false(is_meant("gemm", "gemm2"));
	assert_true(is_meant("gem*", "gemm2"));
	assert_true(is_meant("*::*", "a::b"));
	assert_true(is_meant("/^a.*b$/", "acb"));
	/* A path of a server is a name, and so is what a backslash takes for itself. */
	assert_true(is_meant("/api/chat", "/api/chat"));
	assert_false(is_meant("/api/chat", "/api/chats"));
	assert_true(is_meant("f(x \\*)", "f(x *)"));
	assert_false(is_meant("f(x \\*)", "f(x *) / g"));
	assert_false(is_meant("forward / attn", "forward"));
	assert_true(is_meant("forward / attn", "forward / attn"));
	assert_true(is_meant("gemm", "void ns::gemm<(int)4>(float *)"));
}

static void test_rules_have_a_step(void **state)
{
	const char *text =
		"version: 1\nmemory_peak: {rel: 5%, abs: 1GiB}\nmaximum: {idle: 12.5%}\n";
	struct rules r;
	struct err e;

	(void)state;
	assert_int_equal(rules_read_text(&r, str_of(text), "t", 0.02, &e), 0);
	assert_int_equal(r.count, 3);
	assert_int_equal(r.all[0].kind, RULE_MEMORY);
	assert_true(r.all[0].abs == 1073741824 && r.all[0].rel == 0.05);
	assert_true(r.all[1].share == 0.125 && r.all[1].line == 3);
	assert_true(rules_step(&r)->rel == 0.02 && !rules_step(&r)->line);
	rules_free(&r);
}

static void test_the_step_can_be_off(void **state)
{
	struct rules r;
	struct err e;

	(void)state;
	assert_int_equal(rules_read_text(&r,
					 STR_LIT("version: 1\nstep: off\nmaximum: {idle: 9%}\n"),
					 "t", 0.02, &e),
			 0);
	assert_null(rules_step(&r));
	assert_true(r.count == 1 && gate_tolerance(&r, NULL, 0) == 0.02);
	rules_free(&r);
	assert_int_equal(rules_read_text(&r, STR_LIT("version: 1\nstep: off\n"), "t", 0.02, &e),
			 -1);
	assert_int_equal(e.code, ERR_USAGE);
	rules_free(&r);
}

enum { PATHS = 20000 };

/* A range has what is inside it, on both sides; how many there are costs no more than one pass. */
static void test_ranges_have_what_is_inside(void **state)
{
	const struct account runs[] = {{.step_count = 2}, {.step_count = 4}};
	const struct account *refs[] = {&runs[0], &runs[1]};
	SCOPED struct leaf *keys = mem_zalloc(PATHS, sizeof(*keys));
	SCOPED struct side_leaf *leaves = mem_zalloc(PATHS, sizeof(*leaves));
	struct sides s = {.of = {{.runs = refs, .run_count = 1, .leaves = leaves},
				 {.runs = refs + 1, .run_count = 1, .leaves = leaves}}};
	int64_t ns[] = {8};
	struct range_times t;
	struct arena arena = {0};

	(void)state;
	for (int i = 0; i < PATHS; i++) {
		keys[i].path = arena_printf(&arena, "a / %s / %05d", i % 2 ? "odd" : "even", i);
		leaves[i] = (struct side_leaf){.key = &keys[i], .of_run = ns};
	}
	s.of[BEFORE].leaf_count = s.of[AFTER].leaf_count = PATHS;
	range_times_make(&t, &s);
	assert_int_equal(t.paths.count, PATHS + 3);
	assert_string_equal(t.paths.items[t.sorted[0]].s, "a");
	assert_true(t.means[2 * t.sorted[0]] == 4 * PATHS);
	assert_true(t.means[2 * t.sorted[0] + 1] == 2 * PATHS);
	assert_string_equal(t.paths.items[t.sorted[1]].s, "a / even");
	assert_true(t.means[2 * t.sorted[1]] == 2 * PATHS);
	assert_string_equal(t.paths.items[t.sorted[2]].s, "a / even / 00000");
	assert_true(t.means[2 * t.sorted[2]] == 4);
	range_times_free(&t);
	arena_free(&arena);
}

/* By day, name, steps: never by how they were named on a command line. */
static void test_runs_have_an_order(void **state)
{
	struct account_step one[] = {{.ns = 5}}, two[] = {{.ns = 5}, {.ns = 1}},
			    more[] = {{.ns = 6}};
	const struct account runs[] = {
		{.name = "b", .facts.date = "2026-01-01", .steps = one, .step_count = 1},
		{.name = "a", .facts.date = "2026-01-02", .steps = one, .step_count = 1},
		{.name = "a", .facts.date = "2026-01-02", .steps = two, .step_count = 2},
		{.name = "a", .facts.date = "2026-01-02", .steps = more, .step_count = 1},
	};
	const struct account *refs[] = {&runs[3], &runs[1], &runs[0], &runs[2]};

	(void)state;
	baseline_order_runs(refs, ARRAY_LEN(refs));
	for (size_t i = 0; i < ARRAY_LEN(refs); i++)
		assert_ptr_equal(refs[i], &runs[i]);
}

static void refuse_baseline(struct str text, const char *said)
{
	struct kept_baseline k;
	struct err e = {0};

	assert_int_equal(baseline_read_text(&k, text, "b.json", &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	assert_non_null(strstr(e.message, said));
	assert_non_null(strstr(e.hint, "version control"));
	baseline_free(&k);
}

static void test_baselines_that_are_none(void **state)
{
	struct buf b = {0};

	(void)state;
	refuse_baseline(STR_LIT(""), "not JSON");
	refuse_baseline(STR_LIT("{\"gpuwhy_baseline\": 1, \"runs"), "not JSON");
	refuse_baseline(STR_LIT("[]"), "no \"gpuwhy_baseline\"");
	/* Texts are no rows, whatever is in them. */
	buf_addc(&b, '"');
	for (int i = 0; i < 1 << 19; i++)
		buf_adds(&b, "[\\\"{");
	buf_addc(&b, '"');
	refuse_baseline(buf_str(&b), "no \"gpuwhy_baseline\"");
	buf_clear(&b);
	for (int i = 0; i <= 1 << 19; i++)
		buf_adds(&b, i ? ",{}" : "[{}");
	refuse_baseline(buf_str(&b), "too many rows");
	buf_free(&b);
}

static const char *const hostile = "k\n::x|<b>]]>&\"%,\x80\x1b";

static struct gate one_check(struct gate_check *c, const struct rule *rule)
{
	*c = (struct gate_check){.outcome = CHECK_FAILED,
				 .rule = rule,
				 .id = hostile,
				 .name = hostile,
				 .brief = hostile,
				 .text = "100% \xef\xbf\xbe"};
	return (struct gate){.all = c, .count = 1, .counts = {[CHECK_FAILED] = 1}};
}

static void test_names_are_escaped(void **state)
{
	const struct gate_words w = {.baseline = "main", .path = "p", .rules = "r,:.yml"};
	const struct rule rule = {.kind = RULE_KERNEL, .line = 7};
	struct gate_check c;
	const struct gate g = one_check(&c, &rule);
	struct buf b = {0};

	(void)state;
	gate_add_annotations(&b, &g, &w);
	assert_string_equal(b.s, "::error title=gpuwhy k\\n%3A%3Ax|<b>]]>&\"%25%2C\\x80\\x1b,"
				 "file=r%2C%3A.yml,line=7::100%25 \xef\xbf\xbe\n");
	buf_clear(&b);
	gate_add_junit(&b, &g, &w);
	assert_non_null(strstr(b.s, "name=\"k\\n::x|&lt;b&gt;]]&gt;&amp;&quot;%,\\x80\\x1b\""));
	assert_non_null(strstr(b.s, ">100% \xef\xbf\xbd</failure>"));
	buf_clear(&b);
	gate_add_sarif(&b, &g, &w);
	assert_non_null(strstr(b.s, "\"uri\": \"r%2C%3A.yml\""));
	assert_non_null(strstr(b.s, "k\\n::x|<b>]]>&\\\"%,\xef\xbf\xbd\\u001b: 100%"));
	buf_free(&b);
}

static void test_disarmed_text_cannot_end_it(void **state)
{
	struct buf b = {0}, other = {0};

	(void)state;
	gate_add_disarmed(&b, STR_LIT("a"));
	gate_add_disarmed(&other, STR_LIT("b\n"));
	assert_true(str_starts(buf_str(&b), "::stop-commands::"));
	assert_true(str_ends(buf_str(&b), "::\n"));
	assert_non_null(strstr(b.s, "\na\n::"));
	assert_int_not_equal(memcmp(b.s, other.s, 40), 0);
	buf_free(&b);
	buf_free(&other);
}

static void test_texts_of_json(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(text_valid(&arena, STR_LIT("a\x80\xc3\xa9\n")),
			    "a\xef\xbf\xbd\xc3\xa9\n");
	assert_string_equal(text_valid(&arena, (struct str){NULL, 0}), "");
	arena_free(&arena);
}

int gate_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_yaml_is_a_tree_with_lines),
		cmocka_unit_test(test_yaml_that_means_more_than_it_says),
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_names_of_rules),
		cmocka_unit_test(test_names_of_copies),
		cmocka_unit_test(test_rules_have_a_step),
		cmocka_unit_test(test_the_step_can_be_off),
		cmocka_unit_test(test_ranges_have_what_is_inside),
		cmocka_unit_test(test_runs_have_an_order),
		cmocka_unit_test(test_baselines_that_are_none),
		cmocka_unit_test(test_names_are_escaped),
		cmocka_unit_test(test_disarmed_text_cannot_end_it),
		cmocka_unit_test(test_texts_of_json),
	};

	return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
