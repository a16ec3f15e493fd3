/* How do cells get onto a terminal, and keys off it? */
#include "tui/terminal/screen.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tui/terminal/mouse.h"
#include "tui/terminal/palette.h"
#include "tui/terminal/restore.h"

#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#undef columns /* which term.h makes a macro of */

struct screen {
	struct terminal terminal; /* first: it is one */
	struct palette palette;
	SCREEN *curses;
	bool mouse;
	struct mouse mouse_state;
	short pairs[ROLE_COUNT][ROLE_COUNT]; /* of colours; 0: not made yet */
	short pair_count;
};

static int refuse(const char *command, const char *why, struct err *e)
{
	err_set(e, ERR_USAGE, "%s needs a terminal: %s", command, why);
	return err_hint(e, "gpuwhy tree and gpuwhy summary print instead");
}

int screen_check(const char *command, struct err *e)
{
	const char *term = getenv("TERM");
	int status = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return refuse(command, "this is a pipe or a file", e);
	if (!term || !*term)
		return refuse(command, "TERM is not set", e);
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK) {
		refuse(command, "what TERM names is not known here", e);
		return err_hint(e, "TERM=xterm-256color may do; gpuwhy tree and gpuwhy summary "
				   "print instead");
	}
	if (!tigetstr("cup") || !tigetstr("clear"))
		return refuse(command, "the one that TERM names cannot place a cursor", e);
	return 0;
}

static void set_role(struct screen *s, enum role ink, enum role ground, attr_t *attrs, short *pair)
{
	const struct palette_entry *e = &s->palette.roles[ink];

	*pair = 0;
	*attrs |= e->bold ? A_BOLD : 0;
	*attrs |= e->dim ? A_DIM : 0;
	*attrs |= e->reverse ? A_REVERSE : 0;
	if (s->terminal.mono)
		return;
	if (!s->pairs[ink][ground] && s->pair_count + 1 < COLOR_PAIRS) {
		s->pairs[ink][ground] = ++s->pair_count;
		init_extended_pair(s->pair_count, e->colour, s->palette.roles[ground].ground);
	}
	*pair = s->pairs[ink][ground];
}

static void put_glyph(struct screen *s, int row, int col, const struct glyph *g)
{
	wchar_t text[CCHARW_MAX + 1] = {0};
	attr_t attrs = 0;
	cchar_t cell;
	short pair;
	const char *from = g->text;
	mbstate_t state = {0};

	if (!g->columns)
		return;
	/* What the system takes for wider or narrower than we do would shift all behind it. */
	if (mbsrtowcs(text, &from, CCHARW_MAX, &state) == (size_t)-1 ||
	    wcwidth(text[0]) != g->columns)
		wcscpy(text, L"?");
	set_role(s, g->look.ink, g->look.ground, &attrs, &pair);
	attrs |= g->look.marks & LOOK_BOLD ? A_BOLD : 0;
	attrs |= g->look.marks & LOOK_REVERSE ? A_REVERSE : 0;
	attrs |= g->look.marks & LOOK_UNDERLINE ? A_UNDERLINE : 0;
	setcchar(&cell, text, attrs, pair, NULL);
	mvadd_wch(row, col, &cell);
}

static void show(struct terminal *t, const struct canvas *c)
{
	struct screen *s = (struct screen *)t;

	for (int row = 0; row < c->rows; row++) {
		for (int col = 0; col < c->cols; col++)
			put_glyph(s, row, col, canvas_at(c, row, col));
	}
	refresh();
}

static void size(struct terminal *t, int *ret_cols, int *ret_rows)
{
	(void)t;
	*ret_cols = COLS > 0 ? COLS : 1;
	*ret_rows = LINES > 0 ? LINES : 1;
}

static const struct {
	int curses;
	uint32_t code;
	unsigned modifiers;
} special_keys[] = {
	{KEY_UP, K_UP, 0},
	{KEY_DOWN, K_DOWN, 0},
	{KEY_LEFT, K_LEFT, 0},
	{KEY_RIGHT, K_RIGHT, 0},
	{KEY_SR, K_UP, KEY_SHIFT},
	{KEY_SF, K_DOWN, KEY_SHIFT},
	{KEY_SLEFT, K_LEFT, KEY_SHIFT},
	{KEY_SRIGHT, K_RIGHT, KEY_SHIFT},
	{KEY_HOME, K_HOME, 0},
	{KEY_END, K_END, 0},
	{KEY_PPAGE, K_PAGE_UP, 0},
	{KEY_NPAGE, K_PAGE_DOWN, 0},
	{KEY_IC, K_INSERT, 0},
	{KEY_DC, K_DELETE, 0},
	{KEY_BTAB, K_TAB, KEY_SHIFT},
	{KEY_ENTER, K_ENTER, 0},
	{KEY_BACKSPACE, K_BACKSPACE, 0},
	{KEY_RESIZE, K_RESIZE, 0},
};

/* Keys of xterm's that curses knows by name alone: "kRIT5" is Ctrl+Right. */
static bool named_key(int curses, struct key_event *ret)
{
	static const struct {
		const char *name;
		uint32_t code;
	} names[] = {{"kUP", K_UP},	{"kDN", K_DOWN},  {"kLFT", K_LEFT},
		     {"kRIT", K_RIGHT}, {"kHOM", K_HOME}, {"kEND", K_END}};
	const char *name = keyname(curses);

	for (size_t i = 0; name && i < ARRAY_LEN(names); i++) {
		const size_t len = strlen(names[i].name);

		if (strncmp(name, names[i].name, len) != 0)
			continue;
		/* As xterm counts them: 2 is Shift, 3 Alt, 5 Ctrl, and sums of these less one. */
		const int n = name[len] ? name[len] - '1' : 1;
		ret->code = names[i].code;
		ret->modifiers =
			(n & 1 ? KEY_SHIFT : 0u) | (n & 2 ? KEY_ALT : 0u) | (n & 4 ? KEY_CTRL : 0u);
		return true;
	}
	return false;
}

/* Our own number for what a message of the mouse begins with. */
enum { KEY_MOUSE_MESSAGE = 4000, MESSAGE_MS = 50 };

static bool mouse_key(struct screen *s, struct key_event *ret)
{
	char text[24] = "";
	size_t len = 0;
	int c = 0;

	timeout(MESSAGE_MS);
	while (len + 1 < sizeof(text) && c != 'M' && c != 'm' && (c = getch()) != ERR)
		text[len++] = (char)c;
	text[len] = '\0';
	return mouse_parse(&s->mouse_state, text, clock_now_ns(), ret);
}

static bool curses_key(struct screen *s, int curses, struct key_event *ret)
{
	if (curses == KEY_MOUSE_MESSAGE)
		return mouse_key(s, ret);
	if (curses >= KEY_F(1) && curses <= KEY_F(12)) {
		ret->code = K_F1 + (uint32_t)(curses - KEY_F(1));
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(special_keys); i++) {
		if (special_keys[i].curses == curses) {
			ret->code = special_keys[i].code;
			ret->modifiers = special_keys[i].modifiers;
			return true;
		}
	}
	return named_key(curses, ret);
}

static void character_key(uint32_t c, struct key_event *ret)
{
	static const struct {
		uint32_t character, code;
	} names[] = {{'\t', K_TAB},  {'\r', K_ENTER},	 {'\n', K_ENTER},
		     {27, K_ESCAPE}, {127, K_BACKSPACE}, {8, K_BACKSPACE}};

	ret->code = c;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].character == c) {
			ret->code = names[i].code;
			return;
		}
	}
	if (c > 0 && c < 27) {
		ret->code = 'A' + c - 1;
		ret->modifiers = KEY_CTRL;
	}
}

static int next(struct terminal *t, int wait_ms, struct key_event *ret, struct err *e)
{
	wint_t c;
	int what;

	(void)e;
	for (;;) {
		*ret = (struct key_event){0};
		timeout(wait_ms);
		what = get_wch(&c);
		/* A terminal that has gone away has no more keys. */
		if (what == ERR)
			return wait_ms < 0 && restore_lost_terminal() ? 0 : 1;
		if (what == KEY_CODE_YES ? curses_key((struct screen *)t, (int)c, ret)
					 : (character_key((uint32_t)c, ret), ret->code != 0))
			return 1;
	}
}

static void redraw(struct terminal *t)
{
	(void)t;
	clearok(curscr, TRUE);
}

static void report_mouse(bool on)
{
	fputs(on ? MOUSE_BEGIN : MOUSE_END, stdout);
	fflush(stdout);
}

static void suspend(struct terminal *t)
{
	const struct screen *s = (const struct screen *)t;

	if (s->mouse)
		report_mouse(false);
	endwin();
	restore_pause();
	kill(0, SIGTSTP);
	restore_resume();
	if (s->mouse)
		report_mouse(true);
	clearok(curscr, TRUE);
	refresh();
}

/* Others may be at work on the trace: it cannot be closed. */
static void leave(struct terminal *t)
{
	screen_close(t);
	fflush(stdout);
	_exit(0);
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* OSC 52: also a terminal at the other end of ssh has a clipboard. */
static void copy(struct terminal *t, struct str text)
{
	(void)t;
	fputs("\033]52;c;", stdout);
	for (size_t i = 0; i < text.len; i += 3) {
		const size_t left = text.len - i;
		const unsigned char *at = (const unsigned char *)text.s + i;
		const unsigned bits = (unsigned)at[0] << 16 | (left > 1 ? at[1] << 8 : 0) |
				      (left > 2 ? at[2] : 0);

		putchar(base64_digits[bits >> 18]);
		putchar(base64_digits[bits >> 12 & 63]);
		putchar(left > 1 ? base64_digits[bits >> 6 & 63] : '=');
		putchar(left > 2 ? base64_digits[bits & 63] : '=');
	}
	fputs("\a", stdout);
	fflush(stdout);
}

static const struct terminal_kind screen_kind = {
	.size = size,
	.next = next,
	.show = show,
	.redraw = redraw,
	.suspend = suspend,
	.leave = leave,
	.copy = copy,
};

/* What most keyboards send, whatever the terminal's description says. */
static void define_usual_keys(void)
{
	static const struct {
		const char *sent;
		int key;
	} usual[] = {
		{"\033[A", KEY_UP},    {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT},
		{"\033[D", KEY_LEFT},  {"\033[H", KEY_HOME}, {"\033[F", KEY_END},
		{"\033[1~", KEY_HOME}, {"\033[4~", KEY_END}, {"\033[Z", KEY_BTAB},
		{"\033OA", KEY_UP},    {"\033OB", KEY_DOWN}, {"\033OC", KEY_RIGHT},
		{"\033OD", KEY_LEFT},
	};

	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		define_key(usual[i].sent, usual[i].key);
}

/* With the escape delay of a person's fingers, not of a modem: a key right after Escape is that
 * key. */
static void begin_keys(struct screen *s)
{
	enum { ESCAPE_MS = 25 };

	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	define_usual_keys();
	if (s->mouse) {
		define_key(MOUSE_PREFIX, KEY_MOUSE_MESSAGE);
		report_mouse(true);
	}
}

static void begin_colours(struct screen *s)
{
	if (!has_colors())
		s->terminal.mono = true;
	if (!s->terminal.mono) {
		start_color();
		use_default_colors();
	}
	palette_make(&s->palette, s->terminal.mono ? 0 : COLORS, tigetflag("RGB") > 0);
}

int screen_open(struct terminal **ret, bool ascii, bool mono, bool mouse, struct err *e)
{
	struct screen *s = mem_zalloc(1, sizeof(*s));

	*s = (struct screen){.terminal = {.kind = &screen_kind, .ascii = ascii, .mono = mono},
			     .mouse = mouse};
	*ret = &s->terminal;
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		s->terminal.ascii = true;
	restore_begin();
	s->curses = newterm(NULL, stdout, stdin);
	if (!s->curses)
		return err_set(e, ERR_SYSTEM, "cannot use this terminal");
	set_term(s->curses);
	begin_keys(s);
	begin_colours(s);
	return 0;
}

void screen_close(struct terminal *t)
{
	struct screen *s = (struct screen *)t;

	if (!s)
		return;
	if (s->curses) {
		if (s->mouse)
			report_mouse(false);
		/* Terminals without a second screen keep what is on this one: the prompt gets a
		 * line. */
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
		endwin();
		delscreen(s->curses);
	}
	restore_end();
	free(s);
}
