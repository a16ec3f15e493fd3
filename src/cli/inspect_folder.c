/* Where does what ncu leaves go, and who is kept from taking it away meanwhile? */
#include "cli/inspect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that `gpuwhy profile` made for the run that the trace is of; NULL: it is of none. */
static const char *folder_of_run(struct inspection *x)
{
	char *real = realpath(x->inv->options.trace, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	const char *found = NULL;

	if (slash) {
		*slash = '\0';
		slash = strrchr(real, '/');
	}
	if (slash && strcmp(slash, "/nsys") == 0) {
		*slash = '\0';
		if (access(arena_printf(&x->arena, "%s/manifest.json", real), F_OK) == 0)
			found = arena_strdup(&x->arena, real);
	}
	free(real);
	return found;
}

static bool is_empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool empty = dir;

	while (empty && (entry = readdir(dir)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (dir)
		closedir(dir);
	return empty;
}

static int make_named(struct inspection *x, struct err *e)
{
	x->folder = x->inv->options.out_dir;
	if (mkdir(x->folder, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return err_set_errno(e, "cannot make the folder '%s'", x->folder);
	/* One that holds nothing is as good as new. */
	if (is_empty_folder(x->folder))
		return 0;
	err_set(e, ERR_USAGE, "'%s' is there already", x->folder);
	return err_hint(e, "give --out a new folder");
}

int inspect_folder_open(struct inspection *x, struct err *e)
{
	const char *run = folder_of_run(x), *root = "ncu";

	if (x->inv->options.out_dir)
		return make_named(x, e);
	if (run && run_folder_share(run, &x->run_lock, e) < 0)
		return -1;
	if (run)
		root = arena_printf(&x->arena, "%s/ncu", run);
	if (run_folder_make(&x->own, root, NULL, time(NULL), e) < 0)
		return -1;
	x->folder = x->own.path;
	return 0;
}

void inspect_folder_close(struct inspection *x)
{
	run_folder_close(&x->own);
	if (x->run_lock >= 0)
		close(x->run_lock);
}
