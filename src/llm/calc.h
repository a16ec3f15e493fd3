/*
 * An exact calculator: + - * / and parentheses over decimal numbers and values of the evidence.
 * Numbers that are in no evidence are refused, but for small ones and powers of ten.
 */
#ifndef LLM_CALC_H
#define LLM_CALC_H

#include "llm/evidence.h"

struct calculated {
	struct buf result;  /* a decimal number */
	bool is_exact;	    /* else it is rounded */
	struct buf numbers; /* the expression with numbers in place of references */
};

/* ERR_USAGE that says what to write instead. Freed by calculated_free() in any case. */
int calc(struct calculated *ret, struct evidence_store *s, struct str expression, struct err *e);
void calculated_free(struct calculated *c);

#endif
