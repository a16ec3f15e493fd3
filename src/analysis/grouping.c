/* Which group does each event belong to, after filters, and how long was it inside the window? */
#include "analysis/grouping.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "trace/devices.h"

#include <stdlib.h>

/* Names that are not numbers of strings: copy kinds and such. */
enum { FEW_NAMES = 64 };

/* Composite keys become one number by interning pair after pair. */
struct dimensions {
	struct idmap streams; /* device << 32 | stream */
	struct idmap places;  /* process << 32 | stream's number */
	struct idmap groups;  /* name << 32 | place's number */
	uint32_t *by_name;    /* name → group, where names alone make groups */
	size_t by_name_count;
	struct group_key last; /* the place of the event before, which is nearly always the same */
	uint32_t last_place;
	bool has_last;
};

struct maker {
	const struct trace *trace;
	const struct events *ev;
	const uint32_t *names;
	const uint32_t *alias; /* NULL: names stand for themselves */
	const struct params *p;
	uint32_t *process_of_thread;
	struct device_map devices;
	struct dimensions dim;
	struct grouping *out;
	size_t key_cap;
};

static uint32_t event_process(const struct maker *m, uint64_t i)
{
	if (m->ev->process)
		return m->ev->process[i];
	if (m->ev->thread && m->ev->thread[i] != ID_NONE)
		return m->process_of_thread[m->ev->thread[i]];
	return ID_NONE;
}

static uint32_t event_device(const struct maker *m, uint64_t i)
{
	if (!m->ev->device || m->ev->device[i] == ID_NONE)
		return ID_NONE;
	return device_map_gpu(&m->devices, event_process(m, i), m->ev->device[i]);
}

static bool passes(const struct maker *m, uint64_t i)
{
	if (m->p->has_device && event_device(m, i) != m->p->device)
		return false;
	if (m->p->has_pid) {
		uint32_t process = event_process(m, i);

		if (process == ID_NONE ||
		    process_pid(m->trace->process_keys.keys[process]) != m->p->pid)
			return false;
	}
	return true;
}

static uint32_t event_name(const struct maker *m, uint64_t i)
{
	uint32_t name = m->names[i];

	return m->alias && name != NAME_NONE ? m->alias[name] : name;
}

static struct group_key event_key(const struct maker *m, uint64_t i)
{
	struct group_key k = {event_name(m, i), ID_NONE, ID_NONE, ID_NONE};

	if (m->p->by == PARAM_BY_DEVICE || m->p->by == PARAM_BY_STREAM)
		k.device = event_device(m, i);
	if (m->p->by == PARAM_BY_PROCESS || m->p->by == PARAM_BY_STREAM)
		k.process = event_process(m, i);
	if (m->p->by == PARAM_BY_STREAM)
		k.stream = m->ev->stream ? m->ev->stream[i] : ID_NONE;
	return k;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static uint32_t new_group(struct maker *m, struct group_key k)
{
	MEM_GROW(m->out->keys, m->key_cap, m->out->count + 1);
	m->out->keys[m->out->count] = k;
	return (uint32_t)m->out->count++;
}

static uint32_t place_of(struct dimensions *d, const struct group_key *k)
{
	if (d->has_last && d->last.process == k->process && d->last.device == k->device &&
	    d->last.stream == k->stream)
		return d->last_place;
	d->last = *k;
	d->has_last = true;
	d->last_place = idmap_number_pair(&d->places, k->process,
					  idmap_number_pair(&d->streams, k->device, k->stream));
	return d->last_place;
}

static uint32_t group_by_place(struct maker *m, uint64_t i)
{
	struct group_key k = event_key(m, i);
	struct dimensions *d = &m->dim;
	uint32_t place = place_of(d, &k);
	uint32_t group = idmap_get(&d->groups, pair(k.name, place));

	/* Groups by name alone are numbered alongside: the map's own count would not do. */
	if (group == IDMAP_NONE)
		group = idmap_add(&d->groups, pair(k.name, place), new_group(m, k));
	return group;
}

/* The usual case, millions of times: no hashing. */
static uint32_t group_of(struct maker *m, uint64_t i)
{
	const uint32_t name = event_name(m, i);
	size_t slot = name == NAME_NONE ? m->dim.by_name_count : name;

	if (m->p->by || (name != NAME_NONE && name >= m->dim.by_name_count))
		return group_by_place(m, i);
	if (m->dim.by_name[slot] == GROUP_NONE)
		m->dim.by_name[slot] = new_group(m, event_key(m, i));
	return m->dim.by_name[slot];
}

static void assign_groups(struct maker *m)
{
	const struct events *ev = m->ev;
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	int64_t *clipped = m->p->has_trim ? mem_alloc(ev->count, sizeof(*clipped)) : NULL;

	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t inside = ev->duration_ns[i];

		group[i] = GROUP_NONE;
		if (!passes(m, i))
			continue;
		if (inside == DURATION_NONE) {
			m->out->without_times++;
			continue;
		}
		if (clipped && !window_clip(m->p, ev->start_ns[i], ev->duration_ns[i], &inside))
			continue;
		group[i] = group_of(m, i);
		if (clipped)
			clipped[i] = inside;
	}
	m->out->group = m->out->owned[0] = group;
	m->out->duration_ns = clipped ? clipped : ev->duration_ns;
	m->out->owned[1] = clipped;
}

static uint32_t needed_columns(const struct params *p)
{
	uint32_t columns = COL_BIT(COL_DURATION);

	if (p->has_trim)
		columns |= COL_BIT(COL_START);
	if (p->has_device || p->by == PARAM_BY_DEVICE || p->by == PARAM_BY_STREAM)
		columns |= COL_BIT(COL_DEVICE) | COL_BIT(COL_PROCESS);
	if (p->by == PARAM_BY_STREAM)
		columns |= COL_BIT(COL_STREAM);
	if (p->has_pid || p->by == PARAM_BY_PROCESS || p->by == PARAM_BY_STREAM)
		columns |= COL_BIT(COL_PROCESS) | COL_BIT(COL_THREAD);
	return columns;
}

/* What p filters or groups by must be there: an empty answer would blame the filter. */
static int require_asked(struct trace *t, enum trace_kind kind, const struct params *p,
			 struct err *e)
{
	const struct events *ev = &t->events[kind];
	bool device = p->has_device || p->by == PARAM_BY_DEVICE || p->by == PARAM_BY_STREAM;
	bool process = p->has_pid || p->by == PARAM_BY_PROCESS;

	if ((p->has_trim && trace_require_column(t, kind, COL_START, e) < 0) ||
	    (device && trace_require_column(t, kind, COL_DEVICE, e) < 0) ||
	    (p->by == PARAM_BY_STREAM && trace_require_column(t, kind, COL_STREAM, e) < 0))
		return -1;
	if (!process || ev->process || ev->thread)
		return 0;
	return trace_require_column(t, kind, kind < TRACE_API ? COL_PROCESS : COL_THREAD, e);
}

int grouping_make(struct trace *t, enum trace_kind kind, const uint32_t *names,
		  const struct params *p, struct grouping *ret, struct err *e)
{
	return grouping_make_aliased(t, kind, names, NULL, p, ret, e);
}

int grouping_make_aliased(struct trace *t, enum trace_kind kind, const uint32_t *names,
			  const uint32_t *alias, const struct params *p, struct grouping *ret,
			  struct err *e)
{
	struct maker m = {.trace = t,
			  .ev = &t->events[kind],
			  .names = names,
			  .alias = alias,
			  .p = p,
			  .out = ret};

	*ret = (struct grouping){0};
	if (trace_load(t, kind, needed_columns(p), e) < 0 ||
	    trace_require_column(t, kind, COL_DURATION, e) < 0 ||
	    require_asked(t, kind, p, e) < 0 || device_map_read(t, &m.devices, e) < 0)
		return -1;
	m.process_of_thread = mem_alloc(t->thread_keys.count, sizeof(*m.process_of_thread));
	for (size_t i = 0; i < t->thread_keys.count; i++)
		m.process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
	m.dim.by_name_count = t->names.count + FEW_NAMES;
	m.dim.by_name = mem_alloc(m.dim.by_name_count + 1, sizeof(*m.dim.by_name));
	memset(m.dim.by_name, 0xff, (m.dim.by_name_count + 1) * sizeof(*m.dim.by_name));
	assign_groups(&m);
	free(m.process_of_thread);
	free(m.dim.by_name);
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
