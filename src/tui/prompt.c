/* What is being typed? */
#include "tui/prompt.h"

#include "base/mem.h"
#include "text/utf8.h"

#include <stdlib.h>

static void set_text(struct prompt *p, const char *text)
{
	buf_clear(&p->text);
	buf_adds(&p->text, text);
	p->at = p->text.len;
}

static size_t length_before(const struct prompt *p)
{
	size_t len = 1;

	while (len < p->at && ((unsigned char)p->text.s[p->at - len] & 0xc0) == 0x80)
		len++;
	return p->at ? len : 0;
}

static size_t length_after(const struct prompt *p)
{
	uint32_t character;

	if (p->at >= p->text.len)
		return 0;
	return utf8_decode((struct str){p->text.s + p->at, p->text.len - p->at}, &character);
}

static void insert(struct prompt *p, uint32_t character)
{
	enum { MOST_BYTES = 4096 };
	char bytes[UTF8_MOST];
	const size_t len = utf8_encode(character, bytes), after = p->text.len - p->at;

	if (p->text.len > MOST_BYTES)
		return;
	buf_reserve(&p->text, len + 1);
	memmove(p->text.s + p->at + len, p->text.s + p->at, after);
	memcpy(p->text.s + p->at, bytes, len);
	p->text.len += len;
	p->text.s[p->text.len] = '\0';
	p->at += len;
}

static void erase(struct prompt *p, size_t len)
{
	if (!len)
		return;
	memmove(p->text.s + p->at, p->text.s + p->at + len, p->text.len - p->at - len);
	p->text.len -= len;
	p->text.s[p->text.len] = '\0';
}

static void recall(struct prompt *p, bool older)
{
	if (!p->history || (older ? p->recalled == 0 : p->recalled >= p->history->count))
		return;
	p->recalled = older ? p->recalled - 1 : p->recalled + 1;
	set_text(p, p->recalled < p->history->count ? p->history->all[p->recalled] : "");
}

/* What all words that begin so have in common. */
static void complete(struct prompt *p)
{
	struct str common = {0};
	size_t found = 0;
	const char *word;

	for (size_t i = 0; p->word_at && (word = p->word_at(i)); i++) {
		if (strncmp(word, buf_str(&p->text).s, p->text.len) != 0)
			continue;
		if (!found++)
			common = str_of(word);
		while (common.len && strncmp(common.s, word, common.len) != 0)
			common.len--;
	}
	if (!found || common.len < p->text.len)
		return;
	buf_clear(&p->text);
	buf_addstr(&p->text, common);
	if (found == 1)
		buf_addc(&p->text, ' ');
	p->at = p->text.len;
}

static void remember(struct prompt *p)
{
	if (p->history && p->text.len)
		string_list_add(p->history, mem_strdup(p->text.s));
}

/* The prompt goes before its answer is used: that may ask for something else. */
static int finish(struct app *a, struct overlay *o, struct err *e)
{
	struct prompt *p = o->state;
	app_answer *done = p->done;
	SCOPED char *text = mem_strdup(buf_str(&p->text).s);

	if (!p->keeps_message)
		buf_clear(&a->message);
	remember(p);
	app_pop(a);
	return done(a, app_view(a), text, e);
}

static bool edit(struct prompt *p, const struct key_event *k)
{
	size_t len;

	switch (k->code) {
	case K_LEFT:
		p->at -= length_before(p);
		return true;
	case K_RIGHT:
		p->at += length_after(p);
		return true;
	case K_HOME:
		p->at = 0;
		return true;
	case K_END:
		p->at = p->text.len;
		return true;
	case K_BACKSPACE:
		len = length_before(p);
		p->at -= len;
		erase(p, len);
		return true;
	case K_DELETE:
		erase(p, length_after(p));
		return true;
	default:
		return false;
	}
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct prompt *p = o->state;

	if (k->code == K_ESCAPE || (k->code == 'C' && k->modifiers == KEY_CTRL) ||
	    (k->code == K_BACKSPACE && !p->text.len))
		return 1;
	if (k->code == K_ENTER)
		return finish(a, o, e);
	if (k->code == K_TAB)
		complete(p);
	else if (k->code == K_UP || k->code == K_DOWN)
		recall(p, k->code == K_UP);
	else if (k->code == 'U' && k->modifiers == KEY_CTRL)
		set_text(p, "");
	else if (key_is_text(k))
		insert(p, k->code);
	else
		edit(p, k);
	return 0;
}

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	const struct prompt *p = o->state;
	const int row = c->rows - 1;
	const struct str before = {buf_str(&p->text).s, p->at};
	const struct str after = {before.s + p->at, p->text.len - p->at};
	struct glyph *cursor;
	int col;

	(void)a;
	(void)area;
	canvas_fill(c, (struct area){row, 0, 1, c->cols}, LOOK_PLAIN);
	col = canvas_put(c, row, 0, c->cols - 1, str_of(p->label), LOOK(ROLE_HEAD));
	col += canvas_put(c, row, col, c->cols - 1 - col, before, LOOK_PLAIN);
	canvas_put(c, row, col, c->cols - col, after, LOOK_PLAIN);
	cursor = canvas_at(c, row, col);
	if (cursor)
		cursor->look.marks |= LOOK_REVERSE;
}

static void close_prompt(struct overlay *o)
{
	struct prompt *p = o->state;

	buf_free(&p->text);
	free(p);
}

static const struct overlay_kind overlay_prompt = {
	.draw = draw,
	.key = key,
	.close = close_prompt,
	.keeps_message = true,
};

void prompt_show(struct app *a, struct prompt *p)
{
	p->at = p->text.len;
	p->recalled = p->history ? p->history->count : 0;
	app_push(a, &overlay_prompt, p);
}

void app_ask(struct app *a, const char *label, const char *text, app_answer *done)
{
	struct prompt *p = mem_zalloc(1, sizeof(*p));

	*p = (struct prompt){.label = label, .done = done};
	buf_adds(&p->text, text ? text : "");
	prompt_show(a, p);
}
