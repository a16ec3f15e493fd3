/* Does any text whatever make the reader of Nsight Compute's CSVs crash, hang or eat memory? */
#include "ncu/ncu.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read twice, as the pages of one profile are: launches must not double without end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size};
	struct ncu_report r = {0};
	struct err e = {0};

	for (int i = 0; i < 2; i++) {
		size_t before = r.count;

		if (ncu_read_text(&r, text, "x.csv", &e) < 0 &&
		    (!e.message[0] || e.code != ERR_INPUT))
			abort();
		if (i && r.count > 2 * before)
			abort();
	}
	ncu_free(&r);
	return 0;
}
