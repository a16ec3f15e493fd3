/* What did a GPU's counters show as time went on? */
#include "analysis/metrics/metric_bins.h"

#include "analysis/metrics/metric_sums.h"
#include "base/bisect.h"

#include <math.h>
#include <string.h>

/* Of its highest mean: a clock that differs by less stands still. */
static const double still = 0.01;

/* The sum of what each is made of; METRIC_KINDS: nothing more. */
static const struct {
	enum metric_kind kind, also;
} lanes[METRIC_LANES] = {
	[LANE_SMS] = {METRIC_SMS_ACTIVE, METRIC_KINDS},
	[LANE_TENSOR] = {METRIC_TENSOR, METRIC_KINDS},
	[LANE_DRAM] = {METRIC_DRAM_READ, METRIC_DRAM_WRITE},
	[LANE_PCIE_IN] = {METRIC_PCIE_RX, METRIC_KINDS},
	[LANE_PCIE_OUT] = {METRIC_PCIE_TX, METRIC_KINDS},
	[LANE_NVLINK_IN] = {METRIC_NVLINK_RX, METRIC_KINDS},
	[LANE_NVLINK_OUT] = {METRIC_NVLINK_TX, METRIC_KINDS},
	[LANE_CLOCK] = {METRIC_CLOCK, METRIC_KINDS},
};

static int64_t edge(struct span w, size_t i)
{
	const int64_t ns = sat_sub(w.end_ns, w.start_ns);
	const int64_t at = (int64_t)i;

	return w.start_ns + ns / METRIC_BINS * at + ns % METRIC_BINS * at / METRIC_BINS;
}

struct span metric_bin_span(const struct metric_bins *b, size_t bin)
{
	return (struct span){edge(b->window, bin), edge(b->window, bin + 1)};
}

double metric_bin_mean(const struct metric_bin *b)
{
	return b->ns > 0 ? b->sum / b->ns : NAN;
}

double metric_bin_max(const struct metric_bin *b)
{
	return b->ns > 0 ? b->max : NAN;
}

static double value_of(const struct measured_gpu *g, size_t sample, const size_t *columns,
		       enum metric_kind kind)
{
	return kind == METRIC_KINDS || columns[kind] == SIZE_MAX
		       ? NAN
		       : metric_sound(kind, gpu_metric(g, sample, columns[kind]));
}

static double lane_value(const struct measured_gpu *g, size_t sample, const size_t *columns,
			 enum metric_lane lane)
{
	const double one = value_of(g, sample, columns, lanes[lane].kind);
	const double more = value_of(g, sample, columns, lanes[lane].also);

	return isnan(more) ? one : isnan(one) ? more : one + more;
}

static void add_value(struct metric_bin *b, double value, int64_t ns)
{
	b->max = b->ns > 0 ? fmax(b->max, value) : value;
	b->ns += (double)ns;
	b->sum += value * (double)ns;
}

/* Samples come in order: `at` is the bin that the one before began in. */
static void add_sample(struct metric_bins *b, const double values[METRIC_LANES], struct span time,
		       size_t *at)
{
	while (*at + 1 < METRIC_BINS && edge(b->window, *at + 1) <= time.start_ns)
		++*at;
	for (size_t i = *at; i < METRIC_BINS; i++) {
		const struct span bin = metric_bin_span(b, i);
		const int64_t from = bin.start_ns > time.start_ns ? bin.start_ns : time.start_ns;
		const int64_t to = bin.end_ns < time.end_ns ? bin.end_ns : time.end_ns;

		if (bin.start_ns >= time.end_ns)
			return;
		for (int lane = 0; to > from && lane < METRIC_LANES; lane++) {
			if (isfinite(values[lane]))
				add_value(&b->bins[lane][i], values[lane], to - from);
		}
	}
}

void metric_bins_make(struct metric_bins *b, const struct measured_gpu *g, struct span window)
{
	size_t columns[METRIC_KINDS], at = 0;
	size_t i = BISECT(0, g->samples, k, g->at_ns[k] < window.start_ns);

	memset(b, 0, sizeof(*b));
	b->window = window;
	metric_columns(g, columns);
	for (i -= i > 0; i < g->samples && g->at_ns[i] < window.end_ns; i++) {
		struct span time = gpu_metric_span(g, i);
		double values[METRIC_LANES];

		if (time.start_ns < window.start_ns)
			time.start_ns = window.start_ns;
		for (int lane = 0; lane < METRIC_LANES; lane++)
			values[lane] = lane_value(g, i, columns, lane);
		add_sample(b, values, time, &at);
	}
}

bool metric_lane_is_shown(const struct metric_bins *b, enum metric_lane lane)
{
	double least = INFINITY, most = -INFINITY, highest = -INFINITY;

	for (size_t i = 0; i < METRIC_BINS; i++) {
		const struct metric_bin *bin = &b->bins[lane][i];

		if (bin->ns <= 0)
			continue;
		least = fmin(least, metric_bin_mean(bin));
		most = fmax(most, metric_bin_mean(bin));
		highest = fmax(highest, bin->max);
	}
	if (lane == LANE_CLOCK)
		return most - least > still * most;
	return lane < LANE_PCIE_IN ? most >= 0 : highest > 0;
}
