/* Which files and seeds does a run begin with? */
#include "capture/inputs.h"

#include "base/decimal.h"
#include "base/mem.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_FILES = 64 };

#define LARGEST_FOUND ((off_t)64 << 20)
#define LARGEST_NAMED ((off_t)8 << 30)

static bool is_known(const struct inputs *in, const char *path)
{
	for (size_t i = 0; i < in->file_count; i++) {
		if (strcmp(in->files[i].path, path) == 0)
			return true;
	}
	return false;
}

static int add_file(struct inputs *in, struct arena *a, const char *path, const struct stat *st,
		    bool asked, struct err *e)
{
	struct input_file *f;

	MEM_GROW(in->files, in->file_cap, in->file_count + 1);
	f = &in->files[in->file_count++];
	*f = (struct input_file){
		.path = arena_strdup(a, path),
		.size_bytes = (uint64_t)st->st_size,
		.asked = asked,
	};
	if (st->st_size > (asked ? LARGEST_NAMED : LARGEST_FOUND))
		return 0;
	return sha256_file(path, f->sha256, e);
}

/* An argument that is a file, or has one behind its =. One that cannot be read is no input. */
static void find_file(struct inputs *in, struct arena *a, const char *word)
{
	const char *equals = strchr(word, '=');
	struct err ignored;
	struct stat st;

	if (in->file_count >= MOST_FILES)
		return;
	if (stat(word, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (!equals || stat(equals + 1, &st) < 0 || !S_ISREG(st.st_mode))
			return;
		word = equals + 1;
	}
	if (is_known(in, word))
		return;
	if (add_file(in, a, word, &st, false, &ignored) < 0)
		in->file_count--;
}

static int add_named(struct inputs *in, struct arena *a, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(e, ERR_USAGE, "--input '%s' is no file", path);
		return err_hint(e, "name a file that the run reads: a config, a dataset's index");
	}
	return is_known(in, path) ? 0 : add_file(in, a, path, &st, true, e);
}

/* --seed, trainer.seed, data_seed: what ends in the word. */
static bool names_seed(const char *word, size_t len)
{
	return len >= 4 && strncasecmp(word + len - 4, "seed", 4) == 0 &&
	       (len == 4 || strchr("-_.+", word[len - 5]));
}

static void add_seed(struct inputs *in, struct arena *a, struct str name, const char *value)
{
	MEM_GROW(in->seeds, in->seed_cap, in->seed_count + 1);
	in->seeds[in->seed_count++] = (struct seed){arena_str(a, name).s, arena_strdup(a, value)};
}

static void find_seed(struct inputs *in, struct arena *a, const char *word, const char *next)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : next;

	if (names_seed(word, len) && (word[len] || word[0] == '-') && value &&
	    decimal_is_plain(value))
		add_seed(in, a, (struct str){word, len}, value);
}

/* An interpreter lies elsewhere than what it runs, which comes after it. */
static void find_folder(struct inputs *in, struct arena *a, const char *program)
{
	const char *path = "", *slash;

	for (size_t i = in->file_count; i-- > 0;) {
		if (strcmp(in->files[i].path, program) != 0 || in->file_count == 1)
			path = in->files[i].path;
	}
	slash = strrchr(path, '/');
	in->folder =
		slash > path ? arena_str(a, (struct str){path, (size_t)(slash - path)}).s : ".";
}

int inputs_read(struct inputs *in, struct arena *a, const char *const *argv, size_t argc,
		const char *const *named, size_t named_count, struct err *e)
{
	const char *python = getenv("PYTHONHASHSEED");

	*in = (struct inputs){0};
	/* The program itself counts where it was named by its path: a script, most often. */
	for (size_t i = argc && !strchr(argv[0], '/'); i < argc; i++) {
		find_file(in, a, argv[i]);
		find_seed(in, a, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
	}
	find_folder(in, a, argc ? argv[0] : "");
	if (python)
		add_seed(in, a, STR_LIT("PYTHONHASHSEED"), python);
	for (size_t i = 0; i < named_count; i++) {
		if (add_named(in, a, named[i], e) < 0)
			return -1;
	}
	return 0;
}

void inputs_free(struct inputs *in)
{
	free(in->files);
	free(in->seeds);
	*in = (struct inputs){0};
}
