/* The table of each device's compute, exposed communication and copies, and idle time. */
#ifndef ANALYSIS_PARTITION_H
#define ANALYSIS_PARTITION_H

#include "analysis/gpu/timeline.h"

int partition_report(struct report *r, struct trace *t, const struct timeline *l, struct err *e);

#endif
