/* Which events are of the same name, and how long do they take? */
#include "timeline/facts/alike.h"

#include "base/mem.h"
#include "base/parallel.h"

struct search {
	const struct track_part *part;
	const struct range_source *ranges;
	const struct span_source *spans;
	enum track_kind track;
	enum trace_kind kind;	 /* of ops */
	const uint32_t *op_keys; /* by op: what those alike share; NULL: all do */
	const bool *is_of;	 /* by origin of calls */
	uint32_t key;
	struct found_durations *found; /* by worker */
};

static void search_ops(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;
	const struct track_part *r = s->part;
	const struct events *ev = &r->trace->events[s->kind];
	const bool all_places = !r->scope.has_device && !r->scope.has_pid && !r->scope.has_process;
	uint32_t process, device;

	for (size_t row = begin; row < end; row++) {
		if ((s->op_keys && s->op_keys[row] != s->key) ||
		    ev->duration_ns[row] == DURATION_NONE)
			continue;
		if (!all_places) {
			ops_place(&r->ops, s->kind, row, &process, &device);
			if (!scope_has_place(&r->scope, r->trace, process, device))
				continue;
		}
		durations_take(&s->found[worker], ev->duration_ns[row]);
	}
}

static void search_calls(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;
	const struct calls *c = &s->part->calls.calls;

	for (size_t i = begin; i < end; i++) {
		if (s->is_of[calls_origin(c, i)] && calls_duration(c, i) != DURATION_NONE)
			durations_take(&s->found[worker], calls_duration(c, i));
	}
}

/* Ranges of one name, but for its counter: "step 3" is one of the steps. */
static uint32_t range_name(const struct range_source *s, uint32_t range)
{
	const uint32_t name = s->name_of_row[s->forest.ranges[range].row];

	return name == NAME_NONE ? NAME_NONE : s->folded.of_name[name];
}

static void search_ranges(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;

	for (size_t i = begin; i < end; i++) {
		const struct range *r = &s->ranges->forest.ranges[i];

		if (range_name(s->ranges, (uint32_t)i) == s->key &&
		    scope_has_thread(&s->part->scope, s->part->trace, r->thread))
			durations_take(&s->found[worker], sat_sub(r->end_ns, r->start_ns));
	}
}

/* What spans of a track have in common that are alike. */
static uint32_t key_of_span(const struct track_part *r, enum track_kind track,
			    struct derived_span d)
{
	if (track == TRACK_STEPS)
		return 0;
	return track == TRACK_PROJECTED ? range_name(&r->ranges, d.of) : d.of;
}

static void search_spans(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;

	for (size_t i = begin; i < end; i++) {
		const struct derived_span d = span_source_at(s->spans, i);

		if (key_of_span(s->part, s->track, d) == s->key)
			durations_take(&s->found[worker], sat_sub(d.end_ns, d.start_ns));
	}
}

static const uint32_t *keys_of_ops(const struct trace *t, enum trace_kind kind)
{
	const struct events *ev = &t->events[kind];

	return kind == TRACE_KERNELS ? ev->name : kind == TRACE_MEMCPYS ? ev->copy_kind : NULL;
}

static void find_ops(struct search *s)
{
	const struct trace *t = s->part->trace;

	s->op_keys = keys_of_ops(t, s->kind);
	parallel_each(t->events[s->kind].count, PARALLEL_ROWS, search_ops, s);
}

/* Threads that the scope leaves out have no track, and their calls are not counted. */
static void find_calls(struct search *s)
{
	const struct track_part *r = s->part;
	const struct calls *c = &r->calls.calls;
	SCOPED bool *is_of = mem_alloc(c->origin_count, sizeof(*is_of));

	for (size_t i = 0; i < c->origin_count; i++)
		is_of[i] = c->origins[i].name == s->key &&
			   scope_has_thread(&r->scope, r->trace, c->origins[i].thread);
	s->is_of = is_of;
	parallel_each(c->count, PARALLEL_ROWS, search_calls, s);
}

/* Derived spans of all tracks of a kind. */
static void find_spans(struct search *s)
{
	const struct track_set *set = s->part->set;

	for (size_t i = 0; i < set->count; i++) {
		if (set->all[i].kind != s->track || set->all[i].part != s->part)
			continue;
		s->spans = set->all[i].derived;
		parallel_each(s->spans->count, PARALLEL_ROWS, search_spans, s);
	}
}

static void find_all(struct search *s)
{
	if (s->track == TRACK_STREAM) {
		find_ops(s);
	} else if (s->track == TRACK_CALLS) {
		find_calls(s);
	} else if (s->track == TRACK_RANGES || s->track == TRACK_SPANS) {
		s->ranges = s->track == TRACK_RANGES ? &s->part->ranges : &s->part->spans;
		parallel_each(s->ranges->forest.count, PARALLEL_ROWS, search_ranges, s);
	} else {
		find_spans(s);
	}
}

/* What those alike have in common; false: each is the only one of its name, or has none. */
static bool key_of(const struct track_part *r, const struct track *track, uint32_t id,
		   uint32_t *ret)
{
	const struct calls *c = &r->calls.calls;
	const uint32_t *keys;

	switch (track->kind) {
	case TRACK_STREAM:
		keys = keys_of_ops(r->trace, op_id_kind(id));
		*ret = keys ? keys[op_id_row(id)] : 0;
		return true;
	case TRACK_CALLS:
		*ret = c->origins[calls_origin(c, id)].name;
		return true;
	case TRACK_RANGES:
		*ret = range_name(&r->ranges, id);
		return true;
	case TRACK_SPANS:
		*ret = range_name(&r->spans, id);
		return true;
	case TRACK_STEPS:
	case TRACK_PROJECTED:
	case TRACK_SAMPLES:
	case TRACK_COLLECTIVES:
		*ret = key_of_span(r, track->kind, span_source_at(track->derived, id));
		return true;
	default:
		return false;
	}
}

static struct alike_name *find_kept(struct alike *a, const struct search *s)
{
	for (size_t i = 0; i < ALIKE_KEPT; i++) {
		struct alike_name *n = &a->names[i];

		if (n->is_made && n->track == s->track && n->kind == s->kind && n->key == s->key)
			return n;
	}
	return NULL;
}

/* A place for one more; what is kept beside it is not much. */
static struct alike_name *make_room(struct alike *a)
{
	struct alike_name *n = &a->names[a->next];
	size_t kept = 0;

	a->next = (a->next + 1) % ALIKE_KEPT;
	for (size_t i = 0; i < ALIKE_KEPT; i++)
		kept += a->names[i].durations.count;
	if (kept > ALIKE_MOST)
		alike_free(a);
	durations_free(&n->durations);
	return n;
}

const struct durations *alike_find(struct alike *a, const struct track_part *part,
				   const struct track *track, const struct lane_event *e)
{
	static const struct durations none;
	struct search s = {.part = part, .track = track->kind};
	struct alike_name *n;

	if (!key_of(part, track, e->id, &s.key))
		return &none;
	s.kind = track->kind == TRACK_STREAM ? op_id_kind(e->id) : TRACE_KINDS;
	n = find_kept(a, &s);
	if (n)
		return &n->durations;
	s.found = durations_begin();
	find_all(&s);
	n = make_room(a);
	*n = (struct alike_name){.is_made = true, .track = s.track, .kind = s.kind, .key = s.key};
	durations_make(&n->durations, s.found);
	return &n->durations;
}

void alike_free(struct alike *a)
{
	for (size_t i = 0; i < ALIKE_KEPT; i++)
		durations_free(&a->names[i].durations);
	*a = (struct alike){0};
}
