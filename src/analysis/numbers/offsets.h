/*
 * Many values kept as distances from a common base: in 32 bits where they all fit, as times of an
 * export nearly always do, else in 64.
 */
#ifndef ANALYSIS_OFFSETS_H
#define ANALYSIS_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct offsets {
	void *at;
	bool wide;
};

/* Loops over offsets are written once; a caller that says `wide` as a constant has them twice. */
#define OFFSETS_LOOP static inline __attribute__((always_inline))

OFFSETS_LOOP uint64_t offset_at(const void *at, bool wide, size_t i)
{
	return wide ? ((const uint64_t *)at)[i] : ((const uint32_t *)at)[i];
}

static inline struct offsets offsets_from(const struct offsets *o, size_t first)
{
	size_t size = o->wide ? sizeof(uint64_t) : sizeof(uint32_t);

	return (struct offsets){(char *)o->at + first * size, o->wide};
}

#endif
