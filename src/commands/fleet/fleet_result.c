/* How does the folder that a cluster wrote take its place? */
#include "commands/fleet/fleet_result.h"

#include "base/file.h"
#include "base/string_list.h"
#include "cli/out_dir.h"
#include "fleet/fleet_tables.h"

#define TABLES "tables"

/* What it holds, files of its one folder as "tables/NAME": an earlier one has the like. */
static int add_names(struct string_list *names, struct arena *a, const char *folder,
		     const char *prefix, struct err *e)
{
	SCOPED_DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		return file_cannot_read(folder, e);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, TABLES) != 0)
			string_list_addf(names, a, "%s%s", prefix, entry->d_name);
	}
	return 0;
}

int fleet_result_place(const char *made, const char *wanted, bool force, struct err *e)
{
	SCOPED char *tables = file_in(made, TABLES);
	struct string_list names = {0};
	struct arena a = {0};
	int result = -1;

	if (add_names(&names, &a, made, "", e) == 0 &&
	    add_names(&names, &a, tables, TABLES "/", e) == 0) {
		struct out_dir d = {.path = wanted,
				    .force = force,
				    .names = names.all,
				    .folder = TABLES,
				    .pages = FLEET_PAGES,
				    .page = FLEET_PAGE};

		result = out_dir_check(&d, NULL, e);
		if (result == 0) {
			d.temporary = mem_strdup(made);
			result = out_dir_close(&d, true, e);
		}
	}
	string_list_free(&names);
	arena_free(&a);
	return result;
}
