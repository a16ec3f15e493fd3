/*
 * What the name of a kernel shows of where in a program it is from: its category, and whether it
 * belongs to a forward pass, a backward pass or an optimizer.
 */
#ifndef ANALYSIS_OP_SIGNS_H
#define ANALYSIS_OP_SIGNS_H

#include "analysis/categories/categories.h"
#include "trace/trace.h"

enum op_part {
	OP_NEUTRAL, /* no kernel, and no copy to or from the host */
	OP_ANY,	    /* a kernel whose name shows nothing */
	OP_FORWARD,
	OP_BACKWARD,
	OP_OPTIMIZER,
	OP_COPY_IN, /* from host to device */
	OP_COPY_OUT,
	OP_PARTS,
};

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

/* The word of a kernel's name that shows the part; where none does alone, its qualified name. */
struct str op_signs_word(struct str name, enum op_part part);

/* What an op that is no kernel shows; the kinds of copies must be loaded. */
enum op_part op_part_of_copy(const struct events *ev, enum trace_kind kind, uint64_t op);

#endif
