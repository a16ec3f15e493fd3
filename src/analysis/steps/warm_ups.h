/* When was each process in ranges whose names say that they are a warm-up? */
#ifndef ANALYSIS_WARM_UPS_H
#define ANALYSIS_WARM_UPS_H

#include "analysis/numbers/cover.h"
#include "base/span.h"
#include "trace/trace.h"

struct warm_up {
	struct span when;
	uint32_t process; /* ID_NONE: not said */
};

/* Each of them, by start; for free(). The ranges must be loaded. */
struct warm_up *warm_ups_list(const struct trace *t, size_t *ret_count);

struct warm_ups {
	struct cover *of_process; /* NULL: there is none */
	size_t processes;
};

void warm_ups_read(const struct trace *t, struct warm_ups *ret);
/* Whether a process (ID_NONE: any) is in one at that time. */
bool warm_ups_hold(const struct warm_ups *w, uint32_t process, int64_t at_ns);
void warm_ups_free(struct warm_ups *w);

bool name_says_warm_up(struct str name);

#endif
