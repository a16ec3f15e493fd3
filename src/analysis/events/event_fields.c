/* What is known of one event, by name? */
#include "analysis/events/event_fields.h"

#include "analysis/cell_values.h"
#include "analysis/gpu/process_gpus.h"
#include "base/buf.h"
#include "text/nearest.h"
#include "trace/ops/op_class.h"
#include "trace/system/labels.h"

#include <stdlib.h>

const struct column event_columns[EVENT_FIELDS] = {
	[EVENT_NAME] = {"name", "Name", UNIT_KERNEL, 0, "", SHOW},
	[EVENT_START_NS] = {"start_ns", "Start", UNIT_TIME_NS, 0, "at:", SHOW},
	[EVENT_END_NS] = {"end_ns", "End", UNIT_TIME_NS, 0, NULL, SHOW},
	[EVENT_DURATION_US] = {"duration_us", "Duration", UNIT_US, 3, NULL, SHOW},
	[EVENT_STREAM] = {"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	[EVENT_DEVICE] = {"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	[EVENT_PID] = {"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	[EVENT_CLASS] = {"class", "Class", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_BYTES] = {"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW},
	[EVENT_CORRELATION] = {"correlation", "CorrId", UNIT_ID, 0, NULL, SHOW},
	[EVENT_NVTX_PATH] = {"nvtx_path", "Ranges", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_TYPE] = {"type", "Type", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_TID] = {"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	[EVENT_DURATION_NS] = {"duration_ns", "Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	[EVENT_RANGE] = {"range", "Range", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_API] = {"api", "Launched by", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_API_START_NS] = {"api_start_ns", "Call start", UNIT_TIME_NS, 0, NULL, SHOW},
	[EVENT_API_END_NS] = {"api_end_ns", "Call end", UNIT_TIME_NS, 0, NULL, SHOW},
	[EVENT_QUEUE_NS] = {"queue_ns", "Queued", UNIT_NS, 0, NULL, SHOW},
	[EVENT_CONTEXT] = {"context", "Context", UNIT_ID, 0, NULL, SHOW},
	[EVENT_GRAPH] = {"graph", "Graph", UNIT_ID, 0, NULL, SHOW},
	[EVENT_GRID_X] = {"grid_x", "Grid x", UNIT_ID, 0, NULL, SHOW},
	[EVENT_GRID_Y] = {"grid_y", "Grid y", UNIT_ID, 0, NULL, SHOW},
	[EVENT_GRID_Z] = {"grid_z", "Grid z", UNIT_ID, 0, NULL, SHOW},
	[EVENT_BLOCK_X] = {"block_x", "Block x", UNIT_ID, 0, NULL, SHOW},
	[EVENT_BLOCK_Y] = {"block_y", "Block y", UNIT_ID, 0, NULL, SHOW},
	[EVENT_BLOCK_Z] = {"block_z", "Block z", UNIT_ID, 0, NULL, SHOW},
	[EVENT_REGISTERS] = {"registers", "Registers", UNIT_COUNT, 0, NULL, SHOW},
	[EVENT_STATIC_SMEM] = {"static_smem_bytes", "Static smem", UNIT_BYTES, 0, NULL, SHOW},
	[EVENT_DYNAMIC_SMEM] = {"dynamic_smem_bytes", "Dynamic smem", UNIT_BYTES, 0, NULL, SHOW},
	[EVENT_SRC_KIND] = {"src_kind", "From", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_DST_KIND] = {"dst_kind", "To", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_LINE] = {"line", "Line", UNIT_NAME, 0, NULL, SHOW},
	[EVENT_BACKTRACE] = {"backtrace", "Backtrace", UNIT_NAME, 0, NULL, SHOW},
};

const char *const event_type_words[EVENT_TYPES + 1] = {
	[TRACE_KERNELS] = "kernel", [TRACE_MEMCPYS] = "memcpy", [TRACE_MEMSETS] = "memset",
	[TRACE_GRAPHS] = "graph",   [TRACE_API] = "api",	[EVENT_TYPE_RANGE] = "range",
	[EVENT_TYPE_MARK] = "mark",
};

enum {
	GPU = (1 << TRACE_GPU_KINDS) - 1,
	KERNELS = 1 << TRACE_KERNELS,
	COPIES = 1 << TRACE_MEMCPYS | 1 << TRACE_MEMSETS,
	API = 1 << TRACE_API,
	NVTX = 1 << TRACE_NVTX,
	EVERY = GPU | API | NVTX,
};

/* A number that the export has as it is. */
#define ID_FIELD(kinds, column, member)                                                                                          \
	{                                                                                                                        \
		kinds, COL_BIT(column), 0, _Generic(&((struct events *)0)->member, uint32_t **: offsetof(struct events, member)) \
	}

/* Who has each field, and which columns and joins bring it; docs/filters.md says what each is. */
static const struct {
	unsigned kinds;
	uint32_t columns;
	unsigned joins;
	size_t id_column; /* of those that are such numbers: where it is */
} needs[EVENT_FIELDS] = {
	[EVENT_NAME] = {EVERY, COL_BIT(COL_NAME) | COL_BIT(COL_COPY_KIND), 0, 0},
	[EVENT_START_NS] = {EVERY, 0, 0, 0},
	[EVENT_END_NS] = {EVERY, 0, 0, 0},
	[EVENT_DURATION_US] = {EVERY, 0, 0, 0},
	[EVENT_STREAM] = ID_FIELD(GPU, COL_STREAM, stream),
	[EVENT_DEVICE] = {GPU, COLS_PROCESS_DEVICE, 0, 0},
	[EVENT_PID] = {EVERY, COL_BIT(COL_PROCESS) | COL_BIT(COL_THREAD), 0, 0},
	[EVENT_CLASS] = {GPU, COL_BIT(COL_NAME), 0, 0},
	[EVENT_BYTES] = {COPIES, COL_BIT(COL_BYTES), 0, 0},
	[EVENT_CORRELATION] = ID_FIELD(GPU | API, COL_CORRELATION, correlation),
	[EVENT_NVTX_PATH] = {EVERY, COL_BIT(COL_THREAD), JOIN_CALLS | JOIN_RANGES, 0},
	[EVENT_TYPE] = {EVERY, COL_BIT(COL_EVENT_TYPE), 0, 0},
	[EVENT_TID] = {EVERY, COL_BIT(COL_THREAD), JOIN_CALLS, 0},
	[EVENT_DURATION_NS] = {EVERY, 0, 0, 0},
	[EVENT_RANGE] = {EVERY, COL_BIT(COL_THREAD), JOIN_CALLS | JOIN_RANGES, 0},
	[EVENT_API] = {GPU, 0, JOIN_CALLS, 0},
	[EVENT_API_START_NS] = {GPU, 0, JOIN_CALLS, 0},
	[EVENT_API_END_NS] = {GPU, 0, JOIN_CALLS, 0},
	[EVENT_QUEUE_NS] = {GPU, 0, JOIN_CALLS, 0},
	[EVENT_CONTEXT] = ID_FIELD(GPU, COL_CONTEXT, context),
	[EVENT_GRAPH] = ID_FIELD(GPU, COL_GRAPH, graph),
	[EVENT_GRID_X] = ID_FIELD(KERNELS, COL_GRID_X, grid[0]),
	[EVENT_GRID_Y] = ID_FIELD(KERNELS, COL_GRID_Y, grid[1]),
	[EVENT_GRID_Z] = ID_FIELD(KERNELS, COL_GRID_Z, grid[2]),
	[EVENT_BLOCK_X] = ID_FIELD(KERNELS, COL_BLOCK_X, block[0]),
	[EVENT_BLOCK_Y] = ID_FIELD(KERNELS, COL_BLOCK_Y, block[1]),
	[EVENT_BLOCK_Z] = ID_FIELD(KERNELS, COL_BLOCK_Z, block[2]),
	[EVENT_REGISTERS] = ID_FIELD(KERNELS, COL_REGISTERS, registers),
	[EVENT_STATIC_SMEM] = ID_FIELD(KERNELS, COL_STATIC_SMEM, static_smem_bytes),
	[EVENT_DYNAMIC_SMEM] = ID_FIELD(KERNELS, COL_DYNAMIC_SMEM, dynamic_smem_bytes),
	[EVENT_SRC_KIND] = {1 << TRACE_MEMCPYS, COL_BIT(COL_SRC_KIND), 0, 0},
	[EVENT_DST_KIND] = {COPIES, COL_BIT(COL_SRC_KIND) | COL_BIT(COL_DST_KIND), 0, 0},
	[EVENT_LINE] = {GPU | API, COL_BIT(COL_THREAD), JOIN_CALLS, 0},
	[EVENT_BACKTRACE] = {GPU | API, COL_BIT(COL_THREAD), JOIN_CALLS, 0},
};

bool event_field_is_text(enum event_field field)
{
	return event_columns[field].unit == UNIT_NAME || event_columns[field].unit == UNIT_KERNEL;
}

enum event_field event_field_find(struct str key)
{
	for (int i = 0; i < EVENT_FIELDS; i++) {
		if (str_eq(key, str_of(event_columns[i].key)))
			return (enum event_field)i;
	}
	return EVENT_FIELDS;
}

int event_field_unknown(struct str key, const char *where, struct err *e)
{
	struct buf word = {0};
	struct nearest n;

	buf_addstr(&word, key);
	n = (struct nearest){word.len ? word.s : "", NULL, NEAREST_BEGINS + 3};
	err_set(e, ERR_USAGE, "%s: there is no column '%.*s'", where,
		(int)(key.len < 80 ? key.len : 80), key.s);
	for (int i = 0; i < EVENT_FIELDS; i++)
		nearest_try_name(&n, event_columns[i].key);
	buf_free(&word);
	if (n.found)
		return err_hint(e, "did you mean %s?", n.found);
	return err_hint(e, "columns: name, type, class, start_ns, end_ns, duration_us, device, "
			   "stream, pid, tid, bytes, nvtx_path, …; docs/filters.md lists them all");
}

static int load_kind(struct event_fields *f, enum trace_kind kind, struct err *e)
{
	uint32_t columns = COLS_TIMES;

	for (int i = 0; i < EVENT_FIELDS; i++) {
		if (f->wanted & EVENT_BIT(i) && needs[i].kinds & NEEDS(kind))
			columns |= needs[i].columns;
	}
	if (f->p->has_device && kind < TRACE_GPU_KINDS)
		columns |= COL_BIT(COL_DEVICE);
	if (f->p->has_device || f->p->has_pid)
		columns |= COL_BIT(COL_PROCESS) | COL_BIT(COL_THREAD);
	if (kind == TRACE_NVTX)
		columns |= COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_DOMAIN) | COL_BIT(COL_END_THREAD);
	return trace_load(f->trace, kind, columns, e);
}

static unsigned joins_wanted(const struct event_fields *f)
{
	unsigned joins = 0;

	for (int i = 0; i < EVENT_FIELDS; i++)
		joins |= f->wanted & EVENT_BIT(i) ? needs[i].joins : 0;
	return joins;
}

int event_fields_open(struct event_fields *f, struct trace *t, unsigned kinds, uint64_t wanted,
		      const struct scope *p, struct err *e)
{
	*f = (struct event_fields){
		.trace = t, .p = p, .kinds = kinds, .wanted = wanted, .path_shown = RANGE_NONE};
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		if (kinds & NEEDS(kind) && load_kind(f, (enum trace_kind)kind, e) < 0)
			return -1;
	}
	if (wanted & EVENT_LINES && call_lines_read(&f->lines, t, e) < 0)
		return -1;
	if (device_map_read(t, &f->devices, e) < 0 ||
	    event_joins_make(&f->joins, t, kinds, joins_wanted(f), e) < 0)
		return -1;
	return wanted & EVENT_BIT(EVENT_CLASS) ? op_class_of_names(t, &f->class_of_name, e) : 0;
}

void event_fields_close(struct event_fields *f)
{
	event_joins_free(&f->joins);
	device_map_free(&f->devices);
	free(f->class_of_name);
	call_lines_free(&f->lines);
	buf_free(&f->backtrace);
	buf_free(&f->path);
	*f = (struct event_fields){0};
}

static struct str name_of(const struct event_fields *f, struct event_ref at)
{
	const struct trace *t = f->trace;
	const struct events *ev = &t->events[at.kind];

	if (at.kind < TRACE_GPU_KINDS)
		return label_op(t, at.kind, at.row);
	if (at.kind == TRACE_API)
		return label_api(trace_name(t, ev->name ? ev->name[at.row] : NAME_NONE));
	if (f->joins.names.of_row && f->joins.names.of_row[at.row] != NAME_NONE)
		return range_name_shown(f->joins.names.names.items[f->joins.names.of_row[at.row]]);
	return trace_name(t, ev->name ? ev->name[at.row] : NAME_NONE);
}

/* The part in the window; what lies outside is not asked about. */
static struct span span_of(const struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &f->trace->events[at.kind];
	int64_t d = ev->duration_ns[at.row];
	struct span span = {ev->start_ns[at.row], ev->start_ns[at.row]};

	if (d != DURATION_NONE)
		window_part(f->p, ev->start_ns[at.row], d, &span);
	return span;
}

static struct cell time_cell(const struct event_fields *f, struct event_ref at,
			     enum event_field field)
{
	const struct events *ev = &f->trace->events[at.kind];
	struct span span;
	int64_t ns;

	if (!ev->start_ns || !ev->duration_ns)
		return cell_null();
	/* A mark has a start, and no end. */
	if (ev->duration_ns[at.row] == DURATION_NONE && field != EVENT_START_NS)
		return cell_null();
	span = span_of(f, at);
	ns = sat_sub(span.end_ns, span.start_ns);
	switch (field) {
	case EVENT_START_NS:
		return cell_int(span.start_ns);
	case EVENT_END_NS:
		return cell_int(span.end_ns);
	case EVENT_DURATION_NS:
		return cell_int(ns);
	default:
		return cell_real((double)ns / 1e3);
	}
}

uint32_t event_thread(const struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &f->trace->events[at.kind];

	if (at.kind >= TRACE_GPU_KINDS)
		return ev->thread ? ev->thread[at.row] : ID_NONE;
	return event_joins_thread(&f->joins, at.kind, at.row);
}

static struct cell process_cell(const struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &f->trace->events[at.kind];

	if (at.kind >= TRACE_GPU_KINDS)
		return pid_cell(f->trace, event_thread(f, at));
	return process_pid_cell(f->trace, event_process(ev, at.row));
}

static struct cell device_cell(const struct event_fields *f, struct event_ref at)
{
	return id_cell(device_map_of(&f->devices, &f->trace->events[at.kind], at.row));
}

static struct cell class_cell(const struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &f->trace->events[at.kind];

	if (at.kind == TRACE_MEMCPYS || at.kind == TRACE_MEMSETS)
		return cell_text("copy");
	if (at.kind == TRACE_KERNELS && ev->name && ev->name[at.row] != NAME_NONE &&
	    f->class_of_name[ev->name[at.row]] == OP_COMM)
		return cell_text("communication");
	return cell_text("compute");
}

static struct cell call_cell(const struct event_fields *f, struct event_ref at,
			     enum event_field field)
{
	const struct events *ev = &f->trace->events[at.kind];
	struct api_call call;
	int64_t queued;

	if (!event_joins_call(&f->joins, at.kind, at.row, &call))
		return cell_null();
	if (field == EVENT_API)
		return cell_str(label_api(
			trace_name(f->trace, launches_origin(&f->joins.at.launches, &call).name)));
	if (field == EVENT_API_START_NS)
		return cell_int(call.start_ns);
	if (call.duration_ns == DURATION_NONE)
		return cell_null();
	if (field == EVENT_API_END_NS)
		return cell_int(api_call_end(&call));
	if (!ev->start_ns) /* the call is known by its id, not by its time */
		return cell_null();
	queued = sat_sub(ev->start_ns[at.row], api_call_end(&call));
	return queued < 0 ? cell_null() : cell_int(queued);
}

static struct cell path_cell(struct event_fields *f, struct event_ref at)
{
	uint32_t path = event_joins_path(&f->joins, at.kind, at.row);

	if (path == RANGE_NONE)
		return cell_null();
	if (path != f->path_shown) {
		buf_clear(&f->path);
		range_path_add(&f->path, &f->joins.paths, &f->joins.names.names, path);
		f->path_shown = path;
	}
	return cell_str(buf_str(&f->path));
}

static struct cell range_cell(const struct event_fields *f, struct event_ref at)
{
	uint32_t path = event_joins_path(&f->joins, at.kind, at.row);

	return path == RANGE_NONE ? cell_null() : cell_str(event_joins_range_name(&f->joins, path));
}

static struct cell memory_cell(const struct events *ev, struct event_ref at, enum event_field field)
{
	/* A set has one kind of memory, which lies where NVIDIA's reports show it. */
	const uint32_t *column =
		field == EVENT_SRC_KIND || at.kind == TRACE_MEMSETS ? ev->src_kind : ev->dst_kind;

	return column ? text_or_null(label_memory_kind(column[at.row])) : cell_null();
}

static struct cell id_field_cell(const struct events *ev, uint32_t row, size_t column)
{
	const uint32_t *ids = *(uint32_t *const *)((const char *)ev + column);

	return ids ? id_cell(ids[row]) : cell_null();
}

struct cell event_field_get(struct event_fields *f, struct event_ref at, enum event_field field)
{
	const struct events *ev = &f->trace->events[at.kind];

	if (!(needs[field].kinds & NEEDS(at.kind)))
		return cell_null();
	switch (field) {
	case EVENT_NAME:
		return at.kind == TRACE_KERNELS ? cell_str(name_of(f, at))
						: cell_literal(name_of(f, at));
	case EVENT_TYPE:
		return cell_text(event_type_words[event_type_of(f->trace, at)]);
	case EVENT_START_NS:
	case EVENT_END_NS:
	case EVENT_DURATION_NS:
	case EVENT_DURATION_US:
		return time_cell(f, at, field);
	case EVENT_PID:
		return process_cell(f, at);
	case EVENT_TID:
		return tid_cell(f->trace, event_thread(f, at));
	case EVENT_DEVICE:
		return device_cell(f, at);
	case EVENT_CLASS:
		return class_cell(f, at);
	case EVENT_BYTES:
		return ev->bytes ? int_cell(ev->bytes[at.row]) : cell_null();
	case EVENT_API:
	case EVENT_API_START_NS:
	case EVENT_API_END_NS:
	case EVENT_QUEUE_NS:
		return call_cell(f, at, field);
	case EVENT_NVTX_PATH:
	case EVENT_RANGE:
		return field == EVENT_RANGE ? range_cell(f, at) : path_cell(f, at);
	case EVENT_LINE:
	case EVENT_BACKTRACE:
		return event_code_cell(f, at, field);
	case EVENT_SRC_KIND:
	case EVENT_DST_KIND:
		return memory_cell(ev, at, field);
	default:
		return id_field_cell(ev, at.row, needs[field].id_column);
	}
}

bool event_field_number(const struct event_fields *f, struct event_ref at, enum event_field field,
			uint32_t *ret)
{
	const struct events *ev = &f->trace->events[at.kind];

	if (field == EVENT_NVTX_PATH || field == EVENT_RANGE)
		*ret = event_joins_path(&f->joins, at.kind, at.row);
	else if (field == EVENT_LINE)
		*ret = event_frame(f, at);
	else if (field == EVENT_BACKTRACE)
		*ret = event_stack(f, at);
	else if (field != EVENT_NAME)
		return false;
	else if (at.kind == TRACE_NVTX)
		*ret = f->joins.names.of_row ? f->joins.names.of_row[at.row] : NAME_NONE;
	else if (at.kind == TRACE_MEMCPYS)
		*ret = ev->copy_kind ? ev->copy_kind[at.row] : ID_NONE;
	else
		*ret = ev->name ? ev->name[at.row] : NAME_NONE;
	return *ret < event_field_numbers(f, at.kind, field);
}

size_t event_field_numbers(const struct event_fields *f, enum trace_kind kind,
			   enum event_field field)
{
	if (field == EVENT_NVTX_PATH || field == EVENT_RANGE)
		return f->joins.paths.count;
	if (field == EVENT_LINE)
		return f->lines.code.stacks.frame_count;
	if (field == EVENT_BACKTRACE)
		return f->lines.code.stacks.count;
	if (field != EVENT_NAME)
		return 0;
	return kind == TRACE_NVTX      ? f->joins.names.names.count
	       : kind == TRACE_MEMCPYS ? 64
				       : f->trace->names.count;
}
