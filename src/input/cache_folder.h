/* The user's cache folder, and the working folders inside it. */
#ifndef INPUT_CACHE_FOLDER_H
#define INPUT_CACHE_FOLDER_H

#include "base/err.h"

/* Sets *ret_path (caller frees) to the cache folder, which may not exist yet. */
int cache_folder_locate(char **ret_path, struct err *e);
/* Makes the folder and what is missing above it, for this user alone. */
int cache_folder_create(const char *path, struct err *e);
/* Makes an empty working folder inside `path` and sets *ret_work (caller frees). */
int cache_folder_begin(const char *path, char **ret_work, struct err *e);
/* Removes a working folder and the files in it. */
void cache_folder_remove(const char *work);
/*
 * Removes what nobody needs any more: working folders that a killed run left over a day ago, and
 * files whose name begins with `prefix` other than `current`.
 */
void cache_folder_sweep(const char *path, const char *prefix, const char *current);

#endif
