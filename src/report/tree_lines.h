/* The lines that join the nodes of a tree: "│  ├─ ". */
#ifndef REPORT_TREE_LINES_H
#define REPORT_TREE_LINES_H

#include "base/buf.h"
#include "report/report.h"

enum { TREE_DEEPEST = 255 };

struct tree_lines {
	struct tree_line {
		unsigned char depth;
		bool more;	     /* siblings that are not shown come after it */
		uint64_t goes_on[4]; /* bits by depth: a node of that depth follows below */
	} * rows;
};

/* Reads the depths of all rows of a table that is a tree. */
void tree_lines_make(struct tree_lines *t, const struct table *table);
void tree_lines_free(struct tree_lines *t);
/* What stands before the name of a row. */
void tree_lines_add(const struct tree_lines *t, uint64_t row, struct buf *b);

#endif
