/* What does this key ask for here? */
#include "tui/keymap.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/config_folder.h"

#include <stdlib.h>
#include <unistd.h>

static const struct request_text texts[REQUEST_COUNT] = {
#define KEY(request, word, views, keys, help) [REQUEST_##request] = {word, help, views},
#define KEY_ALSO(request, views, keys)
#include "tui/keymap.def"
#undef KEY
#undef KEY_ALSO
};

static const struct {
	enum request request;
	unsigned views;
	const char *keys;
} table[] = {
#define KEY(request, word, views, keys, help) {REQUEST_##request, views, keys},
#define KEY_ALSO(request, views, keys)	      {REQUEST_##request, views, keys},
#include "tui/keymap.def"
#undef KEY
#undef KEY_ALSO
};

const struct request_text *request_text(enum request r)
{
	return &texts[r];
}

static void bind(struct keymap *m, enum request r, unsigned views, const struct key_event *k)
{
	MEM_GROW(m->all, m->cap, m->count + 1);
	m->all[m->count++] = (struct binding){r, views, *k};
}

void keymap_make(struct keymap *m)
{
	*m = (struct keymap){0};
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const char *keys = table[i].keys;
		struct str name;

		while ((name = str_next_word(&keys)).len) {
			struct key_event k;

			if (key_parse(name, &k))
				bind(m, table[i].request, table[i].views, &k);
		}
	}
}

void keymap_free(struct keymap *m)
{
	free(m->all);
	*m = (struct keymap){0};
}

enum request keymap_find(const struct keymap *m, enum view_id view, const struct key_event *k)
{
	for (size_t i = 0; i < m->count; i++) {
		if ((m->all[i].views & (1u << view)) && key_same(&m->all[i].key, k))
			return m->all[i].request;
	}
	return REQUEST_NONE;
}

static void drop(struct keymap *m, bool (*unwanted)(const struct binding *, const void *),
		 const void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (!unwanted(&m->all[i], ctx))
			m->all[kept++] = m->all[i];
	}
	m->count = kept;
}

static bool is_of_request(const struct binding *b, const void *ctx)
{
	return b->request == *(const enum request *)ctx;
}

/* Nothing is left of it but in views where it is another's now. */
static bool is_nowhere(const struct binding *b, const void *ctx)
{
	(void)ctx;
	return !b->views;
}

/* The key means something else in those views from here on. */
static void take_key(struct keymap *m, const struct binding *by)
{
	for (size_t i = 0; i < m->count; i++) {
		struct binding *b = &m->all[i];

		if (b->request != by->request && key_same(&b->key, &by->key))
			b->views &= ~by->views;
	}
	drop(m, is_nowhere, NULL);
}

static enum request request_named(struct str word)
{
	for (enum request r = 1; r < REQUEST_COUNT; r++) {
		if (str_eq(word, str_of(texts[r].word)))
			return r;
	}
	return REQUEST_NONE;
}

static struct str next_word(struct str *line)
{
	struct str word;

	*line = str_trimmed(*line);
	word = (struct str){line->s, 0};
	while (word.len < line->len && !str_is_space(word.s[word.len]))
		word.len++;
	line->s += word.len;
	line->len -= word.len;
	return word;
}

static int read_line(struct keymap *m, struct str line, const char *path, size_t number,
		     struct err *e)
{
	const struct str word = next_word(&line);
	const enum request r = request_named(word);
	struct str name;

	if (!word.len || word.s[0] == '#')
		return 0;
	if (!r) {
		err_set(e, ERR_USAGE, "%s:%zu: there is no request '%.*s'", path, number,
			STR_FMT(word));
		return err_hint(e, "gpuwhy timeline --keys lists them");
	}
	drop(m, is_of_request, &r);
	while ((name = next_word(&line)).len && name.s[0] != '#') {
		struct binding b = {r, texts[r].views, {0}};

		if (!key_parse(name, &b.key))
			return err_set(e, ERR_USAGE, "%s:%zu: there is no key '%.*s'", path, number,
				       STR_FMT(name));
		take_key(m, &b);
		bind(m, r, b.views, &b.key);
	}
	return 0;
}

int keymap_read(struct keymap *m, struct str text, const char *path, struct err *e)
{
	for (size_t number = 1; text.len; number++) {
		const char *end = memchr(text.s, '\n', text.len);
		const struct str line = {text.s, end ? (size_t)(end - text.s) : text.len};
		const size_t past = line.len + (end != NULL);

		if (read_line(m, line, path, number, e) < 0)
			return -1;
		text.s += past;
		text.len -= past;
	}
	return 0;
}

int keymap_read_user(struct keymap *m, struct err *e)
{
	enum { MOST_BYTES = 1 << 16 };
	SCOPED_BUF path = {0};
	SCOPED_BUF text = {0};

	if (!config_folder_add(&path, "keys") || access(path.s, F_OK) < 0)
		return 0;
	if (file_read(&text, path.s, MOST_BYTES, e) < 0)
		return err_wrap(e, "reading '%s'", path.s);
	return keymap_read(m, buf_str(&text), path.s, e);
}

void keymap_add_keys(struct buf *b, const struct keymap *m, enum request r, enum view_id view)
{
	const size_t before = b->len;

	for (size_t i = 0; i < m->count; i++) {
		if (m->all[i].request != r ||
		    (view < VIEW_COUNT && !(m->all[i].views & (1u << view))))
			continue;
		if (b->len > before)
			buf_addc(b, ' ');
		key_add_name(b, &m->all[i].key);
	}
}

static void add_views(struct buf *b, unsigned views)
{
	static const char *const names[VIEW_COUNT] = {
		[VIEW_TIMELINE] = "timeline", [VIEW_TREE] = "tree",   [VIEW_KERNELS] = "kernels",
		[VIEW_FINDINGS] = "findings", [VIEW_STEPS] = "steps",
	};
	const char *between = "";

	if ((views & EVERY_VIEW) == EVERY_VIEW)
		return;
	buf_adds(b, " (");
	for (size_t i = 0; i < VIEW_COUNT; i++) {
		if (!(views & (1u << i)))
			continue;
		buf_addf(b, "%s%s", between, names[i]);
		between = ", ";
	}
	buf_addc(b, ')');
}

void keymap_add_help(struct buf *b, enum request r)
{
	buf_adds(b, texts[r].help);
	add_views(b, texts[r].views);
}

void keymap_write(const struct keymap *m, struct buf *b)
{
	for (enum request r = 1; r < REQUEST_COUNT; r++) {
		SCOPED_BUF keys = {0};

		keymap_add_keys(&keys, m, r, VIEW_COUNT);
		buf_addf(b, "%-18s %-19s # ", texts[r].word, buf_str(&keys).s);
		keymap_add_help(b, r);
		buf_addc(b, '\n');
	}
}
