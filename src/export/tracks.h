/*
 * The processes and tracks of a timeline: a process for each GPU and each process of the program; a
 * track for each stream, for each thread's ranges and for its API calls. They are told to the
 * writer when something first lies on them. Ids count up and are unique among all of them, because
 * viewers take thread ids for global; the real ones are in the names.
 */
#ifndef EXPORT_TRACKS_H
#define EXPORT_TRACKS_H

#include "analysis/processes/rank_map.h"
#include "base/pairs.h"
#include "export/lanes.h"
#include "export/timeline.h"
#include "trace/system/machine.h"

/* The ids of a track's lanes; 0: not told yet. */
struct lane_ids {
	uint32_t *ids;
	size_t count, cap;
};

struct stream_track {
	uint32_t process, device; /* see trace/system/machine.h; ID_NONE: the export does not say */
	uint32_t context, stream;
	bool wanted; /* passes p->pid and p->device */
	bool names_process, names_context;
	int32_t rank;
	struct flat_lanes lanes;
	struct lane_ids ids;
};

/* What a thread has a track for. */
enum thread_row { ROW_RANGES, ROW_START_END, ROW_CALLS, ROW_SAMPLES, THREAD_ROWS };

struct thread_tracks {
	struct nested_lanes lanes[THREAD_ROWS];
	struct lane_ids ids[THREAD_ROWS];
};

struct tracks {
	struct trace *trace;
	const struct scope *p;
	const struct timeline_writer *how;
	void *writer;
	uint32_t last_id;
	uint64_t track_count;
	struct host_names host_names;
	struct machine machine;
	struct rank_map ranks;
	struct device_map devices; /* for the caller to read, before streams are numbered */
	struct idmap process_ids, device_ids; /* → id */
	struct arena arena;
	struct strtab counter_names; /* "process name" */
	uint32_t *last_copy;	     /* by number of those: its copies are numbered so far */
	size_t last_copy_cap;
	struct idmap process_of_device;	    /* where a process is known to use it */
	bool names_hosts;		    /* processes are of several hosts */
	struct pairs homes, lines, numbers; /* (process, device), (context, stream), both */
	struct stream_track *streams;
	size_t stream_count, stream_cap;
	uint32_t *order; /* streams by device, process and number */
	/* Those that something lies on; thread_at says which, no thread's first. */
	struct thread_tracks *threads;
	size_t thread_count, thread_cap;
	uint32_t *thread_at;
	size_t thread_at_count, thread_at_cap;
};

int tracks_open(struct tracks *x, struct trace *t, const struct scope *p, struct err *e);
void tracks_close(struct tracks *x);

/* Whether what belongs to a process and a device passes p->pid and p->device. */
bool tracks_want(const struct tracks *x, uint32_t process, uint32_t device);

/* The number of an op's stream. */
uint32_t tracks_number_stream(struct tracks *x, const struct events *ev, uint64_t row);
/* When all streams have their numbers and all processes are known, before anything is told. */
void tracks_settle(struct tracks *x);
/* The GPUs that work is told of, before anything else. */
int tracks_tell_devices(struct tracks *x, struct err *e);

/* The ids of the lanes on which there is room for a slice, and of a track for moments. */
int tracks_stream(struct tracks *x, uint32_t stream, int64_t start_ns, int64_t end_ns,
		  uint32_t *ret, struct err *e);
int tracks_thread(struct tracks *x, uint32_t thread, enum thread_row row, int64_t start_ns,
		  int64_t end_ns, uint32_t *ret, struct err *e);
int tracks_thread_first(struct tracks *x, uint32_t thread, enum thread_row row, uint32_t *ret,
			struct err *e);
/* A new counter of a device. */
int tracks_counter(struct tracks *x, uint32_t device, struct str name, enum timeline_unit unit,
		   uint32_t *ret, struct err *e);

#endif
