/* Which call of NCCL, in which communicator, does a kernel come from? */
#include "analysis/nccl_calls.h"

#include "base/mem.h"
#include "trace/payload.h"

#include <stdlib.h>

/* What a range's name says. */
enum {
	SAYS_NOTHING,
	SAYS_COMMUNICATOR = 1 << 0, /* ncclCommInit…: how many ranks it has */
	SAYS_CALL = 1 << 1,
	SAYS_EXCHANGE = 1 << 2,
};

static uint8_t said_by_name(struct str name)
{
	uint8_t says = SAYS_NOTHING;

	if (str_starts(name, "ncclComm"))
		return SAYS_COMMUNICATOR;
	if (collective_type_of_call(name) != COLL_TYPES)
		says |= SAYS_CALL;
	if (collective_range_is_all_to_all(name))
		says |= SAYS_EXCHANGE;
	return says;
}

/* By number of the trace's names; NULL where no range says anything. */
static uint8_t *read_names(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	uint8_t *says = mem_alloc(t->names.count, 1);
	uint8_t any = 0;

	for (size_t i = 0; i < t->names.count; i++)
		says[i] = said_by_name(t->names.items[i]);
	for (uint64_t i = 0; i < ev->count; i++)
		any |= ev->name[i] == NAME_NONE ? 0 : says[ev->name[i]];
	if (any & (SAYS_CALL | SAYS_EXCHANGE))
		return says;
	free(says);
	return NULL;
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

static void read_communicators(struct nccl_calls *c, const uint8_t *says)
{
	const struct events *ev = &c->trace->events[TRACE_NVTX];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint64_t id, ranks, bytes;
		struct str json;
		uint32_t number;

		if (ev->name[i] == NAME_NONE ||
		    !(says[ev->name[i]] & (SAYS_CALL | SAYS_COMMUNICATOR)))
			continue;
		json = payload_of(c, (uint32_t)i);
		c->any |= (says[ev->name[i]] & SAYS_CALL) != 0;
		c->has_sizes |= says[ev->name[i]] & SAYS_CALL &&
				payload_number(json, "Message size [bytes]", &bytes);
		if (!payload_number(json, "NCCL communicator ID", &id))
			continue;
		number = number_communicator(c, id);
		if (payload_number(json, "No. of ranks", &ranks))
			note_ranks(&c->communicators[number], ranks);
	}
}

/* An outer range comes before those inside: what holds for it is known by then. */
static void spread_inward(struct nccl_calls *c, const uint8_t *says)
{
	const uint32_t *names = c->trace->events[TRACE_NVTX].name;
	const struct range_forest *f = &c->at.forest;

	c->call_around = mem_alloc(f->count, sizeof(*c->call_around));
	c->exchange_around = mem_alloc(f->count, sizeof(*c->exchange_around));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		uint32_t name = names[r->row];
		uint8_t here = name == NAME_NONE ? SAYS_NOTHING : says[name];
		bool inner = r->parent < i;

		c->call_around[i] = here & SAYS_CALL ? (uint32_t)i
				    : inner	     ? c->call_around[r->parent]
						     : RANGE_NONE;
		c->exchange_around[i] = here & SAYS_EXCHANGE ? (uint32_t)i
					: inner		     ? c->exchange_around[r->parent]
							     : RANGE_NONE;
	}
}

int nccl_calls_make(struct trace *t, bool kernels, struct nccl_calls *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	uint8_t *says;
	int result;

	*ret = (struct nccl_calls){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	says = ev->name ? read_names(t) : NULL;
	if (!says)
		return 0;
	result = kernels ? attribution_make(t, 1u << TRACE_KERNELS, &ret->at, e)
			 : range_forest_build(t, FOREST_PUSH_POP, &ret->at.forest, e);
	free(says);
	if (result < 0 || trace_load(t, TRACE_NVTX, COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	/* Loading has added names. */
	says = read_names(t);
	if (says) {
		read_communicators(ret, says);
		spread_inward(ret, says);
	}
	free(says);
	return 0;
}

void nccl_calls_free(struct nccl_calls *c)
{
	attribution_free(&c->at);
	free(c->call_around);
	free(c->exchange_around);
	free(c->communicators);
	idmap_free(&c->numbers);
	*c = (struct nccl_calls){0};
}

struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range)
{
	uint32_t row = c->at.forest.ranges[range].row;
	struct str json = payload_of(c, row);
	struct nccl_call call = {
		.type = collective_type_of_call(
			trace_name(c->trace, c->trace->events[TRACE_NVTX].name[row])),
		.communicator = ID_NONE,
		.bytes = -1,
	};
	uint64_t id, bytes;

	if (payload_number(json, "NCCL communicator ID", &id))
		call.communicator = idmap_get(&c->numbers, id);
	if (payload_number(json, "Message size [bytes]", &bytes) && bytes <= INT64_MAX)
		call.bytes = (int64_t)bytes;
	return call;
}

uint32_t nccl_call_of_kernel(const struct nccl_calls *c, uint32_t row)
{
	uint32_t range = attribution_range(&c->at, TRACE_KERNELS, row);

	return range == RANGE_NONE || !c->call_around ? RANGE_NONE : c->call_around[range];
}

uint32_t nccl_exchange_of_kernel(const struct nccl_calls *c, uint32_t row)
{
	uint32_t range = attribution_range(&c->at, TRACE_KERNELS, row);

	return range == RANGE_NONE || !c->exchange_around ? RANGE_NONE : c->exchange_around[range];
}
