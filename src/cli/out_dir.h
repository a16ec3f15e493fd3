/* A folder that is written whole or not at all: beside its place first, then renamed. */
#ifndef CLI_OUT_DIR_H
#define CLI_OUT_DIR_H

#include "base/err.h"

#include <stdbool.h>

struct out_dir {
	const char *path;
	char *temporary;
};

/* An existing `path` is ERR_USAGE unless `force`; even then it must be a folder. */
int out_dir_open(struct out_dir *d, const char *path, bool force, struct err *e);
/* The path of a file in it; the caller frees it. Makes the folder that `name` names, if any. */
char *out_dir_file(const struct out_dir *d, const char *name);
int out_dir_make(const struct out_dir *d, const char *name, struct err *e);
/* Puts it in place, replacing what is there; `ok` false: removes it. */
int out_dir_close(struct out_dir *d, bool ok, struct err *e);

#endif
