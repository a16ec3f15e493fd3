/* Which options are there? */
#include "base/mem.h"
#include "cli/option_group.h"

static const struct option_group *const groups[] = {
	&options_of_answers,
	&options_of_capture,
	&options_of_params,
	&options_of_output,
};

const struct option *option_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		if (i < groups[g]->count)
			return &groups[g]->all[i];
		i -= groups[g]->count;
	}
	return NULL;
}
