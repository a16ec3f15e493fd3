/* Which finding is about a row of the tree. */
#ifndef TUI_TREE_FINDING_H
#define TUI_TREE_FINDING_H

#include "base/span.h"
#include "report/finding.h"

/*
 * The first that names it, in its title or as evidence; else the first whose evidence lies in its
 * time, where that is one stretch. NULL: none.
 */
const struct finding *tree_finding(const struct report *findings, struct str name,
				   const struct span *when);

#endif
