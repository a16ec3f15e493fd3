/* How are a kernel's grid and block written? */
#include "analysis/shape.h"

#include <stdio.h>

int shape_require(struct trace *t, struct err *e)
{
	for (int c = COL_GRID_X; c <= COL_BLOCK_Z; c++) {
		if (trace_require_column(t, TRACE_KERNELS, (enum trace_column)c, e) < 0)
			return -1;
	}
	return 0;
}

struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES])
{
	if (dimensions[0][kernel] == ID_NONE || dimensions[1][kernel] == ID_NONE ||
	    dimensions[2][kernel] == ID_NONE)
		return STR_LIT("");
	int len = snprintf(out, SHAPE_BYTES, "%4u %4u %4u", dimensions[0][kernel],
			   dimensions[1][kernel], dimensions[2][kernel]);

	return (struct str){out, (size_t)len};
}
