/* Rules about copies that the GPU does nothing beside. */
#include "analysis/findings/code_functions.h"
#include "base/mem.h"
#include "trace/system/labels.h"
#include "trace/system/machine.h"

#include <stdlib.h>

enum { PAGEABLE = 0 };
enum { SMALL_BYTES = 64 * 1024, BULK_BYTES = 1 << 20, MANY = 100 };
enum { LINK_FRACTION = 50 }; /* percent */

static const double near_link = 0.85; /* of the link: faster does not matter */

static bool is_pageable(const struct copy_time *c)
{
	return c->src_kind == PAGEABLE || c->dst_kind == PAGEABLE;
}

bool copies_are_small(const struct copy_time *c)
{
	return c->count >= MANY && c->bytes > 0 && c->bytes / (int64_t)c->count <= SMALL_BYTES;
}

/* Data, not a value that the program decides by. */
static bool is_bulk(const struct copy_time *c)
{
	return c->count && c->bytes / (int64_t)c->count >= BULK_BYTES;
}

/*
 * What large copies from pinned memory reach in bytes a second, by the PCIe generation that data
 * centre GPUs of a compute capability have; 0: nobody knows.
 */
static double usual_link(const struct gpu *gpu)
{
	static const double rates[] = {[6] = 12e9, [7] = 12e9, [8] = 24e9, [9] = 50e9, [10] = 50e9};

	return gpu && gpu->compute_major >= 0 && gpu->compute_major < (int64_t)ARRAY_LEN(rates)
		       ? rates[gpu->compute_major]
		       : 0;
}

/* Pinning makes nothing faster that is as fast as the link already. */
static bool is_at_link_speed(const struct explain *x, const struct copy_time *c)
{
	return x->link_bytes_per_s > 0 && c->total_ns > 0 &&
	       (double)c->bytes * 1e9 / (double)c->total_ns >= near_link * x->link_bytes_per_s;
}

/* Where most is lost at once. */
struct longest {
	const char *label;
	struct span time;
};

/* What one sort of copies costs. */
struct copy_cost {
	const struct copy_time *copies;
	const char *where;
	int64_t exposed_ns, gap_ns[COPY_GAPS];
	int64_t recoverable_ns;
	bool at_link_speed; /* pageable, and as fast as pinned */
	struct longest longest;
	struct code_choice calls;
};

static bool is_migration(const struct copy_time *c)
{
	return copy_moves_pages(c->copy_kind);
}

/* NVIDIA's words as part of a sentence: "host-to-device copies", "unified host-to-device …". */
static const char *called(struct explain *x, const struct copy_time *c)
{
	static const char head[] = "[CUDA memcpy ";
	struct str label = label_memcpy(c->copy_kind);
	char *words;

	if (c->copy_kind == ID_NONE || c->copy_kind == 0)
		return "copies of unknown direction";
	words = arena_printf(&x->report->arena, "%.*s %s", (int)(label.len - sizeof(head)),
			     label.s + sizeof(head) - 1, is_migration(c) ? "migrations" : "copies");
	for (char *s = words; *s; s++)
		*s = (char)(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
	return words;
}

/* Gaps beside copies are not kept apart by their sort: they are told of that which has most. */
static void add_code(struct explain *x, struct finding *f, const struct copy_cost *cost)
{
	struct time_total gaps;

	time_total_of_group(&gaps, &x->sums[SUM_CAUSES], CAUSE_COPY);
	if (gaps.rows && is_share(cost->gap_ns[GAP_IN_CALLS], gaps.total_ns, 0.5))
		explain_code_add(x, f, &gaps);
	time_total_free(&gaps);
}

/* Large copies from pinned memory reach nine tenths of what a link can do. */
static void add_link(struct explain *x, struct finding *f, const struct copy_time *c)
{
	const double pct = explain_add_link(x, f, c);

	if (pct < LINK_FRACTION && is_bulk(c) && !is_pageable(c))
		find_advice(f, "find out why the link is slow: the PCIe generation and width "
			       "(nvidia-smi -q, GPU Link Info), a host thread or memory on another "
			       "NUMA node, or another device behind the same switch");
}

/*
 * A copy call that copied nothing on its device leaves a gap that belongs to nobody: the largest
 * sort of copies has it.
 */
static bool has_unsorted(const struct explain *x, size_t sort)
{
	for (size_t i = 0; i < x->copy_count; i++) {
		if (x->copy_times[i].total_ns > x->copy_times[sort].total_ns ||
		    (x->copy_times[i].total_ns == x->copy_times[sort].total_ns && i < sort))
			return false;
	}
	return true;
}

static void add_group(struct longest_parts *to, const struct time_sums *sums, uint32_t group)
{
	struct time_total s;

	time_total_of_group(&s, sums, group);
	time_total_places(&s, to);
	time_total_free(&s);
}

/* The copies that nothing overlaps, and the gaps of their calls. */
static void add_places(const struct explain *x, struct finding *f, const struct copy_cost *cost)
{
	const uint32_t sort = (uint32_t)(cost->copies - x->copy_times);
	struct longest_parts all = {0};

	add_group(&all, &x->sums[SUM_COPIES], sort);
	for (int i = 0; i < COPY_GAPS; i++)
		add_group(&all, &x->sums[SUM_COPY_GAPS + i], sort);
	if (has_unsorted(x, sort))
		add_group(&all, &x->sums[SUM_COPY_GAPS + GAP_IN_CALLS], COPY_UNSORTED);
	find_places(f, &all);
	longest_parts_free(&all);
}

/* "Pageable to Device"; of pages that move the export has no kinds. */
static const char *memories(struct explain *x, const struct copy_time *c)
{
	const struct str src = label_memory_kind(c->src_kind), dst = label_memory_kind(c->dst_kind);

	if (is_migration(c))
		return c->copy_kind == COPY_PAGES_TO_HOST     ? "managed, device to host"
		       : c->copy_kind == COPY_PAGES_TO_DEVICE ? "managed, host to device"
							      : "managed";
	return arena_printf(&x->report->arena, "%.*s to %.*s", (int)src.len, src.s, (int)dst.len,
			    dst.s);
}

static void add_facts(struct explain *x, struct finding *f, const struct copy_cost *cost)
{
	const struct copy_time *c = cost->copies;
	struct time_total ranges;

	find_count(f, "copies", c->count);
	find_evidence(f, "bytes", UNIT_BYTES, cell_int(c->bytes));
	find_evidence(f, "memory", UNIT_NAME, cell_text(memories(x, c)));
	if (c->total_ns > 0)
		find_evidence(f, "throughput", UNIT_BYTES_PER_S,
			      cell_real((double)c->bytes * 1e9 / (double)c->total_ns));
	add_link(x, f, c);
	find_time(f, "exposed copy time", cost->exposed_ns);
	if (cost->gap_ns[GAP_IN_CALLS])
		find_time(f, "idle time in gaps that the copy calls cause",
			  cost->gap_ns[GAP_IN_CALLS]);
	if (cost->gap_ns[GAP_BETWEEN])
		find_time(f, "idle time between copies", cost->gap_ns[GAP_BETWEEN]);
	time_total_of_group(&ranges, &x->sums[SUM_COPIES], (uint32_t)(c - x->copy_times));
	explain_calls_add(x, f, &cost->calls, "copies", &ranges);
	time_total_free(&ranges);
	add_code(x, f, cost);
	add_places(x, f, cost);
	find_evidence_in(f, cost->longest.label, cost->longest.time);
	f->how = "time when the GPU ran nothing but these copies, plus the idle time their calls "
		 "caused; at most the host's waiting time";
}

static void find_small(struct explain *x, const struct copy_cost *cost)
{
	struct finding *f =
		find_lost(x, "small_copies", cost->recoverable_ns, "Many small %s%s, one at a time",
			  called(x, cost->copies), cost->where);

	if (!f)
		return;
	add_facts(x, f, cost);
	if (cost->gap_ns[GAP_BETWEEN])
		f->how = "time when the GPU ran nothing but these copies, at most the host's "
			 "waiting time, plus the idle time between copies";
	find_advice(f, "pack the values into one buffer and copy once");
	f->unless =
		"each copy depends on the one before, or the host does necessary work between them";
}

static void advise_regions(const struct explain *x, struct finding *f)
{
	if (x->program.offload)
		find_advice(f, "OpenACC and OpenMP: keep data on the GPU with data regions");
}

static void find_to_host(struct explain *x, const struct copy_cost *cost)
{
	struct finding *f = find_lost(x, "blocking_d2h", cost->recoverable_ns,
				      "Device-to-host copies%s block the host", cost->where);

	if (!f)
		return;
	/* What the link takes is there however the copy is made. */
	f->confidence = is_at_link_speed(x, cost->copies) ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	add_facts(x, f, cost);
	if (is_bulk(cost->copies))
		find_advice(f, "copy only what the host needs, and once it is complete; compute "
			       "the rest on the GPU");
	else
		find_advice_for(x, f, "compute on the GPU and copy only the result, every N steps",
				"compute on the GPU and copy only the result; test for convergence "
				"every N rounds, not every one");
	find_advice_for(x, f,
			"copy to pinned memory with non_blocking=True on a separate stream, and "
			"read the values one step later",
			"copy to pinned memory (cudaHostAlloc) with cudaMemcpyAsync on a separate "
			"stream, and read the values later");
	advise_regions(x, f);
	f->unless = "the program needs every value on the host immediately";
}

static void find_to_device(struct explain *x, const struct copy_cost *cost)
{
	const struct copy_time *c = cost->copies;
	struct finding *f;

	if (is_pageable(c))
		f = find_lost(x, "pageable_h2d", cost->recoverable_ns,
			      "The GPU waits for host-to-device copies%s from pageable memory",
			      cost->where);
	else
		f = find_lost(x, "exposed_copy", cost->recoverable_ns,
			      "Exposed %s%s: no other GPU work overlaps them", called(x, c),
			      cost->where);
	if (!f)
		return;
	add_facts(x, f, cost);
	if (cost->at_link_speed) {
		f->how = "the idle time that the calls of these copies cause: the copies "
			 "themselves run at the link's speed, and pinned memory makes them no "
			 "faster";
		find_advice(f, "send less, or overlap the copies with work on the GPU: from pinned "
			       "memory, on a separate stream, for the next step");
	} else if (is_pageable(c)) {
		f->confidence = CONFIDENCE_HIGH;
		find_advice_for(x, f,
				"pin the memory (pin_memory=True in the DataLoader, or "
				"tensor.pin_memory()) and copy with non_blocking=True",
				"pin the memory (cudaHostAlloc, cudaHostRegister, or what your "
				"language has for it) and copy with cudaMemcpyAsync");
		advise_regions(x, f);
	}
	if (is_migration(c)) {
		find_advice(f, "prefetch the pages (cudaMemPrefetchAsync), or use device memory "
			       "and explicit copies");
		f->unless = "the pages are touched once and never again";
		return;
	}
	if (c->copy_kind != COPY_HOST_TO_DEVICE) {
		find_advice(f, "copy less: reuse buffers, write results where they are needed, or "
			       "fuse the copy into a kernel");
		f->unless = "the copies are needed and nothing else could run in the meantime";
		return;
	}
	find_advice_for(x, f,
			"copy the next step's input on a separate stream while this step computes",
			"copy the next input on a separate stream while the GPU works on this one");
	f->unless = "the copies are the work itself, as in loading a model";
}

static int64_t unsorted_gap_ns(const struct explain *x, size_t sort)
{
	return has_unsorted(x, sort) ? time_sums_group(&x->sums[SUM_COPY_GAPS + GAP_IN_CALLS],
						       COPY_UNSORTED, NULL)
				     : 0;
}

static struct code_choice calls_of_sort(const struct explain *x, size_t sort)
{
	const uint32_t own = CALLS_COPIES + (uint32_t)sort;
	struct code_choice calls = calls_of_causes(x, own, own);

	if (has_unsorted(x, sort))
		calls.also = CALLS_LAST;
	return calls;
}

/* The longest piece, which is a copy or a gap; `best` where there is none that is longer. */
static struct longest longer(const struct time_total *s, const char *label, struct longest best)
{
	struct longest_parts all = {0};
	struct span time;

	time_total_places(s, &all);
	time = longest_parts_list(&all).longest.time;
	longest_parts_free(&all);
	return span_ns(time) > span_ns(best.time) ? (struct longest){label, time} : best;
}

/* A range launches a copy that may go on after it: only where the host waits is the range as long.
 */
static const char *launched_where(struct explain *x, const struct copy_cost *cost,
				  const struct time_total *s)
{
	const struct copy_time *c = cost->copies;
	const char *line = explain_calls_where(x, &cost->calls);
	const char *where = line ? line : s->rows ? find_where(x, s) : "";
	const bool waited_for = c->copy_kind == COPY_DEVICE_TO_HOST && is_pageable(c);

	if (!*where || waited_for || is_migration(c))
		return where;
	return arena_printf(&x->report->arena, " launched%s", where);
}

/* Between copies the host's own time is lost, however little of it is a wait. */
static struct copy_cost cost_of(struct explain *x, size_t sort)
{
	struct copy_cost cost = {.copies = &x->copy_times[sort]};
	const uint32_t group = (uint32_t)sort;
	struct time_total s;

	time_total_of_group(&s, &x->sums[SUM_COPIES], group);
	cost.exposed_ns = time_total_worst(&s);
	cost.longest = longer(&s, "longest copy", cost.longest);
	cost.calls = calls_of_sort(x, sort);
	cost.where = launched_where(x, &cost, &s);
	time_total_free(&s);
	for (int i = 0; i < COPY_GAPS; i++) {
		time_total_of_group(&s, &x->sums[SUM_COPY_GAPS + i], group);
		cost.gap_ns[i] = time_total_worst(&s);
		cost.longest = longer(&s, "longest gap", cost.longest);
		time_total_free(&s);
	}
	cost.gap_ns[GAP_IN_CALLS] = sat_add(cost.gap_ns[GAP_IN_CALLS], unsorted_gap_ns(x, sort));
	cost.at_link_speed = cost.copies->copy_kind == COPY_HOST_TO_DEVICE &&
			     is_pageable(cost.copies) && is_at_link_speed(x, cost.copies);
	cost.recoverable_ns =
		sat_add(find_within_waits(x, sat_add(cost.at_link_speed ? 0 : cost.exposed_ns,
						     cost.gap_ns[GAP_IN_CALLS])),
			cost.gap_ns[GAP_BETWEEN]);
	return cost;
}

static void find_sort(struct explain *x, size_t sort)
{
	const struct copy_cost cost = cost_of(x, sort);
	const struct copy_time *c = cost.copies;
	bool waits =
		c->copy_kind == COPY_DEVICE_TO_HOST && cost.gap_ns[GAP_IN_CALLS] > cost.exposed_ns;
	/* From pinned memory a copy is the GPU's alone, unless somebody waits in its call. */
	bool blocks = is_pageable(c) || is_share(cost.gap_ns[GAP_IN_CALLS], cost.exposed_ns, 0.1);

	/* Of a copy that the host waits for, the wait is the cost and not the size. */
	if (!waits && c->one_by_one)
		find_small(x, &cost);
	else if (c->copy_kind == COPY_DEVICE_TO_HOST && blocks)
		find_to_host(x, &cost);
	else
		find_to_device(x, &cost);
}

static int64_t copied_ns(const struct explain *x, size_t device)
{
	int64_t ns = 0;

	for (size_t i = 0; i < x->sums[SUM_COPIES].count; i++)
		ns = sat_add(
			ns,
			x->sums[SUM_COPIES].device_ns[i * x->sums[SUM_COPIES].devices + device]);
	return ns;
}

/* Exposed time of copies and sets, less that of copies: of the device where most is left. */
static int64_t exposed_set_ns(const struct explain *x)
{
	int64_t most_ns = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		int64_t ns = x->timeline.devices[d].ns[SLICE_COPY] - copied_ns(x, d);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

static const char *range_of_set(struct explain *x, uint64_t row)
{
	const struct attribution *a = &x->judge.attribution;
	uint32_t range = x->judge.joined ? attribution_range(a, TRACE_MEMSETS, row) : RANGE_NONE;
	uint32_t name = range == RANGE_NONE
				? NAME_NONE
				: x->trace->events[TRACE_NVTX].name[a->forest.ranges[range].row];

	return find_range(x, name == NAME_NONE ? NAME_NONE : x->folded[name]);
}

static void find_sets(struct explain *x)
{
	struct ops_found sets = explain_find_ops(x, TRACE_MEMSETS, NAME_NONE, NULL);
	int64_t ns = exposed_set_ns(x);
	const char *where;
	struct finding *f;

	if (!sets.count)
		return;
	where = range_of_set(x, sets.longest_row);
	f = find_lost(x, "exposed_memset", find_within_waits(x, ns),
		      "Exposed memsets: no other GPU work overlaps them%s%s",
		      *where ? ", the longest is launched" : "", where);
	if (!f)
		return;
	f->how = "time when the worst-affected GPU ran nothing but memsets; at most the host's "
		 "waiting time";
	find_ops(x, f, TRACE_MEMSETS, NAME_NONE);
	find_count(f, "memsets", sets.count);
	find_time(f, "exposed memset time", ns);
	find_evidence_at(f, "longest memset", sets.longest_ns, sets.longest_at_ns);
	find_advice_for(
		x, f,
		"clear less: buffers that are overwritten anyway need no zeros (torch.empty "
		"instead of torch.zeros, zero_grad(set_to_none=True))",
		"clear less: buffers that are overwritten anyway need no zeros");
	find_advice(f, "or let the first kernel that writes the buffer initialise it, or run the "
		       "memset on a separate stream while the GPU computes");
	f->unless = "all the zeros are read, and nothing else could run in the meantime";
}

/* Exposed copies of one sort on a device. */
static int64_t copied_of_sort(const struct explain *x, size_t sort, size_t device)
{
	const struct time_sums *s = &x->sums[SUM_COPIES];
	int64_t ns = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->rows[i].group == sort)
			ns = sat_add(ns, s->device_ns[i * s->devices + device]);
	}
	return ns;
}

/* All of the GPU that copies most: parts of one sum. */
static void add_copied(struct explain *x, struct finding *f, size_t device, int64_t exposed_ns)
{
	const char *where = x->timeline.count > 1 ? " on that GPU" : "";
	const struct code_choice calls = calls_of_causes(x, CALLS_COPIES, CALLS_LAST);

	find_time(f, where[0] ? "exposed copy time on the worst-affected GPU" : "exposed copy time",
		  exposed_ns);
	find_time(f, arena_printf(&x->report->arena, "total copy time%s", where),
		  x->timeline.devices[device].copy_ns);
	for (size_t i = 0; i < x->copy_count; i++) {
		const struct copy_time *c = &x->copy_times[i];
		const struct str src = label_memory_kind(c->src_kind);
		const int64_t ns = copied_of_sort(x, i, device);

		if (is_share(ns, exposed_ns, 0.1))
			find_time(f,
				  arena_printf(&x->report->arena, "exposed %s%s, %.*s",
					       called(x, c), where, (int)src.len, src.s),
				  ns);
	}
	explain_calls_add(x, f, &calls, "copies", NULL);
}

/* The sort that nothing overlaps for longest, on that GPU. */
static const struct copy_time *chief_sort(const struct explain *x, size_t device)
{
	size_t best = 0;

	for (size_t i = 1; i < x->copy_count; i++)
		best = copied_of_sort(x, i, device) > copied_of_sort(x, best, device) ? i : best;
	return &x->copy_times[best];
}

static void add_chief(const struct explain *x, struct finding *f, const struct copy_time *c)
{
	find_count(f,
		   x->timeline.count > 1 ? "copies of the largest sort, on all GPUs"
					 : "copies of the largest sort",
		   c->count);
	find_evidence(f, "their bytes", UNIT_BYTES, cell_int(c->bytes));
	if (c->total_ns > 0)
		find_evidence(f, "their throughput", UNIT_BYTES_PER_S,
			      cell_real((double)c->bytes * 1e9 / (double)c->total_ns));
}

/* Weights that do not stay on the GPU, by the range that copies them. */
static bool is_offload(const char *range)
{
	static const char *const words[] = {"FSDP", "ffload", "PartitionedParameterCoordinator"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strstr(range, words[i]))
			return true;
	}
	return false;
}

/* PyTorch's operators copy for somebody: the range around them is the program's. */
static uint32_t program_range(const struct explain *x, uint32_t range)
{
	const struct range_forest *forest = &x->judge.attribution.forest;
	uint32_t name = explain_folded_range(x, range);

	while (range != RANGE_NONE && name != NAME_NONE &&
	       str_starts(x->folded_names.items[name], "aten::")) {
		range = forest->ranges[range].parent;
		name = explain_folded_range(x, range);
	}
	return name;
}

/* Which range launches most of the copies whose launch is known, where one does. */
static const char *copied_where(struct explain *x)
{
	const uint64_t count = x->trace->events[TRACE_MEMCPYS].count;
	int64_t *ns = mem_zalloc(x->folded_names.count + 1, sizeof(*ns)), all_ns = 0;
	size_t best = x->folded_names.count;

	for (uint64_t i = 0; x->judge.joined && i < count; i++) {
		const int64_t one_ns = explain_op_ns(x, TRACE_MEMCPYS, i);
		const size_t at =
			explain_place(x, program_range(x, attribution_range(&x->judge.attribution,
									    TRACE_MEMCPYS, i)));

		if (at == x->folded_names.count)
			continue;
		ns[at] = sat_add(ns[at], one_ns);
		all_ns = sat_add(all_ns, one_ns);
		best = ns[at] > ns[best] ? at : best;
	}
	all_ns = best < x->folded_names.count && is_share(ns[best], all_ns, 0.5) ? all_ns : 0;
	free(ns);
	return all_ns ? arena_printf(&x->report->arena, ", mostly for%s",
				     find_range(x, (uint32_t)best) + strlen(" in"))
		      : "";
}

/* Most of the time is copying: then it is the run's nature, whatever each copy could do better. */
static bool find_copy_bound(struct explain *x)
{
	const char *where = copied_where(x);
	const struct copy_time *chief;
	int64_t exposed_ns = 0;
	size_t worst = 0;
	struct finding *f;

	for (size_t d = 0; d < x->timeline.count; d++) {
		if (copied_ns(x, d) > exposed_ns) {
			exposed_ns = copied_ns(x, d);
			worst = d;
		}
	}
	if (!is_share(exposed_ns, x->window_ns, 0.8))
		return false;
	f = find_lost(x, "copy_bound", find_within_waits(x, exposed_ns),
		      "Copy-bound: the GPU spends its time copying, not computing%s", where);
	if (!f)
		return false;
	f->how = "time when the GPU ran nothing but copies; how much of it can be overlapped or "
		 "saved depends on the program";
	f->confidence = CONFIDENCE_LOW;
	add_copied(x, f, worst, exposed_ns);
	chief = chief_sort(x, worst);
	add_chief(x, f, chief);
	if (chief->copy_kind == COPY_HOST_TO_DEVICE && is_offload(where))
		find_advice(f, "the weights come from the host's memory at each use: turn offload "
			       "off (FSDP: CPUOffload(offload_params=False); DeepSpeed: "
			       "offload_param), and shard over more GPUs where they do not fit");
	find_advice(f, "keep data on the GPU instead of copying it repeatedly; copy less, or use "
		       "smaller types");
	find_advice(
		f, "copy the next chunk from pinned memory while the GPU works on the current one");
	f->unless = "the capture shows a model being loaded";
	return true;
}

static int find_link(struct explain *x, struct err *e)
{
	struct machine machine;

	if (!x->copy_count || !x->timeline.count)
		return 0;
	if (machine_read(x->trace, &machine, e) < 0)
		return -1;
	x->link_bytes_per_s = usual_link(machine_gpu(&machine, 0, x->timeline.devices[0].device));
	return 0;
}

int explain_copies(struct explain *x, struct err *e)
{
	bool bound;

	if (find_link(x, e) < 0)
		return -1;
	bound = find_copy_bound(x);
	for (size_t i = 0; !bound && i < x->copy_count; i++)
		find_sort(x, i);
	find_sets(x);
	return 0;
}
