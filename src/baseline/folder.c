/* Which baselines are there? */
#include "baseline/folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/sort.h"
#include "text/nearest.h"

#include <errno.h>
#include <unistd.h>

enum { NAME_BYTES = 64 };
static const char ending[] = ".json";

static bool is_plain(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	static const char all[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	const size_t len = strlen(name);

	return len && len <= NAME_BYTES && strchr(letters, name[0]) && strspn(name, all) == len;
}

int baseline_check_name(const char *name, struct err *e)
{
	if (is_plain(name))
		return 0;
	err_set(e, ERR_USAGE, "'%s' is no name of a baseline", name);
	return err_hint(e,
			"letters, digits, '_', '-' and '.', %d at most, a letter, digit or '_' "
			"first: main, h200-bf16",
			NAME_BYTES);
}

char *baseline_path(const char *name)
{
	struct buf b = {0};

	buf_addf(&b, BASELINE_FOLDER "/%s%s", name, ending);
	return b.s;
}

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int baseline_list(struct string_list *ret, struct arena *arena, struct err *e)
{
	SCOPED_DIR *dir = opendir(BASELINE_FOLDER);
	const struct dirent *entry;

	*ret = (struct string_list){0};
	if (!dir)
		return errno == ENOENT ? 0 : err_set_errno(e, "cannot read '" BASELINE_FOLDER "'");
	while ((entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		const char *plain;

		if (!str_ends(name, ending))
			continue;
		name.len -= strlen(ending);
		plain = arena_str(arena, name).s;
		if (is_plain(plain))
			string_list_add(ret, plain);
	}
	if (ret->count)
		sort_stable(ret->all, ret->count, sizeof(*ret->all), by_text, NULL);
	return 0;
}

int baseline_must_exist(const char *name, struct err *e)
{
	SCOPED char *path = baseline_path(name);
	struct nearest n = {name, NULL, 3};
	struct string_list names;
	struct arena arena = {0};

	if (access(path, F_OK) == 0)
		return 0;
	err_set(e, ERR_INPUT, "there is no baseline '%s': no '%s'", name, path);
	if (baseline_list(&names, &arena, &(struct err){0}) == 0) {
		for (size_t i = 0; i < names.count; i++)
			nearest_try(&n, names.all[i]);
		if (n.found)
			err_hint(e, "did you mean '%s'?", n.found);
		else
			err_hint(e, "gpuwhy baseline save %s TRACE… makes one", name);
	}
	string_list_free(&names);
	arena_free(&arena);
	return -1;
}
