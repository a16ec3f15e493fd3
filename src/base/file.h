/* Small files that users write, read whole; bytes that are written whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <dirent.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Appends what the file holds. ERR_INPUT when it is not there, is no plain file or is larger than
 * `most` bytes, of which no more is read; ERR_SYSTEM when it cannot be read.
 */
int file_read(struct buf *b, const char *path, size_t most, struct err *e);
/* The same for what the user named to be read: "-" is standard input, and pipes are waited for. */
int file_read_stream(struct buf *b, const char *path, size_t most, struct err *e);
/*
 * Appends the end of a file that may be of any size, such as a log: of what it holds from byte
 * `from` on the last `most` bytes.
 */
int file_read_end(struct buf *b, const char *path, uint64_t from, size_t most, struct err *e);

/* All of the bytes, however many times it takes; -1 with errno set. */
int file_write_all(int fd, const void *bytes, size_t len);
/* Makes the file, or replaces its content in place. ERR_SYSTEM when not all of it is taken. */
int file_write(const char *path, struct str bytes, struct err *e);

/* Whether its disk has less room than that; one that does not say how large it is has enough. */
bool file_disk_lacks(const char *path, uint64_t bytes);

/* A local file or folder that is closed, if it is open, when its block is left. */
#define SCOPED_FD  __attribute__((cleanup(file_close_scoped))) int
#define SCOPED_DIR __attribute__((cleanup(file_close_dir_scoped))) DIR
void file_close_scoped(const int *fd);
void file_close_dir_scoped(DIR **dir);

/* Makes the folder and those above it that are missing; -1 with errno set. */
int file_make_folders(const char *path, mode_t mode);
/* Before they are made: how long the path of the outermost missing one is; 0: none is missing. */
size_t file_first_missing(const char *path);
/* Removes them again, from the path up to that one, as far as they are empty. */
void file_unmake_folders(const char *path, size_t first);
/* The path of a file in a folder; the caller frees it. */
char *file_in(const char *folder, const char *name);

/* By errno: ERR_INPUT where there is no such file or folder, else ERR_SYSTEM. */
int file_cannot_read(const char *path, struct err *e);

#endif
