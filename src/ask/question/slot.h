/*
 * The parts of a question's slots, each with words of its own: numbers and amounts, steps and other
 * things that have numbers, windows of time. Within ask/question alone.
 */
#ifndef ASK_QUESTION_SLOT_H
#define ASK_QUESTION_SLOT_H

#include "ask/question/question.h"

/* The word there, unless it is quoted; "" behind the last. */
const char *slot_text(const struct question *q, size_t i);
/* So many words from there on mean nothing else any more. */
void slot_use(struct question *q, size_t from, size_t count);
/* "during step 3" says no more than "in step 3". */
void slot_use_preposition(struct question *q, size_t i);

struct slot_unit {
	const char *word;
	double factor; /* of it to nanoseconds or bytes */
	bool is_bytes;
};

/* "three", "3", "3rd": a whole number, or -1. */
double slot_whole_number(const char *word);
/* NULL: the word is none. */
const struct slot_unit *slot_unit_of(const char *word);
/* "10 ms", "10ms", "10": how many words it is, 0 for none. A number without unit has unit NULL. */
size_t slot_amount(const struct question *q, size_t i, double *ret,
		   const struct slot_unit **ret_unit);
/* A number, and one without a unit. */
bool slot_is_number(const struct question *q, size_t i);
bool slot_is_id(const struct question *q, size_t i);
/* "the 3rd", and "the 12 step", as Chinese has it. */
bool slot_is_ordinal(const struct question *q, size_t i);

/* Each finds what begins with a word, takes it into the question, and uses its words up. */
bool slot_find_ids(struct question *q, size_t i);
bool slot_find_step_edge(struct question *q, size_t i);
bool slot_find_window(struct question *q, size_t i);
bool slot_find_moment(struct question *q, size_t i);
bool slot_find_edge(struct question *q, size_t i);
bool slot_find_tail(struct question *q, size_t i);
bool slot_find_threshold(struct question *q, size_t i);
bool slot_find_top(struct question *q, size_t i);
bool slot_find_warm(struct question *q, size_t i);

/* "leaving out step 0": whether what begins there is not meant. */
bool slot_is_left_out(const struct question *q, size_t i);
/* "is the first step slower than the last": these two. */
void slot_find_step_ends(struct question *q);
/* "steps 2, 3 and 4 without step 3" */
void slot_drop_steps_left_out(struct question *q);

#endif
