/* NVIDIA's nsys, the only program that opens an Nsight Systems report. */
#ifndef INPUT_NSYS_H
#define INPUT_NSYS_H

#include "base/err.h"

/* Is what the user named with --OPTION a program? ERR_USAGE if not. */
int nsys_check(const char *path, const char *option, struct err *e);
/* The nsys of PATH, else the newest of the usual install folders, else NULL. Caller frees. */
char *nsys_find(void);
/* A cache_make_fn; `nsys` is the program's path. */
int nsys_export(const char *report, const char *out, const void *nsys, struct err *e);

#endif
