/* Which runs are compared, and which steps of them? */
#include "commands/diff/account_list.h"

#include "analysis/processes/rank_map.h"
#include "analysis/ranges/phase_map.h"
#include "base/mem.h"
#include "commands/diff/findings_of_ranks.h"
#include "commands/diff/ranks_of_run.h"
#include "commands/diff/same_run.h"
#include "input/run_traces.h"
#include "trace/ranges/range_paths.h"
#include "traces/traces.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MARKER_BYTES = 1 << 15 }; /* of a pattern that is a list of names */

/* Signs that mean something in a pattern are taken as they are; "N" in "step N" is any number. */
static void add_name(struct buf *b, struct str name, bool counts)
{
	for (size_t i = 0; i < name.len; i++) {
		const bool alone = counts && name.s[i] == 'N' &&
				   (!i || !isalnum((unsigned char)name.s[i - 1])) &&
				   (i + 1 == name.len || !isalnum((unsigned char)name.s[i + 1]));

		if (alone) {
			buf_adds(b, "[0-9]+");
			continue;
		}
		if (!isalnum((unsigned char)name.s[i]) && (unsigned char)name.s[i] < 0x80)
			buf_addc(b, '\\');
		buf_addc(b, name.s[i]);
	}
}

static int add_phase(struct buf *b, struct trace *t, const struct phase_map *map, const char *phase,
		     struct err *e)
{
	struct range_names names;
	uint32_t wanted, found;
	int result = 0;

	if (phase_map_number(map, phase, &wanted, e) < 0 || ranges_load(t, e) < 0 ||
	    range_names_read(t, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.names.count && result == 0; i++) {
		const struct str name = range_name_shown(names.names.items[i]);

		result = phase_map_find(map, name, &found, e);
		if (result == 0 && found == wanted && b->len + name.len < MARKER_BYTES) {
			buf_adds(b, b->len ? "|^" : "^");
			add_name(b, name, false);
			buf_addc(b, '$');
		}
	}
	range_names_free(&names);
	if (result == 0 && !b->len)
		err_set(e, ERR_INPUT, "'%s' has no range of the phase '%s'", t->path, phase);
	return result == 0 && b->len ? 0 : -1;
}

/* The pattern of the ranges that are steps; nothing where nobody names any. */
static int find_marker(struct buf *b, struct trace *t, const struct run_args *a, struct err *e)
{
	struct phase_map map;
	int result;

	if (a->range) {
		buf_addc(b, '^');
		add_name(b, str_of(a->range), true);
		buf_addc(b, '$');
	}
	if (!a->phase)
		return 0;
	result = phase_map_read(&map, a->scope.phase_map, e);
	if (result == 0)
		result = add_phase(b, t, &map, a->phase, e);
	phase_map_free(&map);
	return result;
}

/* A guess is none. */
static int read_rank(struct account *a, struct trace *t, struct err *e)
{
	const struct scope all = {0};
	struct rank_map map;

	if (rank_map_read(t, &all, &map, e) < 0)
		return err_forgive_absent(e);
	if (map.count == 1 && map.source != RANKS_ASSUMED)
		a->rank = map.all[0].number;
	rank_map_free(&map);
	return 0;
}

/* When it was captured, where the export says so. */
static int read_captured(struct account *a, struct trace *t, struct err *e)
{
	int64_t start_ns;
	bool known;

	if (capture_utc_start(t, &start_ns, &known, e) < 0)
		return -1;
	if (known && t->meta.has_span)
		a->captured = (struct span){start_ns, sat_add(start_ns, t->meta.span_ns)};
	return 0;
}

static int read_run(struct account *ret, struct trace *t, const char *path,
		    const struct run_args *a, const struct scope *trim, bool with_findings,
		    struct arena *names, struct err *e)
{
	struct account_question q = {.scope = a->scope,
				     .reach = a->reach,
				     .with_findings = with_findings,
				     .with_ops = a->with_ops};
	SCOPED_BUF marker = {0};

	if (trim) {
		q.scope.has_trim = trim->has_trim;
		q.scope.from_ns = trim->from_ns;
		q.scope.to_ns = trim->to_ns;
	}
	if (find_marker(&marker, t, a, e) < 0)
		return -1;
	if (marker.len)
		q.scope.marker = marker.s;
	if (account_read(ret, t, &q, run_traces_name(path, names), e) < 0 ||
	    read_captured(ret, t, e) < 0)
		return -1;
	ret->path = arena_strdup(&ret->arena, path);
	return 0;
}

/* A capture that counts twice makes a side seem surer than it is. */
static int refuse_twice(const char *const *paths, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		struct stat a, b;

		for (size_t k = 0; k < i; k++) {
			if (stat(paths[i], &a) == 0 && stat(paths[k], &b) == 0 &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return err_set(e, ERR_USAGE, "'%s' is given twice on one side",
					       paths[i]);
		}
	}
	return 0;
}

static const char *text_in(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static struct report_trace describe(const struct trace *t, struct arena *arena)
{
	return (struct report_trace){
		.path = arena_strdup(arena, t->path),
		.tool = text_in(arena, t->meta.tool),
		.schema = text_in(arena, t->meta.schema),
		.has_span = t->meta.has_span,
		.span_ns = t->meta.span_ns,
	};
}

/* How soon they go where a screen is too small: that ranks are compared is said once more. */
enum { BY_TIME_YIELDS = 7, ALONE_YIELDS = 5 };

static void note_ranks(struct report *r, const struct account_list *l, const char *called)
{
	if (l->still_ranks)
		report_note(r,
			    "Some %s are ranks of one run by their names, which --separate does "
			    "not part: the %zu captures count as %zu run%s.",
			    called, l->trace_count, l->count, l->count == 1 ? "" : "s");
	if (l->ranks_by_time) {
		report_note(
			r,
			"Some %s are ranks of one run, as they were taken at the same time: the "
			"%zu captures count as %zu run%s.",
			called, l->trace_count, l->count, l->count == 1 ? "" : "s");
		report_last_yields(r, BY_TIME_YIELDS);
	}
	if (l->alone_as) {
		report_note(r, "The findings of %s are those of the compared rank alone: %s.",
			    called, l->alone_as);
		report_last_yields(r, ALONE_YIELDS);
	}
}

void account_list_head(struct report *r, const struct account_list *l, const char *side,
		       const char *called)
{
	struct report_trace *all =
		arena_alloc(&r->arena, r->trace_count + l->trace_count, sizeof(*all));

	if (r->trace_count)
		memcpy(all, r->traces, r->trace_count * sizeof(*all));
	r->traces = all;
	for (size_t i = 0; i < l->trace_count; i++) {
		struct report_trace *to = &all[r->trace_count++];

		*to = l->traces[i];
		to->path = text_in(&r->arena, to->path);
		to->tool = text_in(&r->arena, to->tool);
		to->schema = text_in(&r->arena, to->schema);
		to->side = side;
	}
	note_ranks(r, l, called);
	if (l->beside_each_other)
		report_note(r,
			    "Some %s were taken at the same time on different GPUs, and do not "
			    "communicate: they count as runs of their own.",
			    called);
}

/* Each by itself; not the findings of what is by its name one rank of several: they are asked of
 * all of these together. */
static int read_all(struct account_list *ret, const char *const *paths, size_t count,
		    const struct run_args *a, const struct scope *trim, const struct input_args *in,
		    struct err *e)
{
	SCOPED bool *is_rank = mem_zalloc(count, sizeof(*is_rank));

	if (ranks_find_named(paths, count, is_rank, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct trace *t = NULL;
		int result = capture_open(&t, paths[i], in, a->comm.comm, e);

		ret->refs[i] = &ret->all[i];
		ret->count++;
		if (result == 0)
			ret->traces[ret->trace_count++] = describe(t, &ret->arena);
		if (result == 0)
			result = read_run(&ret->all[i], t, paths[i], a, trim, !is_rank[i],
					  &ret->arena, e);
		if (result == 0 && count > 1)
			result = read_rank(&ret->all[i], t, e);
		trace_close(t);
		mem_give_back();
		if (result < 0)
			return -1;
	}
	return 0;
}

int account_list_read(struct account_list *ret, const char *const *paths, size_t count,
		      const struct run_args *a, const struct scope *trim,
		      const struct input_args *in, struct err *e)
{
	*ret = (struct account_list){.all = mem_zalloc(count, sizeof(*ret->all)),
				     .refs = mem_alloc(count, sizeof(void *)),
				     .run_of = mem_zalloc(count, sizeof(*ret->run_of)),
				     .traces = mem_zalloc(count, sizeof(*ret->traces))};
	if (refuse_twice(paths, count, e) < 0 || read_all(ret, paths, count, a, trim, in, e) < 0 ||
	    runs_check_apart(ret->refs, ret->count, e) < 0 ||
	    ranks_join(ret, paths, a->separate, e) < 0)
		return -1;
	return findings_of_ranks_read(ret, paths, a, in, e);
}

void account_list_free(struct account_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		account_free(&l->all[i]);
	free(l->all);
	free(l->refs);
	free(l->run_of);
	free(l->traces);
	arena_free(&l->arena);
	*l = (struct account_list){0};
}

/* Three ways to name the steps: there cannot be two. */
static int check(const void *args, const char *command, struct err *e)
{
	const struct run_args *a = args;

	(void)command;
	if ((a->range != NULL) + (a->phase != NULL) + (a->scope.marker != NULL) > 1)
		return err_set(e, ERR_USAGE,
			       "--marker, --anchor, --range and --phase all say which ranges are "
			       "steps: give one");
	return 0;
}

static const struct option run_table[] = {
	{.type = OPTION_WINDOW,
	 .name = "trim",
	 .value = "FROM TO",
	 .at = offsetof(struct run_args, scope.from_ns),
	 .size = 2 * sizeof(int64_t),
	 .given = offsetof(struct run_args, scope.has_trim),
	 .help = "only steps inside this window, in seconds since each capture began"},
	OPT_REGEX("marker", struct run_args, scope.marker,
		  "NVTX ranges or marks that are the steps; also --anchor"),
	OPT_REGEX("anchor", struct run_args, scope.marker, NULL),
	OPT_TEXT("range", struct run_args, range, "NAME", "a range's name",
		 "ranges of this name are the steps; \"step N\" has a number for N"),
	OPT_TEXT("phase", struct run_args, phase, "NAME", "a phase's name",
		 "ranges of this phase are the steps: prefill, decode, forward, …"),
	OPT_INCLUDE(struct run_args, scope, struct scope, phase_options),
	OPT_INCLUDE(struct run_args, scope, struct scope, filter_options),
	OPT_INCLUDE(struct run_args, comm, struct comm_args, comm_options),
	OPT_FLAG("separate", struct run_args, separate,
		 "captures of the same time are runs of their own, not ranks of one, unless their "
		 "names differ by the rank alone"),
	OPT_END(),
};
const struct option_group run_options = {run_table, sizeof(struct run_args), check, NULL};
