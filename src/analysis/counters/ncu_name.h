/*
 * Names of kernels that two tools print: Nsight Compute leaves namespaces and casts out that Nsight
 * Systems has, and either may leave out parameters or template arguments. A form of a name is what
 * is left of it when that is gone; two names are compared in the most exact form that they share.
 */
#ifndef ANALYSIS_NCU_NAME_H
#define ANALYSIS_NCU_NAME_H

#include "base/buf.h"

enum ncu_form {
	NCU_FORM_EXACT,
	NCU_FORM_PLAIN,	    /* no namespaces, casts, spaces, return type */
	NCU_FORM_NO_PARAMS, /* and no parameters of the function */
	NCU_FORM_NO_ARGS,   /* and no template arguments: the function's own name */
	NCU_FORMS,
};

void ncu_name_add_form(struct buf *b, struct str name, enum ncu_form form);
/* Whether template arguments are there: those of two names that have them must agree. */
bool ncu_name_has_args(struct str name);

#endif
