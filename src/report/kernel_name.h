/* Kernel names for people. */
#ifndef REPORT_KERNEL_NAME_H
#define REPORT_KERNEL_NAME_H

#include "base/buf.h"

/*
 * A C++ kernel name as people speak of it: template arguments, parameter list, return type,
 * "unnamed" and common namespaces dropped where that leaves something, e.g. "void
 * at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, …>(int, T2,
 * T3)" → "vectorized_elementwise_kernel<CUDAFunctor_add>". Names without such structure stay.
 */
void kernel_name_add_short(struct buf *b, struct str name);

#endif
