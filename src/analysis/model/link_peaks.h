/* What the links between the GPUs of a node carry at best, as NVIDIA publishes it. */
#ifndef ANALYSIS_LINK_PEAKS_H
#define ANALYSIS_LINK_PEAKS_H

#include "base/str.h"

/* NVLink of a GPU by the name that an export has, bytes a second each way; 0: not known. */
double nvlink_bytes_per_s(struct str gpu);

#endif
