/* What sort of program is it, and what do people of its trade ask about it? */
#include "analysis/findings/explain.h"

#include "analysis/steps/steady.h"
#include "analysis/time_table.h"
#include "analysis/workload/workload_kind.h"
#include "base/mem.h"
#include "text/units.h"
#include "trace/system/machine.h"

#include <stdlib.h>

enum { SHOWN = 2 /* frameworks, in the sentence */ };

static bool is_in_window(const struct explain *x, uint64_t row)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	const int64_t start_ns = ev->start_ns[row];

	return ev->duration_ns[row] != DURATION_NONE && start_ns < x->timeline.to_ns &&
	       sat_add(start_ns, ev->duration_ns[row]) > x->timeline.from_ns;
}

/* What a role shows; SIGNS: nothing. */
static enum sign sign_of_role(const struct range_role *r)
{
	static const enum sign signs[] = {
		[ROLE_PREFILL] = SIGN_PREFILL,	 [ROLE_DECODE] = SIGN_DECODE,
		[ROLE_MIXED] = SIGN_DECODE,	 [ROLE_VERIFY] = SIGN_DECODE,
		[ROLE_SAMPLING] = SIGN_SAMPLING, [ROLE_GENERATE] = SIGN_GENERATE,
		[ROLE_BACKWARD] = SIGN_BACKWARD, [ROLE_OPTIMIZER] = SIGN_OPTIMIZER,
	};

	return r->role == ROLE_UNKNOWN || r->role == ROLE_NONE || r->role == ROLE_REQUEST
		       ? SIGNS
		       : signs[r->role];
}

static int add_range_name(struct explain *x, struct range_roles *roles, uint32_t name,
			  uint64_t count, struct err *e)
{
	const struct str text = trace_name(x->trace, name);
	const struct range_role *role;
	enum sign shown;

	if (range_role_find(roles, name, &role, e) < 0)
		return -1;
	shown = sign_of_role(role);
	if (shown != SIGNS)
		signs_add(x->signs, shown, PLACE_RANGE, text, count, 0);
	if (role->engine != SIGNS) {
		signs_add(x->signs, SIGN_ENGINE_STEP, PLACE_RANGE, text, count, 0);
		signs_add(x->signs, (enum sign)role->engine, PLACE_RANGE, text, count, 0);
	}
	signs_add_name(x->signs, PLACE_RANGE, text, count, 0);
	return 0;
}

/* Ranges in the window, each folded name once; domains anywhere. */
static int add_ranges(struct explain *x, struct range_roles *roles, struct err *e)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	uint64_t *counts = mem_zalloc(x->folded_names.count, sizeof(*counts));
	uint32_t *first = mem_alloc(x->folded_names.count, sizeof(*first));
	bool *domains = mem_zalloc(x->trace->names.count, sizeof(*domains));
	int result = 0;
	const bool told = ev->name && ev->event_type && ev->start_ns && ev->duration_ns;

	for (uint64_t i = 0; told && i < ev->count; i++) {
		const uint32_t name = ev->name[i];

		if (name == NAME_NONE)
			continue;
		if (ev->event_type[i] == NVTX_DOMAIN)
			domains[name] = true;
		else if (nvtx_is_range(ev->event_type[i]) && is_in_window(x, i) &&
			 counts[x->folded[name]]++ == 0)
			first[x->folded[name]] = name;
	}
	for (size_t i = 0; i < x->trace->names.count; i++) {
		if (domains[i])
			signs_add_name(x->signs, PLACE_DOMAIN, x->trace->names.items[i], 1, 0);
	}
	for (size_t i = 0; result == 0 && i < x->folded_names.count; i++) {
		if (counts[i])
			result = add_range_name(x, roles, first[i], counts[i], e);
	}
	free(domains);
	free(counts);
	free(first);
	return result;
}

/* The export lists every process of the machine: only those that call CUDA are the program. */
static int add_processes(struct explain *x, struct err *e)
{
	const struct calls *c = &x->judge.calls;
	const size_t count = x->trace->process_keys.count;
	bool *seen = mem_zalloc(count, sizeof(*seen));
	struct host_names names;

	if (host_names_read(x->trace, &names, e) < 0) {
		free(seen);
		return -1;
	}
	for (size_t i = 0; x->judge.joined && i < c->origin_count; i++) {
		const uint32_t thread = c->origins[i].thread;
		const uint32_t process =
			thread == ID_NONE ? ID_NONE : trace_thread_process(x->trace, thread);

		if (process >= count || seen[process])
			continue;
		seen[process] = true;
		signs_add_name(x->signs, PLACE_PROCESS,
			       host_names_process(&names, x->trace->process_keys.keys[process]), 1,
			       0);
	}
	host_names_free(&names);
	free(seen);
	return 0;
}

/* Files of Python's stacks, which nsys samples of the traced program alone. */
static void add_modules(struct explain *x)
{
	const struct strtab *names = &x->trace->names;

	for (size_t i = 0; i < names->count; i++) {
		if (str_ends(names->items[i], ".py"))
			signs_add_name(x->signs, PLACE_MODULE, names->items[i], 1, 0);
	}
}

static int add_signs(struct explain *x, struct range_roles *roles, struct err *e)
{
	/* Ranges first: where both show it they are what the programmer wrote. */
	if (add_ranges(x, roles, e) < 0 || add_processes(x, e) < 0)
		return -1;
	for (size_t i = 0; i < x->kernel_count; i++)
		signs_add_name(x->signs, PLACE_KERNEL, trace_name(x->trace, x->kernels[i].name),
			       x->kernels[i].count, x->kernels[i].total_ns);
	add_modules(x);
	return 0;
}

/* The steps in the window; none is no error. */
static int find_steps(struct explain *x, struct warm_steps *ret, struct err *e)
{
	struct err none = {0};

	*ret = x->scope.warm;
	if (ret->count || (x->scope.span == SPAN_DEFAULT && x->scope.chosen))
		return 0;
	if (steady_steps(x->trace, &x->scope, &x->report->arena, ret, &none) == 0 || none.absent)
		return 0;
	*e = none;
	return -1;
}

static void list_frameworks(struct explain *x, struct report_workload *w)
{
	const char **all = arena_alloc(&x->report->arena, FRAMEWORKS, sizeof(const char *));

	for (int s = 0; s < FRAMEWORKS; s++) {
		if (x->signs[s].count)
			all[w->framework_count++] = sign_title((enum sign)s);
	}
	w->frameworks = all;
}

/* "Likely training (Megatron, PyTorch): " */
static void begin_text(struct buf *b, const struct workload_claim *claim,
		       const struct report_workload *w)
{
	if (claim->likely)
		buf_addf(b, "Likely %s", w->kind);
	else
		buf_adds(b, claim->kind == WORKLOAD_TRAINING ? "Training" : "Serving");
	for (size_t i = 0; i < w->framework_count && i < SHOWN; i++)
		buf_addf(b, "%s%s", i ? ", " : " (", w->frameworks[i]);
	buf_adds(b, w->framework_count ? "): " : ": ");
}

void workload_add_time(struct buf *b, const char *per, double p50_ns, double p99_ns)
{
	struct buf p50 = {0}, p99 = {0};
	const char *unit;

	units_add_ns(&p50, p50_ns);
	units_add_ns(&p99, p99_ns);
	unit = strchr(p50.s, ' ');
	buf_addf(b, "%s %s (p99 ", p50.s, per);
	if (unit && str_ends(str_of(p99.s), unit))
		buf_addf(b, "%.*s)", (int)(p99.len - strlen(unit)), p99.s);
	else
		buf_addf(b, "%s)", p99.s);
	buf_free(&p50);
	buf_free(&p99);
}

static int describe(struct explain *x, struct range_roles *roles, struct err *e)
{
	struct report_workload *w = arena_zalloc(&x->report->arena, 1, sizeof(*w));
	struct workload_claim claim;
	struct warm_steps steps;
	struct buf text = {0};
	int result = 0;

	if (add_signs(x, roles, e) < 0 || find_steps(x, &steps, e) < 0)
		return -1;
	claim = workload_decide(x->signs, x->kernel_ns, steps.count > 0);
	if (claim.kind == WORKLOAD_OTHER)
		return 0;
	w->kind = workload_kind_name(claim.kind);
	w->likely = claim.likely;
	list_frameworks(x, w);
	begin_text(&text, &claim, w);
	if (claim.kind == WORKLOAD_TRAINING)
		workload_train(x, &steps, w, &text);
	else
		result = workload_serve(x, &steps, roles, w, &text, e);
	w->text = report_take_text(x->report, &text);
	x->report->workload = result == 0 ? w : NULL;
	return result;
}

int explain_workload(struct explain *x, struct err *e)
{
	struct range_roles roles;
	int result = range_roles_open(&roles, x->trace, x->folded, x->folded_names.count,
				      x->scope.phase_map, e);

	if (result == 0)
		result = describe(x, &roles, e);
	range_roles_close(&roles);
	return result;
}
