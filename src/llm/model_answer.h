/*
 * Answers worded by a model: it is given facts and findings, may call tools, and what it says is
 * checked against the evidence.
 */
#ifndef LLM_MODEL_ANSWER_H
#define LLM_MODEL_ANSWER_H

#include "llm/settings.h"
#include "report/report.h"
#include "trace/trace.h"

struct model_job {
	struct model_settings *settings;
	struct trace *trace;
	const char *path; /* of the trace, as the user called it */
	const char *question;
	bool redacts; /* names */
};

/*
 * Into the report. -1: the model has no answer, whatever the reason, which the error tells; the
 * report is as it was.
 */
int model_answer(const struct model_job *job, struct report *r, struct err *e);
/* What would be sent first, and where to; nothing is. The key is not shown. */
int model_add_request(struct buf *b, const struct model_job *job, struct err *e);

#endif
