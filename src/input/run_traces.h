/*
 * The folder of a run in place of a trace. `gpuwhy profile` makes one for each run and puts what it
 * recorded into nsys/ of it: an export, packed or not, or a report, and several of them where it
 * recorded several ranks or several stretches of time. Nothing else of the folder is asked for, so
 * that a copy of it will do.
 */
#ifndef INPUT_RUN_TRACES_H
#define INPUT_RUN_TRACES_H

#include "base/err.h"
#include "base/str.h"
#include "base/string_list.h"

bool input_is_folder(const char *path);

/*
 * Adds the traces of a run's folder, by name in the order of their numbers; of one that is there in
 * several forms the one that is quickest to open. ERR_INPUT where it is no folder of a run: what
 * was looked for, and what to name instead.
 */
int run_traces_find(const char *folder, struct arena *arena, struct string_list *ret,
		    struct err *e);
/* The one trace that it has; several are refused by name. */
int run_traces_find_one(const char *folder, struct arena *arena, const char **ret, struct err *e);

/* The folder of the run that a trace was recorded in, by its path; empty: it says none. */
struct str run_traces_folder(const char *trace);
/* What a trace is called among others: its run, where it is in the folder of one, or its file. */
const char *run_traces_name(const char *trace, struct arena *arena);

#endif
