/* Places in source code, as coarse as somebody asks: lines, functions, files, modules. */
#ifndef TRACE_PLACES_H
#define TRACE_PLACES_H

#include "trace/code/stacks.h"
#include "trace/trace.h"

enum code_by { CODE_BY_LINE, CODE_BY_FUNCTION, CODE_BY_FILE, CODE_BY_MODULE };

/* Whose code a frame is. */
enum code_owner {
	CODE_YOURS,
	CODE_GENERATED, /* made at run time: exec(), a compiler's cache */
	CODE_LIBRARY,	/* an installed package */
	CODE_STANDARD,	/* Python's own library */
	CODE_STUB,	/* made by nvcc to launch a kernel */
	CODE_NATIVE,	/* machine code of a library, or of the interpreter */
};

extern const char *const code_owner_names[];
/* Of a frame by its number. */
enum code_owner code_owner(const struct trace *t, const struct stacks *s, uint32_t frame);

struct places {
	const struct trace *trace;
	const struct stacks *stacks;
	enum code_by by;
	uint32_t *of_frame; /* by frame: its place */
	uint32_t *example;  /* by place: a frame of it */
	size_t count;
	uint8_t *owner; /* by frame */
};

void places_make(struct places *p, const struct trace *t, const struct stacks *s, enum code_by by);
void places_free(struct places *p);

/* The frame of a stack to tell the reader of: the innermost that is yours, else of a package. */
uint32_t places_yours(const struct places *p, uint32_t stack);

/* "flush", or "(unknown)" with its module; "metrics_log.py:8"; "torch". */
struct str place_function(const struct places *p, uint32_t place);
struct str place_file(const struct places *p, uint32_t place);
/* 0: it has none. */
uint32_t place_line(const struct places *p, uint32_t place);
struct str frame_file(const struct places *p, const struct frame *f);
/* "metrics_log.py:8"; of machine code its module. */
struct str frame_place(struct arena *a, const struct places *p, const struct frame *f);
/* "write_metrics (hostwork.py:10)", "qsort (libc.so.6)". */
struct str frame_text(struct arena *a, const struct trace *t, const struct frame *f);
/* "qsort" of "void np::qsort<double>(double *, long)": what comes before the arguments. */
struct str function_shown(struct str name);
/* Whether it is machine code of Python's interpreter: its lines are not in there. */
bool frame_is_interpreter(const struct trace *t, const struct frame *f);
/* Of a path: what comes after the last separator. */
struct str place_base_name(struct str path);

#endif
