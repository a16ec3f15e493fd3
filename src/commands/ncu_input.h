/* Operands that are CSVs of Nsight Compute, and at most one trace, in any order. */
#ifndef CLI_NCU_INPUT_H
#define CLI_NCU_INPUT_H

#include "analysis/counters/ncu_study.h"
#include "cli/command.h"

/* What `ncu` and `roofline` are told. */
struct ncu_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	bool launches;		/* ncu: each by itself */
};
extern const struct option_group ncu_input_options;

/* A profile and what was found out about it; to be closed in any case. */
struct ncu_input {
	struct ncu_report ncu;
	struct ncu_study study;
};

/* Reads the operands, told by what they hold, opens the trace, chooses its window, joins both. */
int ncu_input_open(struct ncu_input *in, struct invocation *inv, struct err *e);
void ncu_input_close(struct ncu_input *in);

#endif
