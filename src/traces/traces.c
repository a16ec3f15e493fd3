/* Which captures are these, and what is asked about each? */
#include "traces/traces.h"

#include "analysis/processes/rank_map.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "report/report.h"
#include "sqlitefile/sqlitefile.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

struct kept_notes {
	struct report report;
	struct kept_notes *before;
};

int capture_open(struct trace **ret, const char *path, const struct input_args *in,
		 const char *comm, struct err *e)
{
	SCOPED char *resolved = NULL;
	struct sqlitefile *file;

	if (input_resolve(path, in, &resolved, e) < 0 || sqlitefile_open(&file, resolved, e) < 0 ||
	    trace_open(ret, path, file, e) < 0)
		return -1;
	if (in && in->stop)
		trace_set_stop(*ret, in->stop);
	return comm ? trace_add_comm(*ret, comm, e) : 0;
}

/* No name would tell them apart. */
static int refuse_twice(const char *const *paths, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		struct stat a, b;

		for (size_t k = 0; k < i; k++) {
			if (stat(paths[i], &a) == 0 && stat(paths[k], &b) == 0 &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return err_set(e, ERR_USAGE, "'%s' is given twice", paths[i]);
		}
	}
	return 0;
}

int traces_open(struct traces *ret, const char *const *paths, size_t count,
		const struct input_args *in, const char *comm, struct err *e)
{
	*ret = (struct traces){.all = mem_zalloc(count, sizeof(*ret->all))};
	if (refuse_twice(paths, count, e) < 0)
		return -1;
	for (; ret->count < count; ret->count++) {
		struct capture *c = &ret->all[ret->count];

		/* What UTC says, or nobody, may be wrong by anything. */
		c->doubt_ns = count > 1 ? INFINITY : 0;
		if (capture_open(&c->trace, paths[ret->count], in, comm, e) < 0 ||
		    window_of_capture(c->trace, &c->span, e) < 0) {
			ret->count++; /* it may be open */
			return -1;
		}
	}
	return count == 1 || (traces_name(ret, e) == 0 && traces_align(ret, e) == 0) ? 0 : -1;
}

void traces_close(struct traces *t)
{
	for (size_t i = 0; i < t->count; i++)
		trace_close(t->all[i].trace);
	while (t->notes) {
		struct kept_notes *n = t->notes;

		t->notes = n->before;
		report_free(&n->report);
		free(n);
	}
	free(t->all);
	arena_free(&t->arena);
	*t = (struct traces){0};
}

/* --rank as a process; a capture that is all of one rank is asked whole, or not at all. */
static int settle_rank(struct capture *c, struct err *e)
{
	struct rank_map map;

	if (!c->scope.has_rank)
		return 0;
	if (c->has_rank) {
		if (c->rank == c->scope.rank) {
			c->scope.has_rank = false;
			return 0;
		}
		return err_set(e, ERR_INPUT, "'%s' is of rank %u", c->trace->path, c->rank);
	}
	if (rank_map_read(c->trace, &c->scope, &map, e) < 0)
		return -1;
	c->scope = rank_asked_alone(&map, c->trace, &c->scope);
	rank_map_free(&map);
	return 0;
}

/* Words of the window live in the notes about it. */
static int settle_window(struct traces *t, struct capture *c, struct err *e)
{
	struct kept_notes *n;

	if (!c->scope.has_iteration && !c->scope.span)
		return 0;
	n = mem_zalloc(1, sizeof(*n));
	n->before = t->notes;
	t->notes = n;
	return c->scope.has_iteration
		       ? iteration_window(c->trace, &c->scope, false, &n->report, e)
		       : default_window(c->trace, &c->scope, c->scope.span, &n->report, e);
}

static int ask_one(struct traces *t, struct capture *c, const struct scope *asked, struct err *e)
{
	c->scope = *asked;
	if (c->scope.has_trim) {
		c->scope.from_ns = sat_sub(asked->from_ns, c->shift_ns);
		c->scope.to_ns = sat_sub(asked->to_ns, c->shift_ns);
	}
	if (settle_rank(c, e) < 0 || filters_check(c->trace, &c->scope, e) < 0 ||
	    window_check(c->trace, &c->scope, e) < 0)
		return -1;
	return settle_window(t, c, e);
}

static int refuse_rank(const struct traces *t, uint32_t rank, struct err *e)
{
	SCOPED_BUF names = {0};

	for (size_t i = 0; i < t->count; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", t->all[i].name);
	err_set(e, ERR_INPUT, "no trace is of rank %u", rank);
	return err_hint(e, "they are %s", names.s);
}

int traces_ask(struct traces *t, const struct scope *asked, struct err *e)
{
	SCOPED_BUF left_out = {0};
	struct err first = {0};
	bool any = false;

	for (size_t i = 0; i < t->count; i++) {
		struct err own = {0};

		t->all[i].is_asked = ask_one(t, &t->all[i], asked, &own) == 0;
		any |= t->all[i].is_asked;
		if (!t->all[i].is_asked && (!first.code || own.code == ERR_SYSTEM))
			first = own;
		if (!t->all[i].is_asked && t->count > 1)
			buf_addf(&left_out, "%s%s (%s)", left_out.len ? ", " : "", t->all[i].name,
				 own.message);
	}
	t->left_out = left_out.len ? arena_printf(&t->arena, "%s", left_out.s) : NULL;
	/* What cannot be read is no reason to leave it out. */
	if (!any || first.code == ERR_SYSTEM)
		*e = first;
	if (first.code == ERR_SYSTEM)
		return -1;
	if (any)
		return 0;
	return t->count > 1 && asked->has_rank ? refuse_rank(t, asked->rank, e) : -1;
}

void capture_set_window(const struct capture *c, struct span window, struct scope *scope)
{
	scope->has_trim = true;
	scope->from_ns = sat_sub(window.start_ns, c->shift_ns);
	scope->to_ns = sat_sub(window.end_ns, c->shift_ns);
	scope->chosen = SPAN_DEFAULT;
	scope->in_iteration = scope->has_iteration = false;
	/* Before another capture of several began it was not idle. */
	if (c->name && scope->from_ns < c->span.start_ns)
		scope->from_ns = c->span.start_ns;
	if (c->name && scope->to_ns > c->span.end_ns)
		scope->to_ns = c->span.end_ns;
}

struct span traces_span(const struct traces *t)
{
	struct span all = SPAN_NONE;

	for (size_t i = 0; i < t->count; i++) {
		const struct capture *c = &t->all[i];
		const struct scope *s = &c->scope;
		const struct span own = s->has_trim ? (struct span){s->from_ns, s->to_ns} : c->span;

		if (c->is_asked && own.start_ns <= own.end_ns)
			span_widen(&all, span_shift(own, c->shift_ns));
	}
	return all;
}
