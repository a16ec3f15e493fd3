/* What do the parts of a job say together? */
#include "fleet/reduce.h"

#include "fleet/fleet_tables.h"

static int tell_losses(const struct fleet_args *a, struct report *r, struct err *e)
{
	for (size_t i = 0; i < a->loss_count; i++)
		report_warning(r, "%s is left out: %s", a->losses[i].file, a->losses[i].reason);
	if (a->strict && a->loss_count)
		return err_set(e, ERR_INPUT,
			       "%zu of the captures could not be read, and --strict asks "
			       "for all: %s: %s",
			       a->loss_count, a->losses[0].file, a->losses[0].reason);
	return 0;
}

int fleet_reduce(const struct part *const *parts, size_t count, const struct fleet_args *a,
		 struct report *r, struct err *e)
{
	if (tell_losses(a, r, e) < 0)
		return -1;
	fleet_ranks_table(r, parts, count);
	return fleet_kernels_table(r, parts, count, &a->rows, e);
}
