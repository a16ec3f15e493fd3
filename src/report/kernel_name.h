/* Names of kernels and copies for people. */
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

/*
 * "[CUDA memcpy Host-to-Device]" as "memcpy H2D", "[CUDA memcpy Unified Host-to-Device]" as "memcpy
 * U H2D": what tells them apart is left, where cutting their middle would take it. False: it is the
 * name of nothing like that, and nothing is added.
 */
bool copy_name_add_short(struct buf *b, struct str name);

#endif
