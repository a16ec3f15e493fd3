/* A tree as nested objects. */
#ifndef REPORT_JSON_TREE_H
#define REPORT_JSON_TREE_H

#include "report/out.h"

/* "nodes": objects under the columns' keys, each with its children. */
int json_add_nodes(struct out *o, const struct table *t, struct err *e);

#endif
