/* What checks are called: "step", "class:idle", "range:forward / attn". */
#ifndef GATE_CHECK_ID_H
#define GATE_CHECK_ID_H

#include "gate/rule_values.h"

/*
 * ERR_USAGE, with the nearest id that there is, where no check can have the one that is written
 * there. Which ranges and kernels there are is known to traces alone: any may be named.
 */
int check_id_find(const struct rule_file *f, const struct yaml_node *n);

#endif
