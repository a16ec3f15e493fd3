/* nsys: when did each kernel and memory operation run, where, and how large was it? */
#include "analysis/cell_values.h"
#include "analysis/kernel_names.h"
#include "analysis/nsys/nsys_report.h"
#include "base/buf.h"
#include "base/mem.h"
#include "trace/system/labels.h"
#include "trace/system/machine.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"start_ns", "Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"duration_ns", "Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"correlation_id", "CorrId", UNIT_ID, 0, "corr:", SHOW},
	{"grid_x", "GrdX", UNIT_ID, 0, NULL, SHOW},
	{"grid_y", "GrdY", UNIT_ID, 0, NULL, SHOW},
	{"grid_z", "GrdZ", UNIT_ID, 0, NULL, SHOW},
	{"block_x", "BlkX", UNIT_ID, 0, NULL, SHOW},
	{"block_y", "BlkY", UNIT_ID, 0, NULL, SHOW},
	{"block_z", "BlkZ", UNIT_ID, 0, NULL, SHOW},
	{"registers_per_thread", "Reg/Trd", UNIT_ID, 0, NULL, SHOW},
	{"static_smem_mb", "StcSMem (MB)", UNIT_RATIO, 3, NULL, SHOW},
	{"dynamic_smem_mb", "DymSMem (MB)", UNIT_RATIO, 3, NULL, SHOW},
	{"bytes_mb", "Bytes (MB)", UNIT_RATIO, 3, NULL, SHOW},
	{"throughput_mb_per_s", "Throughput (MB/s)", UNIT_RATIO, 3, NULL, SHOW},
	{"src_memory_kind", "SrcMemKd", UNIT_NAME, 0, NULL, SHOW},
	{"dst_memory_kind", "DstMemKd", UNIT_NAME, 0, NULL, SHOW},
	{"device", "Device", UNIT_NAME, 0, "", SHOW},
	{"context", "Ctx", UNIT_ID, 0, "ctx:", SHOW},
	{"green_context", "GreenCtx", UNIT_ID, 0, NULL, SHOW},
	{"stream", "Strm", UNIT_ID, 0, "stream:", SHOW},
	{"name", "Name", UNIT_KERNEL, 0, NULL, SHOW},
};

static const enum trace_kind kinds[] = {TRACE_KERNELS, TRACE_MEMCPYS, TRACE_MEMSETS};

enum { KINDS = ARRAY_LEN(kinds) };

/* The rows of the three tables one after another, then sorted by time. */
struct listing {
	struct trace *trace;
	struct machine machine;
	struct kernel_names names;
	uint64_t begin[KINDS + 1];
	uint32_t *order;
	struct idmap label_of; /* process << 32 | device → label */
	struct strtab labels;
};

static struct cell column_cell(const uint32_t *column, uint64_t i)
{
	return column ? id_cell(column[i]) : cell_null();
}

static struct cell mb_cell(const uint32_t *column, uint64_t i)
{
	return column && column[i] != ID_NONE ? cell_real(column[i] / 1e6) : cell_null();
}

static struct cell *add_kernel_cells(const struct events *ev, uint64_t i, struct cell *out)
{
	for (int d = 0; d < 3; d++)
		*out++ = column_cell(ev->grid[d], i);
	for (int d = 0; d < 3; d++)
		*out++ = column_cell(ev->block[d], i);
	*out++ = column_cell(ev->registers, i);
	*out++ = mb_cell(ev->static_smem_bytes, i);
	*out++ = mb_cell(ev->dynamic_smem_bytes, i);
	for (int c = 0; c < 4; c++)
		*out++ = cell_null();
	return out;
}

/*
 * NVIDIA multiplies the bytes by 1 s ÷ duration in whole numbers: up to half too low for copies of
 * over half a second, 0 for those of over one. This report prints its text; `gpuwhy memory` has
 * the exact throughput.
 */
static struct cell throughput_cell(int64_t bytes, int64_t duration_ns)
{
	__int128 whole_per_s = duration_ns > 0 ? 1000000000 / duration_ns : 0;

	return duration_ns > 0 ? cell_real((double)(bytes * whole_per_s) / 1e6) : cell_null();
}

static struct cell kind_cell(const uint32_t *column, uint64_t i)
{
	return cell_str(label_memory_kind(column ? column[i] : ID_NONE));
}

static struct cell *add_memory_cells(const struct events *ev, uint64_t i, struct cell *out)
{
	bool has_bytes = ev->bytes && ev->bytes[i] != INT_NONE;

	for (int c = 0; c < 9; c++)
		*out++ = cell_null();
	*out++ = has_bytes ? cell_real((double)ev->bytes[i] / 1e6) : cell_null();
	*out++ = has_bytes ? throughput_cell(ev->bytes[i], ev->duration_ns[i]) : cell_null();
	*out++ = kind_cell(ev->src_kind, i);
	*out++ = kind_cell(ev->dst_kind, i);
	return out;
}

/* "NVIDIA H200 (0)": few distinct ones, asked for by millions of rows. */
static uint32_t device_label(struct listing *l, uint32_t process, uint32_t device)
{
	uint64_t key = (uint64_t)process << 32 | device;
	uint32_t known = idmap_get(&l->label_of, key);
	const struct gpu *gpu;
	struct buf b = {0};

	if (known != IDMAP_NONE)
		return known;
	gpu = machine_gpu(&l->machine,
			  process == ID_NONE ? 0 : l->trace->process_keys.keys[process], device);
	if (gpu)
		buf_addstr(&b, gpu->name);
	if (device != ID_NONE)
		buf_addf(&b, "%s(%u)", gpu ? " " : "", device);
	trace_lock(l->trace);
	known = strtab_add(&l->labels, arena_str(&l->trace->arena, buf_str(&b)));
	trace_unlock(l->trace);
	buf_free(&b);
	return idmap_add(&l->label_of, key, known);
}

static struct cell device_cell(struct listing *l, const struct events *ev, uint64_t i)
{
	uint32_t label = device_label(l, ev->process ? ev->process[i] : ID_NONE,
				      ev->device ? ev->device[i] : ID_NONE);

	return cell_str(l->labels.items[label]);
}

static struct cell name_cell(const struct listing *l, int kind, const struct events *ev, uint64_t i)
{
	if (kinds[kind] == TRACE_KERNELS)
		return cell_str(trace_name(l->trace, l->names.of_kernel[i]));
	return cell_str(kinds[kind] == TRACE_MEMCPYS ? label_memcpy(ev->copy_kind[i])
						     : LABEL_MEMSET);
}

static void make_row(const void *ctx, uint64_t index, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	uint64_t at = l->order[index], i;
	const struct events *ev;
	int kind = 0;

	while (kind + 1 < KINDS && at >= l->begin[kind + 1])
		kind++;
	ev = &l->trace->events[kinds[kind]];
	i = at - l->begin[kind];
	*out++ = cell_int(ev->start_ns[i]);
	*out++ = duration_cell(ev->duration_ns[i]);
	*out++ = column_cell(ev->correlation, i);
	out = kinds[kind] == TRACE_KERNELS ? add_kernel_cells(ev, i, out)
					   : add_memory_cells(ev, i, out);
	*out++ = device_cell(l, ev, i);
	*out++ = column_cell(ev->context, i);
	/* 0 is the whole GPU: no green context. */
	*out++ = ev->green_context && ev->green_context[i] ? column_cell(ev->green_context, i)
							   : cell_null();
	*out++ = column_cell(ev->stream, i);
	*out++ = name_cell(l, kind, ev, i);
}

/* The rows of one kind in order of time: nearly always as they lie, and then without an index. */
struct stream {
	const int64_t *start_ns;
	uint32_t *order; /* NULL: as they lie */
	uint64_t count, next;
};

static uint64_t stream_row(const struct stream *s)
{
	return s->order ? s->order[s->next] : s->next;
}

static int64_t stream_start(const struct stream *s)
{
	return s->start_ns[stream_row(s)];
}

/* The kind whose next row comes first; of equals, the first kind. */
static int earliest(const struct stream *streams)
{
	int first = -1;

	for (int k = 0; k < KINDS; k++) {
		if (streams[k].next < streams[k].count &&
		    (first < 0 || stream_start(&streams[k]) < stream_start(&streams[first])))
			first = k;
	}
	return first;
}

static void order_by_start(struct listing *l)
{
	struct stream streams[KINDS];
	uint64_t n = l->begin[KINDS];

	for (int k = 0; k < KINDS; k++) {
		const struct events *ev = &l->trace->events[kinds[k]];

		streams[k] = (struct stream){.start_ns = ev->start_ns,
					     .order = order_unless_sorted(ev->start_ns, ev->count),
					     .count = ev->count};
	}
	l->order = mem_alloc(n, sizeof(*l->order));
	for (uint64_t i = 0; i < n; i++) {
		int k = earliest(streams);

		l->order[i] = (uint32_t)(l->begin[k] + stream_row(&streams[k]));
		streams[k].next++;
	}
	for (int k = 0; k < KINDS; k++)
		free(streams[k].order);
}

static int load_kind(struct trace *t, enum trace_kind kind, struct err *e)
{
	const uint32_t everywhere = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_CONTEXT) |
				    COL_BIT(COL_GREEN_CONTEXT) | COL_BIT(COL_STREAM) |
				    COL_BIT(COL_CORRELATION);
	const uint32_t kernels = COLS_GRID | COL_BIT(COL_REGISTERS) | COL_BIT(COL_STATIC_SMEM) |
				 COL_BIT(COL_DYNAMIC_SMEM);
	const uint32_t memory = COL_BIT(COL_BYTES) | COL_BIT(COL_COPY_KIND) |
				COL_BIT(COL_SRC_KIND) | COL_BIT(COL_DST_KIND);

	if (trace_load(t, kind, everywhere | (kind == TRACE_KERNELS ? kernels : memory), e) < 0 ||
	    trace_require_column(t, kind, COL_START, e) < 0 ||
	    trace_require_column(t, kind, COL_DURATION, e) < 0)
		return -1;
	return trace_require_column(t, kind, COL_COPY_KIND, e);
}

static int load(struct listing *l, const struct naming_args *n, struct err *e)
{
	/* Names first: :nvtx-name joins launches, and needs the memory of the other columns for it.
	 */
	if (l->trace->events[TRACE_KERNELS].table &&
	    kernel_names_read(l->trace, n, NULL, &l->names, e) < 0)
		return -1;
	for (int k = 0; k < KINDS; k++) {
		if (load_kind(l->trace, kinds[k], e) < 0)
			return -1;
		l->begin[k + 1] = l->begin[k] + l->trace->events[kinds[k]].count;
	}
	if (machine_read(l->trace, &l->machine, e) < 0)
		return -1;
	order_by_start(l);
	return 0;
}

static void free_listing(void *p)
{
	struct listing *l = p;

	kernel_names_free(&l->names);
	free(l->order);
	idmap_free(&l->label_of);
	strtab_free(&l->labels);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	l->trace = t;
	report_on_free(r, free_listing, l);
	if (load(l, args, e) < 0)
		return -1;
	trace_report(r, self, columns, ARRAY_LEN(columns), l->begin[KINDS], make_row, l);
	return 0;
}

NSYS_REPORT(cuda_gpu_trace, "CUDA GPU Trace", "every kernel and memory operation", run,
	    .needs_any = NEEDS_GPU_OPS, .options = &nvtx_naming_options);
