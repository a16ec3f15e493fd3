/* Which number of a table does a question ask for, and what sort of number is it? */
#ifndef ASK_ASKED_COLUMN_H
#define ASK_ASKED_COLUMN_H

#include "analysis/topic.h"
#include "ask/question/question.h"
#include "report/report.h"

/* The one that is asked for, or that ranks the topic's rows; -1: none. */
int column_choose(const struct table *t, const struct topic *topic, const struct question *q,
		  bool *ret_is_asked);
/* Whether a column is of the sort that the measure asks for. */
bool column_fits(const struct column *c, enum measure m);
/* Whether a column of the table is of the sort that is asked for. */
bool table_tells(const struct table *t, enum measure m);
/* The same with what it is of: a mean of sizes is none of times. */
bool table_tells_question(const struct table *t, const struct question *q);
/* Whether numbers of rows may be added up to one that means something. */
bool column_adds_up(const struct column *c);
/* A column of single ones (mean, percentile, extreme) for the measure; -1: it has none. */
int column_for_measure(const struct table *t, enum measure m);
/* Whether it is of one event, the largest of all. */
bool column_is_extreme(const struct column *c);
/* Whether it tells the least of many. */
bool column_is_least(const struct column *c);
bool column_is_number(const struct column *c);
/* Whether there are rows that it does not hold: of all no number can be told then. */
static inline bool table_is_cut(const struct table *t)
{
	return t->total_rows > t->rows;
}

#endif
