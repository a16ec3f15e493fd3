/* Where did the time of each GPU go? */
#include "analysis/cells.h"
#include "analysis/partition.h"
#include "analysis/time_table.h"
#include "analysis/time_window.h"
#include "analysis/utilisation.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { TOP_ROWS = 10 };

static const struct column stream_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	{"total_ns", "Work", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_window", "Of window", UNIT_PERCENT, 0, NULL, SHOW},
	{"ops", "Operations", UNIT_COUNT, 0, NULL, SHOW},
	{"kernel_ns", "Kernels", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"copy_ns", "Copies", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

struct stream {
	uint32_t device, process, stream;
	uint64_t ops;
	int64_t kernel_ns, copy_ns, total_ns;
};

struct streams {
	struct idmap places, numbers;
	struct stream *all;
	size_t count, cap;
};

static struct stream *stream_of(struct streams *s, uint32_t device, uint32_t process,
				uint32_t stream)
{
	uint32_t place = idmap_number_pair(&s->places, device, process);
	uint32_t number = idmap_number_pair(&s->numbers, place, stream);

	if (number == s->count) {
		MEM_GROW(s->all, s->cap, s->count + 1);
		s->all[s->count++] = (struct stream){device, process, stream, 0, 0, 0, 0};
	}
	return &s->all[number];
}

static void add_op(struct streams *s, const struct ops *o, enum trace_kind kind, uint64_t row,
		   const struct timeline *l, const struct params *p)
{
	const struct events *ev = &o->trace->events[kind];
	int64_t begin = ev->start_ns[row], end = sat_add(begin, ev->duration_ns[row]);
	uint32_t process, device;
	struct stream *stream;

	ops_place(o, kind, row, &process, &device);
	if ((p->has_device && device != p->device) ||
	    (p->has_pid &&
	     (process == ID_NONE || process_pid(o->trace->process_keys.keys[process]) != p->pid)))
		return;
	begin = begin < l->from_ns ? l->from_ns : begin;
	end = end > l->to_ns ? l->to_ns : end;
	if (end < begin || begin >= l->to_ns)
		return;
	stream = stream_of(s, device, process, ev->stream[row]);
	stream->ops++;
	stream->total_ns = sat_add(stream->total_ns, end - begin);
	if (kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS)
		stream->copy_ns = sat_add(stream->copy_ns, end - begin);
	else
		stream->kernel_ns = sat_add(stream->kernel_ns, end - begin);
}

static int read_streams(struct streams *s, const struct ops *o, const struct timeline *l,
			const struct params *p, struct err *e)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &o->trace->events[kind];

		if (trace_load(o->trace, kind, COL_BIT(COL_STREAM), e) < 0)
			return -1;
		for (uint64_t i = 0; ev->stream && i < ev->count; i++) {
			if (ev->duration_ns[i] != DURATION_NONE && ev->duration_ns[i] >= 0)
				add_op(s, o, kind, i, l, p);
		}
	}
	return 0;
}

static int add_streams(struct report *r, const struct ops *o, const struct timeline *l,
		       const struct params *p, struct err *e)
{
	struct streams s = {0};
	struct params top = {.limit = p->limit ? TOP_ROWS : 0};
	struct rows *rows;
	int result = read_streams(&s, o, l, p, e);

	rows = report_new_rows(r, "streams", "Busiest streams", stream_columns,
			       ARRAY_LEN(stream_columns));
	for (size_t i = 0; i < s.count; i++) {
		const struct stream *x = &s.all[i];

		rows_add(rows, id_cell(x->device));
		rows_add(rows,
			 x->process == ID_NONE
				 ? cell_null()
				 : cell_int(process_pid(o->trace->process_keys.keys[x->process])));
		rows_add(rows, id_cell(x->stream));
		rows_add(rows, cell_int(x->total_ns));
		rows_add(rows, pct_cell(x->total_ns, l->to_ns - l->from_ns));
		rows_add(rows, cell_int((int64_t)x->ops));
		rows_add(rows, cell_int(x->kernel_ns));
		rows_add(rows, cell_int(x->copy_ns));
	}
	idmap_free(&s.places);
	idmap_free(&s.numbers);
	free(s.all);
	return result < 0 ? -1 : rows_arrange(rows, &top, "total_ns", e);
}

/* The tables of another analysis below ours; what it needs may not be there. */
static int add_other(struct report *r, const char *name, struct trace *t, const struct params *p,
		     enum param by, struct err *e)
{
	struct params top = *p;

	top.by = by;
	top.sort = NULL;
	if (top.limit > TOP_ROWS)
		top.limit = TOP_ROWS;
	if (analysis_run(analysis_find(name, false), t, &top, r, e) == 0)
		return 0;
	return e->absent ? 0 : -1;
}

static int add_details(struct report *r, struct trace *t, const struct timeline *l,
		       const struct params *p, struct err *e)
{
	if (add_other(r, "kernels", t, p, 0, e) < 0)
		return -1;
	if (l->count > 1 && add_other(r, "kernels", t, p, PARAM_BY_DEVICE, e) < 0)
		return -1;
	return add_other(r, "memory", t, p, 0, e);
}

static void take_slice(void *ctx, const struct slice *s)
{
	utilisation_take(ctx, s);
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct timeline l = {0};
	struct utilisation u;
	struct ops o;
	int result;

	if (ops_open(&o, t, e) < 0)
		return -1;
	timeline_begin(&o, p, &l);
	utilisation_begin(&u, &l);
	timeline_walk(&o, p, &l, take_slice, &u);
	time_window_report(r, self, &l, p);
	time_window_warn(r, &o);
	result = timeline_require(&l, &o, p, e);
	if (result == 0)
		result = partition_report(r, t, &l, e);
	utilisation_report(&u, r);
	if (result == 0)
		result = add_streams(r, &o, &l, p, e);
	if (result == 0)
		result = add_details(r, t, &l, p, e);
	/* Those below have a window of their own where none was asked for. */
	r->has_window = true;
	r->window_start_ns = l.from_ns;
	r->window_end_ns = l.to_ns;
	timeline_free(&l);
	ops_close(&o);
	return result;
}

const struct analysis analysis_summary = {
	.name = "summary",
	.title = "Where the GPU time went",
	.summary = "each GPU's time: compute, exposed communication and copies, idle",
	.detail = "In every instant of the window a GPU computes; or communicates with nothing to\n"
		  "compute beside it (exposed communication); or copies with neither (exposed "
		  "copy);\n"
		  "or is idle. The four sum up to the window, to the nanosecond. Kernels-only "
		  "figures,\n"
		  "as tools print them that know no copies, stand beside.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT,
	.run = run,
};
