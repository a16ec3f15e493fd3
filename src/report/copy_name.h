/* Names of copies where there is little room. */
#ifndef REPORT_COPY_NAME_H
#define REPORT_COPY_NAME_H

#include "base/buf.h"

/*
 * "[CUDA memcpy Host-to-Device]" as "memcpy H2D", "[CUDA memcpy Unified Host-to-Device]" as "memcpy
 * U H2D": what tells them apart is left, where cutting their middle would take it. False: it is the
 * name of nothing like that, and nothing is added.
 */
bool copy_name_add_short(struct buf *b, struct str name);

#endif
