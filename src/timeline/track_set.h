/*
 * The tracks of a timeline: steps, what each GPU and each of its streams did, ranges and calls of
 * each thread. All are listed at once; the lanes of a track are made when it is first shown.
 */
#ifndef TIMELINE_TRACK_SET_H
#define TIMELINE_TRACK_SET_H

#include "timeline/call_source.h"
#include "timeline/lanes.h"
#include "timeline/partition.h"
#include "timeline/range_source.h"
#include "timeline/streams.h"

enum track_kind {
	TRACK_STEPS,
	TRACK_FINDINGS, /* each at its evidence */
	TRACK_GPU,	/* the partition of its time */
	TRACK_STREAM,	/* ops */
	TRACK_RANGES,	/* push/pop ranges */
	TRACK_SPANS,	/* start/end ranges, where they begin */
	TRACK_CALLS,
	TRACK_KINDS,
};

struct track {
	enum track_kind kind;
	const char *label;
	uint32_t process, device, thread; /* ID_NONE: none, or the export does not say */
	uint32_t stream;
	size_t depth; /* 0: those below it belong to it */
	size_t source; /* its number among those of its kind: a stream, a thread of the ranges, … */
	bool is_made;
	struct lanes lanes;
};

/* Spans, and by their `of` what each is called. */
struct named_spans {
	struct span_source spans;
	const char **names;
	size_t name_count, name_cap;
};

struct track_set {
	struct trace *trace;
	struct scope scope;
	struct arena arena;
	struct track *all;
	size_t count, cap;
	struct span limits; /* first to last event that any track may show */
	struct ops ops;
	struct op_source op_source;
	struct streams streams;
	struct partitions partitions;
	struct range_source ranges, spans;
	struct call_source calls;
	struct named_spans steps, findings;
	const char *steps_are; /* what a step is: "ranges 'step N'"; NULL: there are none */
};

/*
 * Lists the tracks of the GPUs that the scope asks about, so that something can be shown; then
 * those of threads; then the steps, which come first. Those that are there stay where they are, but
 * for that.
 */
int track_set_open(struct track_set **ret, struct trace *t, const struct scope *p, struct err *e);
int track_set_add_threads(struct track_set *r, struct err *e);
int track_set_add_steps(struct track_set *r, struct err *e);
/*
 * Those of an answer where each says when; they come first. derived_span.of is the number of the
 * finding among those.
 */
void track_set_add_findings(struct track_set *r, const struct report *answer);
/* The lanes of a track. */
const struct lanes *track_set_lanes(struct track_set *r, size_t row);
void track_set_close(struct track_set *r);

/* What an event of a track is called, and what a class of its lanes is; empty: nothing. */
struct str track_event_name(const struct track_set *r, const struct track *track,
			    const struct lane_event *e);
const char *track_class_name(const struct track *track, uint8_t class);

#endif
