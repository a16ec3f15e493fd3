/* Which keys does a script press? */
#include "tui/terminal/script.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "text/utf8.h"

#include <inttypes.h>
#include <stdlib.h>

struct script {
	struct terminal terminal; /* first: it is one */
	struct step {
		struct key_event key;
		char *save; /* in place of a key: the file that takes … */
		enum saved { SAVE_SCREEN, SAVE_LOOKS, SAVE_TIMES } what;
	} * steps;
	size_t count, cap, next;
	int cols, rows;
	const struct canvas *shown; /* the last screen */
	struct buf times;	    /* from each key to the next screen, in ns, a line for each */
	int64_t pressed_ns;	    /* when the last key was; 0: it was not */
};

static void add_step(struct script *s, struct step step)
{
	MEM_GROW(s->steps, s->cap, s->count + 1);
	s->steps[s->count++] = step;
}

static void add_key(struct script *s, const struct key_event *k)
{
	add_step(s, (struct step){.key = *k});
}

/* "save FILE", "save-looks FILE" and "save-times FILE" */
static bool add_save(struct script *s, struct str line)
{
	static const char *const words[] = {[SAVE_SCREEN] = "save ",
					    [SAVE_LOOKS] = "save-looks ",
					    [SAVE_TIMES] = "save-times "};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const size_t len = strlen(words[i]);
		struct buf path = {0};

		if (!str_starts(line, words[i]))
			continue;
		buf_adds(&path, "");
		buf_addstr(&path, (struct str){line.s + len, line.len - len});
		add_step(s, (struct step){.save = path.s, .what = (enum saved)i});
		return true;
	}
	return false;
}

static void add_text(struct script *s, struct str text)
{
	while (text.len) {
		struct key_event k = {0};
		size_t len = utf8_decode(text, &k.code);

		if (len)
			add_key(s, &k);
		else
			len = 1;
		text.s += len;
		text.len -= len;
	}
}

static int add_word(struct script *s, struct str *line, struct err *e)
{
	struct str word = {line->s, 0};
	const char *quote =
		line->s[0] == '"' && line->len > 1 ? memchr(line->s + 1, '"', line->len - 1) : NULL;
	struct key_event k;

	if (quote) {
		word.len = (size_t)(quote - line->s) + 1;
		add_text(s, (struct str){line->s + 1, word.len - 2});
	} else {
		while (word.len < line->len && !str_is_space(word.s[word.len]))
			word.len++;
		if (!key_parse(word, &k))
			return err_set(e, ERR_USAGE, "there is no key '%.*s'", STR_FMT(word));
		add_key(s, &k);
	}
	line->s += word.len;
	line->len -= word.len;
	return 0;
}

static int add_line(struct script *s, struct str line, struct err *e)
{
	line = str_trimmed(line);
	if (add_save(s, line))
		return 0;
	if (line.len > 1 && line.s[0] == ':') {
		add_text(s, line);
		add_key(s, &(struct key_event){.code = K_ENTER});
		return 0;
	}
	while (line.len && !(line.s[0] == '#' && line.len > 1)) {
		if (add_word(s, &line, e) < 0)
			return -1;
		line = str_trimmed(line);
	}
	return 0;
}

static int add_lines(struct script *s, struct str text, struct err *e)
{
	for (size_t number = 1; text.len; number++) {
		const char *end = memchr(text.s, '\n', text.len);
		const struct str line = {text.s, end ? (size_t)(end - text.s) : text.len};
		const size_t past = line.len + (end != NULL);

		if (add_line(s, line, e) < 0)
			return err_wrap(e, "line %zu", number);
		text.s += past;
		text.len -= past;
	}
	return 0;
}

static void size(struct terminal *t, int *ret_cols, int *ret_rows)
{
	const struct script *s = (const struct script *)t;

	*ret_cols = s->cols;
	*ret_rows = s->rows;
}

static int save(const struct script *s, const struct step *step, struct err *e)
{
	SCOPED_BUF text = {0};

	if (step->what == SAVE_TIMES)
		return file_write(step->save, buf_str(&s->times), e);
	canvas_write(s->shown, &text);
	if (step->what == SAVE_LOOKS)
		canvas_write_looks(s->shown, &text);
	return file_write(step->save, buf_str(&text), e);
}

static int next(struct terminal *t, int wait_ms, struct key_event *ret, struct err *e)
{
	struct script *s = (struct script *)t;

	/* Whoever has something to do meanwhile does all of it: scripts do not depend on the time.
	 */
	if (wait_ms >= 0)
		return 1;
	while (s->next < s->count && s->steps[s->next].save) {
		if (save(s, &s->steps[s->next++], e) < 0)
			return -1;
	}
	if (s->next == s->count)
		return 0;
	s->pressed_ns = clock_now_ns();
	*ret = s->steps[s->next++].key;
	if (ret->code == K_RESIZE && ret->col > 0 && ret->row > 0) {
		s->cols = ret->col < 1000 ? ret->col : 1000;
		s->rows = ret->row < 1000 ? ret->row : 1000;
	}
	return 1;
}

static void show(struct terminal *t, const struct canvas *c)
{
	struct script *s = (struct script *)t;

	s->shown = c;
	if (s->pressed_ns)
		buf_addf(&s->times, "%" PRId64 "\n", clock_now_ns() - s->pressed_ns);
	s->pressed_ns = 0;
}

static const struct terminal_kind script_kind = {
	.size = size,
	.next = next,
	.show = show,
};

int script_open(struct terminal **ret, const char *path, int cols, int rows, struct err *e)
{
	enum { MOST_BYTES = 16 << 20 };
	struct script *s = mem_zalloc(1, sizeof(*s));
	SCOPED_BUF text = {0};

	*s = (struct script){.terminal.kind = &script_kind, .cols = cols, .rows = rows};
	*ret = &s->terminal;
	if (file_read_stream(&text, path, MOST_BYTES, e) < 0 || add_lines(s, buf_str(&text), e) < 0)
		return err_wrap(e, "reading '%s'", path);
	return 0;
}

void script_close(struct terminal *t)
{
	struct script *s = (struct script *)t;

	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		free(s->steps[i].save);
	buf_free(&s->times);
	free(s->steps);
	free(s);
}
