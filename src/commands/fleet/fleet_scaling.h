/* `fleet --scaling ONE… -- MANY…`: the same program on few ranks and on many. */
#ifndef COMMANDS_FLEET_FLEET_SCALING_H
#define COMMANDS_FLEET_FLEET_SCALING_H

#include "fleet/scaling/scaling.h"
#include "options/option.h"

struct fleet_scaling_args {
	bool scaling;
	struct scaling_args how;
};
extern const struct option_group fleet_scaling_options;

struct invocation;

int fleet_scaling_run(struct invocation *inv, struct err *e);
/* ERR_USAGE where there are two sides, or one of its options, and nobody asked for --scaling. */
int scaling_check_unasked(const struct invocation *inv, struct err *e);

#endif
