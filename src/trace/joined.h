/*
 * Several exports as one trace: the ranks or nodes of a job. Every event is on one clock, every
 * process and GPU has one number, whichever export names it; analyses need not know.
 */
#ifndef TRACE_JOINED_H
#define TRACE_JOINED_H

#include "base/buf.h"
#include "trace/trace.h"

/* From an export's own clock to the shared one. */
struct clock_shift {
	int64_t by_ns; /* at time `at_ns` */
	double drift;  /* further ns for each ns since then */
	int64_t at_ns;
};

struct export_part {
	struct trace *trace; /* which must outlive the joined one */
	struct clock_shift clock;
	int64_t doubt_ns; /* how wrong that may be */
	bool has_rank; /* somebody knows it beside the export: its file's name says so */
	uint32_t rank;
};

static inline int64_t clock_shift_at(const struct clock_shift *c, int64_t at_ns)
{
	if (c->drift == 0)
		return c->by_ns;
	return sat_add(c->by_ns, (int64_t)(c->drift * (double)sat_sub(at_ns, c->at_ns)));
}

/* `path` is what messages call it. */
int trace_join(struct trace **ret, const char *path, const struct export_part *parts, size_t count,
	       struct err *e);
/*
 * The trace as it is named on a command line, quoted for a shell: all of its exports, those of many
 * by the first. Without their folders where the line is passed on.
 */
void trace_add_operands(struct buf *b, const struct trace *t, bool with_folders);

/* For trace_close(); NULL is fine. */
void joined_free(struct joined *j);

#endif
