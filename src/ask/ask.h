/*
 * Answers to questions in words, without a model: which analyses are meant, what they say, in
 * sentences made of their own cells, with the evidence and the commands that give it again.
 */
#ifndef ASK_ASK_H
#define ASK_ASK_H

#include "report/report.h"
#include "trace/trace.h"

/* Into the report: sentences, evidence, what cannot be told. -1: the trace cannot be read. */
int ask_answer(struct trace *t, const char *question, struct report *r, struct err *e);

#endif
