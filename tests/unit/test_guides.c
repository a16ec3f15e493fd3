/* Are guides found by what they are about, cut into their sections, and readable in a terminal? */
#include "base/mem.h"
#include "groups.h"
#include "guides/guide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_shown(const char *text, const char *expected)
{
	const struct guide g = {"made", "Made", "none", text};
	struct buf b = {0};

	guide_add_text(&b, &g);
	assert_true(str_starts(buf_str(&b), "Made\n════\n"));
	assert_string_equal(strchr(strchr(b.s, '\n') + 1, '\n') + 1, expected);
	buf_free(&b);
}

static void test_paragraphs_and_items(void **state)
{
	(void)state;
	assert_shown("", "");
	assert_shown("\n\none\ntwo\n\n\n\nthree", "\none two\n\nthree\n");
	assert_shown("- one\n  more\n- two\ntext\n", "\n- one more\n- two text\n");
	assert_shown("# Top\ntext\n## Sub\n", "\nTop\n───\ntext\nSub\n───\n");
	assert_shown("A line of a guide that is longer than eighty columns is broken between two "
		     "words.\n",
		     "\nA line of a guide that is longer than eighty columns is broken between "
		     "two\nwords.\n");
}

static void test_code_stays(void **state)
{
	(void)state;
	assert_shown("text\n\n    nsys  profile\n    # no heading\n",
		     "\ntext\n\n    nsys  profile\n    # no heading\n");
	assert_shown("```python\n# no heading\n\n| no row |\n    in\n```\nafter\n",
		     "\n    # no heading\n\n    | no row |\n        in\n\nafter\n");
	/* Where the last ``` is missing. */
	assert_shown("```\nopen", "\n    open\n");
}

static void test_links(void **state)
{
	(void)state;
	assert_shown("[NVTX](nvtx.md), [page](../tree.md), [all](https://a.b/c)",
		     "\nNVTX (gpuwhy help nvtx), page, all (https://a.b/c)\n");
	assert_shown("a[0], [x] (y), [open](end", "\na[0], [x] (y), [open](end\n");
}

static void test_tables(void **state)
{
	(void)state;
	assert_shown("| a | what |\n|---|:--|\n| `long` | 1 \\| 2 |\n| ü | [x](y/z.md) |\n",
		     "\na       what\n─────────────\n`long`  1 | 2\nü       x\n");
	/* Rows that are shorter or longer than the titles. */
	assert_shown("|a|b|\n|-|-|\n|1|\n|1|2|3|\n", "\na  b  \n───────\n1  \n1  2  3\n");
	assert_shown("| option | records |\n|---|---|\n"
		     "| `--a-name-that-leaves-less-than-thirty-columns-to-what-is-said` | this |\n"
		     "| `-b` | |\n",
		     "\n`--a-name-that-leaves-less-than-thirty-columns-to-what-is-said`\n"
		     "    records: this\n`-b`\n");
}

static void assert_section(struct str *rest, const char *heading, const char *text)
{
	struct guide_section s;

	assert_true(guide_next_section(rest, &s));
	assert_true(str_eq(s.heading, str_of(heading)));
	assert_true(str_eq(s.text, str_of(text)));
}

static void test_sections(void **state)
{
	struct str rest = str_of("\nintro\n## One\n```\n## code\n```\n## Two\n## Three\nend");
	struct str none = str_of("\n\n"), empty = str_of("");
	struct guide_section s;

	(void)state;
	assert_section(&rest, "", "\nintro\n");
	assert_section(&rest, "One", "```\n## code\n```\n");
	assert_section(&rest, "Two", "");
	assert_section(&rest, "Three", "end");
	assert_false(guide_next_section(&rest, &s));
	assert_false(guide_next_section(&none, &s));
	assert_false(guide_next_section(&empty, &s));
}

/* Those that ship: each has all its parts, and its sections are all of its text. */
static void test_shipped(void **state)
{
	const struct guide *g;
	size_t i;

	(void)state;
	for (i = 0; (g = guide_at(i)); i++) {
		struct str rest = str_of(g->text);
		struct guide_section s = {0};
		size_t sections = 0;

		assert_ptr_equal(guide_find(g->name), g);
		assert_true(*g->title && *g->keywords && !strchr(g->keywords, '\n'));
		while (guide_next_section(&rest, &s))
			sections++;
		assert_true(sections > 2);
		assert_ptr_equal(s.text.s + s.text.len, g->text + strlen(g->text));
	}
	assert_true(i > 0);
}

static void test_found_by_word(void **state)
{
	(void)state;
	assert_string_equal(guide_about("Slurm")->name, "containers-slurm-torchrun");
	assert_string_equal(guide_about("AllReduce")->name, "nccl-tracing");
	assert_null(guide_about("slu"));
	assert_null(guide_about(""));
	assert_null(guide_find("nvt"));
}

int guides_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paragraphs_and_items),
		cmocka_unit_test(test_code_stays),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_found_by_word),
	};

	return cmocka_run_group_tests_name("guides", tests, NULL, NULL);
}
