/* What nsys says among what the program says: how that ended, or why it was not started. */
#ifndef CAPTURE_NSYS_LOG_H
#define CAPTURE_NSYS_LOG_H

#include "base/buf.h"

/* What nsys says where it cannot write. */
#define NSYS_LACKS_ROOM "Is the disk full?"
/* Where it has lost the program before it began; whether that ran nobody knows. */
#define NSYS_LOST_PROGRAM "Failed to probe the process"
/* What it says first where there is little room for what it records. */
#define NSYS_HAS_LITTLE_ROOM "used to store temporary files appears to have only"
/* What the loader of programs says. */
#define NSYS_LACKS_LIBRARY "error while loading shared libraries"

/* The log of a run, of a long one the end; one that cannot be read says nothing. */
void nsys_log_read(struct buf *log, const char *path);

/*
 * What nsys says of the program's end, whatever else follows: sets *ret_code and *ret_signal, 0
 * where it was not killed. False where it says nothing. Program and nsys write to the same stream:
 * only a whole line, worded exactly as nsys does, is taken for its own, and the last one counts.
 */
bool nsys_said_exit(struct str text, int *ret_code, int *ret_signal);
/* The same for the log of a run. */
bool nsys_log_exit(const char *path, int *ret_code, int *ret_signal);

/* Whether the log of a run tells of a library that is not there, and not of anything that ran. */
bool nsys_log_lacks_library(const char *path);

/*
 * Whether nsys refused what it was asked, and so started nothing: it shows its usage, or has not
 * found the program, or has lost it at once, and collects nothing. *ret_line is what it objects to:
 * before its usage, or behind it, where the two came by different streams.
 */
bool nsys_said_refusal(struct str log, struct str *ret_line);
/* The same for the log of a run. */
bool nsys_log_refuses(const char *path);

/* Whether it tells that nsys could not write something down. */
bool nsys_log_lacks_room(const char *path);
/* Whether the log of a run tells that nsys's own work failed: its importer, or for want of room. */
bool nsys_log_tells_failure(const char *path);

#endif
