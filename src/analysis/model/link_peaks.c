/* How fast can GPUs of a node talk to each other at best? */
#include "analysis/model/link_peaks.h"

#include "analysis/model/gpu_peaks.h"
#include "base/mem.h"

#define LINK(names, gb_per_s, source) {names, gb_per_s},
static const struct {
	const char *names;
	double gb_per_s;
} peaks[] = {
#include "analysis/model/link_peaks.def"
};
#undef LINK

double nvlink_bytes_per_s(struct str gpu)
{
	for (size_t i = 0; i < ARRAY_LEN(peaks); i++) {
		if (gpu_is_one_of(gpu, peaks[i].names))
			return 1e9 * peaks[i].gb_per_s;
	}
	return 0;
}
