/* Which traces stay open between questions? */
#include "mcp/open_traces.h"

#include "base/mem.h"
#include "mcp/memory.h"
#include "mcp/work.h"

#include <stdlib.h>

/* Of the machine's memory: others need some, too. */
enum { MOST_MEMORY_PCT = 40 };

static void close_trace(struct open_trace *t)
{
	if (t->has_scene)
		scene_close(&t->scene);
	traces_close(&t->traces);
	free(t->path);
	free(t->comm);
	free(t);
}

static void forget(struct open_traces *o, size_t i)
{
	close_trace(o->all[i]);
	o->all[i] = o->all[--o->count];
}

static size_t oldest(const struct open_traces *o)
{
	size_t found = 0;

	for (size_t i = 1; i < o->count; i++) {
		if (o->all[i]->used < o->all[found]->used)
			found = i;
	}
	return found;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_asked(const struct open_trace *t, const char *path, const char *comm)
{
	return strcmp(t->path, path) == 0 && !t->comm == !comm &&
	       (!comm || strcmp(t->comm, comm) == 0);
}

/* One that has changed since is closed. */
static struct open_trace *find(struct open_traces *o, const char *path, const char *comm,
			       const struct stat *now)
{
	for (size_t i = 0; i < o->count; i++) {
		if (!is_asked(o->all[i], path, comm))
			continue;
		if (is_same_file(&o->all[i]->file, now))
			return o->all[i];
		forget(o, i);
		break;
	}
	return NULL;
}

static int open_new(struct open_trace *t, struct err *e)
{
	const struct input_args in = {.exported_only = true, .stop = work_stop()};
	const char *const paths[] = {t->path};
	const struct scope all = {0};
	struct trace *trace;

	if (traces_open(&t->traces, paths, 1, &in, t->comm, e) < 0 ||
	    traces_ask(&t->traces, &all, e) < 0)
		return -1;
	trace = open_trace_of(t);
	trace->uses_cache = trace->keeps_answers = true;
	return 0;
}

int open_traces_get(struct open_traces *o, const char *path, const char *comm,
		    struct open_trace **ret, struct err *e)
{
	struct stat now;
	struct open_trace *t;

	if (stat(path, &now) < 0)
		return err_set_errno(e, "cannot read '%s'", path);
	*ret = find(o, path, comm, &now);
	if (!*ret) {
		t = mem_zalloc(1, sizeof(*t));
		t->path = mem_strdup(path);
		t->comm = comm ? mem_strdup(comm) : NULL;
		t->file = now;
		if (open_new(t, e) < 0) {
			close_trace(t);
			return -1;
		}
		if (o->count == OPEN_TRACES_MOST)
			forget(o, oldest(o));
		*ret = o->all[o->count++] = t;
	}
	(*ret)->used = ++o->uses;
	/* A query takes away what gives up reading. */
	trace_set_stop(open_trace_of(*ret), work_stop());
	return 0;
}

/* What one stage lacks is no reason to do without the others; being given up is. */
int open_trace_read_scene(struct open_trace *t, struct err *e)
{
	int result = 0;

	if (t->has_scene)
		return 0;
	t->has_scene = true;
	result = scene_open(&t->scene, &t->traces, NULL, e);
	while (result == 0 && scene_has_more(&t->scene)) {
		struct err passed_over = {0};

		if (scene_read_more(&t->scene, &passed_over) < 0 && work_is_given_up()) {
			*e = passed_over;
			result = -1;
		}
	}
	if (result < 0) {
		scene_close(&t->scene);
		t->has_scene = false;
	}
	return result;
}

static bool is_too_much(void)
{
	const uint64_t all = memory_machine_bytes();

	return all && memory_own_bytes() > all / 100 * MOST_MEMORY_PCT;
}

void open_traces_trim(struct open_traces *o)
{
	while (o->count && is_too_much())
		forget(o, oldest(o));
}

void open_traces_close(struct open_traces *o)
{
	while (o->count)
		forget(o, 0);
}
