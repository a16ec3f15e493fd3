/* Which calls launched work on which GPU, and when did that begin? */
#include "analysis/host/launch_list.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_in_window(const struct scope *p, int64_t ns)
{
	return !p->has_trim || (ns >= p->from_ns && ns < p->to_ns);
}

/* An op of the join. */
struct op {
	const struct events *ev;
	uint64_t row;
};

static struct op find_op(const struct launch_list *l, uint64_t number)
{
	const struct events *graphs = &l->trace->events[TRACE_GRAPHS];
	uint64_t begin = l->joined->begin[TRACE_GRAPHS];

	if (l->joined->kinds & 1u << TRACE_GRAPHS && number >= begin &&
	    number - begin < graphs->count)
		return (struct op){graphs, number - begin};
	return (struct op){&l->trace->events[TRACE_KERNELS],
			   number - l->joined->begin[TRACE_KERNELS]};
}

/* An op in the list: where it was, and the call that launched it. */
struct listed {
	uint64_t number; /* of the op in the join */
	uint32_t pair;
	int64_t start_ns;
	struct api_call call;
};

/* All pairs that have been met so far have a count. */
static void count_from_nothing(struct launch_list *l)
{
	MEM_GROW(l->at, l->at_cap, l->pairs.count);
	while (l->at_count < l->pairs.count)
		l->at[l->at_count++] = (struct launch_counts){0};
}

/* Launch `number` of the list. */
static void count_launch(struct launch_list *l, const struct listed *x, size_t number)
{
	int64_t *earliest = &l->earliest_ns[launch_list_piece(l, number)];
	struct launch_counts *at;

	if (x->call.start_ns < *earliest)
		*earliest = x->call.start_ns;
	if (l->at_count < l->pairs.count)
		count_from_nothing(l);
	at = &l->at[x->pair];
	if (!at->launches || x->start_ns > at->began_ns)
		at->began_ns = x->start_ns;
	if (!at->launches || x->call.start_ns < at->first_ns)
		at->first_ns = x->call.start_ns;
	if (!at->launches || x->call.start_ns > at->last_ns)
		at->last_ns = x->call.start_ns;
	at->launches++;
	at->graphs += l->graph_origin[x->call.origin];
}

/* A graph that runs on several GPUs is a launch on each. */
static void add_elsewhere(struct launch_list *l, uint32_t launch, const struct listed *x)
{
	uint32_t i = idmap_number_pair(&l->more_of, launch, x->pair);

	if (i == l->more_count) {
		MEM_GROW(l->more, l->more_cap, l->more_count + 1);
		l->more[l->more_count++] =
			(struct one_launch){x->call.start_ns, x->start_ns, launch, x->pair};
		count_launch(l, x, l->joined->launch_count + i);
	}
	if (x->start_ns < l->more[i].began_ns)
		l->more[i].began_ns = x->start_ns;
}

static void add_op(struct launch_list *l, const struct listed *x)
{
	uint32_t launch = l->joined->launch_of_op[x->number];
	struct op first;

	if (l->op[launch] == ID_NONE) {
		l->op[launch] = (uint32_t)x->number;
		count_launch(l, x, launch);
		return;
	}
	first = find_op(l, l->op[launch]);
	if (process_gpus_number(&l->pairs, first.ev, first.row) != x->pair)
		add_elsewhere(l, launch, x);
	else if (x->start_ns < first.ev->start_ns[first.row])
		l->op[launch] = (uint32_t)x->number;
}

static void add_kind(struct launch_list *l, const struct events *ev, enum trace_kind kind)
{
	for (uint64_t i = 0; l->joined->kinds & 1u << kind && i < ev->count; i++) {
		struct listed x = {.number = l->joined->begin[kind] + i};

		if (!launches_call(l->joined, x.number, &x.call) ||
		    ev->duration_ns[i] == DURATION_NONE ||
		    !is_in_window(l->pairs.p, x.call.start_ns))
			continue;
		x.pair = process_gpus_number(&l->pairs, ev, i);
		x.start_ns = ev->start_ns[i];
		if (!l->pairs.all[x.pair].wanted)
			continue;
		add_op(l, &x);
		if (kind == TRACE_KERNELS && !l->graph_origin[x.call.origin])
			l->single[i / 64] |= UINT64_C(1) << i % 64;
	}
}

static void begin_pieces(struct launch_list *l)
{
	while (l->joined->launch_count >> l->piece_bits >= LAUNCH_PIECES)
		l->piece_bits++;
	for (size_t i = 0; i <= LAUNCH_PIECES; i++)
		l->earliest_ns[i] = INT64_MAX;
}

/* From what is in each piece to what is in all from there on. */
static void end_pieces(struct launch_list *l)
{
	for (size_t i = LAUNCH_PIECES; i-- > 0;) {
		if (l->earliest_ns[i + 1] < l->earliest_ns[i])
			l->earliest_ns[i] = l->earliest_ns[i + 1];
	}
}

int launch_list_make(struct trace *t, const struct launches *joined, const struct scope *p,
		     struct launch_list *ret, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_KERNELS, TRACE_GRAPHS};

	*ret = (struct launch_list){.trace = t, .joined = joined};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (process_gpus_load(t, kinds[i], LAUNCH_LIST_COLUMNS, p, e) < 0)
			return -1;
	}
	if (process_gpus_open(&ret->pairs, t, p, e) < 0)
		return -1;
	ret->op = new_ids(joined->launch_count);
	ret->single = mem_zalloc(t->events[TRACE_KERNELS].count / 64 + 1, sizeof(*ret->single));
	ret->graph_origin = launches_graph_origins(joined, t);
	begin_pieces(ret);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		add_kind(ret, &t->events[kinds[i]], kinds[i]);
	end_pieces(ret);
	count_from_nothing(ret);
	return 0;
}

void launch_list_free(struct launch_list *l)
{
	process_gpus_close(&l->pairs);
	free(l->graph_origin);
	free(l->op);
	free(l->at);
	free(l->single);
	free(l->more);
	idmap_free(&l->more_of);
	*l = (struct launch_list){0};
}

bool launch_list_at(const struct launch_list *l, size_t i, struct process_gpu_cursor *c,
		    struct one_launch *ret)
{
	struct api_call call;
	struct op first;

	if (i >= l->joined->launch_count) {
		*ret = l->more[i - l->joined->launch_count];
		return true;
	}
	if (l->op[i] == ID_NONE || !launches_earliest_call(l->joined, i, &call))
		return false;
	first = find_op(l, l->op[i]);
	*ret = (struct one_launch){call.start_ns, first.ev->start_ns[first.row], (uint32_t)i,
				   process_gpus_find(&l->pairs, c, first.ev, first.row)};
	return true;
}
