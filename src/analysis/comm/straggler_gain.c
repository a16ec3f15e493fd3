/* What would all ranks gain, were one of them like the others? */
#include "analysis/comm/straggler_gain.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

struct filling {
	const struct collectives *c;
	const struct straggler_sets *sets;
	const struct rank_map *ranks;
	struct replay_class *classes;
	uint32_t *members;    /* by queue */
	uint32_t *own_number; /* by queue: of those of its member, in order of first use */
	struct launch_cursor cursor;
	struct replay_entry *entries; /* room for one of each member */
	struct replay replay;
};

static bool is_uneven(const struct straggler_classes *x, const struct set_class *class)
{
	uint32_t fewest = UINT32_MAX, most = 0;

	for (size_t i = class->first_queue; i < class->first_queue + class->members; i++) {
		fewest = x->queues[i].count < fewest ? x->queues[i].count : fewest;
		most = x->queues[i].count > most ? x->queues[i].count : most;
	}
	return kernels_are_uneven(fewest, most);
}

static void list_classes(struct filling *f)
{
	const struct straggler_classes *x = &f->sets->classes;

	f->classes = mem_alloc(x->count, sizeof(*f->classes));
	f->members = mem_alloc(x->queue_count, sizeof(*f->members));
	for (size_t i = 0; i < x->queue_count; i++)
		f->members[i] = x->queues[i].member;
	for (size_t i = 0; i < x->count; i++) {
		const struct set_class *class = &x->all[i];
		const uint32_t communicators = (uint32_t)f->c->calls.communicator_count;

		/* Communicators have numbers of their own, and classes without one follow. */
		f->classes[i] = (struct replay_class){
			.type = class->type,
			.stream = class->communicator != ID_NONE ? class->communicator
								 : communicators + (uint32_t)i,
			.members = &f->members[class->first_queue],
			.member_count = class->members,
			.count = class->matched,
			.has_all = class->members == f->sets->member_count,
			.is_uneven = is_uneven(x, class)};
	}
}

/* Kernels are numbered by start: queues that are used first have the first of them. */
static void number_queues(struct filling *f)
{
	const struct straggler_classes *x = &f->sets->classes;
	uint32_t *used = mem_zalloc(f->sets->member_count, sizeof(*used)), *order;
	int64_t *keys = mem_alloc(x->queue_count, sizeof(*keys));

	for (size_t i = 0; i < x->queue_count; i++)
		keys[i] = x->queues[i].count ? x->queues[i].kernels[0] : INT64_MAX;
	order = sort_new_order(keys, x->queue_count);
	f->own_number = mem_alloc(x->queue_count, sizeof(*f->own_number));
	for (size_t i = 0; i < x->queue_count; i++)
		f->own_number[order[i]] = used[x->queues[order[i]].member]++;
	free(order);
	free(keys);
	free(used);
}

static int64_t queued_ns(struct filling *f, const struct comm_kernel *k)
{
	struct picked_call call;

	if (!f->c->has_launches || !picked_call_of(&f->c->launches, k->row, &f->cursor, &call) ||
	    call.duration_ns == DURATION_NONE)
		return 0;
	return sat_sub(k->start_ns, picked_call_last(&call));
}

static void add_set(struct filling *f, uint32_t number)
{
	const struct straggler_set *s = &f->sets->sets[number];
	const struct set_class *class = &f->sets->classes.all[s->class];
	const struct replay_visit visit = {.class = s->class, .number = s->k, .instance = number};

	for (uint32_t i = 0; i < class->members; i++) {
		const size_t queue = class->first_queue + i;
		const struct queue *q = &f->sets->classes.queues[queue];
		const uint32_t kernel = queue_kernel(class, q, s->k);
		const struct comm_kernel *k = &f->c->walk.kernels[kernel];

		f->entries[i] = (struct replay_entry){.member = q->member,
						      .kernel = kernel,
						      .class = f->own_number[queue],
						      .enter_ns = k->start_ns,
						      .leave_ns = k->end_ns,
						      .exposed_ns = k->exposed_ns,
						      .idle_ns = k->idle_ns,
						      .queued_ns = queued_ns(f, k),
						      .bytes = f->c->all[kernel].bytes};
	}
	replay_add(&f->replay, &visit, f->entries, class->members);
}

static const struct process_gpu *place_of(const struct filling *f, size_t member)
{
	return &f->c->walk.gpus.all[f->sets->members[member].gpu];
}

/* By member the stage of the pipeline that its label says; NULL: not all of them say one. */
static uint32_t *list_stages(const struct filling *f)
{
	uint32_t *stage = mem_alloc(f->sets->member_count, sizeof(*stage));

	for (size_t i = 0; i < f->sets->member_count; i++) {
		const struct rank *rank = rank_of_process(f->ranks, place_of(f, i)->process);

		if (!rank || !rank->setup.mesh[MESH_PP].known) {
			free(stage);
			return NULL;
		}
		stage[i] = rank->setup.mesh[MESH_PP].rank;
	}
	return stage;
}

static void fill(struct filling *f)
{
	uint32_t *stage = list_stages(f);

	list_classes(f);
	number_queues(f);
	f->entries = mem_alloc(f->sets->member_count, sizeof(*f->entries));
	replay_begin(&f->replay, f->classes, f->sets->classes.count, f->sets->member_count);
	for (uint32_t i = 0; i < f->sets->count; i++)
		add_set(f, i);
	replay_end(&f->replay, stage);
	free(stage);
}

/* Devices are numbered from 0. */
static struct replay_place *list_places(const struct filling *f, const double *compute_ns)
{
	struct replay_place *places = mem_alloc(f->sets->member_count, sizeof(*places));

	for (size_t i = 0; i < f->sets->member_count; i++) {
		const uint32_t device = place_of(f, i)->device;

		places[i] = (struct replay_place){device == ID_NONE ? 0 : (uint64_t)device + 1,
						  compute_ns[i]};
	}
	return places;
}

void straggler_gain(const struct collectives *c, const struct straggler_sets *sets,
		    const struct rank_map *ranks, const double *compute_ns, size_t member,
		    double time_ns, struct replay_saving *ret)
{
	struct filling f = {.c = c, .sets = sets, .ranks = ranks};
	struct replay_place *places = list_places(&f, compute_ns);
	const uint32_t who = (uint32_t)member;

	fill(&f);
	replay_save(&f.replay, &who, 1, places, time_ns, ret);
	replay_free(&f.replay);
	free(places);
	free(f.entries);
	free(f.own_number);
	free(f.members);
	free(f.classes);
}
