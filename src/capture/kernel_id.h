/*
 * What Nsight Compute takes for --kernel-id:
 * context-id:stream-id:[name-operator:]kernel-name:invocation-nr, each of which may be empty.
 */
#ifndef CAPTURE_KERNEL_ID_H
#define CAPTURE_KERNEL_ID_H

#include "base/err.h"
#include "base/str.h"

struct kernel_id {
	const char *text; /* as it was given; NULL: it was not */
	const char *name; /* of the function, a part of the text's end; NULL: any */
	size_t name_len;
	bool regex;	     /* the name is a regular expression */
	bool has_invocation; /* launches are counted */
	bool only_name;	     /* nothing else is asked for */
};

/* ERR_USAGE that says which part is wrong. Points into the text. */
int kernel_id_read(struct kernel_id *ret, const char *text, struct err *e);

#endif
