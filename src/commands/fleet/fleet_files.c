/* Which captures, or parts, does a folder hold? */
#include "commands/fleet/fleet.h"

#include "base/file.h"
#include "base/sort.h"
#include "cli/output.h"
#include "fleet/part_file.h"
#include "input/foreign.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8, MOST_FILES = 1 << 17 };

struct finding_files {
	struct fleet_files *out;
	bool parts;
	const char *packed; /* one that gpuwhy would have to unpack; NULL: none was seen */
};

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ends_with(const char *path, const char *ending)
{
	const size_t len = strlen(path), n = strlen(ending);

	return len >= n && strcmp(path + len - n, ending) == 0;
}

/* Whether it is called as captures, or parts, are. */
static bool is_called_so(const struct finding_files *f, const char *path)
{
	static const char *const endings[] = {".sqlite", ".sqlite.gz", ".sqlite.zst", ".nsys-rep",
					      ".qdrep"};

	if (f->parts)
		return ends_with(path, ".part");
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		if (ends_with(path, endings[i]))
			return true;
	}
	return false;
}

/* Parts have whatever name; one that is damaged is told by its. */
static bool is_wanted(const struct finding_files *f, const char *path)
{
	return is_called_so(f, path) || (f->parts && part_is_file(path));
}

static void note_packed(struct finding_files *f, const char *path)
{
	static const char *const endings[] = {".sqlite.xz", ".sqlite.bz2", ".sqlite.lz4"};

	for (size_t i = 0; i < ARRAY_LEN(endings) && !f->packed; i++) {
		if (ends_with(path, endings[i]))
			f->packed = arena_strdup(&f->out->arena, path);
	}
}

static int add_folder(struct finding_files *f, const char *path, unsigned depth, struct err *e);

static int add_path(struct finding_files *f, const char *path, struct err *e)
{
	if (f->out->all.count == MOST_FILES)
		return err_set(e, ERR_INPUT, "more than %d files", MOST_FILES);
	string_list_add(&f->out->all, arena_strdup(&f->out->arena, path));
	return 0;
}

/* One that has nothing in it, and is called as a capture is, stands where a capture should. */
static int add_inner_folder(struct finding_files *f, const char *path, unsigned depth,
			    struct err *e)
{
	const size_t before = f->out->all.count;

	if (depth < DEEPEST && add_folder(f, path, depth + 1, e) < 0)
		return -1;
	return f->out->all.count == before && is_called_so(f, path) ? add_path(f, path, e) : 0;
}

/*
 * Links to folders may lead around in a circle: they are left alone. A link that leads nowhere is a
 * capture that is missing, which is told when it is read.
 */
static int add_entry(struct finding_files *f, const char *path, unsigned depth, struct err *e)
{
	struct stat link, st;

	if (lstat(path, &link) < 0)
		return 0;
	if (S_ISDIR(link.st_mode))
		return add_inner_folder(f, path, depth, e);
	if (stat(path, &st) < 0)
		return is_called_so(f, path) ? add_path(f, path, e) : 0;
	if (S_ISREG(st.st_mode) && is_wanted(f, path))
		return add_path(f, path, e);
	note_packed(f, path);
	return 0;
}

static int add_folder(struct finding_files *f, const char *path, unsigned depth, struct err *e)
{
	struct string_list names = {0};
	struct arena arena = {0};
	int result = 0;
	struct dirent *entry;

	{
		SCOPED_DIR *dir = opendir(path);

		if (!dir)
			return file_cannot_read(path, e);
		while ((entry = readdir(dir))) {
			if (entry->d_name[0] != '.')
				string_list_add(&names, arena_strdup(&arena, entry->d_name));
		}
	}
	if (names.count)
		sort_stable(names.all, names.count, sizeof(*names.all), by_text, NULL);
	for (size_t i = 0; i < names.count && result == 0; i++) {
		SCOPED char *inside = file_in(path, names.all[i]);

		result = add_entry(f, inside, depth, e);
	}
	string_list_free(&names);
	arena_free(&arena);
	return result;
}

/* "a.nsys-rep" beside "a.sqlite", packed or not, is the same capture. */
static bool has_export(const struct fleet_files *f, const char *path)
{
	const size_t stem = input_stem_length(path);

	if (!ends_with(path, ".nsys-rep") && !ends_with(path, ".qdrep"))
		return false;
	for (size_t i = 0; i < f->all.count; i++) {
		const char *other = f->all.all[i];

		if (strcmp(other, path) != 0 && input_stem_length(other) == stem &&
		    strncmp(other, path, stem) == 0 && strstr(other + stem, ".sqlite"))
			return true;
	}
	return false;
}

static void drop_reports(struct fleet_files *f, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < f->all.count; i++) {
		if (!has_export(f, f->all.all[i]))
			f->all.all[kept++] = f->all.all[i];
	}
	f->all.count = kept;
}

/* A file by whatever name: one that there are two names for would count twice. */
struct file_id {
	dev_t dev;
	ino_t ino;
	bool is_link;
	const char **path; /* of the list */
};

static int by_id(const void *a, const void *b, void *ctx)
{
	const struct file_id *x = a, *y = b;

	(void)ctx;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

/* The file itself before links to it. */
static int by_id_and_link(const void *a, const void *b, void *ctx)
{
	const int order = by_id(a, b, ctx);

	return order ? order
		     : ((const struct file_id *)a)->is_link - ((const struct file_id *)b)->is_link;
}

/* Those of the list from an index on, the names of one file side by side; the caller frees them. */
static struct file_id *list_ids(const struct fleet_files *f, size_t from, size_t *ret_count)
{
	struct file_id *all = mem_alloc(f->all.count - from, sizeof(*all));
	struct stat link, st;

	*ret_count = 0;
	for (size_t i = from; i < f->all.count; i++) {
		const char **path = &f->all.all[i];

		if (stat(*path, &st) == 0 && lstat(*path, &link) == 0)
			all[(*ret_count)++] =
				(struct file_id){st.st_dev, st.st_ino, S_ISLNK(link.st_mode), path};
	}
	sort_stable(all, *ret_count, sizeof(*all), by_id_and_link, NULL);
	return all;
}

/* "latest.sqlite" leads to a capture that is in the folder as well. */
static void drop_other_names(struct fleet_files *f, size_t from)
{
	size_t count, kept = from;
	struct file_id *all = list_ids(f, from, &count);

	for (size_t i = 1; i < count; i++) {
		if (by_id(&all[i - 1], &all[i], NULL) == 0)
			*all[i].path = NULL;
	}
	free(all);
	for (size_t i = from; i < f->all.count; i++) {
		if (f->all.all[i])
			f->all.all[kept++] = f->all.all[i];
	}
	f->all.count = kept;
}

static int refuse_twice(const struct fleet_files *f, struct err *e)
{
	size_t count;
	struct file_id *all = list_ids(f, 0, &count);
	int result = 0;

	for (size_t i = 1; i < count && result == 0; i++) {
		const char *a = *all[i - 1].path, *b = *all[i].path;

		if (by_id(&all[i - 1], &all[i], NULL) != 0)
			continue;
		result = strcmp(a, b) == 0
				 ? err_set(e, ERR_USAGE, "'%s' is named twice", a)
				 : err_set(e, ERR_USAGE, "'%s' and '%s' are one file", a, b);
		err_hint(e, "give each capture once; a folder stands for all captures in it");
	}
	free(all);
	return result;
}

static int add_word(struct finding_files *f, const char *word, struct err *e)
{
	const size_t before = f->out->all.count;
	struct stat st;

	if (stat(word, &st) < 0 || !S_ISDIR(st.st_mode)) {
		string_list_add(&f->out->all, word);
		return 0;
	}
	if (add_folder(f, word, 0, e) < 0)
		return -1;
	if (f->out->all.count == before) {
		if (!f->parts && f->packed && foreign_refuse_packed(f->packed, e) < 0)
			return -1;
		err_set(e, ERR_INPUT, "'%s' has no %s in it", word,
			f->parts ? "parts of a fleet" : "captures");
		return err_hint(e, f->parts ? "gpuwhy fleet map TRACE -o PART makes one"
					    : "captures are called *.sqlite, *.sqlite.zst or "
					      "*.nsys-rep");
	}
	drop_reports(f->out, before);
	drop_other_names(f->out, before);
	return 0;
}

int fleet_files_find(struct fleet_files *ret, const char *const *words, size_t count, bool parts,
		     struct err *e)
{
	struct finding_files f = {.out = ret, .parts = parts};

	*ret = (struct fleet_files){0};
	for (size_t i = 0; i < count; i++) {
		if (add_word(&f, words[i], e) < 0)
			return -1;
	}
	return refuse_twice(ret, e);
}

int fleet_files_spare(const struct fleet_files *f, const char *output, struct err *e)
{
	for (size_t i = 0; output && i < f->all.count; i++) {
		if (output_spare_trace(output, f->all.all[i], e) < 0) {
			e->output = true;
			return -1;
		}
	}
	return 0;
}

void fleet_files_free(struct fleet_files *f)
{
	string_list_free(&f->all);
	arena_free(&f->arena);
	*f = (struct fleet_files){0};
}
