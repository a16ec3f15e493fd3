/* Where do ncu's reports go, how is their folder kept while ncu runs, and who may read them? */
#include "commands/inspect/inspect.h"

#include "base/file.h"
#include "capture/record.h"
#include "cli/say.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that `gpuwhy profile` made for the run that the trace is of; NULL: it is of none. */
static const char *folder_of_run(struct inspection *x)
{
	char *real = realpath(x->inv->trace_path, NULL);
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

static int refuse_named(const char *path, struct err *e)
{
	err_set(e, ERR_USAGE, "'%s' already exists", path);
	return err_hint(e, "choose a new folder with --out");
}

static int make_named(const char *path, struct err *e)
{
	if (file_first_missing(path) && file_make_folders(path, 0777) < 0)
		return err_set_errno(e, "cannot create the folder '%s'", path);
	/* One that holds nothing is as good as new. */
	return is_empty_folder(path) ? 0 : refuse_named(path, e);
}

/* Where folders are made that nobody named; `run` is that of the trace, or NULL. */
static const char *root_of(struct inspection *x, const char *run)
{
	return run ? arena_printf(&x->arena, "%s/ncu", run) : "ncu";
}

int inspect_folder_name(struct inspection *x, struct err *e)
{
	const char *named = inspect_args(x->inv)->out_dir;

	x->folder = named ? named : root_of(x, folder_of_run(x));
	if (named && access(named, F_OK) == 0 && !is_empty_folder(named))
		return refuse_named(named, e);
	return 0;
}

int inspect_folder_open(struct inspection *x, struct err *e)
{
	const char *run;

	x->folder = inspect_args(x->inv)->out_dir;
	if (x->folder)
		return make_named(x->folder, e);
	run = folder_of_run(x);
	if (run && run_folder_share(run, &x->run_lock, e) < 0)
		return -1;
	if (run_folder_make(&x->own, root_of(x, run), NULL, time(NULL), e) < 0)
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

static size_t count_secrets(struct inspection *x)
{
	const struct string_list *o = &x->inv->words;
	struct known_secrets known;
	struct string_list shown = {0};
	size_t count = 0;

	known_secrets_read(&known);
	manifest_shown_words(o->all, o->count, NULL, 0, &known, &x->arena, &shown);
	for (size_t i = 0; i < o->count; i++)
		count += strcmp(shown.all[i], o->all[i]) != 0;
	string_list_free(&shown);
	known_secrets_free(&known);
	return count;
}

void inspect_guard_reports(struct inspection *x)
{
	const size_t secrets = count_secrets(x);
	size_t kept = 0;

	for (size_t i = 0; i < x->ncu_run_count && secrets && x->folder; i++) {
		const char *path =
			arena_printf(&x->arena, "%s/%s.ncu-rep", x->folder, x->ncu_runs[i].name);

		kept += chmod(path, S_IRUSR | S_IWUSR) == 0;
	}
	if (kept)
		say_warning(arena_printf(
			&x->arena,
			"ncu stores the command in its reports, including %zu secret word%s: do "
			"not share *.ncu-rep; the .csv files do not contain the command",
			secrets, secrets == 1 ? "" : "s"));
}
