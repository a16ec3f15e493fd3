/* How far are runs of one program apart? */
#include "statistics/run_spread.h"

#include "base/mem.h"
#include "statistics/welch.h"

#include <math.h>
#include <stdlib.h>

struct run_spread run_spread_of(const struct run_steps *runs, size_t count)
{
	SCOPED double *logs = mem_alloc(count + 1, sizeof(*logs));
	struct run_spread s = {.sd = NAN, .of_means = NAN};
	double by_steps = 0, variance;

	for (size_t i = 0; i < count; i++) {
		struct run r;

		if (!run_read(&runs[i], &r))
			continue;
		logs[s.runs++] = r.log_mean;
		by_steps += isnan(r.step_variance) ? 0 : r.step_variance;
		run_free(&r);
	}
	if (s.runs < 2)
		return s;
	welch_mean(logs, s.runs, &variance);
	s.of_means = sqrt(variance);
	s.sd = sqrt(fmax(0, variance - by_steps / (double)s.runs));
	return s;
}
