/*
 * The arrows from launches to what they launched. Each op that was launched by a call that is told,
 * too, has one, and each arrow its own id: those of a call are next to one another.
 */
#ifndef EXPORT_ARROWS_H
#define EXPORT_ARROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	LAUNCH_CALL_TOLD = 1, /* arrows begin at its call */
	LAUNCH_BEGUN = 2,     /* its first op has been met */
};

/* Ops are walked in pieces of so many; see earliest_call_ns. */
enum { PIECE_BITS = 16 };

struct arrows {
	uint32_t *next;		   /* by launch: the id of the next arrow; one more than launches */
	uint8_t *flags;		   /* by launch */
	uint32_t *launch_of_call;  /* by row of the call, plus 1; 0: it launched nothing */
	int64_t *earliest_call_ns; /* that launched an op of this piece or a later one */
	size_t pieces;
};

struct walk;

/* Looks at all ops; finds the threads that are wanted, too. */
void arrows_make(struct walk *w);
/* Fills launch_of_call, which is large. */
void arrows_find_calls(struct walk *w);
void arrows_free(struct arrows *a);

#endif
