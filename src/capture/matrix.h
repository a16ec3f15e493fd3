/*
 * A command that is run once for every combination of values: {NAME} in its words stands for one of
 * those that --matrix NAME=V1,V2 gives (capture/placeholders.h); {run} is left for each run to fill
 * in.
 */
#ifndef CAPTURE_MATRIX_H
#define CAPTURE_MATRIX_H

#include "base/arena.h"
#include "base/err.h"
#include "capture/record.h"
#include "text/shell_words.h"

enum { MATRIX_NAMES = 8, MATRIX_RUNS = 256 };

struct matrix_axis {
	const char *name;
	struct string_list values;
	struct string_list shown; /* the same as they may be written down */
};

struct matrix {
	struct matrix_axis axes[MATRIX_NAMES];
	size_t count;
	size_t runs; /* how many combinations there are */
	struct arena arena;
};

/*
 * ERR_USAGE when an axis is none, a name comes twice, is in no word of the command, or a word has a
 * name in braces that no axis gives. matrix_free() it in any case.
 */
int matrix_read(struct matrix *m, const char *const *texts, size_t count, const char *const *argv,
		size_t argc, struct err *e);
void matrix_free(struct matrix *m);

/* The i-th combination, the last axis fastest: m->count settings. */
void matrix_settings(const struct matrix *m, size_t i, struct setting *ret);
/* The command with these settings; its words live in the arena. */
void matrix_command(const struct setting *settings, size_t count, const char *const *argv,
		    size_t argc, struct arena *a, struct string_list *ret);
/*
 * What the runs are called, "batch=8_mode=deep" behind the user's name for all of them (or NULL): a
 * part of a folder's name for each of m->runs, no two alike.
 */
void matrix_labels(const struct matrix *m, const char *name, struct arena *a, const char **ret);

#endif
