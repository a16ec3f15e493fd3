/*
 * Numbers that a model's SQL brings along: what it answers is evidence of the trace only where it
 * is made of the trace's columns.
 */
#ifndef LLM_QUERY_LITERALS_H
#define LLM_QUERY_LITERALS_H

#include "base/buf.h"

/*
 * Whether the values that the query answers can be of its own making; appends what it has that
 * makes them so. Numbers in conditions and factors between units are fine, as is a name after THEN.
 */
bool query_makes_values(struct str sql, struct buf *ret);

#endif
