/* The files that a timeline can be written as. */
#ifndef EXPORT_EXPORT_FILE_H
#define EXPORT_EXPORT_FILE_H

#include "export/export.h"

struct export_format {
	const char *name, *ending;
	const struct timeline_writer *writer;
	bool packed;
};

/* The i-th; NULL after the last. */
const struct export_format *export_format_at(size_t i);
/* By how a file's name ends; NULL: as none of them. */
const struct export_format *export_format_of(const char *path);
/* See export_timeline(). */
int export_write(struct trace *t, const struct scope *p, const struct export_options *o,
		 const struct export_format *f, struct sink *out, struct export_counts *ret,
		 struct err *e);
/* "80,071 slices, 14,062 arrows, … on 9 tracks" */
void export_add_counts(struct buf *b, const struct export_counts *c);

#endif
