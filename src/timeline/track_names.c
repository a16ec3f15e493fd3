/* What are the events of a track called? */
#include "timeline/track_set.h"

#include "report/kernel_name.h"
#include "text/units.h"
#include "trace/system/labels.h"

void track_set_add_name(struct buf *b, const struct track_set *r, size_t track)
{
	const size_t above = track_set_above(r, track);

	if (above != track) {
		track_set_add_name(b, r, above);
		buf_adds(b, ", ");
	}
	buf_adds(b, r->all[track].label);
}

void track_add_event_name(struct buf *b, const struct track *t, const struct lane_event *e,
			  bool whole)
{
	const struct str name = track_event_name(t, e);

	if (t->values)
		track_add_value(b, t, e);
	else if (t->kind == TRACK_STREAM && !whole)
		kernel_name_add_short(b, name);
	else
		buf_addstr(b, name);
}

struct str track_event_name(const struct track *track, const struct lane_event *e)
{
	const struct track_part *r = track->part;
	uint32_t name;

	if (track->names)
		return str_of(track->names[span_source_at(track->derived, e->id).of]);
	switch (track->kind) {
	case TRACK_STREAM:
		return label_op(r->trace, op_id_kind(e->id), op_id_row(e->id));
	case TRACK_RANGES:
		return range_source_name(&r->ranges, r->trace, e->id);
	case TRACK_SPANS:
		return range_source_name(&r->spans, r->trace, e->id);
	case TRACK_PROJECTED:
		return range_source_name(&r->ranges, r->trace,
					 span_source_at(track->derived, e->id).of);
	case TRACK_CALLS:
		name = r->calls.calls.origins[calls_origin(&r->calls.calls, e->id)].name;
		return name == NAME_NONE ? STR_LIT("") : label_api(trace_name(r->trace, name));
	case TRACK_OS:
		name = r->os.events->name[e->id];
		return name == NAME_NONE ? STR_LIT("") : trace_name(r->trace, name);
	default:
		return str_of(track_class_name(track, e->class));
	}
}

void track_add_value(struct buf *b, const struct track *track, const struct lane_event *e)
{
	const double value = track->values->value(track->values, e->id);

	switch (track->values->unit) {
	case VALUE_PERCENT:
		units_add_fixed(b, value, 0);
		buf_adds(b, " %");
		break;
	case VALUE_MHZ:
		units_add_fixed(b, value, 0);
		buf_adds(b, " MHz");
		break;
	case VALUE_BYTES:
		units_add_bytes(b, value);
		break;
	}
}

const char *track_class_name(const struct track *track, uint8_t class)
{
	static const char *const ops[LANE_CLASSES] = {
		"compute", "matrix product", "attention",  "communication",
		"copy",	   "memset",	     "CUDA graph", ""};
	static const char *const calls[LANE_CLASSES] = {
		"other call",	   "launch", "blocking copy", "copy",
		"synchronisation", "query",  "memory",	      "module loading"};

	static const char *const os[LANE_CLASSES] = {[OS_SLEEP] = "sleep",
						     [OS_INPUT] = "input",
						     [OS_EVENT] = "wait for events",
						     [OS_WRITE] = "output",
						     [OS_LOCK] = "wait for another thread",
						     [OS_WAITS] = "other OS call",
						     [OS_WAITS + 1] = "",
						     [OS_WAITS + 2] = ""};
	static const char *const findings[LANE_CLASSES] = {
		"", "low severity", "", "high severity", "medium severity", "", "", "info"};

	if (track->kind == TRACK_GPU && class == LOOK_COPY)
		return "copy or memset";
	if (track->kind == TRACK_GPU || track->kind == TRACK_STREAM)
		return ops[class];
	if (track->kind == TRACK_CALLS)
		return calls[class];
	if (track->kind == TRACK_OS)
		return os[class];
	if (track->kind == TRACK_CAPTURE)
		return "capture";
	if (track->kind == TRACK_FINDINGS)
		return findings[class];
	if (track->kind == TRACK_SAMPLES)
		return "code";
	if (track->kind == TRACK_COUNTER)
		return "counter of the GPU";
	if (track->kind == TRACK_COLLECTIVES)
		return "communication";
	if (track->kind == TRACK_MEMORY)
		return "in use";
	return track->kind == TRACK_STEPS ? "step" : "range";
}
