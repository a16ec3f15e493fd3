/* Where did somebody want to come back to? */
#include "tui/bookmarks.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "cli/config_folder.h"
#include "text/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_one(struct bookmark *one)
{
	free(one->row);
	free(one->kernel);
	free(one->range);
}

void bookmarks_free(struct bookmarks *b)
{
	for (size_t i = 0; i < b->count; i++)
		free_one(&b->all[i]);
	for (size_t i = 0; i < b->view_count; i++) {
		free(b->views[i].name);
		free(b->views[i].text);
	}
	free(b->views);
	free(b->all);
	free(b->path);
	*b = (struct bookmarks){0};
}

/* Its length, how it begins and how it ends: reading a gigabyte would take as long as drawing it.
 */
static int add_file(struct sha256 *s, const char *trace)
{
	enum { PIECE = 1 << 16 };
	SCOPED char *bytes = mem_alloc(PIECE, 1);
	SCOPED_FD fd = open(trace, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	sha256_add(s, &st.st_size, sizeof(st.st_size));
	got = pread(fd, bytes, PIECE, 0);
	sha256_add(s, bytes, got > 0 ? (size_t)got : 0);
	got = pread(fd, bytes, PIECE, st.st_size > PIECE ? st.st_size - PIECE : 0);
	sha256_add(s, bytes, got > 0 ? (size_t)got : 0);
	return 0;
}

char *bookmarks_path(const struct traces *of)
{
	char print[SHA256_TEXT_BYTES];
	char name[SHA256_TEXT_BYTES + 16];
	struct buf path = {0};
	struct sha256 s;

	sha256_begin(&s);
	for (size_t i = 0; i < of->count; i++) {
		if (add_file(&s, of->all[i].trace->path) < 0)
			return NULL;
	}
	sha256_end(&s, print);
	snprintf(name, sizeof(name), "views/%.32s", print);
	return state_folder_add(&path, name) ? path.s : NULL;
}

static char *safe_copy(const char *text)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(text ? text : ""));
	return safe.s ? safe.s : mem_strdup("");
}

void bookmarks_add(struct bookmarks *b, const struct bookmark *one)
{
	size_t at = b->count;

	MEM_GROW(b->all, b->cap, b->count + 1);
	while (at && b->all[at - 1].at_ns > one->at_ns)
		at--;
	memmove(b->all + at + 1, b->all + at, (b->count++ - at) * sizeof(*b->all));
	b->all[at] = *one;
	b->all[at].row = safe_copy(one->row);
	b->all[at].kernel = safe_copy(one->kernel);
	b->all[at].range = safe_copy(one->range);
}

void bookmarks_remove(struct bookmarks *b, size_t i)
{
	free_one(&b->all[i]);
	memmove(b->all + i, b->all + i + 1, (--b->count - i) * sizeof(*b->all));
}

static struct kept_view *find_view(const struct bookmarks *b, const char *name)
{
	for (size_t i = 0; i < b->view_count; i++) {
		if (strcmp(b->views[i].name, name) == 0)
			return &b->views[i];
	}
	return NULL;
}

const char *bookmarks_view(const struct bookmarks *b, const char *name)
{
	const struct kept_view *found = find_view(b, name);

	return found ? found->text : NULL;
}

void bookmarks_keep_view(struct bookmarks *b, const char *name, const char *text)
{
	struct kept_view *found = find_view(b, name);

	if (!found) {
		MEM_GROW(b->views, b->view_cap, b->view_count + 1);
		found = &b->views[b->view_count++];
		*found = (struct kept_view){.name = mem_strdup(name)};
	}
	free(found->text);
	found->text = safe_copy(text);
}

/* The next field of a line, which it ends; "" after the last. */
static char *take_field(char **line)
{
	char *field = *line, *tab = strchr(field, '\t');

	*line = tab ? tab + 1 : field + strlen(field);
	if (tab)
		*tab = '\0';
	return field;
}

static bool take_number(char **line, int64_t *ret)
{
	const char *field = take_field(line);
	char *end;

	*ret = strtoll(field, &end, 10);
	return *field && !*end;
}

static bool take_span(char **line, struct span *ret)
{
	return take_number(line, &ret->start_ns) && take_number(line, &ret->end_ns) &&
	       ret->end_ns >= ret->start_ns;
}

static bool read_line(struct bookmarks *b, char *line, struct span *ret_window)
{
	const char *what = take_field(&line);
	struct bookmark one = {0};

	if (!*what || *what == '#')
		return true;
	if (strcmp(what, "window") == 0) {
		struct span window;

		if (!take_span(&line, &window))
			return false;
		if (b->keeps_window)
			*ret_window = window;
		return true;
	}
	if (strcmp(what, "view") == 0) {
		const char *name = take_field(&line);

		bookmarks_keep_view(b, name, take_field(&line));
		return true;
	}
	if (strcmp(what, "bookmark") != 0 || !take_number(&line, &one.at_ns) ||
	    !take_span(&line, &one.window))
		return false;
	one.row = take_field(&line);
	one.kernel = take_field(&line);
	one.range = take_field(&line);
	bookmarks_add(b, &one);
	return true;
}

int bookmarks_read(struct bookmarks *b, struct span *ret_window, struct err *e)
{
	enum { MOST_BYTES = 16 << 20 };
	SCOPED_BUF text = {0};
	char *line, *rest;

	if (!b->path || access(b->path, F_OK) < 0)
		return 0;
	if (file_read(&text, b->path, MOST_BYTES, e) < 0)
		return err_wrap(e, "reading '%s'", b->path);
	rest = text.s;
	for (size_t number = 1; (line = strsep(&rest, "\n")); number++) {
		if (!read_line(b, line, ret_window))
			return err_set(e, ERR_INPUT, "%s:%zu: this is no bookmark", b->path,
				       number);
	}
	return 0;
}

static void add_span(struct buf *b, struct span s)
{
	buf_addf(b, "\t%" PRId64 "\t%" PRId64, s.start_ns, s.end_ns);
}

static int make_folder(const char *path, struct err *e)
{
	SCOPED char *folder = mem_strdup(path);
	char *slash = strrchr(folder, '/');

	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return file_make_folders(folder, 0700) < 0 ? err_set_errno(e, "cannot make '%s'", folder)
						   : 0;
}

int bookmarks_write(const struct bookmarks *b, struct span window, struct err *e)
{
	SCOPED_BUF text = {0};

	if (!b->path)
		return 0;
	buf_adds(&text, "# gpuwhy timeline: bookmark, time, window, row, kernel, range; in ns\n");
	if (b->keeps_window) {
		buf_adds(&text, "window");
		add_span(&text, window);
		buf_addc(&text, '\n');
	}
	for (size_t i = 0; i < b->view_count && b->keeps_window; i++)
		buf_addf(&text, "view\t%s\t%s\n", b->views[i].name, b->views[i].text);
	for (size_t i = 0; i < b->count; i++) {
		const struct bookmark *one = &b->all[i];

		buf_addf(&text, "bookmark\t%" PRId64, one->at_ns);
		add_span(&text, one->window);
		buf_addf(&text, "\t%s\t%s\t%s\n", one->row, one->kernel, one->range);
	}
	if ((b->keeps_window && make_folder(b->path, e) < 0) ||
	    file_write(b->path, buf_str(&text), e) < 0)
		return -1;
	return 0;
}
