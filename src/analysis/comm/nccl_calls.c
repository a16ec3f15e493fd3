/* Which calls of NCCL did the host make, in which communicator? */
#include "analysis/comm/nccl_calls.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* What a range's name says. */
enum {
	SAYS_NOTHING,
	SAYS_COMMUNICATOR = 1 << 0, /* ncclCommInit…: how many ranks it has */
	SAYS_CALL = 1 << 1,
	SAYS_EXCHANGE = 1 << 2,
	SAYS_GROUP = 1 << 3, /* its start or its end */
};

static uint8_t said_by_name(struct str name)
{
	uint8_t says = SAYS_NOTHING;

	if (str_starts(name, "ncclComm"))
		return SAYS_COMMUNICATOR;
	if (nccl_group_is_bound(name))
		return SAYS_GROUP;
	if (collective_type_of_call(name) != COLL_TYPES)
		says |= SAYS_CALL;
	if (collective_range_is_all_to_all(name))
		says |= SAYS_EXCHANGE;
	return says;
}

/* What each of the trace's names says, by number, and all that ranges say. */
struct sayings {
	uint8_t *of_name;
	uint8_t any;
};

static struct sayings read_names(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	struct sayings says = {mem_alloc(t->names.count, 1), 0};

	for (size_t i = 0; i < t->names.count; i++)
		says.of_name[i] = said_by_name(t->names.items[i]);
	for (uint64_t i = 0; ev->name && i < ev->count; i++)
		says.any |= ev->name[i] == NAME_NONE ? 0 : says.of_name[ev->name[i]];
	return says;
}

static struct str payload_of(const struct nccl_calls *c, uint32_t row)
{
	const struct events *ev = &c->trace->events[TRACE_NVTX];

	if (!ev->payload || ev->payload[row] == NAME_NONE)
		return STR_LIT("");
	return trace_name(c->trace, ev->payload[row]);
}

static uint32_t number_communicator(struct nccl_calls *c, uint64_t id)
{
	uint32_t number = idmap_add(&c->numbers, id, (uint32_t)c->communicator_count);

	if (number == c->communicator_count) {
		MEM_GROW(c->communicators, c->communicator_cap, c->communicator_count + 1);
		c->communicators[c->communicator_count++] = (struct communicator){.id = id};
	}
	return number;
}

static void note_ranks(struct communicator *x, uint64_t ranks)
{
	if (!ranks || ranks > UINT32_MAX || x->disputed)
		return;
	x->disputed = x->ranks && x->ranks != ranks;
	x->ranks = x->disputed ? 0 : ranks;
}

/* Of a process that is several ranks of one, as threads may be, it is none. */
static void note_owner(struct nccl_calls *c, uint32_t thread, uint32_t communicator, uint64_t rank)
{
	const size_t had = pairs_count(&c->owners);
	uint32_t number;

	if (thread == ID_NONE || rank >= UINT32_MAX)
		return;
	number = pairs_number(&c->owners, trace_thread_process(c->trace, thread), communicator);
	MEM_GROW(c->own_rank, c->own_rank_cap, pairs_count(&c->owners));
	if (number == had)
		c->own_rank[number] = (uint32_t)rank;
	else if (c->own_rank[number] != (uint32_t)rank)
		c->own_rank[number] = ID_NONE;
}

uint32_t nccl_own_rank(const struct nccl_calls *c, uint32_t process, uint32_t communicator)
{
	const uint32_t number = pairs_find(&c->owners, process, communicator);

	return number == IDMAP_NONE ? ID_NONE : c->own_rank[number];
}

static void read_communicators(struct nccl_calls *c, const uint8_t *says)
{
	const struct events *ev = &c->trace->events[TRACE_NVTX];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint64_t id, ranks, rank, bytes;
		struct str json;
		uint32_t number;

		if (ev->name[i] == NAME_NONE ||
		    !(says[ev->name[i]] & (SAYS_CALL | SAYS_COMMUNICATOR)))
			continue;
		json = payload_of(c, (uint32_t)i);
		c->has_sizes |= says[ev->name[i]] & SAYS_CALL &&
				payload_number(json, "Message size [bytes]", &bytes);
		if (!payload_number(json, "NCCL communicator ID", &id))
			continue;
		number = number_communicator(c, id);
		if (payload_number(json, "No. of ranks", &ranks))
			note_ranks(&c->communicators[number], ranks);
		if (says[ev->name[i]] & SAYS_COMMUNICATOR && ev->thread &&
		    payload_number(json, "Rank", &rank))
			note_owner(c, ev->thread[i], number, rank);
	}
}

/* What a range has to say to be picked. */
struct wanted {
	const struct sayings *says;
	uint8_t what;
};

static int says_wanted(void *ctx, uint32_t name, struct err *e)
{
	const struct wanted *w = ctx;

	(void)e;
	return (w->says->of_name[name] & w->what) != 0;
}

static int find_ranges(struct nccl_calls *c, struct sayings *says, struct err *e)
{
	struct wanted call = {says, SAYS_CALL}, exchange = {says, SAYS_EXCHANGE},
		      group = {says, SAYS_GROUP};
	const struct range_choice calls = {INT64_MIN, INT64_MAX, says_wanted, &call};
	const struct range_choice exchanges = {INT64_MIN, INT64_MAX, says_wanted, &exchange};
	const struct range_choice groups = {INT64_MIN, INT64_MAX, says_wanted, &group};

	if (says->any & SAYS_EXCHANGE &&
	    picked_ranges_find(c->trace, &exchanges, &c->exchanges, e) < 0)
		return -1;
	if (!(says->any & SAYS_CALL))
		return 0;
	if (picked_ranges_find(c->trace, &calls, &c->calls, e) < 0 ||
	    nccl_groups_find(c->trace, &groups, &c->calls.forest, &c->groups, e) < 0 ||
	    trace_load(c->trace, TRACE_NVTX, COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	read_communicators(c, says->of_name);
	return 0;
}

struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range)
{
	uint32_t row = c->calls.forest.ranges[range].row;
	struct str json = payload_of(c, row);
	struct nccl_call call = {
		.type = collective_type_of_call(
			trace_name(c->trace, c->trace->events[TRACE_NVTX].name[row])),
		.communicator = ID_NONE,
		.peer = ID_NONE,
		.bytes = -1,
	};
	uint64_t id, bytes, peer;

	if (payload_number(json, "NCCL communicator ID", &id))
		call.communicator = idmap_get(&c->numbers, id);
	if (payload_number(json, "Message size [bytes]", &bytes) && bytes <= INT64_MAX)
		call.bytes = (int64_t)bytes;
	if (call.type == COLL_SEND_RECV && payload_number(json, "Peer rank", &peer) &&
	    peer < UINT32_MAX)
		call.peer = (uint32_t)peer;
	return call;
}

/* What calls of a group have in common; of sends and receives nobody knows which bytes meet. */
static struct nccl_call common_call(const struct nccl_calls *c, struct nccl_group g)
{
	struct nccl_call all = nccl_call_at(c, g.first);

	for (uint32_t i = 1; i < g.count; i++) {
		const struct nccl_call one = nccl_call_at(c, g.first + i);

		if (one.communicator != all.communicator)
			all.communicator = ID_NONE;
		if (one.peer != all.peer)
			all.peer = ID_NONE;
		if (one.type != all.type || all.bytes < 0 || one.bytes < 0 ||
		    all.type == COLL_SEND_RECV)
			all.bytes = -1;
		else
			all.bytes = sat_add(all.bytes, one.bytes);
		if (one.type != all.type)
			all.type = COLL_OTHER;
	}
	return all;
}

static void read_groups(struct nccl_calls *c)
{
	const size_t count = c->groups.bounds.forest.count;

	c->of_group = mem_zalloc(count, sizeof(*c->of_group));
	for (size_t i = 0; i < count; i++) {
		if (c->groups.of_bound[i].count)
			c->of_group[i] = common_call(c, c->groups.of_bound[i]);
	}
}

int nccl_calls_make(struct trace *t, struct nccl_calls *ret, struct err *e)
{
	struct sayings says;
	int result;

	*ret = (struct nccl_calls){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	says = read_names(t);
	result = find_ranges(ret, &says, e);
	if (result == 0)
		read_groups(ret);
	free(says.of_name);
	return result;
}

void nccl_calls_free(struct nccl_calls *c)
{
	picked_ranges_free(&c->calls);
	picked_ranges_free(&c->exchanges);
	nccl_groups_free(&c->groups);
	free(c->of_group);
	free(c->communicators);
	idmap_free(&c->numbers);
	pairs_free(&c->owners);
	free(c->own_rank);
	*c = (struct nccl_calls){0};
}
