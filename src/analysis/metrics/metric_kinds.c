/* Counters by their names, and what they say together. */
#include "analysis/metrics/metric_kinds.h"

#include "base/mem.h"

#include <math.h>

/* All parts are in the name of the counter; the first row that fits. */
static const struct {
	const char *part, *also;
	enum metric_kind kind;
} names[] = {
	{"GPC Clock", NULL, METRIC_CLOCK},
	{"GR Active", NULL, METRIC_GR_ACTIVE},
	{"SMs Active", NULL, METRIC_SMS_ACTIVE},
	{"SM Active", NULL, METRIC_SMS_ACTIVE},
	{"SM Issue", NULL, METRIC_ISSUE},
	{"Tensor Active", NULL, METRIC_TENSOR},
	{"Tensor Core", "Active", METRIC_TENSOR},
	{"Tensor Pipe", NULL, METRIC_TENSOR},
	{"Compute Warps in Flight", NULL, METRIC_WARPS},
	{"CS Warps in Flight", NULL, METRIC_WARPS},
	{"DRAM", "Read", METRIC_DRAM_READ},
	{"VRAM", "Read", METRIC_DRAM_READ},
	{"DRAM", "Write", METRIC_DRAM_WRITE},
	{"VRAM", "Write", METRIC_DRAM_WRITE},
	{"PCIe RX", NULL, METRIC_PCIE_RX},
	{"PCIe Read", NULL, METRIC_PCIE_RX},
	{"PCIe TX", NULL, METRIC_PCIE_TX},
	{"PCIe Write", NULL, METRIC_PCIE_TX},
	{"NVLink RX", NULL, METRIC_NVLINK_RX},
	{"NVLink", "Received", METRIC_NVLINK_RX},
	{"NVLink TX", NULL, METRIC_NVLINK_TX},
	{"NVLink", "Transmitted", METRIC_NVLINK_TX},
};

/* "[Avg Warps per Cycle]", "[Bytes]": another unit than percent. */
static bool is_share_of_peak(struct str name)
{
	return !str_holds(name, "[") || str_holds(name, "%]");
}

enum metric_kind metric_kind(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!str_holds(name, names[i].part) ||
		    (names[i].also && !str_holds(name, names[i].also)))
			continue;
		return names[i].kind == METRIC_CLOCK || is_share_of_peak(name) ? names[i].kind
									       : METRIC_KINDS;
	}
	return METRIC_KINDS;
}

/* Shares are measured a little late or early: some are above all that is possible. */
double metric_sound(enum metric_kind kind, double value)
{
	const double most = kind < METRIC_SHARES ? 120 : kind == METRIC_CLOCK ? 1e5 : INFINITY;

	return kind == METRIC_KINDS || (value >= 0 && value <= most) ? value : NAN;
}

double metric_dram(const double average[METRIC_KINDS])
{
	const double read = average[METRIC_DRAM_READ], write = average[METRIC_DRAM_WRITE];

	return isnan(read) ? write : isnan(write) ? read : read + write;
}

const char *const metric_bound_names[] = {
	[BOUND_TENSOR] = "tensor",   [BOUND_DRAM] = "dram",	[BOUND_ISSUE] = "issue",
	[BOUND_PCIE] = "pcie",	     [BOUND_NVLINK] = "nvlink", [BOUND_FEW_SMS] = "few_sms",
	[BOUND_LATENCY] = "latency", [BOUND_IDLE] = "idle",	[BOUND_UNKNOWN] = "cannot_tell",
};

static double known(const double *average, enum metric_kind kind)
{
	return isnan(average[kind]) ? 0 : average[kind];
}

/* Of both directions the busier: each has its own wires. */
static double busier(const double *average, enum metric_kind a, enum metric_kind b)
{
	return fmax(known(average, a), known(average, b));
}

/*
 * Percent of what is possible: kernels that are limited by a unit reach three fifths of it or more.
 * Where few SMs compute, and a link is at work, it is a copy that takes the time.
 */
enum metric_bound metric_bound(const double average[METRIC_KINDS])
{
	const double at_limit = 60, few = 50;
	const double dram = metric_dram(average);
	const double pcie = busier(average, METRIC_PCIE_RX, METRIC_PCIE_TX);
	const double nvlink = busier(average, METRIC_NVLINK_RX, METRIC_NVLINK_TX);
	const double sms = average[METRIC_SMS_ACTIVE];

	if (isnan(sms))
		return BOUND_UNKNOWN;
	if (known(average, METRIC_TENSOR) >= at_limit)
		return BOUND_TENSOR;
	if (dram >= at_limit)
		return BOUND_DRAM;
	if (known(average, METRIC_ISSUE) >= at_limit)
		return BOUND_ISSUE;
	if (pcie >= at_limit || (sms < few && pcie >= few))
		return BOUND_PCIE;
	if (nvlink >= at_limit || (sms < few && nvlink >= few))
		return BOUND_NVLINK;
	if (known(average, METRIC_GR_ACTIVE) < few && sms < few)
		return BOUND_IDLE;
	if (sms < few)
		return BOUND_FEW_SMS;
	/* That nothing is at its limit can be said of what was measured. */
	return isnan(average[METRIC_ISSUE]) || isnan(average[METRIC_DRAM_READ]) ||
			       isnan(average[METRIC_DRAM_WRITE])
		       ? BOUND_UNKNOWN
		       : BOUND_LATENCY;
}
