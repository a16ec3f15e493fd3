/* Was the run on the GPUs that ncu measured on? */
#include "analysis/counters/ncu_study.h"

#include "analysis/window.h"
#include "base/pairs.h"
#include "text/text.h"
#include "trace/system/machine.h"

#include <strings.h>

enum { MOST_NAMES = 16 }; /* models of GPUs; nobody has more */

struct gpu_names {
	struct str all[MOST_NAMES];
	size_t count;
};

/* Older drivers leave the maker out. */
static struct str model_of(struct str name)
{
	static const char maker[] = "NVIDIA ";
	const size_t len = sizeof(maker) - 1;

	if (name.len > len && strncasecmp(name.s, maker, len) == 0)
		return (struct str){name.s + len, name.len - len};
	return name;
}

static bool has_name(const struct gpu_names *n, struct str name)
{
	const struct str model = model_of(name);

	for (size_t i = 0; i < n->count; i++) {
		struct str other = model_of(n->all[i]);

		if (other.len == model.len && strncasecmp(other.s, model.s, model.len) == 0)
			return true;
	}
	return false;
}

static void add_name(struct gpu_names *n, struct str name)
{
	name = str_trimmed(name);
	if (name.len && n->count < MOST_NAMES && !has_name(n, name))
		n->all[n->count++] = name;
}

static struct gpu_names except(const struct gpu_names *all, const struct gpu_names *these)
{
	struct gpu_names left = {0};

	for (size_t i = 0; i < all->count; i++) {
		if (!has_name(these, all->all[i]))
			left.all[left.count++] = all->all[i];
	}
	return left;
}

/* Where kernels of the window ran, by process and the ordinal that it knows the GPU by. */
struct run_places {
	const struct trace *trace;
	const struct scope *scope;
	struct machine machine;
	struct device_map map;
	struct pairs seen;
	struct gpu_names *names;
};

static bool is_asked_for(const struct run_places *x, uint32_t process, uint32_t ordinal)
{
	return scope_has_place(x->scope, x->trace, process,
			       device_map_gpu(&x->map, process, ordinal));
}

static void add_place(struct run_places *x, uint32_t process, uint32_t ordinal)
{
	const size_t known = pairs_count(&x->seen);
	const struct gpu *gpu;

	pairs_number(&x->seen, process, ordinal);
	if (pairs_count(&x->seen) == known || !is_asked_for(x, process, ordinal))
		return;
	gpu = machine_gpu(&x->machine,
			  process == ID_NONE ? 0 : x->trace->process_keys.keys[process], ordinal);
	if (gpu)
		add_name(x->names, gpu->name);
}

static void look_at_kernels(struct run_places *x)
{
	const struct events *k = &x->trace->events[TRACE_KERNELS];
	int64_t inside;

	for (uint64_t i = 0; k->device && i < k->count; i++) {
		if (window_clip(x->scope, k->start_ns[i], k->duration_ns[i], &inside))
			add_place(x, k->process ? k->process[i] : ID_NONE, k->device[i]);
	}
}

static int names_of_run(struct trace *t, const struct scope *p, struct gpu_names *ret,
			struct err *e)
{
	struct run_places x = {.trace = t, .scope = p, .names = ret};

	if (trace_load(t, TRACE_KERNELS, COLS_TIMES | COLS_PROCESS_DEVICE, e) < 0 ||
	    machine_read(t, &x.machine, e) < 0 || device_map_read(t, &x.map, e) < 0)
		return -1;
	look_at_kernels(&x);
	device_map_free(&x.map);
	pairs_free(&x.seen);
	return 0;
}

static void add_list(struct buf *b, const struct gpu_names *n)
{
	for (size_t i = 0; i < n->count; i++) {
		buf_adds(b, i ? ", " : "");
		text_add_safe(b, n->all[i]);
	}
}

static void warn_of_difference(struct report *r, const struct gpu_names *measured,
			       const struct gpu_names *run)
{
	const struct gpu_names unmeasured = except(run, measured), unused = except(measured, run);
	const bool any = unmeasured.count < run->count;
	struct buf b = {0};

	if (!measured->count || !run->count || (!unmeasured.count && !unused.count))
		return;
	buf_adds(&b, "ncu measured on ");
	add_list(&b, unmeasured.count ? measured : &unused);
	buf_adds(&b, !any		? ", but the run used "
		     : unmeasured.count ? ", but the run also used "
					: " as well, but the run used only ");
	add_list(&b, unmeasured.count ? &unmeasured : run);
	report_warning(r, "%s: bounds and headroom may differ between GPUs", b.s);
	buf_free(&b);
}

int ncu_devices_warn(const struct ncu_report *ncu, struct trace *t, const struct scope *p,
		     struct report *r, struct err *e)
{
	struct gpu_names measured = {0}, run = {0};

	for (size_t i = 0; i < ncu->count; i++)
		add_name(&measured, ncu->kernels[i].device_name);
	if (!measured.count)
		return 0;
	if (names_of_run(t, p, &run, e) < 0)
		return -1;
	warn_of_difference(r, &measured, &run);
	return 0;
}
