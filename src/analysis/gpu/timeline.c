/* Which window and which devices is a timeline about? */
#include "analysis/gpu/timeline.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* No machine has as many; the devices of a bad trace beyond that are left out. */
enum { DEVICES_MAX = 1024 };

static void choose_window(const struct ops *o, const struct scope *p, struct timeline *l)
{
	struct span window = {o->times.first_ns, o->times.last_ns};

	l->first_ns = window.start_ns;
	l->last_ns = window.end_ns;
	if (p->has_trim)
		window = (struct span){p->from_ns, p->to_ns};
	else if (p->chosen == SPAN_ALL)
		span_widen(&window, p->whole);
	l->from_ns = window.start_ns;
	l->to_ns = window.end_ns;
	/* No capture is so long that its length does not fit; what a bad file says must. */
	if (sat_sub(l->to_ns, l->from_ns) >= INT64_MAX / 2)
		l->to_ns = sat_add(l->from_ns, INT64_MAX / 2);
}

static int compare_devices(const void *a, const void *b)
{
	uint32_t x = ((const struct device_time *)a)->device;
	uint32_t y = ((const struct device_time *)b)->device;

	return (x > y) - (x < y);
}

/* Devices are numbered by id, so that their order does not depend on which was busy first. */
static void list_devices(const struct ops *o, const struct scope *p, struct timeline *l)
{
	struct idmap known = {0};
	size_t cap = 0;

	l->holds_all = true;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct op_lane *lane = &o->lanes[kind];
		const struct events *ev = lane->ev;
		const uint64_t places = lane->one_place && lane->count ? 1 : lane->count;

		for (uint64_t i = 0; i < places; i++) {
			uint32_t process, device;

			if (i && (!ev->process || ev->process[i] == ev->process[i - 1]) &&
			    (!ev->device || ev->device[i] == ev->device[i - 1]))
				continue;
			ops_place(o, kind, i, &process, &device);
			if (!scope_has_place(p, o->trace, process, device)) {
				l->holds_all = false;
				continue;
			}
			if (l->count >= DEVICES_MAX || idmap_get(&known, device) != IDMAP_NONE)
				continue;
			idmap_add(&known, device, 0);
			MEM_GROW(l->devices, cap, l->count + 1);
			l->devices[l->count++] = (struct device_time){.device = device};
		}
	}
	idmap_free(&known);
	if (l->count)
		qsort(l->devices, l->count, sizeof(*l->devices), compare_devices);
}

void timeline_begin(const struct ops *o, const struct scope *p, struct timeline *ret)
{
	*ret = (struct timeline){0};
	choose_window(o, p, ret);
	list_devices(o, p, ret);
}

int timeline_require(const struct timeline *l, const struct trace *t, const struct scope *p,
		     struct err *e)
{
	uint64_t ops = 0;

	for (size_t i = 0; i < l->count; i++)
		ops += l->devices[i].ops;
	if (ops)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has no GPU work%s%s", t->path,
		p->has_device || p->has_pid ? " for that device or process" : "",
		p->has_trim ? " in that window" : "");
	return err_hint(e,
			"its GPU work is between %.6f s and %.6f s; gpuwhy summary lists devices "
			"and processes",
			(double)l->first_ns / 1e9, (double)l->last_ns / 1e9);
}

const char *device_label(struct arena *arena, const struct device_time *d)
{
	return d->device == ID_NONE ? "GPU" : arena_printf(arena, "GPU %u", d->device);
}

void timeline_free(struct timeline *l)
{
	free(l->devices);
	*l = (struct timeline){0};
}

void time_window_report(struct report *r, const struct analysis *a, const struct timeline *l,
			const struct scope *p)
{
	r->has_window = true;
	r->window_start_ns = l->from_ns;
	r->window_end_ns = l->to_ns;
	window_heading(r, a, p, NULL);
}

void time_window_warn(struct report *r, const struct op_faults *f)
{
	if (f->without_times)
		report_warning(r, "%llu GPU ops have no valid times and are left out",
			       (unsigned long long)f->without_times);
	if (f->backwards)
		report_warning(r, "%llu GPU ops end before they start and count with zero duration",
			       (unsigned long long)f->backwards);
}
