/*
 * Hashes of files, remembered while nobody has changed them: the runs of a matrix begin with the
 * same ones. A zeroed struct is empty and valid.
 */
#ifndef CAPTURE_FILE_HASHES_H
#define CAPTURE_FILE_HASHES_H

#include "base/sha256.h"

#include <sys/stat.h>

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
