/* Which group does each event belong to, after filters, and how long was it inside the window? */
#include "analysis/grouping.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "trace/calls/device_threads.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* Names that are not numbers of strings: copy kinds and such. */
enum { FEW_NAMES = 64 };

/* Where an event was, as far as anybody asks; most are where the one before was. */
struct spot {
	uint32_t process, ordinal, stream;
	uint32_t thread; /* where that decides whether the event is asked for */
};

/* What follows from the spot. */
struct place {
	struct group_key key; /* with no name */
	uint32_t number;      /* of the key */
	bool wanted;	      /* passes the filters */
};

/* The group that a name had last, which spares looking it up. */
struct named {
	uint32_t place, group; /* GROUP_NONE: none yet */
};

/* Composite keys become one number by interning pair after pair. */
struct dimensions {
	struct idmap streams; /* device << 32 | stream */
	struct idmap places;  /* process << 32 | stream's number */
	struct idmap groups;  /* name << 32 | place's number */
	struct named *named;  /* by name; the last one is for NAME_NONE */
	size_t named_count;
};

struct maker {
	const struct trace *trace;
	const struct events *ev;
	const uint32_t *names;
	const uint32_t *alias; /* NULL: names stand for themselves */
	const struct scope *p;
	enum group_by by;
	/* NULL: the export lacks the column, or nobody asks */
	const uint32_t *process, *thread, *device, *stream;
	uint32_t *process_of_thread;
	bool by_thread; /* events name no device: those of its threads are asked for */
	struct device_threads threads;
	struct device_map devices;
	struct dimensions dim;
	struct grouping *out;
	size_t key_cap;
};

/* Only columns that decide anything are looked at. */
static void choose_columns(struct maker *m)
{
	const struct scope *p = m->p;
	bool stream = m->by == BY_STREAM;
	bool device = stream || p->has_device || m->by == BY_DEVICE;
	bool process = device || p->has_pid || m->by == BY_PROCESS;

	m->process = process ? m->ev->process : NULL;
	m->thread = m->by_thread || (process && !m->process) ? m->ev->thread : NULL;
	m->device = device ? m->ev->device : NULL;
	m->stream = stream ? m->ev->stream : NULL;
}

static struct spot event_spot(const struct maker *m, uint64_t i)
{
	struct spot s = {
		m->process ? m->process[i] : ID_NONE,
		m->device ? m->device[i] : ID_NONE,
		m->stream ? m->stream[i] : ID_NONE,
		m->by_thread && m->thread ? m->thread[i] : ID_NONE,
	};

	if (m->thread && m->thread[i] != ID_NONE)
		s.process = m->process_of_thread[m->thread[i]];
	return s;
}

static bool is_same_spot(const struct spot *a, const struct spot *b)
{
	return a->process == b->process && a->ordinal == b->ordinal && a->stream == b->stream &&
	       a->thread == b->thread;
}

static bool passes(const struct maker *m, const struct spot *s, uint32_t device)
{
	if (m->by_thread ? !device_threads_has(&m->threads, s->thread)
			 : m->p->has_device && device != m->p->device)
		return false;
	return scope_has_process(m->p, m->trace, s->process);
}

static struct place find_place(struct maker *m, const struct spot *s)
{
	const enum group_by by = m->by;
	struct dimensions *d = &m->dim;
	uint32_t device = s->ordinal == ID_NONE
				  ? ID_NONE
				  : device_map_gpu(&m->devices, s->process, s->ordinal);
	struct place x = {
		.key = {NAME_NONE, ID_NONE, ID_NONE, s->stream},
		.wanted = passes(m, s, device),
	};

	if (by == BY_DEVICE || by == BY_STREAM)
		x.key.device = device;
	if (by == BY_PROCESS || by == BY_STREAM)
		x.key.process = s->process;
	x.number = idmap_number_pair(&d->places, x.key.process,
				     idmap_number_pair(&d->streams, x.key.device, x.key.stream));
	return x;
}

static uint32_t event_name(const struct maker *m, uint64_t i)
{
	uint32_t name = m->names[i];

	return m->alias && name != NAME_NONE ? m->alias[name] : name;
}

static uint32_t find_group(struct maker *m, uint32_t name, const struct place *place)
{
	const uint64_t key = (uint64_t)name << 32 | place->number;
	uint32_t group = idmap_get(&m->dim.groups, key);

	if (group == IDMAP_NONE) {
		group = idmap_add(&m->dim.groups, key, (uint32_t)m->out->count);
		MEM_GROW(m->out->keys, m->key_cap, m->out->count + 1);
		m->out->keys[m->out->count] = place->key;
		m->out->keys[m->out->count++].name = name;
	}
	return group;
}

/* The usual case, millions of times: no hashing. */
static uint32_t group_of(struct maker *m, uint32_t name, const struct place *place)
{
	struct named *last;

	if (name != NAME_NONE && name >= m->dim.named_count)
		return find_group(m, name, place);
	last = &m->dim.named[name == NAME_NONE ? m->dim.named_count : name];
	if (last->group == GROUP_NONE || last->place != place->number)
		*last = (struct named){place->number, find_group(m, name, place)};
	return last->group;
}

static void assign_groups(struct maker *m)
{
	const struct events *ev = m->ev;
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	int64_t *clipped = m->p->has_trim ? mem_alloc(ev->count, sizeof(*clipped)) : NULL;
	struct spot spot = {0};
	struct place place = {0};

	for (uint64_t i = 0; i < ev->count; i++) {
		struct spot here = event_spot(m, i);
		int64_t inside = ev->duration_ns[i];

		if (!i || !is_same_spot(&here, &spot)) {
			spot = here;
			place = find_place(m, &here);
		}
		group[i] = GROUP_NONE;
		if (!place.wanted)
			continue;
		if (inside == DURATION_NONE) {
			m->out->without_times++;
			continue;
		}
		if (clipped && !window_clip(m->p, ev->start_ns[i], ev->duration_ns[i], &inside))
			continue;
		group[i] = group_of(m, event_name(m, i), &place);
		if (clipped)
			clipped[i] = inside;
	}
	m->out->group = m->out->owned[0] = group;
	m->out->duration_ns = clipped ? clipped : ev->duration_ns;
	m->out->owned[1] = clipped;
}

static bool names_device(enum trace_kind kind)
{
	return kind < TRACE_GPU_KINDS;
}

static uint32_t needed_columns(enum trace_kind kind, const struct scope *p, enum group_by by)
{
	uint32_t columns = COL_BIT(COL_DURATION);

	if (p->has_device && !names_device(kind))
		columns |= COL_BIT(COL_THREAD);

	if (p->has_trim)
		columns |= COL_BIT(COL_START);
	if (p->has_device || by == BY_DEVICE || by == BY_STREAM)
		columns |= COLS_PROCESS_DEVICE;
	if (by == BY_STREAM)
		columns |= COL_BIT(COL_STREAM);
	if (p->has_pid || by == BY_PROCESS || by == BY_STREAM)
		columns |= COL_BIT(COL_PROCESS) | COL_BIT(COL_THREAD);
	return columns;
}

/* What p filters and rows are grouped by must be there: an empty answer would blame the filter. */
static int require_asked(struct trace *t, enum trace_kind kind, const struct scope *p,
			 enum group_by by, struct err *e)
{
	const struct events *ev = &t->events[kind];
	bool device = (p->has_device && names_device(kind)) || by == BY_DEVICE || by == BY_STREAM;
	bool process = p->has_pid || by == BY_PROCESS;

	if (p->has_device && !names_device(kind) &&
	    trace_require_column(t, kind, COL_THREAD, e) < 0)
		return -1;
	if ((p->has_trim && trace_require_column(t, kind, COL_START, e) < 0) ||
	    (device && trace_require_column(t, kind, COL_DEVICE, e) < 0) ||
	    (by == BY_STREAM && trace_require_column(t, kind, COL_STREAM, e) < 0))
		return -1;
	if (!process || ev->process || ev->thread)
		return 0;
	return trace_require_column(t, kind, kind < TRACE_API ? COL_PROCESS : COL_THREAD, e);
}

int grouping_make(struct trace *t, enum trace_kind kind, const uint32_t *names,
		  const struct scope *p, enum group_by by, struct grouping *ret, struct err *e)
{
	return grouping_make_aliased(t, kind, names, NULL, p, by, ret, e);
}

int grouping_make_aliased(struct trace *t, enum trace_kind kind, const uint32_t *names,
			  const uint32_t *alias, const struct scope *p, enum group_by by,
			  struct grouping *ret, struct err *e)
{
	struct maker m = {.trace = t,
			  .ev = &t->events[kind],
			  .names = names,
			  .alias = alias,
			  .p = p,
			  .by = by,
			  .out = ret};

	*ret = (struct grouping){0};
	if (trace_load(t, kind, needed_columns(kind, p, by), e) < 0 ||
	    trace_require_column(t, kind, COL_DURATION, e) < 0 ||
	    require_asked(t, kind, p, by, e) < 0 || device_map_read(t, &m.devices, e) < 0)
		return -1;
	m.by_thread = p->has_device && !names_device(kind);
	if (m.by_thread && device_threads_read(t, p->device, &m.threads, e) < 0) {
		device_map_free(&m.devices);
		return -1;
	}
	m.process_of_thread = mem_alloc(t->thread_keys.count, sizeof(*m.process_of_thread));
	for (size_t i = 0; i < t->thread_keys.count; i++)
		m.process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
	m.dim.named_count = t->names.count + FEW_NAMES;
	m.dim.named = mem_alloc(m.dim.named_count + 1, sizeof(*m.dim.named));
	memset(m.dim.named, 0xff, (m.dim.named_count + 1) * sizeof(*m.dim.named));
	choose_columns(&m);
	assign_groups(&m);
	device_threads_free(&m.threads);
	free(m.process_of_thread);
	free(m.dim.named);
	device_map_free(&m.devices);
	idmap_free(&m.dim.streams);
	idmap_free(&m.dim.places);
	idmap_free(&m.dim.groups);
	return 0;
}

void grouping_free(struct grouping *g)
{
	free(g->owned[0]);
	free(g->owned[1]);
	free(g->keys);
	*g = (struct grouping){0};
}
