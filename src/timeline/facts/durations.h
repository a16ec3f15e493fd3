/* The durations of events of one name: how many there are, and how one compares with them. */
#ifndef TIMELINE_FACTS_DURATIONS_H
#define TIMELINE_FACTS_DURATIONS_H

#include "analysis/numbers/by_group.h"

enum { DURATION_BINS = 24 };

/* A zeroed one has none. */
struct durations {
	size_t count;
	int64_t min_ns, max_ns;
	double median_ns;
	/*
	 * Bin i is of [edge_ns[i], edge_ns[i + 1]), the last with its end; each is as wide as the
	 * one before times the same number.
	 */
	int64_t edge_ns[DURATION_BINS + 1];
	size_t bins[DURATION_BINS];
	struct offsets values; /* from min_ns on, in no order */
};

/* What one worker has found, as it is found. */
struct found_durations {
	_Alignas(128) int64_t *ns;
	size_t count, cap;
	int64_t min_ns, max_ns;
};

/* One for each worker, for durations_make(). */
struct found_durations *durations_begin(void);
void durations_take(struct found_durations *f, int64_t ns);
/* Gives `found` back. */
void durations_make(struct durations *d, struct found_durations *found);
void durations_free(struct durations *d);

/* How many are longer. */
size_t durations_longer(const struct durations *d, int64_t ns);
/* The bin of one of them. */
size_t durations_bin(const struct durations *d, int64_t ns);

#endif
