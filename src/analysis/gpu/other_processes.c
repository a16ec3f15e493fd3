/* Was a GPU that one process left idle busy with another's work? */
#include "analysis/gpu/other_processes.h"

#include "analysis/cell_values.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"

static const struct column columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"idle_ns", "Idle of this process", UNIT_NS, 0, NULL, SHOW},
	{"used_by_others_ns", "Used by other processes", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_idle", "% of idle", UNIT_PERCENT, 0, NULL, SHOW},
};

/* The same GPUs in the same window, whosever work it is. */
static int walk_all(struct trace *t, const struct scope *p, const struct timeline *l,
		    struct timeline *ret, struct err *e)
{
	struct timeline_view view = {.trace = t, .timeline = ret};
	struct scope everyone = *p;
	struct ops o;

	*ret = (struct timeline){0};
	everyone.has_pid = false;
	everyone.has_trim = true;
	everyone.from_ns = l->from_ns;
	everyone.to_ns = l->to_ns;
	view.p = &everyone;
	if (ops_open(&o, t, e) < 0)
		return -1;
	timeline_begin(&o, &everyone, ret);
	timeline_walk_views(&o, &view, 1, timeline_pieces(&o));
	ops_close(&o);
	return 0;
}

/* All work is this process's and others': what is busy with all and idle with one is the others'.
 */
static int64_t used_by_others(const struct device_time *mine, const struct timeline *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->devices[i].device == mine->device)
			return mine->ns[SLICE_IDLE] - all->devices[i].ns[SLICE_IDLE];
	}
	return 0;
}

static void add_row(struct report *r, struct rows **rows, const struct device_time *d,
		    int64_t used_ns)
{
	if (!*rows) {
		*rows = report_new_rows(r, "idle_others", "Idle time used by other processes",
					columns, ARRAY_LEN(columns));
		(*rows)->table.kind = "others";
	}
	rows_add(*rows, id_cell(d->device));
	rows_add(*rows, cell_int(d->ns[SLICE_IDLE]));
	rows_add(*rows, cell_int(used_ns));
	rows_add(*rows, pct_cell(used_ns, d->ns[SLICE_IDLE]));
}

static void add_note(struct report *r, const struct scope *p, int64_t used_ns, int64_t idle_ns)
{
	struct buf used = {0}, idle = {0};

	units_add_ns(&used, (double)used_ns);
	units_add_ns(&idle, (double)idle_ns);
	if (used_ns)
		report_note(r,
			    "Idle means idle for process %u: during %s of these %s (%.1f %%) other "
			    "processes used the GPU.",
			    p->pid, used.s, idle.s, 100.0 * (double)used_ns / (double)idle_ns);
	buf_free(&used);
	buf_free(&idle);
}

int other_processes_report(struct report *r, struct trace *t, const struct scope *p,
			   const struct timeline *l, struct err *e)
{
	int64_t used_ns = 0, idle_ns = 0;
	struct rows *rows = NULL;
	struct timeline all;

	if (!p->has_pid)
		return 0;
	if (walk_all(t, p, l, &all, e) < 0)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		const struct device_time *d = &l->devices[i];

		idle_ns = sat_add(idle_ns, d->ns[SLICE_IDLE]);
		used_ns = sat_add(used_ns, used_by_others(d, &all));
	}
	add_note(r, p, used_ns, idle_ns);
	for (size_t i = 0; used_ns && i < l->count; i++)
		add_row(r, &rows, &l->devices[i], used_by_others(&l->devices[i], &all));
	timeline_free(&all);
	return 0;
}
