/* Which process is which rank? */
#include "analysis/processes/rank_map.h"

#include "analysis/processes/process_kernels.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/pattern.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

static const char default_label[] = "^\\s*rank\\s*=\\s*(?<rank>\\d+)\\s*;";
/* A process, as far as ranks go. */
struct candidate {
	bool found;    /* what follows is known */
	bool disputed; /* two ranges disagree */
	uint32_t number, name;
	int64_t at_ns;	/* of the range that says so */
	uint64_t ranks; /* of the largest communicator */
};

struct search {
	struct trace *trace;
	struct kernel_counts kernels;
	struct candidate *all; /* by process */
	size_t count;
};

/* What a pattern makes of each name, asked once. */
struct asked {
	struct pattern *pattern;
	uint32_t *number; /* by name; UNKNOWN: not asked yet, NO_RANK: it says none */
};

#define UNKNOWN UINT32_MAX
#define NO_RANK (UINT32_MAX - 1)

static int ask(struct asked *a, const struct trace *t, uint32_t name, uint32_t *ret, struct err *e)
{
	struct str digits;
	int found;

	if (a->number[name] == UNKNOWN) {
		found = pattern_capture(a->pattern, trace_name(t, name), "rank", &digits, e);
		if (found < 0)
			return -1;
		if (!found || !rank_number_parse(digits, &a->number[name]))
			a->number[name] = NO_RANK;
	}
	*ret = a->number[name];
	return 0;
}

static bool is_range(const struct events *ev, uint64_t i)
{
	return ev->name[i] != NAME_NONE && ev->thread[i] != ID_NONE &&
	       nvtx_is_range(ev->event_type[i]);
}

/* A mark says as much as a range does. */
static bool is_said(const struct events *ev, uint64_t i)
{
	return is_range(ev, i) || (ev->thread[i] != ID_NONE && ev->event_type[i] == NVTX_MARK);
}

/* The first one at or after the capture's beginning speaks for its process. */
static void note_claim(struct candidate *c, uint32_t number, uint32_t name, int64_t at_ns)
{
	c->disputed |= c->found && c->number != number;
	if (c->found && c->at_ns <= at_ns)
		return;
	c->found = true;
	c->number = number;
	c->name = name;
	c->at_ns = at_ns;
}

static int hear_ranges(struct search *s, const char *text, struct err *e)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	struct asked a = {0};
	uint32_t number;
	int result = 0;

	if (pattern_compile(&a.pattern, str_of(text), 0, e) < 0)
		return -1;
	a.number = new_ids(s->trace->names.count);
	for (uint64_t i = 0; result == 0 && i < ev->count; i++) {
		uint32_t process;

		/* Nearly all names say nothing: that is looked at first. */
		if (ev->name[i] == NAME_NONE || a.number[ev->name[i]] == NO_RANK ||
		    !is_said(ev, i) || ev->start_ns[i] < 0)
			continue;
		result = ask(&a, s->trace, ev->name[i], &number, e);
		process = trace_thread_process(s->trace, ev->thread[i]);
		if (result == 0 && number != NO_RANK && process < s->count)
			note_claim(&s->all[process], number, ev->name[i], ev->start_ns[i]);
	}
	pattern_free(a.pattern);
	free(a.number);
	return result;
}

static int hear_nccl(struct search *s, struct err *e)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];

	if (trace_load(s->trace, TRACE_NVTX, COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	for (uint64_t i = 0; ev->payload && i < ev->count; i++) {
		uint64_t ranks, rank;
		uint32_t process;
		struct str json;

		if (ev->payload[i] == NAME_NONE || !is_range(ev, i) ||
		    !str_starts(trace_name(s->trace, ev->name[i]), "ncclCommInit"))
			continue;
		json = trace_name(s->trace, ev->payload[i]);
		process = trace_thread_process(s->trace, ev->thread[i]);
		if (process >= s->count || !payload_number(json, "Rank", &rank) ||
		    !payload_number(json, "No. of ranks", &ranks) || rank >= ranks ||
		    ranks > UINT32_MAX || ranks <= s->all[process].ranks)
			continue;
		s->all[process].ranks = ranks;
		s->all[process].found = true;
		s->all[process].number = (uint32_t)rank;
	}
	return 0;
}

static void take_given(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const uint32_t number =
			idmap_get(&s->trace->given_ranks, s->trace->process_keys.keys[i]);

		s->all[i].found = number != IDMAP_NONE && s->kernels.of_process[i].kernels;
		s->all[i].number = number;
	}
}

static void forget(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		s->all[i].found = s->all[i].disputed = false;
		s->all[i].name = NAME_NONE;
	}
}

static void forget_disputed(struct search *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->all[i].found &= !s->all[i].disputed;
}

/* Whether every number is one process's. */
static bool are_ranks(const struct search *s, struct rank_clash *ret)
{
	const uint64_t *keys = s->trace->process_keys.keys;
	struct idmap seen = {0}; /* number → process */
	size_t found = 0;

	*ret = (struct rank_clash){0};
	for (size_t i = 0; i < s->count && !ret->found; i++) {
		const struct candidate *c = &s->all[i];
		uint32_t first;

		if (!c->found)
			continue;
		found++;
		first = idmap_add(&seen, c->number, (uint32_t)i);
		if (first != i)
			*ret = (struct rank_clash){
				true, c->number, {process_pid(keys[first]), process_pid(keys[i])}};
	}
	idmap_free(&seen);
	return found && !ret->found;
}

static int compare_assumed(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void take_rank(const struct search *s, size_t process, struct rank_map *m)
{
	const struct candidate *c = &s->all[process];
	struct rank *r = &m->all[m->count++];

	*r = (struct rank){.number = c->number,
			   .process = (uint32_t)process,
			   .device = s->kernels.of_process[process].device,
			   .label = STR_LIT(""),
			   .setup = {{{0}}, -1, -1}};
	if (m->source == RANKS_LABELLED || m->source == RANKS_NAMED) {
		r->label = trace_name(s->trace, c->name);
		rank_setup_parse(r->label, &r->setup);
	}
}

/* Devices and pids grow in the order in which launchers start ranks, more often than not. */
static void number_assumed(struct rank_map *m)
{
	if (m->count)
		qsort(m->all, m->count, sizeof(*m->all), compare_assumed);
	for (size_t i = 0; i < m->count; i++)
		m->all[i].number = (uint32_t)i;
}

static void settle(const struct search *s, struct rank_map *m)
{
	m->process_count = s->count;
	m->kernels = s->kernels.all;
	m->homeless = s->kernels.homeless;
	m->all = mem_zalloc(s->count, sizeof(*m->all));
	m->of_process = new_ids(s->count);
	for (size_t i = 0; i < s->count; i++) {
		bool works = s->kernels.of_process[i].kernels > 0;

		if (m->source == RANKS_ASSUMED ? works : s->all[i].found)
			take_rank(s, i, m);
		else
			m->unnamed += works;
	}
	if (m->source == RANKS_ASSUMED)
		number_assumed(m);
	else if (m->count)
		qsort(m->all, m->count, sizeof(*m->all), compare_numbers);
	for (size_t i = 0; i < m->count; i++)
		m->of_process[m->all[i].process] = (uint32_t)i;
}

static int choose_source(struct search *s, const struct scope *p, struct rank_map *m, struct err *e)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	const struct {
		enum rank_source source;
		const char *pattern;
		bool agree; /* a process that says two numbers says none */
	} tries[] = {{RANKS_LABELLED, p->label ? p->label : default_label, false},
		     {RANKS_OF_NCCL, NULL, false},
		     {RANKS_NAMED, rank_name_patterns[0], true},
		     {RANKS_NAMED, rank_name_patterns[1], true}};

	m->source = RANKS_ASSUMED;
	m->label = p->label;
	m->no_ranges = !ev->count;
	m->label_unheard = p->label && m->no_ranges;
	for (size_t i = 0;
	     ev->start_ns && ev->name && ev->thread && ev->event_type && i < ARRAY_LEN(tries);
	     i++) {
		struct rank_clash clash;
		int result =
			tries[i].pattern ? hear_ranges(s, tries[i].pattern, e) : hear_nccl(s, e);

		if (result < 0)
			return -1;
		if (tries[i].agree)
			forget_disputed(s);
		if (are_ranks(s, &clash)) {
			m->source = tries[i].source;
			return 0;
		}
		m->label_unheard |= i == 0 && p->label && !clash.found;
		if (!m->clash.found)
			m->clash = clash;
		forget(s);
	}
	take_given(s);
	if (are_ranks(s, &(struct rank_clash){0}))
		m->source = RANKS_GIVEN;
	return 0;
}

/* Whatever the trace has: a pattern that is none is refused. */
static int check_label(const char *label, struct err *e)
{
	struct pattern *pattern;
	unsigned groups;

	if (pattern_compile(&pattern, str_of(label), 0, e) < 0)
		return -1;
	groups = pattern_groups(pattern);
	pattern_free(pattern);
	if (groups)
		return 0;
	err_set(e, ERR_USAGE, "--label '%s' has no group for the rank number", label);
	return err_hint(e, "such as 'worker (\\d+)', or '(?<rank>\\d+) of \\d+'");
}

static int find_asked(struct rank_map *m, const struct trace *t, uint32_t number, struct err *e)
{
	struct buf b = {0};

	for (size_t i = 0; i < m->count && m->asked == ID_NONE; i++) {
		if (m->all[i].number == number)
			m->asked = m->all[i].process;
		if (i < 32)
			buf_addf(&b, "%s%u", i ? ", " : "", m->all[i].number);
	}
	if (m->asked == ID_NONE) {
		err_set(e, ERR_INPUT, "'%s' has no rank %u", t->path, number);
		err_hint(e, "its ranks are %s%s", b.s ? b.s : "none", m->count > 32 ? ", …" : "");
	}
	buf_free(&b);
	return m->asked == ID_NONE ? -1 : 0;
}

/* --pid and --rank together name one process, or nothing. */
static int check_pid(const struct rank_map *m, const struct trace *t, const struct scope *p,
		     struct err *e)
{
	uint32_t pid = process_pid(t->process_keys.keys[m->asked]);

	if (!p->has_pid || pid == p->pid)
		return 0;
	err_set(e, ERR_INPUT, "rank %u of '%s' is process %u, not %u", p->rank, t->path, pid,
		p->pid);
	return err_hint(e, "--rank or --pid alone is enough");
}

int rank_map_read(struct trace *t, const struct scope *p, struct rank_map *ret, struct err *e)
{
	const uint32_t of_kernels = COLS_PROCESS_DEVICE;
	const uint32_t of_ranges = COL_BIT(COL_START) | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) |
				   COL_BIT(COL_EVENT_TYPE);
	struct search s = {.trace = t};
	int result;

	*ret = (struct rank_map){.asked = ID_NONE};
	if ((p->label && check_label(p->label, e) < 0) ||
	    trace_load(t, TRACE_KERNELS, of_kernels, e) < 0 ||
	    trace_load(t, TRACE_NVTX, of_ranges, e) < 0)
		return -1;
	s.count = t->process_keys.count;
	s.all = mem_zalloc(s.count, sizeof(*s.all));
	result = kernel_counts_make(t, &s.kernels, e);
	if (result == 0)
		result = choose_source(&s, p, ret, e);
	if (result == 0)
		settle(&s, ret);
	kernel_counts_free(&s.kernels);
	free(s.all);
	if (result == 0 && p->has_rank)
		result = find_asked(ret, t, p->rank, e) < 0 ? -1 : check_pid(ret, t, p, e);
	if (result < 0)
		rank_map_free(ret);
	return result;
}

struct scope rank_asked_alone(const struct rank_map *m, const struct trace *t,
			      const struct scope *p)
{
	struct scope alone = *p;

	if (m->asked != ID_NONE) {
		alone.has_pid = true;
		alone.pid = process_pid(t->process_keys.keys[m->asked]);
		alone.has_process = true;
		alone.process = m->asked;
	}
	return alone;
}

void rank_map_free(struct rank_map *m)
{
	free(m->all);
	free(m->of_process);
	*m = (struct rank_map){0};
}

void rank_map_tell(const struct rank_map *m, struct report *r)
{
	static const char *const from[] = {
		[RANKS_LABELLED] = "ranks come from NVTX range names",
		[RANKS_OF_NCCL] = "ranks are read from NCCL's ncclCommInit ranges",
		[RANKS_NAMED] = "ranks are read from range names containing \"rank N\"",
		[RANKS_GIVEN] = "ranks are read from the names of the files",
		[RANKS_ASSUMED] = ("ranks are assumed: one per process with kernels, ordered by "
				   "device and pid"),
	};

	report_note(r, "%s", from[m->source]);
	if (m->unnamed == 1)
		report_warning(r, "1 process with kernels has no rank and is left out");
	else if (m->unnamed)
		report_warning(r, "%zu processes with kernels have no rank and are left out",
			       m->unnamed);
	if (m->homeless)
		report_warning(r, "%llu of %llu kernel%s lack%s a process: they belong to no rank",
			       (unsigned long long)m->homeless, (unsigned long long)m->kernels,
			       m->kernels == 1 ? "" : "s", m->homeless == 1 ? "s" : "");
	if (m->label_unheard)
		report_warning(r, "no range that matches --label '%s' contains a rank number%s",
			       m->label,
			       m->no_ranges ? ": the capture has no NVTX ranges (--trace=cuda,nvtx "
					      "records them)"
					    : "");
	if (m->clash.found)
		report_warning(r,
			       "processes %u and %u both claim rank %u: rank names were ignored%s",
			       m->clash.pids[0], m->clash.pids[1], m->clash.number,
			       m->label ? "" : "; use --label REGEX to select the ranges to read");
}
