/* When did each GPU compute, communicate and copy? */
#include "timeline/partition.h"

#include "base/mem.h"
#include "timeline/op_source.h"

#include <stdlib.h>

/* What one piece of the walk has found. */
struct piece {
	MEM_APART struct span_source *of_device;
};

static const uint8_t looks[SLICE_KINDS] = {
	[SLICE_COMPUTE] = LOOK_COMPUTE,
	[SLICE_NARROW] = LOOK_COMPUTE,
	[SLICE_COMM] = LOOK_COMM,
	[SLICE_COPY] = LOOK_COPY,
};

static void add(struct span_source *s, int64_t start_ns, int64_t end_ns, uint8_t look)
{
	const struct derived_span last =
		s->count ? span_source_at(s, s->count - 1) : (struct derived_span){0};

	if (s->count && last.class == look && last.end_ns == start_ns)
		span_source_extend(s, end_ns);
	else
		span_source_add(s, (struct derived_span){start_ns, end_ns, 0, look});
}

static void take_slice(void *ctx, const struct slice *s)
{
	const struct piece *p = ctx;

	if (s->kind != SLICE_IDLE)
		add(&p->of_device[s->device], s->start_ns, s->end_ns, looks[s->kind]);
}

static struct piece *begin_pieces(size_t pieces, size_t devices)
{
	struct piece *all = mem_zalloc_apart(pieces, sizeof(*all));

	for (size_t i = 0; i < pieces; i++) {
		all[i].of_device = mem_zalloc_apart(devices, sizeof(*all[i].of_device));
	}
	return all;
}

/* Pieces follow one another in time. */
static void join_pieces(struct partition *to, const struct piece *pieces, size_t count,
			size_t device)
{
	size_t spans = 0;

	span_source_begin(&to->spans);
	for (size_t i = 0; i < count; i++)
		spans += pieces[i].of_device[device].count;
	span_source_reserve(&to->spans, spans);
	for (size_t i = 0; i < count; i++) {
		struct span_source *from = &pieces[i].of_device[device];

		for (size_t k = 0; k < from->count; k++) {
			const struct derived_span span = span_source_at(from, k);

			add(&to->spans, span.start_ns, span.end_ns, span.class);
		}
		span_source_free(from);
	}
}

void partitions_make(const struct ops *o, const struct scope *p, struct partitions *ret)
{
	struct scope whole = {.has_device = p->has_device,
			      .device = p->device,
			      .has_pid = p->has_pid,
			      .pid = p->pid,
			      .has_process = p->has_process,
			      .process = p->process};
	const size_t count = timeline_pieces(o);
	struct timeline_view view;
	struct timeline line;
	struct piece *pieces;

	timeline_begin(o, &whole, &line);
	pieces = begin_pieces(count, line.count);
	view = (struct timeline_view){o->trace, &whole, &line, take_slice, pieces, sizeof(*pieces)};
	timeline_walk_views(o, &view, 1, count);
	ret->all = mem_zalloc(line.count, sizeof(*ret->all));
	ret->count = line.count;
	for (size_t d = 0; d < line.count; d++) {
		ret->all[d].device = line.devices[d].device;
		join_pieces(&ret->all[d], pieces, count, d);
	}
	for (size_t i = 0; i < count; i++)
		free(pieces[i].of_device);
	free(pieces);
	timeline_free(&line);
}

void partitions_free(struct partitions *p)
{
	for (size_t i = 0; i < p->count; i++)
		span_source_free(&p->all[i].spans);
	free(p->all);
	*p = (struct partitions){0};
}
