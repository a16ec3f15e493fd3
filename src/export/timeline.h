/*
 * A timeline as other tools show it: processes, their tracks, and what lies on them. One traversal
 * of a trace (export/walk.c) tells it to a writer, a struct of callbacks; there is one for each
 * format. Times are nanoseconds, never negative.
 */
#ifndef EXPORT_TIMELINE_H
#define EXPORT_TIMELINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/sink.h"
#include "trace/ranges/range_paths.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The texts of a timeline, by number: names, categories, paths of ranges. Writers say each once, or
 * make it ready once, however many events have it. Paths are put together when they are asked for:
 * a hostile trace has more of them than memory.
 */
struct texts {
	struct text {
		const char *s; /* NULL: a path */
		size_t len;    /* or its number */
	} * all;
	size_t count, cap;
	struct arena arena;
	const struct range_paths *paths;
	const struct strtab *path_names;
};

/* The bytes must live on. */
uint32_t texts_add(struct texts *t, struct str s);
/* The bytes are copied. */
uint32_t texts_add_copy(struct texts *t, struct str s);
uint32_t texts_add_path(struct texts *t, uint32_t path);
/* The text, in `scratch` where it has to be put together. */
struct str texts_get(const struct texts *t, uint32_t number, struct buf *scratch);
void texts_free(struct texts *t);

/* What is said of an event beside its name. */
enum timeline_key {
	KEY_GRID,
	KEY_BLOCK,
	KEY_REGISTERS,
	KEY_STATIC_SMEM,
	KEY_DYNAMIC_SMEM,
	KEY_BYTES,
	KEY_SOURCE,
	KEY_DESTINATION,
	KEY_MEMORY,
	KEY_GRAPH,
	KEY_CORRELATION,
	KEY_RANGE,
	KEY_DOMAIN,
	KEY_COLOR,
	KEY_NEVER_CLOSED,
	KEY_LINE,
	KEY_FILE,
	KEY_COUNT,
};

extern const char *const timeline_key_names[KEY_COUNT];

enum timeline_arg_type { ARG_NUMBER, ARG_TEXT, ARG_SIDES };

struct timeline_arg {
	enum timeline_key key;
	enum timeline_arg_type type;
	int64_t value;	   /* a number, or the number of a text */
	uint32_t sides[3]; /* of a grid or a block: "64,1,1" */
};

/* A process of the timeline: one of the program's, or a GPU. */
struct timeline_process {
	uint32_t id;
	struct str name;
	int32_t rank; /* its place among the processes */
};

enum timeline_unit {
	UNIT_OF_COUNT,
	UNIT_OF_BYTES,
	UNIT_OF_BYTES_PER_S,
	UNIT_OF_PERCENT,
	UNIT_OF_MHZ,
	UNIT_OF_METRIC, /* whatever its name says */
};

/* Ids are unique among all processes and tracks; names among the tracks of a process. */
struct timeline_track {
	uint32_t id, process;
	struct str name;
	int32_t rank; /* its place among the tracks of the process */
	bool is_counter;
	enum timeline_unit unit;
};

#define BLOCK_NONE UINT32_MAX

/*
 * Something that lasted. Slices of a track come by start, the outer before the inner, and nest.
 * Arrows out of it have the ids [arrow_out, arrow_out + arrows_out); 0 is no id.
 */
struct timeline_slice {
	uint32_t track;
	int64_t start_ns, end_ns; /* end ≥ start */
	uint32_t name, category;  /* texts */
	uint32_t block;		  /* args that many slices share; or BLOCK_NONE */
	const struct timeline_arg *args;
	size_t arg_count;
	uint64_t arrow_out, arrows_out;
	uint64_t arrow_in; /* 0: none */
};

/* The value of a counter from a time on. */
struct timeline_value {
	uint32_t track;
	int64_t at_ns;
	bool is_real;
	int64_t value;
	double real;
};

/* Args that many slices share; they have a number. */
struct timeline_block {
	const struct timeline_arg *args;
	size_t count;
};

struct timeline_head {
	const struct texts *texts;
	/* What a number of a block stands for, until the next is asked for. */
	struct timeline_block (*block)(void *ctx, uint32_t number);
	void *block_ctx;
	const char *tool; /* what recorded it, or NULL */
	int64_t shift_ns; /* was added to every time */
};

/* A writer. Each of these returns -1 with the error when the outside does not take what it wrote.
 */
struct timeline_writer {
	bool is_text;
	void *(*open)(const struct timeline_head *head, struct sink *out);
	int (*begin)(void *w, struct err *e);
	int (*process)(void *w, const struct timeline_process *p, struct err *e);
	int (*track)(void *w, const struct timeline_track *t, struct err *e);
	int (*slice)(void *w, const struct timeline_slice *s, struct err *e);
	int (*instant)(void *w, const struct timeline_slice *s, struct err *e);
	int (*counter)(void *w, const struct timeline_value *v, struct err *e);
	int (*end)(void *w, struct err *e);
	void (*close)(void *w);
};

extern const struct timeline_writer timeline_chrome_json, timeline_pftrace;

#endif
