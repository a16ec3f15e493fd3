/* When did each process compute, communicate, do both, or neither? */
#include "analysis/comm/comm_walk.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* More than any run has steps; a file may say what it likes. */
enum { MOMENTS_MAX = 1 << 20 };
/* What had to wait for a kernel begins within this after its end. */
static const int64_t at_once_ns = 30000;

/* From where the GPU is known to `to_ns`, before which nothing else begins. */
static void spend(struct comm_gpu *x, int64_t to_ns)
{
	const int64_t now = x->now_ns;
	const int64_t compute = later(now, earlier(x->until_ns[OP_COMPUTE], to_ns));
	const int64_t comm = later(now, earlier(x->until_ns[OP_COMM], to_ns));
	const int64_t copy = later(now, earlier(x->until_ns[OP_COPY], to_ns));
	const int64_t kernels = later(compute, comm), busy = later(kernels, copy);
	const int64_t both = earlier(compute, comm);

	if (to_ns <= now)
		return;
	x->ns[PART_BOTH] += both - now;
	x->ns[PART_COMPUTE] += compute - both;
	x->ns[PART_COMM] += comm - both;
	x->ns[PART_COPY] += busy - kernels;
	x->ns[PART_IDLE] += to_ns - busy;
	x->now_ns = to_ns;
}

static bool has_mark_by(const struct comm_gpu *x, int64_t at_ns)
{
	return x->marks && x->kept_count < x->marks->count &&
	       x->marks->at_ns[x->kept_count] <= at_ns;
}

/* The same, keeping the parts at each moment on the way that is marked. */
static void advance(struct comm_gpu *x, int64_t to_ns)
{
	while (has_mark_by(x, to_ns)) {
		spend(x, x->marks->at_ns[x->kept_count]);
		memcpy(x->kept[x->kept_count++], x->ns, sizeof(x->ns));
	}
	spend(x, to_ns);
}

static int64_t computed_ns(const struct comm_gpu *x)
{
	return x->ns[PART_COMPUTE] + x->ns[PART_BOTH];
}

/* The heap's first ends first. */
static bool ends_before(const struct comm_walk *w, uint32_t a, uint32_t b)
{
	return w->kernels[a].end_ns < w->kernels[b].end_ns;
}

static void heap_push(const struct comm_walk *w, struct comm_gpu *x, uint32_t kernel)
{
	size_t i = x->open_count++;

	MEM_GROW(x->open, x->open_cap, x->open_count);
	for (; i && ends_before(w, kernel, x->open[(i - 1) / 2]); i = (i - 1) / 2)
		x->open[i] = x->open[(i - 1) / 2];
	x->open[i] = kernel;
}

static void heap_pop(const struct comm_walk *w, struct comm_gpu *x)
{
	uint32_t last = x->open[--x->open_count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < x->open_count) {
		if (child + 1 < x->open_count && ends_before(w, x->open[child + 1], x->open[child]))
			child++;
		if (!ends_before(w, x->open[child], last))
			break;
		x->open[i] = x->open[child];
		i = child;
	}
	x->open[i] = last;
}

/* Compute that did not go on then waited for something else. */
static void forget_stall(struct comm_walk *w, struct comm_gpu *x)
{
	if (x->stalled != KERNEL_NONE)
		w->kernels[x->stalled].stall_ns = 0;
	x->stalled = KERNEL_NONE;
}

static void begin_stall(struct comm_walk *w, struct comm_gpu *x, uint32_t kernel)
{
	struct comm_kernel *k = &w->kernels[kernel];
	if (x->until_ns[OP_COMPUTE] >= k->end_ns)
		return;
	forget_stall(w, x);
	k->stall_ns = k->end_ns - x->until_ns[OP_COMPUTE];
	x->stalled = kernel;
}

static void end_stall(struct comm_walk *w, struct comm_gpu *x, int64_t compute_ns)
{
	if (x->stalled != KERNEL_NONE &&
	    sat_sub(compute_ns, w->kernels[x->stalled].end_ns) > at_once_ns)
		forget_stall(w, x);
	x->stalled = KERNEL_NONE;
}

/* What ends on the way is measured where it ends. */
static void advance_over_ends(struct comm_walk *w, struct comm_gpu *x, int64_t to_ns)
{
	while (x->open_count && w->kernels[x->open[0]].end_ns <= to_ns) {
		struct comm_kernel *k = &w->kernels[x->open[0]];

		advance(x, k->end_ns);
		/* So far it held what had been computed when it began. */
		k->exposed_ns = comm_kernel_ns(k) - (computed_ns(x) - k->exposed_ns);
		begin_stall(w, x, x->open[0]);
		heap_pop(w, x);
	}
	advance(x, to_ns);
}

static uint32_t add_kernel(struct comm_walk *w, const struct op *op, const struct span *part,
			   uint32_t gpu)
{
	MEM_GROW(w->kernels, w->kernel_cap, w->kernel_count + 1);
	w->kernels[w->kernel_count] = (struct comm_kernel){
		.start_ns = part->start_ns,
		.end_ns = part->end_ns,
		.row = op->row,
		.gpu = gpu & COMM_PLACE_MAX,
		.whole = part->start_ns == op->start_ns && part->end_ns == op->end_ns,
	};
	w->at[gpu].kernels++;
	return (uint32_t)w->kernel_count++;
}

/* What runs beside it is looked at from here to its end. */
static void begin_kernel(struct comm_walk *w, struct comm_gpu *x, uint32_t kernel)
{
	struct comm_kernel *k = &w->kernels[kernel];
	const int64_t until_ns = later(x->until_ns[OP_COMPUTE], x->until_ns[OP_COPY]);

	k->exposed_ns = computed_ns(x);
	k->idle_ns = later(0, sat_sub(k->start_ns, until_ns));
	heap_push(w, x, kernel);
}

static const struct comm_marks *marks_of(const struct comm_question *q, uint32_t process)
{
	for (size_t i = 0; i < q->mark_count; i++) {
		if (q->marks[i].process == process || q->marks[i].process == ID_NONE)
			return &q->marks[i];
	}
	return NULL;
}

static void begin_gpu(struct comm_walk *w, uint32_t gpu, const struct comm_question *q)
{
	const int64_t from = w->window.from_ns;
	const struct process_gpu *where = &w->gpus.all[gpu];
	struct comm_gpu *x;

	MEM_GROW(w->at, w->at_cap, w->gpus.count);
	x = &w->at[gpu];
	*x = (struct comm_gpu){
		.now_ns = from, .until_ns = {from, from, from}, .stalled = KERNEL_NONE};
	if (!where->wanted)
		return;
	x->marks = marks_of(q, where->process);
	w->moments += x->marks ? x->marks->count : 0;
	if (w->moments > MOMENTS_MAX)
		x->marks = NULL;
	if (x->marks)
		x->kept = mem_alloc(x->marks->count, sizeof(*x->kept));
}

static uint32_t find_gpu(struct comm_walk *w, const struct trace *t, const struct comm_question *q,
			 const struct op *op)
{
	size_t before = w->gpus.count;
	uint32_t gpu = process_gpus_number(&w->gpus, &t->events[op->kind], op->row);

	if (w->gpus.count > before)
		begin_gpu(w, gpu, q);
	return gpu;
}

static void add_op(struct comm_walk *w, const struct trace *t, const struct scope *p,
		   const struct comm_question *q, const struct op *op)
{
	const struct timeline *l = &w->window;
	uint32_t gpu = find_gpu(w, t, q, op);
	struct comm_gpu *x = &w->at[gpu];
	struct span part;

	if (!comm_walk_has(w, gpu) ||
	    !window_part(p, op->start_ns, sat_sub(op->end_ns, op->start_ns), &part))
		return;
	part.start_ns = earlier(later(part.start_ns, l->from_ns), l->to_ns);
	part.end_ns = later(part.start_ns, earlier(part.end_ns, l->to_ns));
	x->ops++;
	w->ops++;
	advance_over_ends(w, x, part.start_ns);
	if (op->class == OP_COMPUTE)
		end_stall(w, x, part.start_ns);
	if (op->class == OP_COMM)
		begin_kernel(w, x, add_kernel(w, op, &part, gpu));
	x->until_ns[op->class] = later(x->until_ns[op->class], part.end_ns);
}

/* What lies beyond the window changes nothing more. */
static void end_gpu(struct comm_walk *w, struct comm_gpu *x)
{
	advance_over_ends(w, x, w->window.to_ns);
	forget_stall(w, x);
	while (has_mark_by(x, INT64_MAX))
		memcpy(x->kept[x->kept_count++], x->ns, sizeof(x->ns));
}

static int require_few_moments(const struct comm_walk *w, const struct trace *t, struct err *e)
{
	if (w->moments <= MOMENTS_MAX)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has too many steps on too many GPUs to list each of them",
		t->path);
	return err_hint(e, "use --pid N, --device N or --rank N to select some");
}

static int idle_rank(const struct trace *t, const struct scope *p, struct err *e)
{
	err_set(e, ERR_INPUT, "rank %u of '%s' has no GPU work%s", p->rank, t->path,
		p->has_trim ? " in that window" : "");
	e->absent = true;
	return err_hint(e, "gpuwhy ranks lists the ranks and their work");
}

/* Ops are open unless this fails. */
static int open_walk(struct comm_walk *w, uint32_t process, struct ops *ops, struct trace *t,
		     const struct scope *p, struct err *e)
{
	*w = (struct comm_walk){.process = process};
	if (ops_open(ops, t, e) < 0)
		return -1;
	timeline_begin(ops, p, &w->window);
	w->faults = ops->times.faults;
	/* Without names nothing tells communication from compute: that is no zero. */
	if (trace_require_column(t, TRACE_KERNELS, COL_NAME, e) == 0 &&
	    process_gpus_open(&w->gpus, t, p, e) == 0)
		return 0;
	ops_close(ops);
	return -1;
}

int comm_walk_make(struct trace *t, const struct scope *p, const struct comm_question *q,
		   struct comm_walk *ret, struct err *e)
{
	struct ops ops;
	struct op op;

	if (open_walk(ret, q->process, &ops, t, p, e) < 0)
		return -1;
	while (ops_next(&ops, &op))
		add_op(ret, t, p, q, &op);
	ops_close(&ops);
	for (size_t i = 0; i < ret->gpus.count; i++)
		end_gpu(ret, &ret->at[i]);
	if (require_few_moments(ret, t, e) < 0)
		return -1;
	if (ret->ops)
		return 0;
	return q->process == ID_NONE ? timeline_require(&ret->window, t, p, e) : idle_rank(t, p, e);
}

void comm_walk_free(struct comm_walk *w)
{
	for (size_t i = 0; i < w->gpus.count; i++) {
		free(w->at[i].open);
		free(w->at[i].kept);
	}
	free(w->at);
	free(w->kernels);
	process_gpus_close(&w->gpus);
	timeline_free(&w->window);
	*w = (struct comm_walk){0};
}

/* Which kernels of the capture communicate, whatever ran beside them? */

/* The kernels of PARALLEL_ROWS rows, in order of time. */
struct run {
	size_t count;  /* that communicate */
	size_t begin;  /* of these in the list */
	uint32_t *met; /* rows of the first on each GPU */
	size_t met_count, met_cap;
};

struct listing {
	const struct ops *ops;
	struct comm_walk *out;
	struct run *runs;
};

/* The i-th kernel by start, if it communicates and has times; false otherwise. */
static bool comm_row(const struct ops *o, uint64_t i, uint32_t *ret)
{
	const struct op_lane *l = &o->lanes[TRACE_KERNELS];
	uint64_t row = l->order ? l->order[i] : i;

	*ret = (uint32_t)row;
	return l->ev->name[row] != NAME_NONE && o->class_of_name[l->ev->name[row]] == OP_COMM &&
	       l->ev->duration_ns[row] != DURATION_NONE;
}

static void count_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct listing *x = ctx;
	const struct events *ev = x->ops->lanes[TRACE_KERNELS].ev;
	struct run *run = &x->runs[begin / PARALLEL_ROWS];
	struct pairs gpus = {0};
	uint32_t row;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (!comm_row(x->ops, i, &row))
			continue;
		run->count++;
		if (pairs_number(&gpus, ev->process ? ev->process[row] : ID_NONE,
				 ev->device ? ev->device[row] : ID_NONE) == run->met_count) {
			MEM_GROW(run->met, run->met_cap, run->met_count + 1);
			run->met[run->met_count++] = row;
		}
	}
	pairs_free(&gpus);
}

/* One run after another, so that GPUs have their numbers whoever counted first. */
static void number_gpus(struct listing *x, size_t runs)
{
	struct comm_walk *w = x->out;

	for (size_t i = 0; i < runs; i++) {
		for (size_t k = 0; k < x->runs[i].met_count; k++)
			process_gpus_number(&w->gpus, x->ops->lanes[TRACE_KERNELS].ev,
					    x->runs[i].met[k]);
		x->runs[i].begin = w->kernel_count;
		w->kernel_count += x->runs[i].count;
		free(x->runs[i].met);
	}
	w->at = mem_zalloc(w->gpus.count, sizeof(*w->at));
	w->kernels = mem_alloc(w->kernel_count, sizeof(*w->kernels));
}

static void list_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct listing *x = ctx;
	const struct events *ev = x->ops->lanes[TRACE_KERNELS].ev;
	struct comm_kernel *next = &x->out->kernels[x->runs[begin / PARALLEL_ROWS].begin];
	struct process_gpu_cursor at[PROCESS_GPUS_RECENT];
	uint32_t row;

	(void)worker;
	for (size_t i = 0; i < PROCESS_GPUS_RECENT; i++)
		at[i] = PROCESS_GPU_CURSOR_START;
	for (size_t i = begin; i < end; i++) {
		uint32_t process;

		if (!comm_row(x->ops, i, &row))
			continue;
		process = ev->process ? ev->process[row] : ID_NONE;
		*next++ = (struct comm_kernel){
			.start_ns = ev->start_ns[row],
			.end_ns = op_end_ns(ev, row),
			.row = row,
			.gpu = process_gpus_find(&x->out->gpus, &at[process % PROCESS_GPUS_RECENT],
						 ev, row) &
			       COMM_PLACE_MAX,
			.whole = 1,
		};
	}
}

static void list_all(struct listing *x)
{
	const uint64_t count = x->ops->lanes[TRACE_KERNELS].ev->count;
	const size_t runs = count / PARALLEL_ROWS + 1;
	struct comm_walk *w = x->out;

	x->runs = mem_zalloc(runs, sizeof(*x->runs));
	parallel_each(count, PARALLEL_ROWS, count_some, x);
	number_gpus(x, runs);
	parallel_each(count, PARALLEL_ROWS, list_some, x);
	free(x->runs);
	for (size_t i = 0; i < w->kernel_count; i++)
		w->at[w->kernels[i].gpu].kernels++;
}

int comm_walk_list(struct trace *t, const struct scope *p, struct comm_walk *ret, struct err *e)
{
	struct ops ops;
	struct listing x = {.ops = &ops, .out = ret};

	if (open_walk(ret, ID_NONE, &ops, t, p, e) < 0)
		return -1;
	if (ops.lanes[TRACE_KERNELS].ev->count)
		list_all(&x);
	ops_close(&ops);
	return 0;
}
