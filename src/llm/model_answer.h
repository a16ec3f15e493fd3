/*
 * Answers worded by a model: it is given facts and findings, may call tools, and what it says is
 * checked against the evidence.
 */
#ifndef LLM_MODEL_ANSWER_H
#define LLM_MODEL_ANSWER_H

#include "llm/settings.h"
#include "report/report.h"
#include "trace/trace.h"

/* Beside each line that a model wrote, for people: none can pose as the program's. */
#define MODEL_LINE "│ "

struct model_job {
	struct model_settings *settings;
	struct trace *trace;
	const char *path; /* of the trace, as the user called it */
	const char *question;
	const char *window; /* asked about, as parameters of skill_run; NULL: the usual one */
	bool redacts;	    /* names */
	/*
	 * Each sentence as soon as it is there and its numbers are checked: the report is without
	 * them then. NULL: all of it is in the report.
	 */
	void (*tell)(void *ctx, struct str text);
	void *ctx;
};

/* Questions, answers and evidence so far, which the next question goes on from. */
struct model_talk;

/*
 * Into the report. -1: the model has no answer, whatever the reason, which the error tells; the
 * report is as it was. `talk` is of the questions before, NULL at first, and for
 * model_talk_free(); where it is too long it begins anew.
 */
int model_answer(struct model_talk **talk, const struct model_job *job, struct report *r,
		 struct err *e);
void model_talk_free(struct model_talk *t); /* NULL is fine */
/* What would be sent first, and where to; nothing is. The key is not shown. */
int model_add_request(struct buf *b, const struct model_job *job, struct err *e);

#endif
