/*
 * A folder that is written whole or not at all: beside its place first, then renamed. What stands
 * in its place is replaced only if all of it is of our own making. Folders above it that are
 * missing are made, and removed again where it does not appear.
 */
#ifndef CLI_OUT_DIR_H
#define CLI_OUT_DIR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct out_dir {
	const char *path;
	bool force;		  /* replace an earlier one */
	const char *const *names; /* every file that is ever written into it; NULL ends them */
	const char *folder;	  /* the one folder that some of them are in */
	const char *pages;	  /* another: of pages with a number, "rank_3.html"; NULL: none */
	const char *page;	  /* what these are called before it: "rank_" */
	char *temporary;
	size_t first_missing; /* of the folders above it: see base/file.h */
};

/*
 * The caller has filled all but `temporary` and `first_missing`. ERR_USAGE when `path` is there,
 * unless `force` and every entry has one of the names; always when it is no folder of its own, or
 * the one that `spare` lies in.
 */
int out_dir_check(const struct out_dir *d, const char *spare, struct err *e);
/* Checks, and makes a folder beside it to write into. */
int out_dir_open(struct out_dir *d, const char *spare, struct err *e);
/* The path of a file in it; the caller frees it. */
char *out_dir_file(const struct out_dir *d, const char *name);
/* Makes the folder, and that of pages. */
int out_dir_make(const struct out_dir *d, struct err *e);
int out_dir_make_pages(const struct out_dir *d, struct err *e);
/* Puts it in place, replacing what is there; `ok` false: removes it. */
int out_dir_close(struct out_dir *d, bool ok, struct err *e);

#endif
