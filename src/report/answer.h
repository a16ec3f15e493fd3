/* What `ask` says, and on what it rests: for machines, beside the blocks that people see. */
#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include "report/report.h"

/* A cell that a sentence tells. */
struct answer_value {
	size_t evidence; /* counts from 1 */
	const char *table, *column;
	const char *row; /* what the row is called; NULL: it is a sum */
	enum unit unit;
	struct cell value;
};

/* An analysis that was asked. */
struct answer_evidence {
	const char *analysis, *table; /* table NULL: findings */
	const char *command;	      /* that gives the same */
	double score;		      /* how well it fits the question */
	const char *failure;	      /* NULL: it has an answer */
};

/* Who worded an answer, where a model was asked. */
struct answer_model {
	const char *name;
	size_t turns, calls;
	int64_t input_tokens, output_tokens; /* as the server counts them; 0: it does not */
	const char *const *struck;	     /* numbers of its text that are struck out */
	size_t struck_count;
	const char *const *unchecked; /* numbers that stand as it wrote them: "three", "twice" */
	size_t unchecked_count;
	const char *failure; /* why the answer is without it; NULL: it is the model's */
};

struct report_answer {
	const char *question;
	const char *status; /* a stable word: answered, unsure, cannot_tell, out_of_domain */
	const char *meant;  /* the question with its slips mended; NULL: it has none */
	const char *text;
	const char *const *candidates; /* analyses that fit, best first */
	size_t candidate_count;
	const struct answer_evidence *evidence;
	size_t evidence_count;
	const struct answer_value *values;
	size_t value_count;
	const char *const *nearest; /* questions that it knows and that are like this one */
	size_t nearest_count;
	const struct answer_model *model; /* NULL: none was asked */
};

/* The member "answer" and a comma; nothing where there is none. */
void json_add_answer(struct buf *b, const struct report *r);

#endif
