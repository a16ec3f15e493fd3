/* The parts of a job as one answer. */
#ifndef FLEET_REDUCE_H
#define FLEET_REDUCE_H

#include "analysis/scope.h"
#include "base/err.h"
#include "fleet/part.h"
#include "report/report.h"

/* A capture or part that could not be read: the job is told without it. */
struct fleet_loss {
	const char *file; /* last part of its name */
	const char *reason;
};

struct fleet_args {
	struct row_choice rows;
	bool strict;	/* anything missing is ERR_INPUT */
	bool has_pages; /* the caller writes fleet_page_of() of each part beside the answer */
	double link_bytes_per_s; /* of links that nothing is known of; 0: nobody says */
	const struct fleet_loss *losses;
	size_t loss_count;
};

/*
 * ERR_INPUT where the parts are no job: doubles, mixtures. The answer does not depend on the order
 * of the parts, which must live as long as the report.
 */
int fleet_reduce(const struct part *const *parts, size_t count, const struct fleet_args *a,
		 struct report *r, struct err *e);

#endif
