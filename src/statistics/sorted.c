/* Which values come first? */
#include "statistics/sorted.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

double *sorted_copy(const double *values, size_t n)
{
	SCOPED int64_t *keys = mem_alloc(n + 1, sizeof(*keys)),
		       *scratch = mem_alloc(n + 1, sizeof(*scratch));
	double *sorted = mem_alloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key_of_double(values[i]);
	sort_i64(keys, scratch, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = sort_double_of_key(keys[i]);
	return sorted;
}
