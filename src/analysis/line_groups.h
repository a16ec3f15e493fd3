/*
 * Events by the line of your code behind them: of a CUDA call the line that makes it, of a GPU op
 * the line of the call that launched it.
 */
#ifndef ANALYSIS_LINE_GROUPS_H
#define ANALYSIS_LINE_GROUPS_H

#include "analysis/analysis.h"
#include "trace/code/call_lines.h"

/* What identifies a group. */
struct line_group {
	uint32_t name;	/* as the event's name */
	uint32_t frame; /* in lines.code; ID_NONE: nobody knows */
};

/* A zeroed one groups by name alone, and so does NULL. */
struct line_groups {
	struct trace *trace;
	struct call_lines lines;
	struct idmap numbers;
	struct line_group *all;
	size_t cap;
	uint32_t *of_event[TRACE_KINDS];
};

enum { LINE_COLUMNS = 4 };

/* Groups by line, too; ERR_INPUT, marked absent, where no CUDA call has a backtrace. */
int line_groups_open(struct line_groups *g, struct trace *t, struct err *e);
void line_groups_free(struct line_groups *g);

/* The number in `all` of a name and a call of a thread; ID_NONE: the thread is not known. */
uint32_t line_groups_call(struct line_groups *g, uint32_t name, uint32_t thread, struct span call);
/*
 * What to group the events of a kind by, where their own names are `names`: numbers in `all`, or
 * these names. It lives as long as the groups. Loads what it needs.
 */
int line_groups_names(struct line_groups *g, enum trace_kind kind, const uint32_t *names,
		      const uint32_t **ret, struct err *e);

static inline bool line_groups_any(const struct line_groups *g)
{
	return g && g->trace;
}

/* The name of a group by that. */
static inline uint32_t line_groups_name(const struct line_groups *g, uint32_t number)
{
	return g && g->trace ? g->all[number].name : number;
}

/* At most LINE_COLUMNS, where groups are by line: how many there are, and their cells. */
size_t line_groups_columns(const struct line_groups *g, struct column *out);
size_t line_groups_cells(const struct line_groups *g, struct arena *a, uint32_t number,
			 struct cell *out);

#endif
