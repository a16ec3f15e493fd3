/* What did the GPUs do, and how much waited for them or was copied at once? */
#include "base/mem.h"
#include "export/levels.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum { OP_ARGS = 7 };

/* No hardware copies faster: what would is an error of the trace. */
#define MOST_BYTES_PER_S INT64_C(1000000000000000)

struct telling {
	struct walk *walk;
	uint32_t categories[TRACE_GPU_KINDS], graph_name, memset_name;
	struct idmap copy_names, memory_names; /* kind → text */
	/* Counters: of waiting launches by device, of copies by device and kind. */
	struct idmap level_of;
	struct level *levels;
	size_t level_count, level_cap;
};

static uint32_t number_text(struct telling *x, struct idmap *known, uint32_t number,
			    struct str (*label)(uint32_t number))
{
	uint32_t text = idmap_get(known, number);

	if (text != IDMAP_NONE)
		return text;
	return idmap_add(known, number, texts_add(&x->walk->texts, label(number)));
}

static uint32_t op_text(struct telling *x, const struct op *op)
{
	const struct events *ev = &x->walk->trace->events[op->kind];

	switch (op->kind) {
	case TRACE_KERNELS:
		return walk_text(x->walk, ev->name ? ev->name[op->row] : NAME_NONE);
	case TRACE_MEMCPYS:
		return number_text(x, &x->copy_names,
				   ev->copy_kind ? ev->copy_kind[op->row] : ID_NONE, label_memcpy);
	case TRACE_MEMSETS:
		return x->memset_name;
	default:
		return x->graph_name;
	}
}

static void add_memory(struct telling *x, struct timeline_slice *s, struct timeline_arg *args,
		       enum timeline_key key, const uint32_t *kinds, uint32_t row)
{
	if (kinds && label_memory_kind(kinds[row]).len)
		slice_add_text(s, args, key,
			       number_text(x, &x->memory_names, kinds[row], label_memory_kind));
}

/* What copies and sets have that kernels do not. */
static void add_copy_args(struct telling *x, struct timeline_slice *s, struct timeline_arg *args,
			  const struct op *op)
{
	const struct events *ev = &x->walk->trace->events[op->kind];

	if (ev->bytes && ev->bytes[op->row] != INT_NONE)
		slice_add_number(s, args, KEY_BYTES, ev->bytes[op->row]);
	if (op->kind == TRACE_MEMSETS) {
		add_memory(x, s, args, KEY_MEMORY, ev->src_kind, op->row);
		return;
	}
	add_memory(x, s, args, KEY_SOURCE, ev->src_kind, op->row);
	add_memory(x, s, args, KEY_DESTINATION, ev->dst_kind, op->row);
}

static void add_path(struct walk *w, struct timeline_slice *s, struct timeline_arg *args,
		     uint32_t path)
{
	if (!w->text_of_path[path])
		w->text_of_path[path] = texts_add_path(&w->texts, path) + 1;
	slice_add_text(s, args, KEY_RANGE, w->text_of_path[path] - 1);
}

static void add_args(struct telling *x, struct timeline_slice *s, struct timeline_arg *args,
		     const struct op *op, uint32_t launch)
{
	struct walk *w = x->walk;
	const struct events *ev = &w->trace->events[op->kind];
	struct api_call call;

	if (op->kind == TRACE_KERNELS)
		s->block = w->shapes.of_kernel[op->row];
	else if (op->kind != TRACE_GRAPHS)
		add_copy_args(x, s, args, op);
	if (ev->graph && ev->graph[op->row] != ID_NONE &&
	    (ev->graph[op->row] || op->kind == TRACE_GRAPHS))
		slice_add_number(s, args, KEY_GRAPH, ev->graph[op->row]);
	if (launch == LAUNCH_NONE)
		return;
	slice_add_number(s, args, KEY_CORRELATION, w->correlation_of_launch[launch]);
	if (w->has_ranges && w->joined.range_of_launch[launch] != RANGE_NONE)
		add_path(w, s, args, w->joined.range_of_launch[launch]);
	if (launches_earliest_call(&w->joined.launches, launch, &call))
		walk_add_line(w, s, args, launches_origin(&w->joined.launches, &call).thread,
			      &call);
}

static int tell_op(struct telling *x, const struct op *op, uint32_t launch, struct err *e)
{
	struct walk *w = x->walk;
	struct timeline_arg args[OP_ARGS];
	struct timeline_slice s = {.block = BLOCK_NONE, .args = args};
	struct span part;

	if (!walk_wants_op(w, op, &part))
		return 0;
	s.name = op_text(x, op);
	s.category = x->categories[op->kind];
	if (!w->o->no_args)
		add_args(x, &s, args, op, launch);
	if (launch != LAUNCH_NONE && w->arrows.flags[launch] & LAUNCH_CALL_TOLD)
		s.arrow_in = w->arrows.next[launch]++;
	if (tracks_stream(&w->tracks, w->stream_of_op[op->kind][op->row], part.start_ns,
			  part.end_ns, &s.track, e) < 0)
		return -1;
	return walk_slice(w, &s, part, e);
}

/* "Host-to-Device", from what such a copy is called. */
static struct str label_direction(uint32_t copy_kind)
{
	static const char before[] = "[CUDA memcpy ";
	struct str s = label_memcpy(copy_kind);

	return (struct str){s.s + sizeof(before) - 1, s.len - sizeof(before)};
}

/* `what` is the kind of copy, or ID_NONE for launches that wait. */
static struct level *find_level(struct telling *x, uint32_t device, uint32_t what)
{
	uint32_t i = idmap_number_pair(&x->level_of, device, what);
	struct buf name = {0};
	struct str copy;

	if (i < x->level_count)
		return &x->levels[i];
	MEM_GROW(x->levels, x->level_cap, x->level_count + 1);
	x->levels[i] = (struct level){
		.device = device, .name = STR_LIT("Launch queue"), .unit = UNIT_OF_COUNT};
	if (what != ID_NONE) {
		copy = label_direction(what);
		buf_addf(&name, "%.*s bandwidth", STR_FMT(copy));
		x->levels[i].name = arena_str(&x->walk->texts.arena, buf_str(&name));
		x->levels[i].unit = UNIT_OF_BYTES_PER_S;
	}
	buf_free(&name);
	x->level_count++;
	return &x->levels[i];
}

/* Copies count at their own rate while they last. */
static void add_copy(struct telling *x, const struct op *op)
{
	const struct walk *w = x->walk;
	const struct events *ev = &w->trace->events[TRACE_MEMCPYS];
	int64_t length_ns = sat_sub(op->end_ns, op->start_ns);
	int64_t bytes = ev->bytes ? ev->bytes[op->row] : 0;
	unsigned __int128 rate;
	struct span part;

	if (length_ns <= 0 || bytes <= 0 || !walk_wants_op(w, op, &part) ||
	    part.end_ns <= part.start_ns)
		return;
	rate = (unsigned __int128)bytes * 1000000000u / (uint64_t)length_ns;
	level_add(find_level(x, op->device,
			     label_known_copy_kind(ev->copy_kind ? ev->copy_kind[op->row] : 0)),
		  part.start_ns, part.end_ns,
		  rate > MOST_BYTES_PER_S ? MOST_BYTES_PER_S : (int64_t)rate);
}

/* A launch waits from its call's start to its first op's; it may do so in the window alone. */
static void add_wait(struct telling *x, const struct op *op, uint32_t launch)
{
	const struct walk *w = x->walk;
	struct api_call call;
	int64_t from_ns, to_ns = op->start_ns;

	if (launch == LAUNCH_NONE || w->arrows.flags[launch] & LAUNCH_BEGUN ||
	    !w->tracks.streams[w->stream_of_op[op->kind][op->row]].wanted ||
	    !launches_earliest_call(&w->joined.launches, launch, &call))
		return;
	w->arrows.flags[launch] |= LAUNCH_BEGUN;
	from_ns = call.start_ns;
	if (w->p->has_trim && from_ns < w->p->from_ns)
		from_ns = w->p->from_ns;
	if (w->p->has_trim && to_ns > w->p->to_ns)
		to_ns = w->p->to_ns;
	if (to_ns > from_ns)
		level_add(find_level(x, op->device, ID_NONE), from_ns, to_ns, 1);
}

static void count_op(struct telling *x, const struct op *op, uint32_t launch)
{
	if (op->kind == TRACE_MEMCPYS)
		add_copy(x, op);
	else if (op->kind != TRACE_MEMSETS)
		add_wait(x, op, launch);
}

/* Copies begin at their start, launches at a call that may be long ago. */
static int pass_levels(struct telling *x, size_t piece, int64_t now_ns, struct err *e)
{
	int64_t call_ns = x->walk->arrows.earliest_call_ns[piece];
	int64_t before_ns = call_ns < now_ns ? call_ns : now_ns;

	for (size_t i = 0; i < x->level_count; i++) {
		if (level_pass(&x->levels[i], x->walk, before_ns, e) < 0)
			return -1;
	}
	return 0;
}

static int tell_all(struct telling *x, struct err *e)
{
	struct walk *w = x->walk;
	struct op op;

	for (uint64_t met = 0; ops_next(&w->ops, &op); met++) {
		uint32_t launch = walk_launch(w, &op);

		if (tell_op(x, &op, launch, e) < 0)
			return -1;
		if (w->o->no_counters)
			continue;
		count_op(x, &op, launch);
		if ((met + 1) % (1u << PIECE_BITS) == 0 &&
		    pass_levels(x, (size_t)((met + 1) >> PIECE_BITS), op.start_ns, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < x->level_count; i++) {
		if (level_end(&x->levels[i], w, e) < 0)
			return -1;
	}
	return 0;
}

static void add_texts(struct telling *x)
{
	static const struct str categories[TRACE_GPU_KINDS] = {
		[TRACE_KERNELS] = {"kernel", 6},
		[TRACE_MEMCPYS] = {"memcpy", 6},
		[TRACE_MEMSETS] = {"memset", 6},
		[TRACE_GRAPHS] = {"graph", 5},
	};

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		x->categories[kind] = texts_add(&x->walk->texts, categories[kind]);
	x->graph_name = texts_add(&x->walk->texts, STR_LIT("[CUDA graph]"));
	x->memset_name = texts_add(&x->walk->texts, LABEL_MEMSET);
}

int walk_ops(struct walk *w, struct err *e)
{
	struct telling x = {.walk = w};
	int result;

	add_texts(&x);
	result = tell_all(&x, e);
	for (size_t i = 0; i < x.level_count; i++)
		level_free(&x.levels[i]);
	free(x.levels);
	idmap_free(&x.level_of);
	idmap_free(&x.copy_names);
	idmap_free(&x.memory_names);
	return result;
}
