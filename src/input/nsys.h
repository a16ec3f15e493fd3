/* NVIDIA's nsys, the only program that opens an Nsight Systems report. */
#ifndef INPUT_NSYS_H
#define INPUT_NSYS_H

#include "base/err.h"

/* A cache_make_fn; `nsys` is the program's path. */
int nsys_export(const char *report, const char *out, const void *nsys, struct err *e);

#endif
