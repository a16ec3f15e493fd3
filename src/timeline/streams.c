/* Which ops ran on which stream? */
#include "timeline/streams.h"

#include "base/mem.h"

#include <stdlib.h>

/* Streams as they are met; most ops run where the one before did. */
struct finder {
	struct ops *ops;
	const struct scope *p;
	struct stream *all;
	size_t *caps;
	size_t count, cap, cap_of_caps;
	struct idmap places; /* process << 32 | device → number of a place */
	struct idmap known;  /* place << 32 | stream in its context → number of a stream */
	struct idmap inner;  /* context << 32 | stream → a number */
	size_t last;
};

static uint32_t value(const uint32_t *column, uint64_t row)
{
	return column ? column[row] : ID_NONE;
}

static bool is_of(const struct stream *s, const struct stream *op)
{
	return s->process == op->process && s->device == op->device && s->context == op->context &&
	       s->number == op->number;
}

static size_t number_stream(struct finder *f, const struct stream *op)
{
	const uint32_t place = idmap_number_pair(&f->places, op->process, op->device);
	const uint32_t inner = idmap_number_pair(&f->inner, op->context, op->number);
	const uint32_t number = idmap_number_pair(&f->known, place, inner);

	if (number == f->count) {
		MEM_GROW(f->all, f->cap, f->count + 1);
		MEM_GROW(f->caps, f->cap_of_caps, f->count + 1);
		f->caps[f->count] = 0;
		f->all[f->count++] = *op;
	}
	return number;
}

static void take_op(struct finder *f, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &f->ops->trace->events[kind];
	struct stream op = {.context = value(ev->context, row), .number = value(ev->stream, row)};
	struct stream *s;

	if (ev->duration_ns[row] == DURATION_NONE)
		return;
	ops_place(f->ops, kind, row, &op.process, &op.device);
	if (!scope_has_place(f->p, f->ops->trace, op.process, op.device))
		return;
	if (!f->count || !is_of(&f->all[f->last], &op))
		f->last = number_stream(f, &op);
	s = &f->all[f->last];
	MEM_GROW(s->ids, f->caps[f->last], s->count + 1);
	s->ids[s->count++] = op_id(kind, row);
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_streams(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;
	int order = compare_u32(x->device, y->device);

	order = order ? order : compare_u32(x->process, y->process);
	order = order ? order : compare_u32(x->context, y->context);
	return order ? order : compare_u32(x->number, y->number);
}

void streams_list(struct ops *o, const struct scope *p, struct streams *ret)
{
	struct finder f = {.ops = o, .p = p};
	struct op_run run;

	ops_rewind(o);
	while (ops_next_run(o, &run)) {
		for (uint64_t place = run.begin; place < run.end; place++)
			take_op(&f, run.kind, op_run_row(&run, place));
	}
	if (f.count)
		qsort(f.all, f.count, sizeof(*f.all), compare_streams);
	*ret = (struct streams){f.all, f.count};
	idmap_free(&f.places);
	idmap_free(&f.known);
	idmap_free(&f.inner);
	free(f.caps);
}

void streams_free(struct streams *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->all[i].ids);
	free(s->all);
	*s = (struct streams){0};
}
