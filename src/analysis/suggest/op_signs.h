/*
 * What the name of a kernel shows of where in a program it is from: its category, and whether it
 * belongs to a forward pass, a backward pass or an optimizer.
 */
#ifndef ANALYSIS_OP_SIGNS_H
#define ANALYSIS_OP_SIGNS_H

#include "analysis/categories/categories.h"
#include "trace/trace.h"

enum op_part { OP_ANY, OP_FORWARD, OP_BACKWARD, OP_OPTIMIZER };

struct op_sign {
	bool known;
	bool torch;   /* PyTorch's own kernel */
	uint8_t part; /* enum op_part */
	struct str category;
};

struct op_signs {
	const struct trace *trace;
	struct category_maps maps;
	struct categories categories;
	struct op_sign *of_name; /* by number in trace->names, as they are asked for */
	size_t name_count;	 /* when it was opened */
};

/* The names of kernels must be loaded. To be closed whether this fails or not. */
int op_signs_open(struct op_signs *s, const struct trace *t, struct err *e);
void op_signs_close(struct op_signs *s);
/* ERR_INPUT where a name takes too long. A name that is NAME_NONE shows nothing. */
int op_signs_find(struct op_signs *s, uint32_t name, const struct op_sign **ret, struct err *e);

#endif
