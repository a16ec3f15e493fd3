/* Is it loading data? */
#include "analysis/workload/loading.h"

#include "base/mem.h"

bool name_is_loading(struct str name)
{
	static const char *const words[] = {"load",  "data",  "collate", "batch",
					    "fetch", "input", "token"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (memmem(name.s, name.len, words[i], strlen(words[i])))
			return true;
	}
	return false;
}
