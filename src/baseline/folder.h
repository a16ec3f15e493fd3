/* Where baselines are: ./.gpuwhy/baselines/NAME.json, to be kept in version control. */
#ifndef BASELINE_FOLDER_H
#define BASELINE_FOLDER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/string_list.h"

#define BASELINE_FOLDER ".gpuwhy/baselines"

/* ERR_USAGE where it is no plain word: letters, digits, '_', '-' and '.', none of these two first.
 */
int baseline_check_name(const char *name, struct err *e);
/* Its path; the caller frees it. */
char *baseline_path(const char *name);
/* All names, sorted, in the arena; none where there is no folder. */
int baseline_list(struct string_list *ret, struct arena *arena, struct err *e);
/* ERR_INPUT where there is none of that name, with those that there are. */
int baseline_must_exist(const char *name, struct err *e);

#endif
