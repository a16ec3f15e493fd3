/* Which collective is each communication kernel? */
#include "analysis/comm/collectives.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "trace/ranges/ranges.h"

#include <inttypes.h>
#include <stdlib.h>

/* Which call of NCCL, in which communicator, does a kernel come from? */

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
	struct wanted call = {says, SAYS_CALL}, exchange = {says, SAYS_EXCHANGE};
	const struct range_choice calls = {INT64_MIN, INT64_MAX, says_wanted, &call};
	const struct range_choice exchanges = {INT64_MIN, INT64_MAX, says_wanted, &exchange};

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

/* Whoever asks frees it, also after an error. */
static int nccl_calls_make(struct trace *t, struct nccl_calls *ret, struct err *e)
{
	struct sayings says;
	int result;

	*ret = (struct nccl_calls){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	says = read_names(t);
	result = find_ranges(ret, &says, e);
	free(says.of_name);
	return result;
}

static void nccl_calls_free(struct nccl_calls *c)
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
	const struct communicator *comm = communicator_at(c, s->communicator);

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

/* What is known of the names met so far. */
struct found {
	/* By number of the trace's names. */
	struct named {
		uint32_t kind;
		uint8_t type; /* enum collective_type */
		bool known;
	} * names;
	struct strtab texts; /* one for each kind */
	struct arena arena;
};

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* Names that differ in their parameters, or in the type that they tell, are of one kind. */
static uint32_t add_kind(struct collectives *c, struct found *f,
			 const struct collective_name *parsed)
{
	char *text = arena_printf(&f->arena, "%s|%s|%s|%s", or_none(parsed->algorithm),
				  or_none(parsed->protocol), or_none(parsed->datatype),
				  or_none(parsed->reduction));
	uint32_t kind = strtab_add(&f->texts, str_of(text));

	if (kind == c->kind_count) {
		MEM_GROW(c->kinds, c->kind_cap, c->kind_count + 1);
		c->kinds[c->kind_count++] = *parsed;
	}
	return kind;
}

static struct named find_name(struct collectives *c, struct found *f, const struct trace *t,
			      uint32_t name)
{
	struct named *n = &f->names[name];

	if (!n->known) {
		struct collective_name parsed = collective_name_parse(trace_name(t, name));

		*n = (struct named){add_kind(c, f, &parsed), (uint8_t)parsed.type, true};
	}
	return *n;
}

/* What one send of an exchange says is not the exchange's size. */
static void add_call_of_kernel(struct collectives *c, struct collective *x, bool *used)
{
	struct nccl_call call = nccl_call_at(&c->calls, x->call);

	x->communicator = call.communicator;
	x->first_of_call = !used[x->call];
	used[x->call] = true;
	/* Kernels that do whatever they are told to have no type of their own. */
	if (x->type == COLL_OTHER && call.type != COLL_OTHER) {
		x->type = call.type;
		x->by_range = true;
	}
	x->bytes = call.type == x->type ? call.bytes : -1;
}

/* `used` has a mark for each call that has launched a kernel. */
static void add_ranges(struct collectives *c, struct collective *x,
		       const struct picked_call *launch, bool *used)
{
	uint32_t exchange = picked_ranges_at(&c->calls.exchanges, launch->thread, launch->start_ns);

	if (x->type == COLL_SEND_RECV && exchange != RANGE_NONE) {
		x->type = COLL_ALL_TO_ALL;
		x->by_range = true;
		c->exchange_range = c->exchanges++ ? c->exchange_range : exchange;
	}
	x->call = picked_ranges_at(&c->calls.calls, launch->thread, launch->start_ns);
	if (x->call != RANGE_NONE)
		add_call_of_kernel(c, x, used);
}

static void find_all(struct collectives *c, const struct trace *t)
{
	const uint32_t *names = t->events[TRACE_KERNELS].name;
	bool *used = mem_zalloc(c->calls.calls.forest.count, sizeof(*used));
	struct found f = {.names = mem_zalloc(t->names.count, sizeof(*f.names))};
	struct launch_cursor cursor = {0};

	c->all = mem_alloc(c->walk.kernel_count, sizeof(*c->all));
	for (size_t i = 0; i < c->walk.kernel_count; i++) {
		const struct comm_kernel *k = &c->walk.kernels[i];
		struct collective *x = &c->all[i];
		struct picked_call launch;
		struct named named = find_name(c, &f, t, names[k->row]);

		*x = (struct collective){
			.type = named.type,
			.kind = named.kind,
			.call = RANGE_NONE,
			.communicator = ID_NONE,
			.bytes = -1,
		};
		if (picked_call_of(&c->launches, k->row, &cursor, &launch))
			add_ranges(c, x, &launch, used);
	}
	free(f.names);
	strtab_free(&f.texts);
	arena_free(&f.arena);
	free(used);
}

int collectives_find_launches(struct collectives *c, struct trace *t, struct err *e)
{
	const size_t count = c->walk.kernel_count;
	uint32_t *rows;
	int result;

	if (c->has_launches)
		return 0;
	c->has_launches = true;
	rows = mem_alloc(count, sizeof(*rows));
	for (size_t i = 0; i < count; i++)
		rows[i] = c->walk.kernels[i].row;
	result = picked_calls_find(t, TRACE_KERNELS, rows, count, &c->launches, e);
	free(rows);
	return result;
}

/* Only ranges tell more than names do. */
static bool has_ranges(const struct nccl_calls *c)
{
	return c->calls.forest.count || c->exchanges.forest.count;
}

int collectives_make(struct trace *t, const struct scope *p, const struct comm_question *q,
		     struct collectives *ret, struct err *e)
{
	*ret = (struct collectives){.exchange_range = RANGE_NONE};
	if ((q ? comm_walk_make(t, p, q, &ret->walk, e) : comm_walk_list(t, p, &ret->walk, e)) <
		    0 ||
	    nccl_calls_make(t, &ret->calls, e) < 0 ||
	    (has_ranges(&ret->calls) && collectives_find_launches(ret, t, e) < 0))
		return -1;
	find_all(ret, t);
	return 0;
}

void collectives_free(struct collectives *c)
{
	comm_walk_free(&c->walk);
	nccl_calls_free(&c->calls);
	free(c->all);
	picked_calls_free(&c->launches);
	free(c->kinds);
	*c = (struct collectives){0};
}

void collectives_tell(const struct collectives *c, struct report *r)
{
	const struct trace *t = c->calls.trace;

	if (c->exchanges) {
		uint32_t row = c->calls.exchanges.forest.ranges[c->exchange_range].row;
		struct str name = trace_name(t, t->events[TRACE_NVTX].name[row]);

		report_note(r,
			    "%llu SendRecv kernels count as AllToAll, because of the ranges that "
			    "launched them, such as '%.*s'",
			    (unsigned long long)c->exchanges, name.len > 60 ? 60 : (int)name.len,
			    name.s);
	}
	if (c->walk.kernel_count && !c->calls.has_sizes)
		report_note(r, "communicators and message sizes are unknown without the payloads "
			       "of NCCL's NVTX ranges: nsys profile --trace=cuda,nvtx …, then nsys "
			       "export --type sqlite --include-json true …");
}
