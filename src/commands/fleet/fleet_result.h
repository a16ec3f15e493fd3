/* A folder that another machine wrote, put where the user wants it. */
#ifndef COMMANDS_FLEET_FLEET_RESULT_H
#define COMMANDS_FLEET_FLEET_RESULT_H

#include "base/err.h"

/* `force`: replaces an earlier answer. ERR_SYSTEM where both are not on one disk. */
int fleet_result_place(const char *made, const char *wanted, bool force, struct err *e);

#endif
