/* How much memory of each GPU was in use, and when? */
#include "timeline/memory_tracks.h"

#include "base/mem.h"
#include "timeline/track_set.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/* A kind of memory whose peak is less than this part of the largest is not shown, as in `memory`.
 */
enum { SHOWN_PART = 100 };

static double value_of(const struct value_source *self, uint32_t id)
{
	const struct memory_line *m = (const struct memory_line *)self;

	return (double)m->of->changes[id].bytes;
}

static void read_changes(const struct lane_source *self, const uint32_t *ids, size_t count,
			 struct lane_event *ret)
{
	const struct memory_line *m = (const struct memory_line *)self;

	for (size_t i = 0; i < count; i++) {
		const struct memory_change *c = &m->of->changes[ids[i]];
		const int64_t end_ns = ids[i] + 1 < m->of->count ? c[1].at_ns : m->end_ns;

		ret[i] = (struct lane_event){c->at_ns, end_ns, ids[i], LOOK_SET};
	}
}

/* From what changes to what is in use; returns the most. */
static int64_t add_up(struct memory_series *s)
{
	int64_t in_use = 0, most = 0;

	for (size_t i = 0; i < s->count; i++) {
		in_use = sat_add(in_use, s->changes[i].bytes);
		s->changes[i].bytes = in_use;
		most = in_use > most ? in_use : most;
	}
	return most;
}

static double make_lines(struct memory_lines *m, int64_t end_ns)
{
	double most = 0;

	m->count = m->changes.count;
	m->all = mem_zalloc(m->count, sizeof(*m->all));
	for (size_t i = 0; i < m->count; i++) {
		struct memory_series *s = &m->changes.all[i];
		const int64_t last_ns = s->changes[s->count - 1].at_ns;
		const double full = (double)add_up(s);

		m->all[i] = (struct memory_line){.base = {.base = {.read = read_changes},
							  .value = value_of,
							  .unit = VALUE_BYTES,
							  .full = full},
						 .of = s,
						 .end_ns = last_ns > end_ns ? last_ns : end_ns};
		most = full > most ? full : most;
	}
	return most;
}

/* Behind the streams of the GPU. */
static void add_track(struct track_part *r, size_t number)
{
	struct memory_line *m = &r->memory.all[number];
	const struct str kind = label_memory_kind(m->of->memory);
	size_t gpu;

	if (!track_part_find_gpu(r, m->of->device, &gpu))
		return;
	track_part_insert(r, track_set_end_of(r->set, gpu),
			  (struct track){.kind = TRACK_MEMORY,
					 .label = kind.len ? arena_printf(&r->arena, "%.*s memory",
									  STR_FMT(kind))
							   : "memory",
					 .process = ID_NONE,
					 .device = m->of->device,
					 .thread = ID_NONE,
					 .depth = 1,
					 .source = number,
					 .values = &m->base});
}

int track_part_add_memory(struct track_part *r, struct err *e)
{
	double most;

	if (memory_changes_read(r->trace, &r->scope, &r->memory.changes, e) < 0)
		return err_forgive_absent(e);
	most = make_lines(&r->memory, r->ops.times.last_ns);
	for (size_t i = 0; i < r->memory.count; i++) {
		const struct memory_line *m = &r->memory.all[i];

		if (m->base.full > 0 && m->base.full * SHOWN_PART >= most &&
		    m->of->count <= UINT32_MAX)
			add_track(r, i);
	}
	return 0;
}

void memory_lines_free(struct memory_lines *m)
{
	for (size_t i = 0; i < m->count; i++)
		values_free(&m->all[i].base);
	free(m->all);
	memory_changes_free(&m->changes);
	*m = (struct memory_lines){0};
}
