/*
 * What a program says, on its way to where we say things ourselves. Where that is a terminal the
 * program finds one, too: of the same size, so that its colours and progress bars stay as they are.
 * For process.c alone.
 */
#ifndef INPUT_PROCESS_STREAM_H
#define INPUT_PROCESS_STREAM_H

#include "base/buf.h"

#include <poll.h>

enum { STREAM_BYTES = 4096 }; /* what a pipe that polls writable always takes */

struct stream {
	int from;      /* our end; -1: it is closed */
	int to;	       /* -1: it goes nowhere */
	bool terminal; /* `from` is one, and `to` the real one */
	char held[STREAM_BYTES];
	size_t len, at; /* of `held`: what `to` has not taken yet */
};

/* *ret_end is the program's end, for the caller to close. errno is set on failure. */
int stream_open(struct stream *s, int to, int *ret_end);
/* What to wait for: more from the program, or room to pass it on. */
struct pollfd stream_poll(const struct stream *s);
/*
 * Reads or writes once, as the poll found; what is read goes to the buffer, which keeps the last
 * STREAM_BYTES, and to the log unless that is -1. Returns -1 when the log did not take it.
 */
int stream_move(struct stream *s, short found, struct buf *kept, int log);
/* The terminal may have another size by now. */
void stream_resize(const struct stream *s);
void stream_close(struct stream *s);

#endif
