/* What a command line says of a run: the files it begins with, and the seeds it is given. */
#ifndef CAPTURE_INPUTS_H
#define CAPTURE_INPUTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"

#include <stdint.h>
#include <sys/stat.h>

struct input_file {
	const char *path;
	uint64_t size_bytes;
	char sha256[SHA256_TEXT_BYTES]; /* "" where the file is too large to be read for it */
	bool asked;			/* named with --input */
};

struct seed {
	const char *name; /* "--seed", "PYTHONHASHSEED" */
	const char *value;
};

struct inputs {
	struct input_file *files;
	size_t file_count, file_cap;
	struct seed *seeds;
	size_t seed_count, seed_cap;
	struct file_hashes *hashes;
	const char *folder; /* of the script that is run, or of the program; else this one */
};

/*
 * Files that are arguments, or values of arguments (--config=x.yaml), up to 64 MB and 64 of them
 * unless they are passed as secrets (capture/secrets.h),
 * and those named, which may be of any size up to 8 GB. Files that `hashes` knows are not read
 * again. ERR_USAGE when one that was named is not there. inputs_free() it in any case; texts live
 * in the arena.
 */
int inputs_read(struct inputs *in, struct arena *a, const char *const *argv, size_t argc,
		const char *const *named, size_t named_count, struct file_hashes *hashes,
		struct err *e);
/* Only whether those that were named are there: ERR_USAGE. */
int inputs_check_named(const char *const *named, size_t count, struct err *e);
void inputs_free(struct inputs *in);

/*
 * Hashes of files, remembered while nobody has changed them: the runs of a matrix begin with the
 * same ones. A zeroed struct is empty and valid.
 */
struct known_hash;

struct file_hashes {
	struct known_hash *all;
	size_t count, cap;
};

/*
 * What sha256_file() says of the file, which is as `st` has it. It is read again where that differs
 * from what it was: another file, another size, or written to since.
 */
int file_hashes_get(struct file_hashes *h, const char *path, const struct stat *st,
		    char ret[SHA256_TEXT_BYTES], struct err *e);
void file_hashes_free(struct file_hashes *h);

#endif
