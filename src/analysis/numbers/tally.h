/* Sums of time by a pair of numbers and by device, with the longest single piece of each. */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include "base/idmap.h"

struct tally_row {
	uint32_t group, name;
	uint64_t count;
	int64_t total_ns; /* over all devices */
	int64_t longest_ns, longest_at_ns;
	uint32_t longest_device;
};

enum { TALLY_RECENT = 64 };

/* Set `devices`, zero the rest. */
struct tally {
	size_t devices;
	struct idmap numbers;
	struct tally_row *rows;
	size_t count, cap;
	int64_t *device_ns; /* by row · devices + device */
	size_t device_cap;
	uint32_t recent[TALLY_RECENT]; /* rows that were added to of late, by a hash */
};

/* Adds a piece of `ns` that begins at at_ns; returns the row's number. */
uint32_t tally_add(struct tally *t, uint32_t group, uint32_t name, uint32_t device, int64_t at_ns,
		   int64_t ns);
/* Adds the rows of another tally, which came after these; `names`, unless NULL, renames them. */
void tally_add_all(struct tally *to, const struct tally *from, const uint32_t *names);
/* Adds a row of another tally to the row of a group and a name. */
void tally_add_row(struct tally *to, uint32_t group, uint32_t name, const struct tally *from,
		   size_t row);
/*
 * The most that any one device has in the row. Devices run side by side: what goes away on all of
 * them shortens the run by what it takes on one.
 */
int64_t tally_worst(const struct tally *t, size_t row);
/* The most that any one device has in all rows of a group, and the group's largest row there. */
int64_t tally_group(const struct tally *t, uint32_t group, size_t *ret_top);
void tally_free(struct tally *t);

enum { TALLY_TOPS = 3 };

/* What some rows of a tally have together. */
struct tally_sum {
	const struct tally *tally;
	int64_t *device_ns;
	int64_t total_ns; /* over all devices */
	uint64_t count;	  /* of pieces */
	size_t rows;
	size_t top[TALLY_TOPS]; /* the rows with most of it, the largest first */
	size_t longest;		/* the row with the longest piece */
};

void tally_sum_begin(struct tally_sum *s, const struct tally *t);
void tally_sum_add(struct tally_sum *s, size_t row);
/* All rows of a group. */
void tally_sum_group(struct tally_sum *s, const struct tally *t, uint32_t group);
/* The most that any one device has: see tally_worst(). */
int64_t tally_sum_worst(const struct tally_sum *s);
/* How many of `top` there are. */
size_t tally_sum_tops(const struct tally_sum *s);
void tally_sum_free(struct tally_sum *s);

#endif
