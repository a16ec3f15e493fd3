/* Which traces does the folder of a run hold? */
#include "input/run_traces.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/input.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ENTRIES = 4096, MOST_NAMED = 4 };

static const char traces_folder[] = "nsys";
static const char usual_stem[] = "run"; /* of a run that recorded one trace */

bool input_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static char *stem_of(const char *path)
{
	const size_t len = input_stem_length(path);
	char *stem = mem_alloc(len + 1, 1);

	memcpy(stem, path, len);
	stem[len] = '\0';
	return stem;
}

/* Those of one trace beside each other, the quickest to open first. */
static int by_stem(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	SCOPED char *x_stem = stem_of(x), *y_stem = stem_of(y);
	const int order = strverscmp(x_stem, y_stem);

	return order ? order : input_ending_rank(x) - input_ending_rank(y);
}

static bool is_same_stem(const char *a, const char *b)
{
	const size_t len = input_stem_length(a);

	return len == input_stem_length(b) && memcmp(a, b, len) == 0;
}

static void keep_quickest(struct string_list *l, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < l->count; i++) {
		if (kept == from || !is_same_stem(l->all[kept - 1], l->all[i]))
			l->all[kept++] = l->all[i];
	}
	l->count = kept;
}

/* Files in the folder that are called as traces are. */
static void list_traces(const char *folder, struct arena *arena, struct string_list *ret)
{
	SCOPED_DIR *dir = opendir(folder);
	const size_t from = ret->count;
	const struct dirent *entry;

	while (dir && ret->count - from < MOST_ENTRIES && (entry = readdir(dir))) {
		SCOPED char *path = file_in(folder, entry->d_name);

		if (entry->d_name[0] != '.' && input_ending_rank(path) >= 0 && is_file(path))
			string_list_add(ret, arena_strdup(arena, path));
	}
	if (ret->count > from)
		qsort(ret->all + from, ret->count - from, sizeof(*ret->all), by_stem);
	keep_quickest(ret, from);
}

static bool has_traces(const char *folder)
{
	struct string_list found = {0};
	struct arena arena = {0};
	bool any;

	list_traces(folder, &arena, &found);
	any = found.count > 0;
	string_list_free(&found);
	arena_free(&arena);
	return any;
}

/* The run in it that is the last by its name, which begins with the time. NULL: there is none. */
static char *find_last_run(const char *root)
{
	SCOPED_DIR *dir = opendir(root);
	const struct dirent *entry;
	char *last = NULL;

	for (size_t i = 0; dir && i < MOST_ENTRIES && (entry = readdir(dir)); i++) {
		SCOPED char *run = file_in(root, entry->d_name);
		SCOPED char *inside = file_in(run, traces_folder);

		if (entry->d_name[0] == '.' || (last && strverscmp(last, run) >= 0) ||
		    !has_traces(inside))
			continue;
		free(last);
		last = mem_strdup(run);
	}
	return last;
}

static int refuse_empty(const char *folder, struct err *e)
{
	err_set(e, ERR_INPUT,
		"the run '%s' has no trace: no .sqlite, .sqlite.zst or .nsys-rep in "
		"'%s/%s'",
		folder, folder, traces_folder);
	return err_hint(e, "it still goes on, or nothing was captured: see its manifest.json and "
			   "nsys/log");
}

static int refuse_folder(const char *folder, struct err *e)
{
	SCOPED char *run = find_last_run(folder);
	struct string_list beside = {0};
	struct arena arena = {0};

	err_set(e, ERR_INPUT,
		"'%s' is a folder, and not that of a run: there is no '%s' with traces in it",
		folder, traces_folder);
	list_traces(folder, &arena, &beside);
	if (run)
		err_hint(e, "it holds runs: name one of them, such as '%s'", run);
	else if (beside.count)
		err_hint(e, "name a trace inside it, such as '%s'", beside.all[0]);
	else
		err_hint(e, "give a trace (.sqlite, .nsys-rep), or the folder of one run, which "
			    "gpuwhy profile makes: runs/ID");
	string_list_free(&beside);
	arena_free(&arena);
	return -1;
}

int run_traces_find(const char *folder, struct arena *arena, struct string_list *ret, struct err *e)
{
	SCOPED char *inside = file_in(folder, traces_folder);
	const size_t from = ret->count;

	if (!input_is_folder(inside))
		return refuse_folder(folder, e);
	list_traces(inside, arena, ret);
	return ret->count > from ? 0 : refuse_empty(folder, e);
}

static int refuse_several(const char *folder, const struct string_list *traces, struct err *e)
{
	SCOPED_BUF names = {0};

	for (size_t i = 0; i < traces->count && i < MOST_NAMED; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", str_last_part(traces->all[i]));
	err_set(e, ERR_INPUT, "the run '%s' has %zu traces, and one is asked for: %s%s", folder,
		traces->count, names.s, traces->count > MOST_NAMED ? ", …" : "");
	return err_hint(e,
			"name one, such as '%s'; gpuwhy timeline, web, viewer and diff take the "
			"folder",
			traces->all[0]);
}

int run_traces_find_one(const char *folder, struct arena *arena, const char **ret, struct err *e)
{
	struct string_list traces = {0};
	int result = run_traces_find(folder, arena, &traces, e);

	if (traces.count > 1)
		result = refuse_several(folder, &traces, e);
	else if (traces.count)
		*ret = traces.all[0];
	string_list_free(&traces);
	return result;
}

/* Where the last part of the first `len` bytes begins. */
static size_t last_part(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len;
}

struct str run_traces_folder(const char *trace)
{
	size_t file = last_part(trace, strlen(trace)), inside, end;

	if (!file)
		return (struct str){trace, 0};
	inside = last_part(trace, file - 1);
	if (!inside ||
	    !str_eq((struct str){trace + inside, file - 1 - inside}, str_of(traces_folder)))
		return (struct str){trace, 0};
	for (end = inside - 1; end && trace[end - 1] == '/'; end--)
		continue;
	return (struct str){trace, end};
}

const char *run_traces_name(const char *trace, struct arena *arena)
{
	const struct str folder = run_traces_folder(trace);
	const char *file = str_last_part(trace);
	const size_t stem = input_stem_length(file), from = last_part(folder.s, folder.len);
	const struct str run = {folder.s + from, folder.len - from};

	if (!run.len || str_eq(run, STR_LIT(".")) || str_eq(run, STR_LIT("..")))
		return arena_strdup(arena, file);
	if (str_eq((struct str){file, stem}, str_of(usual_stem)))
		return arena_printf(arena, "%.*s", STR_FMT(run));
	return arena_printf(arena, "%.*s/%.*s", STR_FMT(run), (int)stem, file);
}
