/*
 * Places in the words of a command that stand for something else: {NAME} for a value of --matrix,
 * {run} for the folder of the run. Braces around anything but a name are themselves, as in JSON;
 * {{NAME}} is the text {NAME}.
 */
#ifndef CAPTURE_PLACEHOLDERS_H
#define CAPTURE_PLACEHOLDERS_H

#include "base/buf.h"
#include "base/string_list.h"

/* The name that no axis of a matrix may have. */
#define PLACEHOLDER_RUN "run"

struct placeholder {
	const char *at; /* the first brace */
	struct str name;
	bool literal;	 /* {{NAME}} */
	const char *end; /* behind the last brace */
};

/* The length of the name that `s` begins with; 0 when it begins with none. */
size_t placeholder_name_length(const char *s);
/* The next one from `s` on; false when there is none. */
bool placeholder_next(const char *s, struct placeholder *p);
bool placeholder_is_run(const struct placeholder *p);

/*
 * The words with the run's folder in place of {run}, and everything else as it is: other names have
 * been filled in before, where there is a matrix, or mean nothing. New words live in the arena.
 */
void placeholders_fill_run(const char *const *argv, size_t argc, const char *folder,
			   struct arena *a, struct string_list *ret);

#endif
