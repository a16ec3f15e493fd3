/* What did each GPU measure of itself, and when? */
#include "timeline/counters.h"

#include "analysis/metrics/metric_sums.h"
#include "base/mem.h"
#include "timeline/track_set.h"

#include <math.h>
#include <stdlib.h>

/* Those of one thing have the colour that ops of it have. */
static const struct {
	const char *label;
	uint8_t class;
} looks[METRIC_KINDS] = {
	[METRIC_GR_ACTIVE] = {"active", LOOK_COMPUTE},
	[METRIC_SMS_ACTIVE] = {"SMs active", LOOK_COMPUTE},
	[METRIC_ISSUE] = {"SM issue", LOOK_COMPUTE},
	[METRIC_TENSOR] = {"tensor active", LOOK_MATRIX},
	[METRIC_WARPS] = {"warps", LOOK_COMPUTE},
	[METRIC_DRAM_READ] = {"DRAM read", LOOK_SET},
	[METRIC_DRAM_WRITE] = {"DRAM write", LOOK_SET},
	[METRIC_PCIE_RX] = {"PCIe RX", LOOK_COPY},
	[METRIC_PCIE_TX] = {"PCIe TX", LOOK_COPY},
	[METRIC_NVLINK_RX] = {"NVLink RX", LOOK_COMM},
	[METRIC_NVLINK_TX] = {"NVLink TX", LOOK_COMM},
	[METRIC_CLOCK] = {"clock", LOOK_GRAPH},
};

static double value_of(const struct value_source *self, uint32_t id)
{
	const struct counter *c = (const struct counter *)self;

	return gpu_metric(c->gpu, id, c->metric);
}

static void read_samples(const struct lane_source *self, const uint32_t *ids, size_t count,
			 struct lane_event *ret)
{
	const struct counter *c = (const struct counter *)self;

	for (size_t i = 0; i < count; i++) {
		const struct span s = gpu_metric_span(c->gpu, ids[i]);

		ret[i] = (struct lane_event){s.start_ns, s.end_ns, ids[i], looks[c->kind].class};
	}
}

/* Samples without a value, or with one that no such counter can have, are no events. */
static void list_samples(struct counter *c)
{
	double most = 0;

	c->ids = mem_alloc(c->gpu->samples, sizeof(*c->ids));
	for (size_t i = 0; i < c->gpu->samples; i++) {
		const double value = metric_sound(c->kind, gpu_metric(c->gpu, i, c->metric));

		if (isnan(value))
			continue;
		c->ids[c->count++] = (uint32_t)i;
		most = value > most ? value : most;
	}
	c->base.full = c->base.unit == VALUE_PERCENT ? 100 : most;
	if (c->count == c->gpu->samples) {
		free(c->ids);
		c->ids = NULL;
	}
}

static void list_counters(struct counters *to, const struct measured_gpu *gpu)
{
	size_t columns[METRIC_KINDS];

	metric_columns(gpu, columns);
	for (int kind = 0; kind < METRIC_KINDS; kind++) {
		struct counter c = {
			.base = {.base = {.read = read_samples},
				 .value = value_of,
				 .unit = kind == METRIC_CLOCK ? VALUE_MHZ : VALUE_PERCENT},
			.gpu = gpu,
			.kind = (enum metric_kind)kind,
			.metric = columns[kind]};

		if (columns[kind] == SIZE_MAX || gpu->samples > UINT32_MAX)
			continue;
		list_samples(&c);
		if (!c.count)
			continue;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = c;
	}
}

/* The first of a GPU says whose they are. */
static void add_counter(struct track_part *r, size_t number, uint32_t device)
{
	struct counter *c = &r->counters.all[number];
	const bool is_first = !number || c[-1].gpu != c->gpu;
	const char *label = looks[c->kind].label;

	track_part_insert(r, track_part_end(r),
			  (struct track){.kind = TRACK_COUNTER,
					 .label = is_first ? arena_printf(&r->arena, "GPU %u %s",
									  device, label)
							   : label,
					 .process = ID_NONE,
					 .device = device,
					 .thread = ID_NONE,
					 .depth = !is_first,
					 .source = number,
					 .values = &c->base});
}

/* GPUs that nothing ran on have no tracks, and get none. */
static void add_tracks(struct track_part *r, const struct machine *m, const struct device_map *map)
{
	for (size_t i = 0; i < r->counters.count; i++) {
		const uint32_t device = gpu_metrics_device(m, map, r->counters.all[i].gpu->gpu);

		size_t ignored;

		if (track_part_find_gpu(r, device, &ignored))
			add_counter(r, i, device);
	}
}

int track_part_add_counters(struct track_part *r, struct err *e)
{
	struct device_map map = {0};
	struct machine machine;
	int result;

	if (gpu_metrics_read(r->trace, &r->counters.metrics, e) < 0)
		return err_forgive_absent(e);
	if (!r->counters.metrics.count)
		return 0;
	if (machine_read(r->trace, &machine, e) < 0)
		return -1;
	result = device_map_read(r->trace, &map, e);
	for (size_t i = 0; result == 0 && i < r->counters.metrics.count; i++)
		list_counters(&r->counters, &r->counters.metrics.gpus[i]);
	if (result == 0)
		add_tracks(r, &machine, &map);
	device_map_free(&map);
	return result;
}

void counters_free(struct counters *c)
{
	for (size_t i = 0; i < c->count; i++) {
		values_free(&c->all[i].base);
		free(c->all[i].ids);
	}
	free(c->all);
	gpu_metrics_free(&c->metrics);
	*c = (struct counters){0};
}
