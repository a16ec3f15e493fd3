/* Sentences made of the cells of rows, each of which is kept as what they rest on. */
#ifndef ASK_SENTENCES_H
#define ASK_SENTENCES_H

#include "ask/chosen_rows.h"
#include "base/buf.h"
#include "report/answer.h"

struct sentences {
	struct report *report; /* in whose arena what is kept lies */
	struct buf text;
	struct answer_value *values;
	size_t count, cap;
	size_t evidence; /* that they are about, counts from 1 */
};

void sentences_free(struct sentences *s);
/* One of a row, by the topic's pattern, and with the column that is asked for. */
void sentences_add_row(struct sentences *s, const struct topic *t, const struct chosen_rows *r,
		       size_t i);
/* One of all rows that were chosen, numbers added up. */
void sentences_add_sum(struct sentences *s, const char *pattern, const struct chosen_rows *r);
/* What all rows have of a column that adds up, by how many steps the window has. */
void sentences_add_per_step(struct sentences *s, const struct chosen_rows *r, int column,
			    uint64_t steps);
/* The mean of a column over the rows, each of which is a single one. */
void sentences_add_mean(struct sentences *s, const struct chosen_rows *r, int column);
/* What all instances of a template take, the column's unit says of what. */
void sentences_add_template(struct sentences *s, const struct table *t, int column, struct str name,
			    int64_t sum);
/* How many rows were chosen. */
void sentences_add_count(struct sentences *s, const struct chosen_rows *r);
/* That there is none of what a column would tell: a value of the answer, in no words. */
void sentences_keep_zero(struct sentences *s, const char *table, const char *column,
			 enum unit unit);
/* What was told since the text was so long, and had so many values. */
void sentences_take_back(struct sentences *s, size_t length, size_t values);
/* A sentence in words alone. */
void sentences_addf(struct sentences *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
