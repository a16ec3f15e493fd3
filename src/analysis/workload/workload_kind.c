/* Is it training, or serving? */
#include "analysis/workload/workload_kind.h"

static const double worth = 0.02; /* of the kernel time: less may be a test, or a leftover */

static bool has(const struct sign_found *found, enum sign s)
{
	return found[s].count > 0;
}

/* Whether something made for neural networks is at work. */
static bool is_deep(const struct sign_found *found)
{
	for (int s = 0; s < FRAMEWORKS; s++) {
		if (has(found, (enum sign)s))
			return true;
	}
	return has(found, SIGN_ATTENTION);
}

/* Solvers have backward substitutions, too: by kernels alone it must be some of the work. */
static bool has_backward(const struct sign_found *found, int64_t kernel_ns)
{
	const struct sign_found *f = &found[SIGN_BACKWARD];

	return f->count > 0 &&
	       (f->place == PLACE_RANGE || (double)f->ns >= worth * (double)kernel_ns);
}

/* Videos are decoded as well: a decode alone is no token. */
static bool serves(const struct sign_found *found)
{
	return has(found, SIGN_ENGINE_STEP) || has(found, SIGN_KV_CACHE) ||
	       (has(found, SIGN_PREFILL) && has(found, SIGN_DECODE)) ||
	       (has(found, SIGN_DECODE) &&
		(has(found, SIGN_SAMPLING) || has(found, SIGN_ATTENTION)));
}

static bool may_serve(const struct sign_found *found)
{
	return (has(found, SIGN_GENERATE) || has(found, SIGN_PREFILL)) &&
	       has(found, SIGN_ATTENTION);
}

struct workload_claim workload_decide(const struct sign_found *found, int64_t kernel_ns,
				      bool has_steps)
{
	const bool backward = has_backward(found, kernel_ns);

	if (backward && has(found, SIGN_OPTIMIZER) && has_steps)
		return (struct workload_claim){WORKLOAD_TRAINING, false};
	if (serves(found))
		return (struct workload_claim){WORKLOAD_SERVING, false};
	if (backward && ((is_deep(found) && has_steps) || has(found, SIGN_OPTIMIZER)))
		return (struct workload_claim){WORKLOAD_TRAINING, true};
	if (may_serve(found) && has_steps)
		return (struct workload_claim){WORKLOAD_SERVING, true};
	return (struct workload_claim){WORKLOAD_OTHER, false};
}

const char *workload_kind_name(enum workload_kind k)
{
	static const char *const names[WORKLOAD_KINDS] = {"other", "training", "serving"};

	return names[k];
}
