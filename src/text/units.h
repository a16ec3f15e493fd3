/* Numbers as people read them. All append to a buf and never use the locale. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buf.h"

#include <stdint.h>

/* 850 ns, 1.23 µs, 45.5 ms, 12.3 s: three significant digits, hours not used. */
void units_add_ns(struct buf *b, double ns);
/* Seconds since zero with enough digits to find it again: 14.217932 s. */
void units_add_time(struct buf *b, int64_t ns);
/* 512 B, 4.10 kB, 262 MB, 3.75 GB: powers of 1000, as NVIDIA's MB. */
void units_add_bytes(struct buf *b, double bytes);
void units_add_rate(struct buf *b, double bytes_per_s);
/* 850 FLOP, 1.03 TFLOP */
void units_add_flops(struct buf *b, double flops);
/* 1,234,567 */
void units_add_count(struct buf *b, int64_t n);
/* Shortest decimal that reads back as the same double: for machines. */
void units_add_real(struct buf *b, double x);
/* A fixed number of decimals, rounded half away from zero as NVIDIA's reports are. */
void units_add_fixed(struct buf *b, double x, int decimals);
/* A share in percent, where little is not nothing: 12 %, under 1 %. */
void units_add_share(struct buf *b, double pct, int decimals);
/* The same with thousands apart, as counts have them: 16,475.7. From 2^53 on they are not. */
void units_add_grouped(struct buf *b, double x, int decimals);

#endif
