/*
 * All work on the GPUs, whatever its kind, in order of time: kernels, copies, sets and whole-graph
 * launches are one activity model.
 */
#ifndef TRACE_OPS_H
#define TRACE_OPS_H

#include "base/saturate.h"
#include "trace/ops/op_class.h"
#include "trace/system/machine.h"

enum { FILL_ALL = 255, WARP = 32 /* threads */ };

/* The blocks of a kernel. */
struct block_shape {
	uint16_t threads; /* 0: the export does not say */
	/* That an SM holds of as many such blocks as it takes, and of any; 0: it is not known. */
	uint16_t resident, room;
};

/* By kernel, as far as the export tells; else NULL. */
struct kernel_fill {
	uint8_t *device; /* see struct op */
	struct block_shape *blocks;
};

/* Small: walks over millions copy it. */
struct op {
	int64_t start_ns, end_ns; /* end ≥ start */
	uint32_t row;
	uint32_t process; /* ID_NONE: the export does not say */
	uint32_t device;  /* see trace/system/machine.h; ID_NONE: the export does not say */
	uint8_t kind;	  /* enum trace_kind */
	uint8_t class;	  /* enum op_class */
	uint8_t fill;	  /* blocks per SM of a kernel in 255ths, FILL_ALL: at least one */
};

/* The ops of one kind by start: nearly always as they lie, and then without an index. */
struct op_lane {
	const struct events *ev;
	uint32_t *order;    /* NULL: as they lie */
	bool shares_order;  /* it is the trace's, or a choice's */
	uint64_t count;	    /* all that may be met: those of the trace, or of a choice */
	uint64_t next, end; /* the op that comes next; where those to be met end */
	int64_t next_ns;    /* its start; INT64_MAX: there may be none */
	int64_t longest_ns; /* that one of them takes */
	bool one_place;	    /* all ran on the same device, for the same process: these */
	uint32_t process, device;
};

/* What is odd about the times of ops. */
struct op_faults {
	uint64_t without_times; /* they cannot be placed, and are left out */
	uint64_t backwards;	/* they end before they begin, and take no time */
};

/* When ops are. */
struct op_times {
	bool any;		   /* that has times; else those below are 0 */
	int64_t first_ns, last_ns; /* earliest start, latest end */
	int64_t longest_ns;	   /* that one of them takes */
	struct op_faults faults;
};

struct ops {
	struct trace *trace;
	struct op_lane lanes[TRACE_GPU_KINDS];
	int turn;	       /* the kind whose op came last */
	int64_t turn_until_ns; /* when the next op of another kind begins */
	struct device_map devices;
	uint8_t *class_of_name;
	struct kernel_fill fill; /* not asked for: all are taken to fill their device */
	bool shares_fill;	 /* it is the trace's */
	struct op_times times;	 /* of all ops */
};

/* Loads what it needs; ERR_INPUT when the export has no times. */
int ops_open(struct ops *o, struct trace *t, struct err *e);
/*
 * From here on ops say how much of the device they fill, where the export has grids and SM counts,
 * and o->fill.blocks is known, where it has blocks.
 */
int ops_find_fill(struct ops *o, struct err *e);
/* Columns of kernels that it will load, for those who load others before. */
uint32_t ops_fill_columns(struct trace *t);

/* Where an op ran; ID_NONE: the export does not say. */
static inline void ops_place(const struct ops *o, enum trace_kind kind, uint64_t row,
			     uint32_t *ret_process, uint32_t *ret_device)
{
	const struct op_lane *l = &o->lanes[kind];

	*ret_process = l->one_place ? l->process : event_process(l->ev, row);
	*ret_device = l->one_place ? l->device : device_map_of(&o->devices, l->ev, row);
}

/* The next op by start (then by kind and row); false after the last. */
bool ops_next(struct ops *o, struct op *ret);
/*
 * Ops of one kind that follow one another: places begin to end of the lane's order. Those without
 * times are among them.
 */
struct op_run {
	const struct op_lane *lane;
	enum trace_kind kind;
	uint64_t begin, end;
};

static inline uint64_t op_run_row(const struct op_run *r, uint64_t place)
{
	return r->lane->order ? r->lane->order[place] : place;
}

/*
 * The next ops by start as far as no op of another kind comes between them: the same ones in the
 * same order as from ops_next(), for those who look at columns themselves. False after the last.
 */
bool ops_next_run(struct ops *o, struct op_run *ret);
void ops_rewind(struct ops *o);
/* As far back as any op may lie that lasts until then, or longer. */
void ops_seek(struct ops *o, int64_t at_ns);

/* How many ops of the lane begin before. */
uint64_t op_lane_before(const struct op_lane *l, int64_t at_ns);

/* A place between two ops in order of time: how many of each kind come before. */
struct ops_cut {
	uint64_t next[TRACE_GPU_KINDS];
};

/*
 * Cuts the ops into pieces, the last ones smaller than the others, at most `pieces`, so that all of
 * one piece have ended when those of the next begin. Returns how many there are, at least one;
 * piece i lies from cuts[i] to cuts[i + 1], for which there must be room.
 */
size_t ops_cut(const struct ops *o, size_t pieces, struct ops_cut *cuts);
/* The ops of one piece, to be walked beside others; what it refers to is o's. */
struct ops ops_piece(const struct ops *o, const struct ops_cut *from, const struct ops_cut *to);
/*
 * Of the ops those of one place: rows by kind, in the order of the lanes. They are the caller's,
 * and what else it refers to is o's.
 */
struct ops_rows {
	uint32_t *all;
	uint64_t count;
};
struct ops ops_choice(const struct ops *o, const struct ops_rows rows[TRACE_GPU_KINDS],
		      uint32_t process, uint32_t device);
/* The end of an op; some exports have it before its start: such an op takes no time. */
static inline int64_t op_end_ns(const struct events *ev, uint64_t row)
{
	const int64_t d = ev->duration_ns[row];

	return sat_add(ev->start_ns[row], d < 0 ? 0 : d);
}
void ops_close(struct ops *o);

#endif
