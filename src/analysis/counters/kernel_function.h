/* Kernels by the name of their function, as Nsight Compute compares it. */
#ifndef ANALYSIS_KERNEL_FUNCTION_H
#define ANALYSIS_KERNEL_FUNCTION_H

#include "base/err.h"
#include "base/str.h"

struct kernel_function {
	struct str name;	 /* empty: any */
	struct pattern *pattern; /* of the name; NULL: it is the name itself */
};

/* ERR_USAGE where it is no expression. To be closed in any case. */
int kernel_function_open(struct kernel_function *f, struct str name, bool is_regex, struct err *e);
void kernel_function_close(struct kernel_function *f);
/* 1: the kernel of this full name is meant; 0: it is not; -1: that takes too long to find out. */
int kernel_function_is(const struct kernel_function *f, struct str kernel, struct err *e);
/* ERR_INPUT for a trace of which no kernel is meant; all of its kernels are given. */
int kernel_function_refuse(const struct kernel_function *f, const char *path,
			   const struct str *kernels, size_t count, struct err *e);

#endif
