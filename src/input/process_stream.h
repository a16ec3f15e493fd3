/*
 * What a program says, on its way to where we say things ourselves. Where that is a terminal the
 * program finds one, too: of the same size, so that its colours and progress bars stay as they are.
 * For process.c alone.
 */
#ifndef INPUT_PROCESS_STREAM_H
#define INPUT_PROCESS_STREAM_H

#include "base/buf.h"

#include <poll.h>

enum {
	STREAM_BYTES = 4096, /* what a pipe that polls writable always takes */
	STREAM_FIRST_BYTES = 1 << 18,
};

struct stream {
	int from;      /* our end; -1: it is closed */
	int to;	       /* -1: it goes nowhere */
	bool terminal; /* `from` is one, and `to` the real one */
	bool first;    /* what is kept is the beginning, not the end */
	struct buf held;
	size_t at; /* of `held`: what `to` has not taken yet */
};

/* *ret_end is the program's end, for the caller to close. errno is set on failure. */
int stream_open(struct stream *s, int to, int *ret_end);
/* What to wait for: more from the program, or room to pass it on. */
struct pollfd stream_poll(const struct stream *s);
/*
 * Reads or writes once, as the poll found; what is read goes to the buffer, which keeps the last
 * STREAM_BYTES or the first STREAM_FIRST_BYTES, and to the log unless that is -1. Returns -1 when
 * the log did not take it.
 */
int stream_move(struct stream *s, short found, struct buf *kept, int log);
/*
 * After the program's end: reads all that is left, whether or not it can be passed on yet. Waits so
 * long for more where somebody still has the other end, and may talk on for ever.
 */
int stream_drain(struct stream *s, int wait_ms, struct buf *kept, int log);
/* Whether there is something that `to` has not taken. */
bool stream_waits(const struct stream *s);
/* The terminal may have another size by now. */
void stream_resize(const struct stream *s);
/* What was not passed on is lost. */
void stream_close(struct stream *s);

#endif
