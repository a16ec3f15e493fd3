/* Which call of NCCL, in which communicator, does a kernel come from? */
#include "analysis/comm/nccl_calls.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/ranges/payload.h"

#include <inttypes.h>
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
		c->has_sizes |= says[ev->name[i]] & SAYS_CALL &&
				payload_number(json, "Message size [bytes]", &bytes);
		if (!payload_number(json, "NCCL communicator ID", &id))
			continue;
		number = number_communicator(c, id);
		if (payload_number(json, "No. of ranks", &ranks))
			note_ranks(&c->communicators[number], ranks);
	}
}

static int is_call(void *ctx, uint32_t name, struct err *e)
{
	const struct sayings *says = ctx;

	(void)e;
	return (says->of_name[name] & SAYS_CALL) != 0;
}

static int is_exchange(void *ctx, uint32_t name, struct err *e)
{
	const struct sayings *says = ctx;

	(void)e;
	return (says->of_name[name] & SAYS_EXCHANGE) != 0;
}

static int make(struct nccl_calls *c, struct sayings *says, struct err *e)
{
	const struct range_choice calls = {INT64_MIN, INT64_MAX, is_call, says};
	const struct range_choice exchanges = {INT64_MIN, INT64_MAX, is_exchange, says};

	if (says->any & SAYS_EXCHANGE &&
	    picked_ranges_find(c->trace, &exchanges, &c->exchanges, e) < 0)
		return -1;
	if (!(says->any & SAYS_CALL))
		return 0;
	if (picked_ranges_find(c->trace, &calls, &c->calls, e) < 0 ||
	    trace_load(c->trace, TRACE_NVTX, COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	read_communicators(c, says->of_name);
	return 0;
}

int nccl_calls_make(struct trace *t, struct nccl_calls *ret, struct err *e)
{
	struct sayings says;
	int result;

	*ret = (struct nccl_calls){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	says = read_names(t);
	result = make(ret, &says, e);
	free(says.of_name);
	return result;
}

void nccl_calls_free(struct nccl_calls *c)
{
	picked_ranges_free(&c->calls);
	picked_ranges_free(&c->exchanges);
	free(c->communicators);
	idmap_free(&c->numbers);
	*c = (struct nccl_calls){0};
}

struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range)
{
	uint32_t row = c->calls.forest.ranges[range].row;
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

/* Which calls of NCCL did the host make, and of which size? */

static const struct column call_columns[] = {
	{"call", "Call", UNIT_NAME, 0, "", SHOW},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW},
	{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW},
	{"avg_bytes", "Avg message", UNIT_BYTES, 0, NULL, SHOW},
	{"total_ns", "Host time", UNIT_NS, 0, NULL, SHOW},
};

struct call_sum {
	uint32_t name, communicator;
	uint64_t count, sized;
	int64_t bytes, total_ns;
};

struct call_sums {
	struct call_sum *all;
	size_t count, cap;
	struct idmap numbers;
};

struct cell communicator_cell(struct report *r, const struct communicator *x)
{
	return x ? cell_text(arena_printf(&r->arena, "0x%" PRIx64, x->id)) : cell_null();
}

static bool passes(const struct trace *t, const struct scope *p, uint32_t process,
		   const struct range *range)
{
	uint32_t of = trace_thread_process(t, range->thread);

	if (process != ID_NONE && of != process)
		return false;
	return scope_has_process(p, t, of);
}

static void add_call_sum(struct call_sums *sums, const struct nccl_calls *c, uint32_t range,
			 const struct span *part)
{
	const struct range *x = &c->calls.forest.ranges[range];
	struct nccl_call call = nccl_call_at(c, range);
	uint32_t name = c->trace->events[TRACE_NVTX].name[x->row];
	uint32_t number = idmap_number_pair(&sums->numbers, name, call.communicator);
	struct call_sum *to;

	if (number == sums->count) {
		MEM_GROW(sums->all, sums->cap, sums->count + 1);
		sums->all[sums->count++] = (struct call_sum){name, call.communicator, 0, 0, 0, 0};
	}
	to = &sums->all[number];
	to->count++;
	to->sized += call.bytes >= 0;
	to->bytes = sat_add(to->bytes, call.bytes >= 0 ? call.bytes : 0);
	to->total_ns = sat_add(to->total_ns, sat_sub(part->end_ns, part->start_ns));
}

static void add_row(struct rows *rows, struct report *r, const struct nccl_calls *c,
		    const struct call_sum *s)
{
	const struct communicator *comm =
		s->communicator == ID_NONE ? NULL : &c->communicators[s->communicator];

	rows_add(rows, cell_str(trace_name(c->trace, s->name)));
	rows_add(rows, communicator_cell(r, comm));
	rows_add(rows, comm && comm->ranks ? cell_int((int64_t)comm->ranks) : cell_null());
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, s->sized ? cell_int(s->bytes) : cell_null());
	rows_add(rows, s->sized ? cell_real((double)s->bytes / (double)s->sized) : cell_null());
	rows_add(rows, cell_int(s->total_ns));
}

void nccl_call_table_report(struct report *r, const struct nccl_calls *c,
			    const struct table_args *a, uint32_t process)
{
	struct call_sums sums = {0};
	struct rows *rows;

	for (size_t i = 0; i < c->calls.forest.count; i++) {
		const struct range *x = &c->calls.forest.ranges[i];
		struct span part;

		if (passes(c->trace, &a->scope, process, x) &&
		    window_part(&a->scope, x->start_ns, sat_sub(x->end_ns, x->start_ns), &part))
			add_call_sum(&sums, c, (uint32_t)i, &part);
	}
	if (sums.count) {
		rows = report_new_rows(r, "nccl_calls", "NCCL calls on the host", call_columns,
				       ARRAY_LEN(call_columns));
		rows->table.kind = "call";
		for (size_t i = 0; i < sums.count; i++)
			add_row(rows, r, c, &sums.all[i]);
		rows_arrange_also(rows, &a->rows, "bytes");
	}
	free(sums.all);
	idmap_free(&sums.numbers);
}
