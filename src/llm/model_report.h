/* A model's answer as a report: its words, what is struck out, values, evidence, commands. */
#ifndef LLM_MODEL_REPORT_H
#define LLM_MODEL_REPORT_H

#include "llm/toolbox.h"
#include "llm/wording.h"

/* A conversation that has come to an answer. */
struct model_told {
	const struct toolbox *tools;
	const char *model, *question;
	size_t turns, calls;
	int64_t input_tokens, output_tokens;
	size_t evidence_before; /* of questions before: people see it where it is referred to */
	bool is_told;		/* people have read the answer already, while it came */
};

void model_report_make(struct report *r, const struct model_told *a, const struct wording *w);

#endif
