/* Which collectives did each member take part in, and when? */
#include "fleet/part_making.h"

#include "base/mem.h"
#include "base/pairs.h"

#include <stdlib.h>

/* Those of one member, by number of the walk's kernels. */
struct own {
	uint32_t *kernels;
	size_t count;
	size_t begin, end; /* of these: the ones that the part keeps */
};

struct taking {
	struct part_making *x;
	uint32_t process;     /* of the member */
	struct pairs classes; /* of the member: by communicator and type, or by name and stream */
	struct pairs streams;
	struct strtab texts;  /* names as the part has them: two may read the same */
	struct idmap text_of; /* by name */
	struct launch_cursor cursor;
};

/* Communicators are numbered apart from names, of which there are fewer than this. */
#define TOLD (UINT32_C(1) << 31)

static struct own *sort_by_member(const struct part_making *x)
{
	const struct comm_walk *w = &x->comm.walk;
	struct own *all = mem_zalloc(x->count, sizeof(*all));

	for (size_t i = 0; i < w->kernel_count; i++)
		all[x->member_of_pair[w->kernels[i].gpu]].count++;
	for (size_t i = 0; i < x->count; i++) {
		all[i].kernels = mem_alloc(all[i].count, sizeof(*all[i].kernels));
		all[i].count = 0;
	}
	for (size_t i = 0; i < w->kernel_count; i++) {
		struct own *o = &all[x->member_of_pair[w->kernels[i].gpu]];

		o->kernels[o->count++] = (uint32_t)i;
	}
	return all;
}

/* All, or of too many those of the window and what follows. */
static void choose(const struct part_making *x, const struct part_member *m, struct own *o)
{
	const struct comm_kernel *kernels = x->comm.walk.kernels;

	o->begin = 0;
	o->end = o->count;
	if (o->count <= PART_COLLECTIVES_MAX)
		return;
	while (o->begin < o->count - PART_COLLECTIVES_MAX &&
	       kernels[o->kernels[o->begin]].start_ns < m->window.start_ns)
		o->begin++;
	o->end = o->begin + PART_COLLECTIVES_MAX;
}

/* From 1 on; 0: not known. */
static uint32_t peer_of(const struct collective *c)
{
	return c->type == COLL_SEND_RECV && c->peer < PART_PEERS_MAX ? c->peer + 1 : 0;
}

static struct part_collective_class class_by_range(const struct taking *t,
						   const struct collective *c)
{
	const struct nccl_calls *calls = &t->x->comm.calls;
	const struct communicator *of = communicator_at(calls, c->communicator);
	const uint32_t own = nccl_own_rank(calls, t->process, c->communicator);

	return (struct part_collective_class){.type = (enum collective_type)c->type,
					      .has_communicator = true,
					      .communicator = of->id,
					      .ranks = (uint32_t)of->ranks,
					      .kernel = "",
					      .peer = peer_of(c),
					      .own = own < PART_PEERS_MAX ? own + 1 : 0};
}

/* Of a communicator that ranges tell: by type and peer. */
static uint32_t class_key(const struct collective *c)
{
	return peer_of(c) * COLL_TYPES + c->type;
}

static uint32_t find_text(struct taking *t, uint32_t name)
{
	uint32_t text = idmap_get(&t->text_of, name);

	if (text != IDMAP_NONE)
		return text;
	text = strtab_add(&t->texts,
			  str_of(part_text(&t->x->part->arena, trace_name(t->x->trace, name))));
	return idmap_add(&t->text_of, name, text);
}

static uint32_t number_class(struct taking *t, struct part_member *m, uint32_t kernel)
{
	const struct events *ev = &t->x->trace->events[TRACE_KERNELS];
	const struct collective *c = &t->x->comm.all[kernel];
	const uint32_t row = t->x->comm.walk.kernels[kernel].row;
	const bool told = c->communicator != ID_NONE;
	const uint32_t stream =
		told ? 0 : pairs_number(&t->streams, 0, ev->stream ? ev->stream[row] : ID_NONE);
	const uint32_t number =
		told ? pairs_number(&t->classes, TOLD | c->communicator, class_key(c))
		     : pairs_number(&t->classes, find_text(t, ev->name[row]), stream);

	if (number < m->class_count) {
		if (c->by_range && !told)
			m->classes[number].type = (enum collective_type)c->type;
		return number;
	}
	m->class_count++;
	m->classes[number] = told ? class_by_range(t, c)
				  : (struct part_collective_class){
					    .type = (enum collective_type)c->type,
					    .kernel = t->texts.items[find_text(t, ev->name[row])].s,
					    .stream = stream};
	return number;
}

static struct part_collective take_one(struct taking *t, uint32_t kernel, uint32_t class)
{
	const struct collectives *all = &t->x->comm;
	const struct comm_kernel *k = &all->walk.kernels[kernel];
	const struct collective *c = &all->all[kernel];
	struct part_collective out = {
		.class = class,
		.start_ns = k->start_ns,
		.end_ns = k->end_ns,
		.exposed_ns = k->exposed_ns,
		.idle_ns = k->idle_ns,
		.stall_ns = k->stall_ns,
		.launched_ns = PART_UNKNOWN,
		.bytes = c->bytes < 0 || c->bytes > PART_TIME_MAX ? PART_UNKNOWN : c->bytes,
	};
	struct picked_call call;

	if (all->has_launches && picked_call_of(&all->launches, k->row, &t->cursor, &call))
		out.launched_ns = part_time(picked_call_last(&call));
	return out;
}

static size_t count_classes(struct taking *t, const struct own *o)
{
	const struct events *ev = &t->x->trace->events[TRACE_KERNELS];
	struct pairs classes = {0};
	size_t count;

	for (size_t i = 0; i < o->count; i++) {
		const struct collective *c = &t->x->comm.all[o->kernels[i]];
		const uint32_t row = t->x->comm.walk.kernels[o->kernels[i]].row;

		if (c->communicator != ID_NONE)
			pairs_number(&classes, TOLD | c->communicator, class_key(c));
		else
			pairs_number(&classes, ev->name[row],
				     ev->stream ? ev->stream[row] : ID_NONE);
	}
	count = pairs_count(&classes);
	pairs_free(&classes);
	return count;
}

static void take_member(struct part_making *x, struct part_member *m, struct own *o)
{
	struct taking t = {.x = x, .process = x->members[m - x->part->members].process};
	struct arena *arena = &x->part->arena;

	choose(x, m, o);
	m->classes = arena_alloc(arena, count_classes(&t, o), sizeof(*m->classes));
	m->collectives = arena_alloc(arena, o->end - o->begin, sizeof(*m->collectives));
	for (size_t i = 0; i < o->count; i++) {
		const uint32_t class = number_class(&t, m, o->kernels[i]);

		if (i < o->begin)
			m->classes[class].left_out++;
		else if (i < o->end)
			m->collectives[m->collective_count++] = take_one(&t, o->kernels[i], class);
	}
	m->collectives_before = o->begin;
	m->collectives_after = o->count - o->end;
	if (o->count > m->collective_count)
		part_note(x,
			  "%zu of %zu collectives of a rank are kept, from the window's first on",
			  m->collective_count, o->count);
	pairs_free(&t.classes);
	pairs_free(&t.streams);
	strtab_free(&t.texts);
	idmap_free(&t.text_of);
}

/* The job has as many ranks as the largest communicator, whether that is used or not. */
static void find_world(const struct part_making *x, struct part_member *m)
{
	const struct nccl_calls *calls = &x->comm.calls;
	const bool is_alone = part_is_one_process(x->part);

	for (size_t i = 0; i < m->class_count; i++) {
		if (m->classes[i].ranks > m->world)
			m->world = m->classes[i].ranks;
	}
	for (size_t i = 0; i < calls->communicator_count && is_alone; i++) {
		const struct communicator *c = &calls->communicators[i];

		if (!c->disputed && c->ranks > m->world && c->ranks < UINT32_MAX)
			m->world = (uint32_t)c->ranks;
	}
}

int part_take_collectives(struct part_making *x, struct err *e)
{
	struct own *own;

	if (!x->comm.has_launches && collectives_find_launches(&x->comm, x->trace, e) < 0)
		return -1;
	own = sort_by_member(x);
	for (size_t i = 0; i < x->count; i++) {
		take_member(x, &x->part->members[i], &own[i]);
		find_world(x, &x->part->members[i]);
		free(own[i].kernels);
	}
	free(own);
	return 0;
}
