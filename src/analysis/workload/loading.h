/* Whether a range or function prepares the input of a step, told by its name. */
#ifndef ANALYSIS_LOADING_H
#define ANALYSIS_LOADING_H

#include "base/str.h"

bool name_is_loading(struct str name);

#endif
