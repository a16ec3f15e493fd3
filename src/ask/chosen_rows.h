/* Which rows and which column of a table does a question mean? */
#ifndef ASK_CHOSEN_ROWS_H
#define ASK_CHOSEN_ROWS_H

#include "analysis/topic.h"
#include "ask/question/question.h"
#include "report/report.h"

enum { MORE_COLUMNS = 4 };

struct chosen_rows {
	const struct table *table;
	uint64_t *rows; /* in the order that was asked for */
	size_t count;
	size_t firsts;		/* that have the same number, which no other exceeds; at least 1 */
	int column;		/* that is asked for, or says which row is first; -1: none */
	int more[MORE_COLUMNS]; /* that are asked for besides; -1: no more */
	int also;		/* its row with the most of this is told besides; -1: none */
	bool is_asked_column;	/* the question says so */
	bool by_name;		/* names chose them, not all rows are meant */
	bool reads[WORDS_MOST]; /* by word of the question: it has chosen rows */
	bool has_missed;	/* a name was asked for that no row has */
	struct str missed;
	bool is_beyond;	  /* they are those that are longer, or larger, than is asked for */
	bool has_no_work; /* copies to the host, memsets, kernels: there are others alone */
};

/* To be freed. Tables of more rows than MOST_ROWS are looked at up to there. */
enum { MOST_ROWS = 2000000 };
void rows_choose(struct chosen_rows *ret, const struct table *t, const struct topic *topic,
		 const struct question *q);
/* All of a table, the most of a column first; no column is asked for. To be freed. */
void rows_take_all(struct chosen_rows *ret, const struct table *t, int by);
/* By a column, those without a value last. */
void rows_sort(struct chosen_rows *r, int column, bool least);
void rows_free(struct chosen_rows *r);

#endif
