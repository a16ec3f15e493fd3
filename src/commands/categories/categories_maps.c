/* Which files hold the user's own maps? */
#include "commands/categories/categories.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/config_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_FILES = 1000 };

static int is_map(const struct dirent *entry)
{
	const size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In a folder nobody means a pipe, which would keep us waiting. */
static int add_file(struct map_files *f, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return file_cannot_read(path, e);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "'%s' is not a category map: it is no regular file",
			       path);
	string_list_add(&f->paths, path);
	return 0;
}

static int add_entries(struct map_files *f, const char *folder, struct dirent **entries, int count,
		       struct err *e)
{
	if (count > MOST_FILES)
		return err_set(e, ERR_INPUT, "'%s' has more than %d category maps", folder,
			       MOST_FILES);
	for (int i = 0; i < count; i++) {
		if (add_file(f, arena_printf(&f->arena, "%s/%s", folder, entries[i]->d_name), e) <
		    0)
			return -1;
	}
	return 0;
}

/* Its maps, by name; *ret_count is below 0 where it cannot be read. */
static int add_folder(struct map_files *f, const char *folder, int *ret_count, struct err *e)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_map, compare_names);
	int result =
		count < 0 ? file_cannot_read(folder, e) : add_entries(f, folder, entries, count, e);

	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	*ret_count = count;
	return result;
}

/* What a user has said once and for all; most have no such folder, or, under sudo, another's. */
static int add_config(struct map_files *f, struct err *e)
{
	SCOPED_BUF folder = {0};
	int count;

	if (!config_folder_add(&folder, "maps") || add_folder(f, folder.s, &count, e) == 0)
		return 0;
	return count < 0 ? 0 : -1;
}

static int add_named(struct map_files *f, const char *path, struct err *e)
{
	struct stat st;
	int count;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		string_list_add(&f->paths, path);
		return 0;
	}
	if (add_folder(f, path, &count, e) < 0)
		return -1;
	if (count > 0)
		return 0;
	err_set(e, ERR_INPUT, "the folder '%s' holds no category map", path);
	return err_hint(e, "maps are files whose names end in .json");
}

int map_files_find(struct map_files *f, const struct runs *runs, struct err *e)
{
	*f = (struct map_files){0};
	if (add_config(f, e) < 0)
		return -1;
	for (size_t i = 0; i < runs->map_count; i++) {
		if (add_named(f, runs->maps[i], e) < 0)
			return -1;
	}
	return 0;
}

void map_files_free(struct map_files *f)
{
	string_list_free(&f->paths);
	arena_free(&f->arena);
}
