/* Which kernels, and which of their launches, are worth a close look? */
#include "analysis/counters/kernel_choice.h"

#include "analysis/counters/kernel_function.h"
#include "analysis/counters/kernel_pattern.h"
#include "analysis/counters/profiling_runs.h"
#include "analysis/events/paths_under.h"
#include "analysis/steps/steady.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ops/op_class.h"

#include <stdlib.h>

struct named {
	int64_t total_ns;
	uint64_t launches; /* of what is inside */
	bool is_kernel;	   /* anywhere */
	bool other;	   /* than what the question names */
};

struct choosing {
	struct trace *trace;
	const struct kernel_question *q;
	struct kernel_choice *out;
	struct event_fields fields;
	struct paths_under under;
	struct event_list inside; /* what was asked for, as it was launched */
	struct event_list all;	  /* all kernels, as they were launched */
	struct event_fields everything;
	struct scope whole;
	struct named *by_name;
	uint8_t *classes; /* by name: enum op_class */
	uint32_t *names;  /* those of the chosen ones */
	struct run_planning runs;
	struct steady steady;
	struct arena scratch;
};

static const struct events *kernels_of(const struct choosing *x)
{
	return &x->trace->events[TRACE_KERNELS];
}

static int is_inside(void *ctx, struct event_fields *f, struct event_ref at, struct err *e)
{
	const struct choosing *x = ctx;
	uint32_t path;

	(void)f;
	(void)e;
	if (kernels_of(x)->name[at.row] == NAME_NONE)
		return 0;
	if (!x->under.is)
		return 1;
	path = event_joins_path(&x->fields.joins, TRACE_KERNELS, at.row);
	return path != RANGE_NONE && x->under.is[path];
}

static bool in_ranges(const struct choosing *x)
{
	return x->q->range || x->q->phase;
}

static int open_fields(struct choosing *x, struct err *e)
{
	const uint64_t wanted = EVENT_BIT(EVENT_NAME) | EVENT_BIT(EVENT_START_NS) |
				EVENT_BIT(EVENT_DURATION_NS) | EVENT_BIT(EVENT_PID);
	const uint64_t joined =
		EVENT_BIT(EVENT_API_START_NS) | (in_ranges(x) ? EVENT_BIT(EVENT_NVTX_PATH) : 0);

	if (event_fields_open(&x->fields, x->trace, NEEDS(TRACE_KERNELS), wanted | joined, x->q->p,
			      e) < 0 ||
	    event_fields_open(&x->everything, x->trace, NEEDS(TRACE_KERNELS), wanted, &x->whole,
			      e) < 0)
		return -1;
	if (trace_require(x->trace, TRACE_KERNELS, e) < 0)
		return -1;
	if (!kernels_of(x)->name)
		return err_set(e, ERR_INPUT, "'%s' has no kernel names", x->trace->path);
	if (!in_ranges(x))
		return 0;
	if (x->fields.joins.why_not)
		return err_set(e, ERR_INPUT, "no kernel of '%s' is in an NVTX range: %s",
			       x->trace->path, x->fields.joins.why_not);
	return x->q->range ? paths_under_range(&x->under, &x->fields.joins, x->q->range, e)
			   : paths_under_phase(&x->under, &x->fields.joins, x->q->phase,
					       x->q->p->phase_map, e);
}

/* When the host launched it; where nobody knows, when it began. */
static int64_t launched_ns(const struct choosing *x, uint32_t row)
{
	struct api_call call;

	return event_joins_call(&x->fields.joins, TRACE_KERNELS, row, &call)
		       ? call.start_ns
		       : kernels_of(x)->start_ns[row];
}

/* As ncu meets them: in the order of launches, which streams need not keep. */
static void sort_by_launch(const struct choosing *x, struct event_list *l)
{
	int64_t *launched = mem_alloc(l->count, sizeof(*launched));

	/* Kernels of a graph are launched at once. */
	event_list_sort(l, x->trace);
	for (size_t i = 0; i < l->count; i++)
		launched[i] = launched_ns(x, event_list_at(l, i).row);
	event_list_arrange(l, launched);
	free(launched);
}

static int list_kernels(struct choosing *x, struct err *e)
{
	if (event_list_make(&x->inside, &x->fields, is_inside, x, e) < 0 ||
	    event_list_make(&x->all, &x->everything, NULL, NULL, e) < 0)
		return -1;
	sort_by_launch(x, &x->inside);
	sort_by_launch(x, &x->all);
	if (x->inside.count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has no kernel %s", x->trace->path,
		in_ranges(x) ? "there" : "in that window");
	return err_hint(e,
			in_ranges(x) ? "gpuwhy tree %s shows where kernels are launched"
				     : "gpuwhy kernels %s shows all of them",
			x->trace->path);
}

static void sum_up(struct choosing *x)
{
	x->by_name = mem_zalloc(x->trace->names.count, sizeof(*x->by_name));
	x->runs.by_name = mem_zalloc(x->trace->names.count, sizeof(*x->runs.by_name));
	for (size_t i = 0; i < x->inside.count; i++) {
		struct event_ref at = event_list_at(&x->inside, i);
		struct named *n = &x->by_name[kernels_of(x)->name[at.row]];
		struct cell c = event_field_get(&x->fields, at, EVENT_DURATION_NS);
		int64_t ns = c.kind == CELL_INT && c.i > 0 ? c.i : 0;

		x->out->names += n->launches++ == 0;
		n->total_ns = sat_add(n->total_ns, ns);
		x->out->kernel_ns = sat_add(x->out->kernel_ns, ns);
	}
	for (size_t i = 0; i < x->all.count; i++) {
		uint32_t name = kernels_of(x)->name[event_list_at(&x->all, i).row];

		if (name != NAME_NONE)
			x->by_name[name].is_kernel = true;
	}
}

/* ncu runs a launch alone, many times over, and a collective waits for its peers for ever. */
static bool may_be_chosen(const struct choosing *x, uint32_t name)
{
	return x->by_name[name].launches && !x->by_name[name].other && x->classes[name] != OP_COMM;
}

static void count_comm(struct choosing *x)
{
	for (uint32_t n = 0; n < x->trace->names.count; n++) {
		if (!x->by_name[n].launches || x->by_name[n].other || may_be_chosen(x, n))
			continue;
		x->out->comm_names++;
		x->out->comm_ns = sat_add(x->out->comm_ns, x->by_name[n].total_ns);
	}
}

static int refuse_comm(const struct choosing *x, struct err *e)
{
	err_set(e, ERR_INPUT,
		"all kernels of '%s' %s communicate: ncu replays a launch in isolation, so each "
		"would wait for its peers forever",
		x->trace->path, in_ranges(x) ? "there" : "in that window");
	return err_hint(
		e,
		"gpuwhy nccl %s shows their time, gpuwhy overlap %s how much of it is overlapped",
		x->trace->path, x->trace->path);
}

/* The most time first; of equal ones the one with the lower number, as the trace has them. */
static void choose(struct choosing *x)
{
	const size_t most = x->q->top < x->out->names ? x->q->top : (size_t)x->out->names;
	size_t count = 0;

	x->names = mem_alloc(most + 1, sizeof(*x->names));
	for (uint32_t n = 0; n < x->trace->names.count; n++) {
		size_t at = count;

		if (!may_be_chosen(x, n))
			continue;
		while (at && x->by_name[n].total_ns > x->by_name[x->names[at - 1]].total_ns) {
			x->names[at] = x->names[at - 1];
			at--;
		}
		if (at < most)
			x->names[at] = n;
		count += count < most;
	}
	x->out->count = count;
	for (size_t i = 0; i < count; i++)
		x->runs.by_name[x->names[i]].chosen = i + 1;
}

/* A launch is part of the step that made it, however far the host is ahead of the GPU. */
static bool is_steady(const struct choosing *x, uint32_t row)
{
	const int64_t at_ns = launched_ns(x, row);

	return !x->steady.how || (at_ns >= x->steady.from_ns && at_ns < x->steady.to_ns);
}

/* Of each the middle one of its launches in the warm part; of all, where none is in it. */
static void find_middles(struct choosing *x)
{
	const size_t count = x->out->count;
	uint64_t *steady = mem_zalloc(count, sizeof(*steady));
	uint64_t *met = mem_zalloc(count, sizeof(*met));

	for (size_t n = 0; n < x->inside.count; n++) {
		uint32_t row = event_list_at(&x->inside, n).row;
		size_t i = run_planning_index(&x->runs, row);

		if (i < count)
			steady[i] += is_steady(x, row);
	}
	for (size_t n = 0; n < x->inside.count; n++) {
		uint32_t row = event_list_at(&x->inside, n).row;
		size_t i = run_planning_index(&x->runs, row);

		if (i == count || (steady[i] && !is_steady(x, row)))
			continue;
		if (met[i]++ == (steady[i] ? steady[i] : x->out->all[i].launches) / 2)
			x->runs.first[i] = row;
	}
	for (size_t i = 0; i < count; i++)
		x->out->steady_count += x->steady.how && steady[i];
	free(steady);
	free(met);
}

static void count_processes(struct choosing *x)
{
	const uint32_t *process = kernels_of(x)->process;
	struct idmap seen = {0};

	for (size_t i = 0; process && i < x->inside.count; i++) {
		uint32_t row = event_list_at(&x->inside, i).row;

		if (run_planning_index(&x->runs, row) < x->out->count)
			idmap_number_pair(&seen, 0, process[row]);
	}
	x->out->processes = seen.count ? seen.count : 1;
	idmap_free(&seen);
}

/* The names of all kernels that there are; the caller frees them. */
static struct str *list_names(const struct choosing *x, size_t *ret_count)
{
	struct str *all = mem_alloc(x->trace->names.count, sizeof(*all));

	*ret_count = 0;
	for (uint32_t i = 0; i < x->trace->names.count; i++) {
		if (x->by_name[i].is_kernel)
			all[(*ret_count)++] = trace_name(x->trace, i);
	}
	return all;
}

/* Only kernels of the function that the question names are chosen. */
static int keep_function(struct choosing *x, struct err *e)
{
	struct kernel_function f;
	bool any = false;
	int result = kernel_function_open(&f, x->q->function, x->q->function_is_regex, e);

	for (uint32_t n = 0; n < x->trace->names.count && result >= 0; n++) {
		if (!x->by_name[n].launches)
			continue;
		result = kernel_function_is(&f, trace_name(x->trace, n), e);
		x->by_name[n].other = result == 0;
		any |= result > 0;
	}
	if (result >= 0 && !any) {
		size_t count;
		struct str *all = list_names(x, &count);

		result = kernel_function_refuse(&f, x->trace->path, all, count, e);
		free(all);
	}
	kernel_function_close(&f);
	return result < 0 ? -1 : 0;
}

/* Which kernels the pattern of a chosen one finds. */
static void find_alike(struct choosing *x, size_t chosen, const struct kernel_pattern *pattern)
{
	for (uint32_t i = 0; i < x->trace->names.count; i++) {
		struct planned_name *n = &x->runs.by_name[i];

		if (!x->by_name[i].is_kernel ||
		    (n->chosen != chosen + 1 &&
		     !kernel_pattern_finds(pattern, trace_name(x->trace, i))))
			continue;
		if (!n->like)
			n->like = arena_zalloc(&x->scratch, x->out->count, sizeof(*n->like));
		n->like[chosen] = true;
	}
}

static void describe(struct choosing *x)
{
	const size_t count = x->out->count;
	struct buf b = {0};
	size_t n;
	struct str *all = list_names(x, &n);

	x->out->all = arena_zalloc(&x->out->arena, count, sizeof(*x->out->all));
	x->runs.first = mem_alloc(count, sizeof(*x->runs.first));
	for (size_t i = 0; i < count; i++) {
		struct chosen_kernel *k = &x->out->all[i];
		struct kernel_pattern pattern;

		k->name = trace_name(x->trace, x->names[i]);
		k->total_ns = x->by_name[x->names[i]].total_ns;
		k->launches = x->by_name[x->names[i]].launches;
		buf_clear(&b);
		pattern = kernel_pattern_of(k->name, all, n);
		kernel_pattern_add(&b, &pattern);
		k->pattern = arena_strdup(&x->out->arena, b.s);
		find_alike(x, i, &pattern);
	}
	free(all);
	buf_free(&b);
	find_middles(x);
}

static int choose_and_plan(struct choosing *x, struct err *e)
{
	if (open_fields(x, e) < 0 || list_kernels(x, e) < 0)
		return -1;
	if (steady_find(x->trace, x->q->p, &x->out->arena, &x->steady, e) < 0 && !e->absent)
		return -1;
	x->out->steady = x->steady.how;
	if (op_class_of_names(x->trace, &x->classes, e) < 0)
		return -1;
	sum_up(x);
	if (keep_function(x, e) < 0)
		return -1;
	count_comm(x);
	choose(x);
	if (!x->out->count)
		return refuse_comm(x, e);
	describe(x);
	x->runs.meant = x->under.meant;
	profiling_runs_plan(&x->runs);
	count_processes(x);
	return 0;
}

int kernel_choice_make(struct kernel_choice *ret, struct trace *t, const struct kernel_question *q,
		       struct err *e)
{
	struct choosing x = {.trace = t, .q = q, .out = ret};
	int result;

	x.runs = (struct run_planning){
		.q = q,
		.out = ret,
		.kernels = &t->events[TRACE_KERNELS],
		.all = &x.all,
		.joins = &x.fields.joins,
	};
	*ret = (struct kernel_choice){0};
	result = choose_and_plan(&x, e);
	event_list_free(&x.inside);
	event_list_free(&x.all);
	event_fields_close(&x.fields);
	event_fields_close(&x.everything);
	paths_under_free(&x.under);
	free(x.by_name);
	free(x.classes);
	free(x.names);
	free(x.runs.by_name);
	free(x.runs.first);
	arena_free(&x.scratch);
	return result;
}

void kernel_choice_free(struct kernel_choice *c)
{
	arena_free(&c->arena);
	*c = (struct kernel_choice){0};
}
