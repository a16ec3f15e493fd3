/* Which files and seeds does a run begin with? */
#include "capture/inputs.h"

#include "base/mem.h"
#include "capture/secrets.h"
#include "text/decimal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MOST_FILES = 64 };

#define LARGEST_FOUND ((uint64_t)64 << 20)
#define LARGEST_NAMED ((uint64_t)8 << 30)

static struct input_file *find_known(const struct inputs *in, const char *path)
{
	for (size_t i = 0; i < in->file_count; i++) {
		if (strcmp(in->files[i].path, path) == 0)
			return &in->files[i];
	}
	return NULL;
}

static int hash_file(const struct inputs *in, struct input_file *f, const struct stat *st,
		     bool asked, struct err *e)
{
	f->asked |= asked;
	if (f->sha256[0] || f->size_bytes > (asked ? LARGEST_NAMED : LARGEST_FOUND))
		return 0;
	return file_hashes_get(in->hashes, f->path, st, f->sha256, e);
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
	};
	return hash_file(in, f, st, asked, e);
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
	if (find_known(in, word))
		return;
	if (add_file(in, a, word, &st, false, &ignored) < 0)
		in->file_count--;
}

/* A file of secrets, --token-file x, is not told by its name and its hash either. */
static bool is_shown(struct mask *m, const struct known_secrets *known, const char *word)
{
	SCOPED_BUF b = {0};

	secrets_add_word(&b, m, word);
	known_secrets_hide(known, &b);
	return str_eq(buf_str(&b), str_of(word));
}

static int stat_named(const char *path, struct stat *ret, struct err *e)
{
	if (stat(path, ret) == 0 && S_ISREG(ret->st_mode))
		return 0;
	err_set(e, ERR_USAGE, "--input '%s' is not a file", path);
	return err_hint(e, "give a file that the run reads: a config, the index of a dataset");
}

int inputs_check_named(const char *const *named, size_t count, struct err *e)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		if (stat_named(named[i], &st, e) < 0)
			return -1;
	}
	return 0;
}

static int add_named(struct inputs *in, struct arena *a, const char *path, struct err *e)
{
	struct input_file *known = find_known(in, path);
	struct stat st;

	if (stat_named(path, &st, e) < 0)
		return -1;
	return known ? hash_file(in, known, &st, true, e) : add_file(in, a, path, &st, true, e);
}

/* --seed, trainer.seed, data_seed: what ends in the word. */
static bool names_seed(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((signed char)word[i] <= ' ')
			return false;
	}
	return len >= 4 && strncasecmp(word + len - 4, "seed", 4) == 0 &&
	       (len == 4 || strchr("-_.+", word[len - 5]));
}

/* Of one that is given twice the last counts, as it does for most programs. */
static void add_seed(struct inputs *in, struct arena *a, struct str name, const char *value)
{
	for (size_t i = 0; i < in->seed_count; i++) {
		if (str_eq(name, str_of(in->seeds[i].name))) {
			in->seeds[i].value = arena_strdup(a, value);
			return;
		}
	}
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

static bool is_script(const char *path)
{
	return str_is_listed(str_of(strrchr(path, '.')), ".py .sh .bash .pl .jl .rb .lua");
}

/*
 * The program's own file: the first script that is an argument, which an interpreter runs; else the
 * program itself where it was named by its path and no interpreter has a module to run (-m).
 */
static const char *find_own(const struct inputs *in, const char *const *argv, size_t argc)
{
	for (size_t i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-m") == 0 || strcmp(argv[i], "-c") == 0)
			return NULL;
		if (is_script(argv[i]) && find_known(in, argv[i]))
			return argv[i];
	}
	return argc && argv[0][0] != '/' && find_known(in, argv[0]) ? argv[0] : NULL;
}

static void find_folder(struct inputs *in, struct arena *a, const char *const *argv, size_t argc)
{
	const char *path = find_own(in, argv, argc), *slash = path ? strrchr(path, '/') : NULL;

	in->folder = slash && slash > path
			     ? arena_str(a, (struct str){path, (size_t)(slash - path)}).s
			     : ".";
}

int inputs_read(struct inputs *in, struct arena *a, const char *const *argv, size_t argc,
		const char *const *named, size_t named_count, struct file_hashes *hashes,
		struct err *e)
{
	const char *python = getenv("PYTHONHASHSEED");
	struct known_secrets known;
	struct mask mask = {0};

	known_secrets_read(&known);
	*in = (struct inputs){.hashes = hashes};
	/* The program itself counts where it was named by its path: a script, most often. */
	for (size_t i = argc && !strchr(argv[0], '/'); i < argc; i++) {
		if (is_shown(&mask, &known, argv[i]))
			find_file(in, a, argv[i]);
		find_seed(in, a, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
	}
	known_secrets_free(&known);
	find_folder(in, a, argv, argc);
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

struct known_hash {
	struct stat st;
	char sha256[SHA256_TEXT_BYTES];
};

/* File systems count time in ticks: what is written twice within one looks unchanged. */
enum { TICK_S = 2 };

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* The time of change goes on where somebody sets that of writing back. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

int file_hashes_get(struct file_hashes *h, const char *path, const struct stat *st,
		    char ret[SHA256_TEXT_BYTES], struct err *e)
{
	const bool has_settled = time(NULL) - st->st_ctim.tv_sec > TICK_S;
	struct known_hash *one;

	for (size_t i = 0; i < h->count; i++) {
		if (is_same(&h->all[i].st, st)) {
			memcpy(ret, h->all[i].sha256, SHA256_TEXT_BYTES);
			return 0;
		}
	}
	if (sha256_file(path, ret, e) < 0)
		return -1;
	if (!has_settled)
		return 0;
	MEM_GROW(h->all, h->cap, h->count + 1);
	one = &h->all[h->count++];
	one->st = *st;
	memcpy(one->sha256, ret, SHA256_TEXT_BYTES);
	return 0;
}

void file_hashes_free(struct file_hashes *h)
{
	free(h->all);
	*h = (struct file_hashes){0};
}
