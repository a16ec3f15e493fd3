/*
 * Numbers for the pairs of process and GPU that ops belong to, and which of them the user asked
 * for.
 */
#ifndef ANALYSIS_PLACES_H
#define ANALYSIS_PLACES_H

#include "analysis/analysis.h"
#include "trace/system/machine.h"

struct place {
	uint32_t process; /* trace->process_keys; ID_NONE: the export does not say */
	uint32_t device;  /* see trace/system/machine.h; ID_NONE: the export does not say */
	bool wanted;	  /* passes p->pid and p->device */
};

/* Where the last op was found, for a walk over ops: most are where the one before was. */
struct place_cursor {
	uint32_t process, ordinal;
	uint32_t place; /* ID_NONE: nothing has been found yet */
};

#define PLACE_CURSOR_START ((struct place_cursor){.place = ID_NONE})

enum { PLACES_RECENT = 16 };

struct places {
	const struct trace *trace;
	const struct scope *p;
	struct device_map devices;
	struct idmap numbers; /* process, device */
	struct place *all;
	size_t count, cap;
	struct place_cursor recent[PLACES_RECENT]; /* by process: they take turns */
};

/* Reads the devices; COL_PROCESS and COL_DEVICE of the ops must be loaded where they are there. */
int places_open(struct places *x, struct trace *t, const struct scope *p, struct err *e);
void places_close(struct places *x);
/* Moves the cursor; places_number() and places_find() are what others call. */
void places_add(struct places *x, struct place_cursor *c, uint32_t process, uint32_t ordinal);
void places_seek(const struct places *x, struct place_cursor *c, uint32_t process,
		 uint32_t ordinal);

static inline bool place_cursor_is_at(const struct place_cursor *c, uint32_t process,
				      uint32_t ordinal)
{
	return c->place != ID_NONE && c->process == process && c->ordinal == ordinal;
}

/* The place of an op, numbered when it is met first. */
static inline uint32_t places_number(struct places *x, const struct events *ev, uint64_t row)
{
	uint32_t process = ev->process ? ev->process[row] : ID_NONE;
	uint32_t ordinal = ev->device ? ev->device[row] : ID_NONE;
	struct place_cursor *c = &x->recent[process % PLACES_RECENT];

	if (!place_cursor_is_at(c, process, ordinal))
		places_add(x, c, process, ordinal);
	return c->place;
}

/* The same for an op whose place has its number; each thread has a cursor of its own. */
static inline uint32_t places_find(const struct places *x, struct place_cursor *c,
				   const struct events *ev, uint64_t row)
{
	uint32_t process = ev->process ? ev->process[row] : ID_NONE;
	uint32_t ordinal = ev->device ? ev->device[row] : ID_NONE;

	if (!place_cursor_is_at(c, process, ordinal))
		places_seek(x, c, process, ordinal);
	return c->place;
}

/* What identifies a place. */
struct cell place_pid_cell(const struct places *x, uint32_t place);
struct cell place_device_cell(const struct places *x, uint32_t place);

#endif
