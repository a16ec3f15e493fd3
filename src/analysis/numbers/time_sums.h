/* Sums of time by a pair of numbers and by device, and where that time was. */
#ifndef ANALYSIS_TIME_SUMS_H
#define ANALYSIS_TIME_SUMS_H

#include "analysis/numbers/longest_parts.h"
#include "base/idmap.h"

struct time_sum {
	uint32_t group, name;
	uint64_t count;
	int64_t total_ns; /* over all devices */
};

enum { TIME_SUMS_RECENT = 64 };

/* Set `devices`, zero the rest. */
struct time_sums {
	size_t devices;
	struct idmap numbers;
	struct time_sum *rows;
	size_t count, cap;
	int64_t *device_ns; /* by row · devices + device */
	size_t device_cap;
	struct longest_parts *lists; /* of places */
	size_t list_count, list_cap;
	uint32_t *list_of; /* by the same: 1 + the number of its list; 0: nobody said where */
	size_t list_of_cap;
	uint32_t recent[TIME_SUMS_RECENT]; /* rows that were added to of late, by a hash */
};

/* Adds a piece of `ns`; returns the row's number. */
uint32_t time_sums_add(struct time_sums *t, uint32_t group, uint32_t name, uint32_t device,
		       int64_t ns);
/* For those below: the list of a row and device, by its place in device_ns. */
uint32_t time_sums_new_list(struct time_sums *t);

static inline struct longest_parts *time_sums_list(struct time_sums *t, size_t at)
{
	if (!t->list_of[at])
		t->list_of[at] = time_sums_new_list(t);
	return &t->lists[t->list_of[at] - 1];
}

/* Where a piece of the row is, which may be several places: they last as long as it or longer. */
static inline void time_sums_add_place(struct time_sums *t, uint32_t row, uint32_t device,
				       struct time_part place)
{
	longest_parts_add(time_sums_list(t, row * t->devices + device), place);
}

/* Adds the rows of other sums, which came after these; `names`, unless NULL, renames them. */
void time_sums_add_all(struct time_sums *to, const struct time_sums *from, const uint32_t *names);
/* Adds a row of other sums to the row of a group and a name. */
void time_sums_add_row(struct time_sums *to, uint32_t group, uint32_t name,
		       const struct time_sums *from, size_t row);
/*
 * The most that any one device has in the row. Devices run side by side: what goes away on all of
 * them shortens the run by what it takes on one.
 */
int64_t time_sums_worst(const struct time_sums *t, size_t row);
/* The most that any one device has in all rows of a group, and the group's largest row, which is
 * set only where there is one; it may be NULL. */
int64_t time_sums_group(const struct time_sums *t, uint32_t group, size_t *ret_top);
/* Where the row is, on that device. */
struct part_list time_sums_places(const struct time_sums *t, size_t row);
void time_sums_free(struct time_sums *t);

enum { TIME_TOTAL_TOPS = 3 };

/* What some rows have together. */
struct time_total {
	const struct time_sums *sums;
	int64_t *device_ns;
	int64_t total_ns; /* over all devices */
	uint64_t count;	  /* of pieces */
	size_t rows;
	bool *has;		     /* by row of the sums: it is one of them */
	size_t top[TIME_TOTAL_TOPS]; /* the rows with most of it, the largest first */
};

void time_total_begin(struct time_total *s, const struct time_sums *t);
void time_total_add(struct time_total *s, size_t row);
/* All rows of a group. */
void time_total_of_group(struct time_total *s, const struct time_sums *t, uint32_t group);
/* The most that any one device has: see time_sums_worst(). */
int64_t time_total_worst(const struct time_total *s);
/* Where the rows are, on that device: adds to what is there. */
void time_total_places(const struct time_total *s, struct longest_parts *to);
/* How many of `top` there are. */
size_t time_total_tops(const struct time_total *s);
void time_total_free(struct time_total *s);

#endif
