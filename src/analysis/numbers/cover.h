/* A union of intervals, and how much of any stretch of time it covers. */
#ifndef ANALYSIS_COVER_H
#define ANALYSIS_COVER_H

#include <stddef.h>
#include <stdint.h>

struct cover_piece {
	int64_t start_ns, end_ns;
	int64_t before_ns; /* of all pieces before */
};

/* A zeroed one is empty and valid. */
struct cover {
	struct cover_piece *pieces; /* by time; they do not touch */
	size_t count, cap;
};

/* Intervals are added in order of their start. */
void cover_add(struct cover *c, int64_t start_ns, int64_t end_ns);
/* How much of [from_ns, to_ns) is covered. */
int64_t cover_between(const struct cover *c, int64_t from_ns, int64_t to_ns);
int64_t cover_total(const struct cover *c);
void cover_free(struct cover *c);

#endif
