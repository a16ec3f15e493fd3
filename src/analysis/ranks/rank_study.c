/* What did each rank do in its window, and what for? */
#include "analysis/ranks/rank_study.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/timeline.h"
#include "base/mem.h"
#include "trace/calls/picked_calls.h"

#include <stdlib.h>

static int read_activity(struct rank_study *s, const struct rank_window_args *a, struct err *e)
{
	const struct scope *p = &a->table.scope;

	if (rank_map_read(s->trace, p, &s->map, e) < 0 ||
	    rank_windows_find(&s->ops, a, &s->preset, &s->map, false, &s->windows, e) < 0)
		return -1;
	return rank_activity_read(&s->ops, p, &s->map, &s->windows, &s->activity, e);
}

/* Only ranges around these calls matter. */
static struct span span_of_calls(const struct picked_calls *calls)
{
	struct span s = SPAN_NONE;

	for (size_t i = 0; i < calls->numbers.count; i++) {
		const struct picked_call *c = &calls->of_launch[i];

		if (c->row != ID_NONE)
			span_widen(&s, (struct span){c->start_ns, c->start_ns});
	}
	return s;
}

static int label_calls(struct rank_study *s, const struct preset_rules *rules,
		       const struct picked_calls *calls, struct err *e)
{
	const struct rank_activity *a = &s->activity;
	struct span span = span_of_calls(calls);
	struct launch_cursor cursor = {0};

	if (markers_make(s->trace, rules, span.start_ns, span.end_ns, &s->markers, e) < 0)
		return -1;
	s->label = mem_alloc(a->comm_count, sizeof(*s->label));
	for (size_t i = 0; i < a->comm_count; i++) {
		const struct picked_call *c = picked_call_of(calls, a->comm[i].row, &cursor);

		s->label[i] = c ? markers_find(&s->markers, c->thread, c->start_ns) : LABEL_NONE;
		s->unlaunched += !c;
	}
	return 0;
}

static int label_comm(struct rank_study *s, const struct preset_rules *rules, struct err *e)
{
	size_t count = s->activity.comm_count;
	uint32_t *rows = mem_alloc(count, sizeof(*rows));
	struct picked_calls calls;
	int result;

	for (size_t i = 0; i < count; i++)
		rows[i] = s->activity.comm[i].row;
	result = picked_calls_find(s->trace, TRACE_KERNELS, rows, count, &calls, e);
	if (result == 0)
		result = label_calls(s, rules, &calls, e);
	free(rows);
	picked_calls_free(&calls);
	return result;
}

static void warn_of_no_stream(const struct rank_study *s, struct report *r)
{
	uint64_t kernels = 0, comm = 0;

	for (size_t i = 0; i < s->activity.stream_count; i++) {
		const struct rank_stream *st = &s->activity.streams[i];

		if (st->stream != ID_NONE)
			continue;
		kernels += st->comm + st->compute;
		comm += st->comm;
	}
	if (kernels)
		report_warning(r,
			       "%llu kernels in the window have no stream, %llu of them "
			       "communication: whether those are barriers is unknown",
			       (unsigned long long)kernels, (unsigned long long)comm);
}

static void tell(const struct rank_study *s, const struct scope *p, struct report *r)
{
	rank_map_tell(&s->map, r);
	time_window_warn(r, &s->ops.times.faults);
	warn_of_no_stream(s, r);
	if (!s->activity.comm_count)
		report_note(r, "no communication kernels ran in the window");
	if (s->unlaunched)
		report_warning(r,
			       "%llu communication kernels have no launch call in the trace: their "
			       "range is unknown",
			       (unsigned long long)s->unlaunched);
	if (!s->activity.stream_count && (p->has_device || p->has_pid))
		report_warning(r, "no kernels in the window match the filters");
	else if (!s->activity.place_count)
		report_warning(r, "no kernels ran in the window");
}

/* Without these every answer would be a guess. */
static int require_columns(struct trace *t, struct err *e)
{
	static const enum trace_column required[] = {COL_PROCESS, COL_STREAM, COL_NAME};

	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (trace_require_column(t, TRACE_KERNELS, required[i], e) < 0)
			return -1;
	}
	return 0;
}

int rank_study_make(const struct analysis *self, struct trace *t, const struct rank_window_args *a,
		    enum study_rules rules, struct report *r, struct rank_study *ret, struct err *e)
{
	const uint32_t of_kernels = COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
				    COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
				    COL_BIT(COL_STREAM) | COL_BIT(COL_NAME) |
				    COL_BIT(COL_CORRELATION);
	const uint32_t of_ranges = COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
				   COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) |
				   COL_BIT(COL_EVENT_TYPE);

	*ret = (struct rank_study){.trace = t};
	/* One pass over each table for all that is asked of it from here on. */
	if (preset_read(&ret->preset, a->preset, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, of_kernels, e) < 0 || require_columns(t, e) < 0 ||
	    trace_load(t, TRACE_NVTX, of_ranges, e) < 0 || ops_open(&ret->ops, t, e) < 0 ||
	    read_activity(ret, a, e) < 0 ||
	    label_comm(ret, rules == STUDY_STAGES ? &ret->preset.stages : &ret->preset.purposes,
		       e) < 0 ||
	    rank_windows_report(&ret->windows, &ret->map, r, self, t, &a->table, e) < 0)
		return -1;
	tell(ret, &a->table.scope, r);
	return warn_of_hidden_graphs(t, r, e);
}

void rank_study_free(struct rank_study *s)
{
	free(s->label);
	markers_free(&s->markers);
	rank_activity_free(&s->activity);
	rank_windows_free(&s->windows);
	rank_map_free(&s->map);
	ops_close(&s->ops);
	preset_free(&s->preset);
}

struct str rank_study_label(const struct rank_study *s, uint32_t label, const char *otherwise)
{
	return label == LABEL_NONE ? str_of(otherwise) : s->markers.labels.items[label];
}
