/*
 * Traces that were asked about stay open, with what was read of them: the next question is answered
 * at once. Few at a time, and no more than the machine's memory bears; those asked about longest
 * ago are closed first. A file that has changed since is opened anew.
 */
#ifndef MCP_OPEN_TRACES_H
#define MCP_OPEN_TRACES_H

#include "timeline/scene/scene.h"

#include <sys/stat.h>

enum { OPEN_TRACES_MOST = 4 };

struct open_trace {
	char *path, *comm; /* --comm, or NULL */
	struct stat file;
	struct traces traces; /* one capture */
	struct scene scene;   /* its timeline; none before it is asked for */
	bool has_scene;
	uint64_t used; /* the larger the later */
};

struct open_traces {
	struct open_trace *all[OPEN_TRACES_MOST];
	size_t count;
	uint64_t uses;
};

/* By its real path. It stays open at least until the next call of open_traces_trim(). */
int open_traces_get(struct open_traces *o, const char *path, const char *comm,
		    struct open_trace **ret, struct err *e);
/* Its timeline, all of it. */
int open_trace_read_scene(struct open_trace *t, struct err *e);
/* After each call: closes what is too much. */
void open_traces_trim(struct open_traces *o);
void open_traces_close(struct open_traces *o);

static inline struct trace *open_trace_of(const struct open_trace *t)
{
	return t->traces.all[0].trace;
}

#endif
