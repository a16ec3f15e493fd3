/* How many gaps each device has, how long they are, whose fault, and which are the longest. */
#ifndef ANALYSIS_GAP_STUDY_H
#define ANALYSIS_GAP_STUDY_H

#include "analysis/gpu/longest_gaps.h"

enum { GAP_CLASSES = 11 }; /* of lengths */

/* Upper ends of the classes; the last has none. */
extern const int64_t gap_class_limits_ns[GAP_CLASSES];

struct device_gaps {
	uint64_t count, in_class[GAP_CLASSES];
	int64_t longest_ns, total_ns[BLAMES], class_ns[GAP_CLASSES];
};

struct gap_study {
	struct device_gaps *devices; /* by index in the timeline */
	uint64_t count;
	struct longest_gaps longest;
	uint32_t *range_names; /* of these: numbers in trace->names, or NAME_NONE */
};

/* `limit` of the longest gaps are kept; 0: all. Those that become one share the floor. */
void gap_study_begin(struct gap_study *s, size_t devices, uint64_t limit, gap_floor *floor);
void gap_study_take(struct gap_study *s, const struct gap *gap);
/* What another has taken after this one, of the same devices. */
void gap_study_add_all(struct gap_study *s, const struct gap_study *more, size_t devices);
/* After the last one, while its judge still knows the ranges. */
void gap_study_end(struct gap_study *s, const struct gap_judge *j);
void gap_study_free(struct gap_study *s);

#endif
