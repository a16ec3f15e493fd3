/* The ceilings of the devices that were measured: at the highest clocks that any launch had. */
#ifndef ANALYSIS_ROOFLINE_DEVICES_H
#define ANALYSIS_ROOFLINE_DEVICES_H

#include "analysis/counters/ncu_study.h"

struct roof_device {
	struct str name;
	double peak_ops_per_s[NCU_PATHS]; /* NAN: unknown */
	double dram_bytes_per_s;
	bool shown[NCU_PATHS]; /* paths that kernels use, FP32, and the fastest of the tensor's */
};

struct roof_devices {
	struct roof_device *all;
	size_t count;
};

void roof_devices_find(struct roof_devices *d, const struct ncu_study *s);
void roof_devices_free(struct roof_devices *d);
void roof_devices_add_table(const struct roof_devices *d, struct report *r);
/* A chart of each device that has kernels with operations. */
void roof_devices_add_charts(const struct roof_devices *d, const struct ncu_study *s,
			     struct report *r);

#endif
