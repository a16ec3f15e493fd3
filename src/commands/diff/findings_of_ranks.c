/* What costs time in a run of several ranks? */
#include "commands/diff/findings_of_ranks.h"

#include "base/mem.h"
#include "diff/part_findings.h"
#include "fleet/job/trace_clocks.h"
#include "traces/traces.h"

#include <stdlib.h>
#include <string.h>

/* The captures of one run, and which of them its account is of. */
struct run_captures {
	const char **paths;
	size_t count, bounding;
};

static struct run_captures list_captures(const struct account_list *l, const char *const *paths,
					 size_t run)
{
	struct run_captures c = {.paths = mem_alloc(l->trace_count, sizeof(*c.paths))};

	for (size_t i = 0; i < l->trace_count; i++) {
		if (l->run_of[i] != run)
			continue;
		if (strcmp(paths[i], l->all[run].path) == 0)
			c.bounding = c.count;
		c.paths[c.count++] = paths[i];
	}
	return c;
}

/* Its steps on the clock that the captures share. */
static struct step_parts share_clock(const struct capture *c, const struct step_parts *own,
				     struct arena *arena)
{
	struct step_parts parts = *own;
	struct span *steps = arena_alloc(arena, own->step_count, sizeof(*steps));

	for (size_t i = 0; i < own->step_count; i++)
		steps[i] = capture_shared_span(c, own->steps[i]);
	parts.steps = steps;
	return parts;
}

/* Of a trace that is one of the captures, or holds all of them. */
static int ask(struct account *run, struct trace *t, const struct capture *bounding,
	       const struct run_args *a, struct err *e)
{
	const struct account_question q = {.scope = a->scope};
	const struct step_parts parts = share_clock(bounding, run->parts, &run->arena);

	return account_ask_findings(run, t, &q, capture_shared_span(bounding, run->window), &parts,
				    e);
}

static int ask_all(struct account *run, const struct run_captures *c, struct traces *t,
		   const struct run_args *a, struct err *e)
{
	struct trace *joined = NULL;
	int result = trace_clocks_set(t, true, e);

	if (result == 0)
		result = traces_join(t, &joined, e);
	if (result == 0 && a->comm.comm)
		result = trace_add_comm(joined, a->comm.comm, e);
	if (result == 0)
		result = ask(run, joined, &t->all[c->bounding], a, e);
	trace_close(joined);
	return result;
}

static int ask_together(struct account *run, const struct run_captures *c, const struct run_args *a,
			const struct input_args *in, struct err *e)
{
	struct traces t;
	int result = traces_open(&t, c->paths, c->count, in, a->comm.comm, e);

	if (result == 0)
		result = ask_all(run, c, &t, a, e);
	traces_close(&t);
	return result;
}

static int ask_alone(struct account *run, const struct run_captures *c, const struct run_args *a,
		     const struct input_args *in, struct err *e)
{
	struct traces t;
	int result = traces_open(&t, &c->paths[c->bounding], 1, in, a->comm.comm, e);

	if (result == 0)
		result = ask(run, t.all[0].trace, &t.all[0], a, e);
	traces_close(&t);
	return result;
}

static int read_run(struct account_list *l, size_t run, const char *const *paths,
		    const struct run_args *a, const struct input_args *in, struct err *e)
{
	struct run_captures c = list_captures(l, paths, run);
	const bool alone = a->scope.has_device || a->scope.has_pid;
	struct err why = {0};
	int result = 0;

	if (c.count > 1 && !alone)
		result = ask_together(&l->all[run], &c, a, in, &why);
	if (result < 0 && why.code != ERR_INPUT) {
		*e = why;
	} else if (c.count > 1 && (alone || result < 0)) {
		l->alone_as = alone ? "--device and --pid ask for a part of it"
				    : arena_strdup(&l->arena, why.message);
		result = ask_alone(&l->all[run], &c, a, in, e);
	}
	free(c.paths);
	mem_give_back();
	return result;
}

int findings_of_ranks_read(struct account_list *l, const char *const *paths,
			   const struct run_args *a, const struct input_args *in, struct err *e)
{
	for (size_t run = 0; run < l->count; run++) {
		if (read_run(l, run, paths, a, in, e) < 0)
			return -1;
	}
	return 0;
}
