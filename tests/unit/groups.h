/* The groups of unit tests: test_NAME.c holds NAME_tests(), which returns how many of it failed. */
#ifndef TESTS_UNIT_GROUPS_H
#define TESTS_UNIT_GROUPS_H

#include <stdlib.h>
#include <string.h>

#define EACH_GROUP(DO)     \
	DO(alignment)      \
	DO(analysis)       \
	DO(ask)            \
	DO(base)           \
	DO(capture)        \
	DO(compare)        \
	DO(cores)          \
	DO(diff)           \
	DO(documents)      \
	DO(fleet)          \
	DO(hang)           \
	DO(gate)           \
	DO(guides)         \
	DO(html)           \
	DO(input)          \
	DO(lanes)          \
	DO(longest_parts)  \
	DO(kernel_pattern) \
	DO(llm)            \
	DO(load)           \
	DO(mcp)            \
	DO(model)          \
	DO(ncu)            \
	DO(nth_values)     \
	DO(packed_ids)     \
	DO(parallel)       \
	DO(part)           \
	DO(process)        \
	DO(replay)         \
	DO(report)         \
	DO(slurm)          \
	DO(sqlitefile)     \
	DO(statistics)     \
	DO(strips)         \
	DO(text)           \
	DO(timeline)       \
	DO(trace)          \
	DO(tui)            \
	DO(units)          \
	DO(usual_step)

/* How often to repeat what is repeated n times: less often where each step is slow (QUICK, which
 * tests/check_unit sets for valgrind and AddressSanitizer). */
static inline size_t repeats(size_t n)
{
	return getenv("QUICK") && n > 20 ? n / 20 : n;
}

/* From one to the next of those that are tried: every one, or every n-th where each is slow. */
static inline size_t stride(size_t n)
{
	return getenv("QUICK") ? n : 1;
}

/* Of n cases an eighth, which one by lot, where CI takes strangers' traces by lot
 * (STRANGERS=N,SEED). */
static inline size_t some_cases(size_t n, size_t *ret_first)
{
	const char *lot = getenv("STRANGERS"), *seed = lot ? strchr(lot, ',') : NULL;

	*ret_first = seed ? strtoul(seed + 1, NULL, 10) % 8 * (n / 8) : 0;
	return repeats(seed ? n / 8 : n);
}

#define DECLARE_GROUP(name) int name##_tests(void);
EACH_GROUP(DECLARE_GROUP)

#endif
