/* What is to be read, where do its parts go, and what is there already? */
#include "fleet/slurm/work.h"

#include "base/file.h"
#include "base/sha256.h"
#include "base/version.h"
#include "fleet/part_file.h"
#include "fleet/slurm/scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_CHARS = 16, ID_CHARS = 10, LIST_BYTES_MAX = 1 << 28 };

#define LIST  "list"
#define LOCK  "lock"
#define LOG   "log"
#define PARTS "parts"

/* As it was named, so that links which lead elsewhere on another node do so there. */
static const char *absolute_path(struct arena *a, const char *path)
{
	SCOPED char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);

	return cwd ? arena_printf(a, "%s/%s", cwd, path) : arena_strdup(a, path);
}

static const char *hash_text(struct arena *a, const struct buf *b, int chars)
{
	char text[SHA256_TEXT_BYTES];
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, b->s, b->len);
	sha256_end(&s, text);
	return arena_printf(a, "%.*s", chars, text);
}

static int plan_item(struct work *w, const char *file, const struct string_list *map_words,
		     struct err *e)
{
	struct work_item *item = &w->items[w->count];
	SCOPED_BUF b = {0};
	struct stat st;

	item->file = absolute_path(&w->arena, file);
	if (strchr(item->file, '\n')) {
		err_set(e, ERR_INPUT, "'%s' has a line break in its name", file);
		return err_hint(e, "rename it: lists of captures have one name a line");
	}
	if (stat(item->file, &st) < 0)
		return file_cannot_read(file, e);
	buf_addf(&b, "%s%c%s%c%jd%c%jd.%09ld", GPUWHY_VERSION, 0, item->file, 0,
		 (intmax_t)st.st_size, 0, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	for (size_t i = 0; i < map_words->count; i++)
		buf_addf(&b, "%c%s", 0, map_words->all[i]);
	item->key = hash_text(&w->arena, &b, KEY_CHARS);
	w->count++;
	return 0;
}

int work_plan(struct work *w, const char *folder, const char *const *files, size_t count,
	      const struct string_list *map_words, struct err *e)
{
	SCOPED_BUF b = {0};

	*w = (struct work){.lock = -1};
	w->folder = absolute_path(&w->arena, folder);
	buf_adds(&b, w->folder);
	w->id = hash_text(&w->arena, &b, ID_CHARS);
	w->items = arena_zalloc(&w->arena, count, sizeof(*w->items));
	for (size_t i = 0; i < count; i++) {
		if (plan_item(w, files[i], map_words, e) < 0)
			return -1;
	}
	return 0;
}

static int make_folder(const struct work *w, const char *name, struct err *e)
{
	SCOPED char *path = file_in(w->folder, name);

	return file_make_folders(path, 0777) < 0 ? err_set_errno(e, "cannot create '%s'", path) : 0;
}

/* The first thing that is written into a folder of ours, and what it says. */
#define MARK	  ".gpuwhy-fleet"
#define MARK_TEXT "gpuwhy fleet --slurm works in this folder\nversion 1\n"

static int refuse_place(const struct work *w, const char *entry, struct err *e)
{
	err_set(e, ERR_USAGE, "'%s' contains '%s' and no '%s': it is no folder that --slurm made",
		w->folder, entry, MARK);
	return err_hint(e, "choose a new folder with --parts");
}

/* Whoever writes the mark just now may have got as far as a file of its own. */
static int check_empty(const struct work *w, struct err *e)
{
	SCOPED_DIR *dir = opendir(w->folder);
	const struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? 0 : err_set_errno(e, "cannot read '%s'", w->folder);
	while ((entry = readdir(dir))) {
		if (strspn(entry->d_name, ".") != strlen(entry->d_name) &&
		    strncmp(entry->d_name, MARK, strlen(MARK)) != 0)
			return refuse_place(w, entry->d_name, e);
	}
	return 0;
}

/* A folder of somebody else's is not ours to work in: ours has our mark, or nothing yet. */
static int take_place(struct work *w, struct err *e)
{
	SCOPED char *mark = file_in(w->folder, MARK);
	SCOPED_BUF b = {0};
	struct err ignored;

	if (access(mark, F_OK) == 0) {
		if (file_read(&b, mark, sizeof(MARK_TEXT), &ignored) == 0 &&
		    str_eq(buf_str(&b), STR_LIT(MARK_TEXT)))
			return 0;
		err_set(e, ERR_USAGE, "'%s' was made by another version of gpuwhy", w->folder);
		return err_hint(e, "choose a new folder with --parts");
	}
	if (check_empty(w, e) < 0)
		return -1;
	w->first_missing = file_first_missing(w->folder);
	w->is_new = true;
	if (file_make_folders(w->folder, 0777) < 0)
		return err_set_errno(e, "cannot create '%s'", w->folder);
	return work_write(w, MARK, STR_LIT(MARK_TEXT), e);
}

int work_open(struct work *w, struct err *e)
{
	SCOPED char *lock = file_in(w->folder, LOCK);

	if (take_place(w, e) < 0 || make_folder(w, PARTS, e) < 0 || make_folder(w, LOG, e) < 0)
		return -1;
	w->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (w->lock < 0)
		return err_set_errno(e, "cannot write '%s'", lock);
	if (flock(w->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_set_errno(e, "cannot lock '%s'", lock);
	w->is_new = false;
	err_set(e, ERR_USAGE, "another gpuwhy follows the job in '%s'", w->folder);
	return err_hint(e, "wait for it, or choose another folder with --parts");
}

void work_undo(const struct work *w)
{
	static const char *const files[] = {LIST,	   MAP_SCRIPT, PACK_SCRIPT,
					    REDUCE_SCRIPT, MARK,       LOCK};
	SCOPED char *parts = file_in(w->folder, PARTS), *log = file_in(w->folder, LOG);

	if (!w->is_new || (rmdir(parts) < 0 && errno != ENOENT) ||
	    (rmdir(log) < 0 && errno != ENOENT))
		return;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		SCOPED char *path = file_in(w->folder, files[i]);

		unlink(path);
	}
	file_unmake_folders(w->folder, w->first_missing);
}

static void add_list(struct buf *b, const struct work *w)
{
	for (size_t i = 0; i < w->count; i++)
		buf_addf(b, "%s\t%s\n", w->items[i].key, w->items[i].file);
}

bool work_list_differs(const struct work *w)
{
	SCOPED char *path = file_in(w->folder, LIST);
	SCOPED_BUF now = {0}, wanted = {0};
	struct err ignored;

	add_list(&wanted, w);
	if (file_read(&now, path, LIST_BYTES_MAX, &ignored) < 0)
		return false;
	return !str_eq(buf_str(&now), buf_str(&wanted));
}

int work_write_list(const struct work *w, struct err *e)
{
	SCOPED_BUF b = {0};

	add_list(&b, w);
	return work_write(w, LIST, buf_str(&b), e);
}

/* "KEY<tab>FILE"; a key that is no name of ours could lead anywhere. */
static int read_line(struct work *w, char *line, struct err *e)
{
	const size_t key = strspn(line, "0123456789abcdef");

	if (key != KEY_CHARS || line[key] != '\t' || line[key + 1] != '/')
		return err_set(e, ERR_INPUT, "line %zu of the list in '%s' is damaged",
			       w->count + 1, w->folder);
	line[key] = '\0';
	w->items[w->count++] = (struct work_item){.file = line + key + 1, .key = line};
	return 0;
}

int work_read(struct work *w, const char *folder, struct err *e)
{
	SCOPED char *path = file_in(folder, LIST);
	SCOPED_BUF b = {0};
	size_t cap = 0;
	char *rest, *line;

	*w = (struct work){.lock = -1};
	w->folder = arena_strdup(&w->arena, folder);
	if (file_read(&b, path, LIST_BYTES_MAX, e) < 0)
		return -1;
	for (size_t i = 0; i < b.len; i++)
		cap += b.s[i] == '\n';
	w->items = arena_zalloc(&w->arena, cap + 1, sizeof(*w->items));
	rest = (char *)arena_str(&w->arena, buf_str(&b)).s;
	while ((line = strsep(&rest, "\n")) && *line) {
		if (read_line(w, line, e) < 0)
			return -1;
	}
	return 0;
}

void work_free(struct work *w)
{
	if (w->lock >= 0)
		close(w->lock);
	arena_free(&w->arena);
	*w = (struct work){.lock = -1};
}

int work_write(const struct work *w, const char *name, struct str bytes, struct err *e)
{
	SCOPED char *path = file_in(w->folder, name);
	SCOPED_BUF temporary = {0};

	buf_addf(&temporary, "%s.%d", path, (int)getpid());
	if (file_write(temporary.s, bytes, e) == 0) {
		if (rename(temporary.s, path) == 0)
			return 0;
		err_set_errno(e, "cannot write '%s'", path);
	}
	unlink(temporary.s);
	return -1;
}

char *work_part_path(const struct work *w, size_t item)
{
	struct buf b = {0};

	buf_addf(&b, "%s/parts/%s.part", w->folder, w->items[item].key);
	return b.s;
}

bool work_has_part(const struct work *w, size_t item)
{
	SCOPED char *path = work_part_path(w, item);

	return access(path, R_OK) == 0;
}

void work_drop_damaged(const struct work *w)
{
	for (size_t i = 0; i < w->count; i++) {
		SCOPED char *path = work_part_path(w, i);
		struct err ignored;
		struct part p;

		if (!work_has_part(w, i))
			continue;
		if (part_read(&p, path, &ignored) < 0)
			unlink(path);
		part_free(&p);
	}
}
