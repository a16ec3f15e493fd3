/* The terminal program below its views: cells, names of keys, the mouse, work beside the screen. */
#include "base/mem.h"
#include "groups.h"
#include "tui/canvas.h"
#include "tui/keymap.h"
#include "tui/loading.h"
#include "tui/terminal/mouse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void expect_text(const struct canvas *c, const char *wanted)
{
	SCOPED_BUF text = {0};

	canvas_write(c, &text);
	assert_string_equal(text.s, wanted);
}

static int put(struct canvas *c, int col, int columns, const char *text)
{
	return canvas_put(c, 0, col, columns, str_of(text), LOOK_PLAIN);
}

static void test_canvas_clips(void **state)
{
	struct canvas c = {0};

	(void)state;
	canvas_make(&c, 6, 1);
	assert_int_equal(put(&c, 2, 3, "abcdef"), 3);
	expect_text(&c, "  abc\n");
	assert_int_equal(put(&c, 4, 10, "xyz"), 2);
	expect_text(&c, "  abxy\n");
	assert_int_equal(put(&c, 6, 1, "x"), 0);
	assert_int_equal(canvas_put(&c, 1, 0, 3, str_of("x"), LOOK_PLAIN), 0);
	assert_int_equal(canvas_put(&c, -1, 0, 3, str_of("x"), LOOK_PLAIN), 0);
	expect_text(&c, "  abxy\n");
	canvas_free(&c);
}

/* A wide character takes two cells, and none where there is room for one. */
static void test_canvas_wide(void **state)
{
	struct canvas c = {0};

	(void)state;
	canvas_make(&c, 6, 1);
	assert_int_equal(put(&c, 0, 5, "日本語"), 4);
	expect_text(&c, "日本\n");
	assert_int_equal(put(&c, 1, 1, "x"), 1);
	expect_text(&c, " x本\n");
	assert_int_equal(put(&c, 2, 1, "y"), 1);
	expect_text(&c, " xy\n");
	canvas_free(&c);
}

/* What combines stays with its letter, and takes no column however much there is of it. */
static void test_canvas_combining(void **state)
{
	struct canvas c = {0};
	SCOPED_BUF text = {0};

	(void)state;
	canvas_make(&c, 4, 1);
	assert_int_equal(put(&c, 0, 4, "e\u0301x"), 2);
	expect_text(&c, "e\u0301x\n");
	for (int i = 0; i < 100; i++)
		buf_adds(&text, "\u0301");
	assert_int_equal(put(&c, 2, 2, text.s), 0);
	expect_text(&c, "e\u0301x\n");
	canvas_free(&c);
}

static void test_canvas_controls(void **state)
{
	struct canvas c = {0};

	(void)state;
	canvas_make(&c, 20, 1);
	put(&c, 0, 20, "a\033[31m\tb\x9b");
	expect_text(&c, "a\\x1b[31m\\tb\\x9b\n");
	canvas_free(&c);
}

static void test_canvas_ascii(void **state)
{
	struct canvas c = {.ascii = true};

	(void)state;
	canvas_make(&c, 10, 1);
	put(&c, 0, 10, "µ…日e\u0301█");
	expect_text(&c, "u~?e#\n");
	canvas_free(&c);
}

static void test_key_names(void **state)
{
	static const char *const names[] = {
		"a",	 "µ",	     "Shift+Right", "Ctrl+L", "F2", "F12",    "Space",	  "Escape",
		"Alt+z", "wheel-up", "Ctrl+Alt+x",  "+",      ",",  "PageUp", "Shift+Tab"};
	static const char *const none[] = {"", "F0", "F13", "Ctrl+", "abc", "\033", "Shift+Shift"};
	struct key_event k;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		SCOPED_BUF name = {0};

		assert_true(key_parse(str_of(names[i]), &k));
		key_add_name(&name, &k);
		if (strcmp(names[i], "Ctrl+Alt+x") == 0)
			assert_string_equal(name.s, "Ctrl+Alt+X");
		else
			assert_string_equal(name.s, names[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_false(key_parse(str_of(none[i]), &k));
	assert_true(key_parse(str_of("click:3,10"), &k));
	assert_int_equal(k.row, 3);
	assert_int_equal(k.col, 10);
}

/* Each key of the table has a name that is one. */
static void test_keymap_names(void **state)
{
	struct keymap m;

	(void)state;
	keymap_make(&m);
	for (enum request r = 1; r < REQUEST_COUNT; r++) {
		SCOPED_BUF keys = {0};

		keymap_add_keys(&keys, &m, r, VIEW_COUNT);
		assert_true(keys.len > 0);
		assert_true(request_text(r)->help[0]);
		assert_true(request_text(r)->views);
	}
	keymap_free(&m);
}

static void expect_mouse(struct mouse *m, const char *text, int64_t now_ns, uint32_t code,
			 unsigned modifiers)
{
	struct key_event k;

	assert_int_equal(mouse_parse(m, text, now_ns, &k), code != 0);
	assert_int_equal(k.code, code);
	if (code) {
		assert_int_equal(k.modifiers, modifiers);
		assert_int_equal(k.row, 6);
		assert_int_equal(k.col, 299);
	}
}

static void test_mouse(void **state)
{
	const int64_t second = 1000000000;
	struct mouse m = {0};

	(void)state;
	expect_mouse(&m, "0;300;7M", second, K_CLICK, 0);
	expect_mouse(&m, "0;300;7m", second, K_RELEASE, 0);
	expect_mouse(&m, "0;300;7M", second + 100000000, K_DOUBLE_CLICK, 0);
	expect_mouse(&m, "0;300;7M", second + 200000000, K_CLICK, 0);
	expect_mouse(&m, "0;300;7M", 9 * second, K_CLICK, 0);
	expect_mouse(&m, "36;300;7M", second, K_DRAG, KEY_SHIFT);
	expect_mouse(&m, "64;300;7M", second, K_WHEEL_UP, 0);
	expect_mouse(&m, "81;300;7M", second, K_WHEEL_DOWN, KEY_CTRL);
	expect_mouse(&m, "2;300;7M", second, 0, 0);
	expect_mouse(&m, "0;0;7M", second, 0, 0);
	expect_mouse(&m, "0;3", second, 0, 0);
}

/* A terminal at which somebody types a key once. */
struct watched {
	struct terminal terminal;
	uint32_t key;
	bool typed, saw_bar;
};

static void watched_size(struct terminal *t, int *ret_cols, int *ret_rows)
{
	(void)t;
	*ret_cols = 40;
	*ret_rows = 9;
}

static int watched_next(struct terminal *t, int wait_ms, struct key_event *ret, struct err *e)
{
	struct watched *w = (struct watched *)t;

	(void)e;
	nanosleep(&(struct timespec){.tv_nsec = wait_ms * 1000000L}, NULL);
	*ret = (struct key_event){.code = w->typed ? 0 : w->key};
	w->typed = true;
	return 1;
}

static void watched_show(struct terminal *t, const struct canvas *c)
{
	SCOPED_BUF text = {0};

	canvas_write(c, &text);
	((struct watched *)t)->saw_bar |= strstr(text.s, "counting sheep") && strstr(text.s, "█");
}

static void watched_leave(struct terminal *t)
{
	(void)t;
	fail_msg("nobody has asked to leave");
}

static int count_sheep(struct app *a, void *ctx, struct err *e)
{
	(void)a;
	nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
	*(int *)ctx = 7;
	return err_set(e, ERR_INPUT, "they are asleep");
}

/* As one that reads a trace does. */
static int wait_for_ever(struct app *a, void *ctx, struct err *e)
{
	(void)a;
	(void)ctx;
	while (!loading_is_given_up())
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return err_set(e, ERR_SYSTEM, "reading was stopped");
}

static void test_loading(void **state)
{
	static const struct terminal_kind kind = {.size = watched_size,
						  .next = watched_next,
						  .show = watched_show,
						  .leave = watched_leave};
	struct watched w = {.terminal.kind = &kind, .key = 'x'};
	struct watched impatient = {.terminal.kind = &kind, .key = K_ESCAPE};
	struct app a = {.terminal = &w.terminal};
	struct err e = {0};
	int sheep = 0;

	(void)state;
	canvas_make(&a.canvas, 40, 9);
	assert_int_equal(loading_run(&a, "counting sheep", count_sheep, &sheep, &e), -1);
	assert_int_equal(sheep, 7);
	assert_string_equal(e.message, "they are asleep");
	assert_true(w.saw_bar);
	assert_int_equal(a.typed_count, 1);
	assert_int_equal(a.typed[0].code, 'x');
	a.terminal = &impatient.terminal;
	assert_int_equal(loading_run(&a, "the end", wait_for_ever, NULL, &e), -1);
	assert_string_equal(e.message, "given up: the end");
	assert_false(loading_is_given_up());
	assert_int_equal(a.typed_count, 1);
	canvas_free(&a.canvas);
}

int tui_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canvas_clips),	 cmocka_unit_test(test_canvas_wide),
		cmocka_unit_test(test_canvas_combining), cmocka_unit_test(test_canvas_controls),
		cmocka_unit_test(test_canvas_ascii),	 cmocka_unit_test(test_key_names),
		cmocka_unit_test(test_keymap_names),	 cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_loading),
	};

	return cmocka_run_group_tests_name("tui", tests, NULL, NULL);
}
