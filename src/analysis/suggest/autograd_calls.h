/* When PyTorch's autograd threads launched something: between two moments of another thread lay a
 * backward pass. */
#ifndef ANALYSIS_AUTOGRAD_CALLS_H
#define ANALYSIS_AUTOGRAD_CALLS_H

#include "analysis/suggest/launched.h"

struct autograd_calls {
	int64_t **starts; /* by process, in order */
	size_t *counts;
	size_t process_count;
};

void autograd_calls_find(struct autograd_calls *a, const struct launched *l,
			 const struct call_order *order);
void autograd_calls_free(struct autograd_calls *a);
/* Whether one of a process (ID_NONE: of none) began after `from_ns` and before `to_ns`. */
bool autograd_calls_between(const struct autograd_calls *a, uint32_t process, int64_t from_ns,
			    int64_t to_ns);

#endif
