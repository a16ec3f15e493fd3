/* Which collective is each communication kernel? */
#include "analysis/comm/collectives.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

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

/* `first` of the calls that it comes from, which say `call`; `used`: those that launched before. */
static void add_calls(struct collective *x, uint32_t first, const struct nccl_call *call,
		      bool *used)
{
	x->call = first;
	x->communicator = call->communicator;
	x->peer = call->peer;
	x->first_of_call = !used[first];
	used[first] = true;
	/* Kernels that do whatever they are told to have no type of their own. */
	if (x->type == COLL_OTHER && call->type != COLL_OTHER) {
		x->type = call->type;
		x->by_range = true;
	}
	/* What one send of an exchange says is not the exchange's size. */
	x->bytes = call->type == x->type ? call->bytes : -1;
}

/* The call around the launch, or those of the group whose end it is. */
static void find_calls(const struct nccl_calls *c, struct collective *x,
		       const struct picked_call *launch, bool *used)
{
	const uint32_t range = picked_ranges_at(&c->calls, launch->thread, launch->start_ns);
	const uint32_t group = nccl_groups_at(&c->groups, launch->thread, launch->start_ns);

	if (range != RANGE_NONE) {
		const struct nccl_call call = nccl_call_at(c, range);

		add_calls(x, range, &call, used);
	} else if (group != RANGE_NONE) {
		add_calls(x, c->groups.of_bound[group].first, &c->of_group[group], used);
	}
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
	find_calls(&c->calls, x, launch, used);
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
			.peer = ID_NONE,
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
