/*
 * The tracks of a timeline: steps, what each GPU and each of its streams did, ranges and calls of
 * each thread. All are listed at once; the lanes of a track are made when it is first shown. Those
 * of several captures lie below one another, each on its part of the set.
 */
#ifndef TIMELINE_TRACK_SET_H
#define TIMELINE_TRACK_SET_H

#include "timeline/call_source.h"
#include "timeline/collective_tracks.h"
#include "timeline/counters.h"
#include "timeline/lanes.h"
#include "timeline/memory_tracks.h"
#include "timeline/os_source.h"
#include "timeline/partition.h"
#include "timeline/range_source.h"
#include "timeline/sampled_code.h"
#include "timeline/streams.h"
#include "traces/traces.h"

enum track_kind {
	TRACK_CAPTURE, /* of several: from its first event to its last */
	TRACK_STEPS,
	TRACK_FINDINGS, /* each at its places */
	TRACK_GPU,	/* the partition of its time */
	TRACK_STREAM,	/* ops */
	TRACK_RANGES,	/* push/pop ranges */
	TRACK_SPANS,	/* start/end ranges, where they begin */
	TRACK_CALLS,
	TRACK_PROJECTED, /* push/pop ranges, from their first to their last op on a GPU */
	TRACK_SAMPLES,	 /* the code that a thread was in */
	TRACK_COUNTER,	 /* what a GPU measured of itself */
	TRACK_COLLECTIVES,
	TRACK_MEMORY, /* in use */
	TRACK_OS,     /* calls of the operating system's runtime */
	TRACK_KINDS,
};

struct track_part;

struct track {
	enum track_kind kind;
	struct track_part *part; /* the capture that it is of */
	const char *label;
	uint32_t process, device, thread; /* ID_NONE: none, or the export does not say */
	uint32_t stream;
	size_t depth; /* those below it that are deeper belong to it */
	size_t source; /* its number among those of its kind: a stream, a thread of the ranges, … */
	size_t number; /* how many were there when it was added, wherever it lies */
	const struct span_source *derived; /* its events, where they were derived; NULL: rows */
	const char *const *names;	   /* by derived_span.of; NULL: see track_event_name() */
	struct value_source *values;	   /* of its events; NULL: their time alone is shown */
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
	struct track *all;
	size_t count, cap;
	struct span limits;	  /* first to last event that any track may show */
	struct track_part *parts; /* one for each capture that was added */
	size_t part_count;
};

/* A capture of those that a timeline shows, and where the events of its tracks come from. */
struct track_part {
	struct track_set *set;
	size_t number; /* of the capture among those it was told of */
	struct trace *trace;
	struct scope scope;
	int64_t shift_ns; /* from the capture's clock to that of the lanes */
	size_t depth;	  /* of its outermost tracks: 1 below a track for the capture */
	struct arena arena;
	struct ops ops;
	struct op_source op_source;
	struct streams streams;
	struct partitions partitions;
	struct range_source ranges, spans;
	struct call_source calls;
	struct os_source os;
	struct named_spans capture, steps, findings;
	struct collective_spans collectives;
	struct counters counters;
	struct memory_lines memory;
	struct sampled_code *sampled;  /* NULL: no thread was sampled */
	struct span_source *projected; /* by partition; `of` is the number in ranges.forest */
	const char *steps_are;	       /* what a step is: "ranges 'step N'"; NULL: there are none */
};

/* For so many captures. */
struct track_set *track_set_new(size_t captures);
void track_set_free(struct track_set *r);
/*
 * Lists the tracks of the GPUs that the scope asks about, so that something can be shown; then
 * those of threads; then the steps, which come first; then others, among those that are there. New
 * ones are known by their numbers. Lanes are on the clock that the captures share.
 */
int track_set_add_capture(struct track_set *r, const struct capture *c, size_t number,
			  struct err *e);
int track_part_add_threads(struct track_part *r, struct err *e);
int track_part_add_steps(struct track_part *r, struct err *e);
/*
 * Those of an answer, each at its places; they come first. derived_span.of is the number of the
 * finding among those that have one.
 */
void track_part_add_findings(struct track_part *r, const struct report *answer);
/* Ranges on each GPU, below its partition; after the threads, whose ranges they are. */
int track_part_add_projected(struct track_part *r, struct err *e);
/* Where sampled threads were, below what else they did. */
int track_part_add_samples(struct track_part *r, struct err *e);
/* What GPUs measured of themselves, behind all others: these are many. */
int track_part_add_counters(struct track_part *r, struct err *e);
/* Communication kernels of each GPU, below its ranges: which collective each is. */
int track_part_add_collectives(struct track_part *r, struct err *e);
/* Memory in use on each GPU, below its streams. */
int track_part_add_memory(struct track_part *r, struct err *e);
void track_part_free(struct track_part *r); /* what it holds */
/* The lanes of a track. */
const struct lanes *track_set_lanes(struct track_set *r, size_t row);
/* The event of an id that begins then, of a track; false: it has none. */
bool track_set_find_event(struct track_set *r, size_t track, uint32_t id, int64_t start_ns,
			  size_t *ret_lane, size_t *ret_at);
/* Captures from that number on are so much later: lanes that are made, and those that will be. */
void track_set_move(struct track_set *r, size_t first_capture, int64_t by_ns);
/* Where a track is that was added as that one; false: it is not there. */
bool track_set_find_track(const struct track_set *r, size_t number, size_t *ret);
/* The track that one belongs to; `track` itself: to none. */
size_t track_set_above(const struct track_set *r, size_t track);

/* Of several captures the outlines are seen first: GPUs and threads without what is below them. */
bool track_set_begins_folded(const struct track_set *r, size_t track);

/*
 * For those who add tracks: those from `at` on move, and their numbers stay. The depth is that
 * among the part's own.
 */
void track_part_insert(struct track_part *r, size_t at, struct track track);
/* The set's limits hold all its GPU work. */
void track_part_see_ops(struct track_part *r);
/* The part's tracks are those from begin on, before end. */
size_t track_part_begin(const struct track_part *r);
size_t track_part_end(const struct track_part *r);
/* Behind those that belong to a track. */
size_t track_set_end_of(const struct track_set *r, size_t track);
/*
 * All threads by process and id, for free(): their numbers depend on what was asked of the trace
 * before.
 */
uint32_t *track_part_threads(const struct track_part *r);
/* What a thread is called. */
const char *track_part_thread_label(struct track_part *r, const struct host_names *names,
				    uint32_t thread);
/* Where the partition of a device is; false: it has none. */
bool track_part_find_gpu(const struct track_part *r, uint32_t device, size_t *ret);

/* "rank 3, GPU 0, stream 7": a track and what it belongs to. */
void track_set_add_name(struct buf *b, const struct track_set *r, size_t track);
/* An event for people: a value, or a name, of kernels the short one unless it is to be whole. */
void track_add_event_name(struct buf *b, const struct track *t, const struct lane_event *e,
			  bool whole);
/* The value of an event of a track that has values: "87 %". */
void track_add_value(struct buf *b, const struct track *track, const struct lane_event *e);
/* Classes of findings: the colours of a warning for those that matter. */
enum finding_look { FINDING_LOW = 1, FINDING_HIGH = 3, FINDING_MEDIUM = 4, FINDING_INFO = 7 };

/* What an event of a track is called, and what a class of its lanes is; empty: nothing. */
struct str track_event_name(const struct track *track, const struct lane_event *e);
const char *track_class_name(const struct track *track, uint8_t class);

/* Whether its lanes are levels of nesting. */
static inline bool track_is_nested(const struct track *t)
{
	return t->kind == TRACK_RANGES || t->kind == TRACK_SPANS || t->kind == TRACK_PROJECTED;
}

#endif
