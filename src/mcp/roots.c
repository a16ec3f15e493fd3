/* Which file does a name lead to, and may it be read? */
#include "mcp/roots.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/run_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of a project has thousands of files; a home directory would take minutes. */
enum { MOST_DEPTH = 6, MOST_ENTRIES = 20000 };

int roots_add(struct roots *r, const char *folder, struct err *e)
{
	char *real = realpath(folder, NULL);
	struct stat st;

	if (!real)
		return file_cannot_read(folder, e);
	if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(real);
		return err_set(e, ERR_INPUT, "--root takes a folder, not '%s'", folder);
	}
	string_list_add(&r->all, real);
	return 0;
}

void roots_free(struct roots *r)
{
	for (size_t i = 0; i < r->all.count; i++)
		free((char *)r->all.all[i]);
	string_list_free(&r->all);
}

/* NULL: it is not below the root. */
static const char *below(const char *root, const char *real)
{
	const size_t len = strlen(root);

	if (strcmp(root, "/") == 0)
		return real + 1;
	return strncmp(root, real, len) == 0 && real[len] == '/' ? real + len + 1 : NULL;
}

const char *roots_shown(const struct roots *r, const char *real)
{
	const char *name = r->all.count == 1 ? below(r->all.all[0], real) : NULL;

	return name ? name : real;
}

static bool is_inside(const struct roots *r, const char *real)
{
	for (size_t i = 0; i < r->all.count; i++) {
		if (below(r->all.all[i], real))
			return true;
	}
	return false;
}

/* Nothing is opened that would wait for somebody, or do something when it is read. */
static bool is_plain_file(const char *real)
{
	struct stat st;

	return lstat(real, &st) == 0 && S_ISREG(st.st_mode);
}

static char *find_inside(const struct roots *r, const char *path)
{
	char *real = realpath(path, NULL);

	if (real && is_inside(r, real) && is_plain_file(real))
		return real;
	free(real);
	return NULL;
}

/* The trace in the folder of a run. What a link in it leads to is held against the roots again. */
static char *find_in_run(const struct roots *r, const char *path)
{
	SCOPED char *real = realpath(path, NULL);
	struct arena arena = {0};
	char *found = NULL;
	struct err ignored;
	const char *trace;

	if (real && is_inside(r, real) && input_is_folder(real) &&
	    run_traces_find_one(real, &arena, &trace, &ignored) == 0)
		found = find_inside(r, trace);
	arena_free(&arena);
	return found;
}

static char *find_trace_inside(const struct roots *r, const char *path)
{
	char *real = find_inside(r, path);

	return real ? real : find_in_run(r, path);
}

typedef char *find_fn(const struct roots *r, const char *path);

static char *find_in_roots(const struct roots *r, const char *name, find_fn *find)
{
	char *real = NULL;

	for (size_t i = 0; !real && i < r->all.count; i++) {
		SCOPED char *path = file_in(r->all.all[i], name);

		real = find(r, path);
	}
	return real;
}

/* What is outside, and what is not there at all, are told alike: who asks learns nothing of it. */
static int find_named(const struct roots *r, const char *name, find_fn *find, char **ret,
		      struct err *e)
{
	if (strlen(name) >= PATH_MAX)
		*ret = NULL;
	else
		*ret = name[0] == '/' ? find(r, name) : find_in_roots(r, name, find);
	if (*ret)
		return 0;
	err_set(e, ERR_INPUT, "there is no plain file '%.300s' below the roots", name);
	return err_hint(e, "call trace_info without `trace`: it lists the traces there are; a "
			   "person adds folders with gpuwhy mcp --root DIR");
}

int roots_find_file(const struct roots *r, const char *name, char **ret, struct err *e)
{
	return find_named(r, name, find_inside, ret, e);
}

int roots_find_trace(const struct roots *r, const char *name, char **ret, struct err *e)
{
	return find_named(r, name, find_trace_inside, ret, e);
}

struct walk {
	void (*visit)(void *ctx, const struct root_file *f);
	void *ctx;
	size_t entries;
};

static void walk_folder(struct walk *w, const char *folder, int depth);

static void walk_entry(struct walk *w, const char *folder, const char *name, int depth)
{
	SCOPED char *path = file_in(folder, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH) {
		walk_folder(w, path, depth + 1);
	} else if (S_ISREG(st.st_mode)) {
		const struct root_file f = {.path = path,
					    .name = name,
					    .size_bytes = (uint64_t)st.st_size,
					    .changed = st.st_mtim};

		w->visit(w->ctx, &f);
	}
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* In the order of their names: a list is the same each time. */
static void walk_folder(struct walk *w, const char *folder, int depth)
{
	struct dirent **all;
	const int count = scandir(folder, &all, is_shown, alphasort);

	for (int i = 0; i < count; i++) {
		if (w->entries < MOST_ENTRIES) {
			w->entries++;
			walk_entry(w, folder, all[i]->d_name, depth);
		}
		free(all[i]);
	}
	if (count >= 0)
		free(all);
}

bool roots_walk(const struct roots *r, void (*visit)(void *ctx, const struct root_file *f),
		void *ctx)
{
	struct walk w = {.visit = visit, .ctx = ctx};

	for (size_t i = 0; i < r->all.count; i++)
		walk_folder(&w, r->all.all[i], 0);
	return w.entries < MOST_ENTRIES;
}
