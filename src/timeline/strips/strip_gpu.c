/* What did the GPU do around a place, and which streams did most of it? */
#include "timeline/strips/strip_plan.h"
#include "timeline/strips/strip_row.h"

#include "base/mem.h"
#include "timeline/op_source.h"
#include "trace/system/labels.h"

#include <stdlib.h>
#include <string.h>

/* What a GPU does at any instant, in order of precedence. */
static const uint8_t classes[] = {STRIP_COMPUTE, STRIP_COMM, STRIP_COPY};
enum { WORKS = ARRAY_LEN(classes) };

enum { STREAMS = 256 }; /* of a bad trace with more in a window, the others have no row */

/* The partition of a GPU's time, as the ops come by their starts. */
struct sweep {
	struct strip_line line;
	int64_t at_ns; /* all before is told */
	int64_t until_ns[WORKS];
};

struct stream_line {
	uint32_t process, number;
	struct strip_line line;
	int64_t busy_ns;
};

struct stream_lines {
	struct stream_line *all;
	size_t count, cap, last;
};

/* A copy or memset; a kernel as it is called. */
static uint8_t work_of(const struct ops *o, enum trace_kind kind, uint32_t row)
{
	const uint32_t *names = o->lanes[kind].ev->name;

	if (kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS)
		return 2;
	return kind == TRACE_KERNELS && names && names[row] != NAME_NONE &&
	       o->class_of_name[names[row]] == OP_COMM;
}

static void advance(struct sweep *s, int64_t to_ns)
{
	for (int work = 0; work < WORKS && s->at_ns < to_ns; work++) {
		const int64_t until_ns = s->until_ns[work] < to_ns ? s->until_ns[work] : to_ns;

		if (until_ns <= s->at_ns)
			continue;
		strip_line_add(&s->line, (struct span){s->at_ns, until_ns}, classes[work], 0);
		s->at_ns = until_ns;
	}
	if (s->at_ns < to_ns)
		s->at_ns = to_ns;
}

static void take_op(struct sweep *s, const struct strip_item *op, uint8_t work)
{
	advance(s, op->start_ns);
	if (op->end_ns > s->until_ns[work])
		s->until_ns[work] = op->end_ns;
}

static struct stream_line *find_stream(struct stream_lines *s, struct span window, uint32_t process,
				       uint32_t number)
{
	for (size_t i = 0; i < s->count; i++) {
		const size_t at = (s->last + i) % s->count;

		if (s->all[at].number == number && s->all[at].process == process)
			return &s->all[s->last = at];
	}
	if (s->count == STREAMS)
		return NULL;
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count] = (struct stream_line){.process = process, .number = number};
	strip_line_begin(&s->all[s->count].line, window);
	s->last = s->count;
	return &s->all[s->count++];
}

static void walk_ops(const struct strip_maker *m, const struct strip_plan *p, uint32_t of_device,
		     struct sweep *sweep, struct stream_lines *streams)
{
	for (size_t i = 0; i < p->near[NEAR_OPS].count; i++) {
		const struct strip_item *op = &p->near[NEAR_OPS].all[i];
		const enum trace_kind kind = op_id_kind(op->of);
		const uint32_t row = op_id_row(op->of);
		const uint8_t work = work_of(&m->ops, kind, row);
		const struct events *ev = m->ops.lanes[kind].ev;
		uint32_t process, device;
		struct stream_line *s;

		ops_place(&m->ops, kind, row, &process, &device);
		if (device != of_device)
			continue;
		take_op(sweep, op, work);
		s = find_stream(streams, p->window, process,
				ev->stream ? ev->stream[row] : ID_NONE);
		if (s)
			strip_line_add(&s->line, (struct span){op->start_ns, op->end_ns},
				       classes[work], op->of);
	}
	advance(sweep, p->window.end_ns);
}

static struct str op_name(const void *trace, uint32_t id)
{
	return label_op(trace, op_id_kind(id), op_id_row(id));
}

static int compare_streams(const void *a, const void *b)
{
	const struct stream_line *x = a, *y = b;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

/* Streams of two processes may have one number. */
static bool is_alone(const struct stream_lines *s, size_t i)
{
	for (size_t k = 0; k < s->count; k++) {
		if (k != i && s->all[k].number == s->all[i].number)
			return false;
	}
	return true;
}

static const char *stream_label(const struct strip_maker *m, const struct stream_lines *s, size_t i)
{
	const struct stream_line *one = &s->all[i];
	const struct intern *processes = &m->trace->process_keys;

	if (one->number == ID_NONE)
		return "ops";
	if (is_alone(s, i) || one->process >= processes->count)
		return arena_printf(m->arena, "stream %u", one->number);
	return arena_printf(m->arena, "stream %u, pid %u", one->number,
			    process_pid(processes->keys[one->process]));
}

/* The busiest first, but for the one of that process. */
static void order_streams(struct stream_lines *s, uint32_t process)
{
	size_t i = 0;

	if (!s->count)
		return;
	for (size_t k = 0; k < s->count; k++)
		s->all[k].busy_ns = strip_line_busy(&s->all[k].line);
	qsort(s->all, s->count, sizeof(*s->all), compare_streams);
	while (process != ID_NONE && i < s->count && s->all[i].process != process)
		i++;
	if (process != ID_NONE && i && i < s->count) {
		const struct stream_line first = s->all[i];

		memmove(&s->all[1], &s->all[0], i * sizeof(*s->all));
		s->all[0] = first;
	}
}

/* As far as there is room. */
static void add_streams(struct strip_maker *m, struct strip_plan *p, struct stream_lines *s,
			size_t room)
{
	order_streams(s, p->process);
	for (size_t i = 0; i < s->count; i++) {
		struct strip_row *row = &p->strip->rows[p->strip->row_count];

		if (p->strip->row_count >= room || !s->all[i].busy_ns) {
			span_source_free(&s->all[i].line.spans);
			continue;
		}
		row->kind = STRIP_STREAM;
		row->label = stream_label(m, s, i);
		strip_line_end(&s->all[i].line, row, op_name, m->trace);
		p->strip->row_count++;
	}
	free(s->all);
}

/* Its rows are `room` at most, with those above. */
static void add_gpu(struct strip_maker *m, struct strip_plan *p, uint32_t device, size_t room)
{
	struct strip_row *row = &p->strip->rows[p->strip->row_count];
	struct sweep sweep = {.at_ns = p->window.start_ns};
	struct stream_lines streams = {0};

	strip_line_begin(&sweep.line, p->window);
	for (int work = 0; work < WORKS; work++)
		sweep.until_ns[work] = p->window.start_ns;
	walk_ops(m, p, device, &sweep, &streams);
	row->kind = STRIP_GPU;
	row->label = device == ID_NONE ? "GPU" : arena_printf(m->arena, "GPU %u", device);
	strip_line_end(&sweep.line, row, NULL, NULL);
	p->strip->row_count++;
	add_streams(m, p, &streams, room);
}

void strip_add_gpu(struct strip_maker *m, struct strip_plan *p)
{
	const bool waits = p->waiting != ID_NONE;

	if (!m->ops.times.any)
		return;
	add_gpu(m, p, p->device, waits ? STRIP_ROWS - 1 : STRIP_ROWS);
	if (waits)
		add_gpu(m, p, p->waiting, STRIP_ROWS);
}
