/*
 * Places in an order. `at` is the name that a place has in `is_before`, an expression that holds of
 * all places up to some one and of none from there on; that place is the value, `high` where it
 * holds of all.
 */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include <stddef.h>

#define BISECT(low, high, at, is_before)                             \
	({                                                           \
		size_t low_ = (low), high_ = (high);                 \
                                                                     \
		while (low_ < high_) {                               \
			const size_t at = low_ + (high_ - low_) / 2; \
                                                                     \
			if (is_before)                               \
				low_ = at + 1;                       \
			else                                         \
				high_ = at;                          \
		}                                                    \
		low_;                                                \
	})

/* The same where the place is seldom far from `low`: in steps that double until it is passed. */
#define GALLOP(low, high, at, is_before)                       \
	({                                                     \
		size_t from_ = (low), to_ = (high), step_ = 1; \
                                                               \
		while (from_ + step_ <= to_) {                 \
			const size_t at = from_ + step_ - 1;   \
                                                               \
			if (!(is_before)) {                    \
				to_ = at;                      \
				break;                         \
			}                                      \
			from_ += step_;                        \
			step_ *= 2;                            \
		}                                              \
		BISECT(from_, to_, at, is_before);             \
	})

#endif
