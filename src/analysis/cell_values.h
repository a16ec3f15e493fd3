/* Cells of what a trace may not have: no value is an empty cell, never a number that stands for
 * none. */
#ifndef ANALYSIS_CELL_VALUES_H
#define ANALYSIS_CELL_VALUES_H

#include "report/report.h"
#include "trace/trace.h"

static inline struct cell id_cell(uint32_t id)
{
	return id == ID_NONE ? cell_null() : cell_int(id);
}

static inline struct cell duration_cell(int64_t duration_ns)
{
	return duration_ns == DURATION_NONE ? cell_null() : cell_int(duration_ns);
}

static inline struct cell int_cell(int64_t i)
{
	return i == INT_NONE ? cell_null() : cell_int(i);
}

/* The pid of a process by its number in the trace. */
static inline struct cell process_pid_cell(const struct trace *t, uint32_t process)
{
	return process == ID_NONE ? cell_null()
				  : cell_int(process_pid(t->process_keys.keys[process]));
}

/* Of a thread by its number in the trace. */
static inline struct cell pid_cell(const struct trace *t, uint32_t thread)
{
	return thread == ID_NONE ? cell_null()
				 : cell_int(process_pid(t->thread_keys.keys[thread] >> 24));
}

static inline struct cell tid_cell(const struct trace *t, uint32_t thread)
{
	return thread == ID_NONE ? cell_null() : cell_int(thread_tid(t->thread_keys.keys[thread]));
}

static inline struct cell text_or_null(struct str s)
{
	return s.len ? cell_str(s) : cell_null();
}

static inline struct cell word_or_null(const char *word)
{
	return word ? cell_text(word) : cell_null();
}

/* A negative number stands for an unknown one. */
static inline struct cell number_or_null(int64_t n)
{
	return n < 0 ? cell_null() : cell_int(n);
}

/* Null where there is no whole. */
static inline struct cell pct_cell(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_real(100.0 * (double)part / (double)whole) : cell_null();
}

#endif
