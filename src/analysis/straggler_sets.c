/* Which kernels of different ranks are one collective, who came last to it, and why? */
#include "analysis/straggler_sets.h"

#include "analysis/cover.h"
#include "analysis/rank_places.h"
#include "base/mem.h"

#include <stdlib.h>

struct maker {
	struct trace *trace;
	const struct params *p;
	const struct collectives *c;
	struct straggler_sets *out;
	uint32_t *member_of_place; /* ID_NONE: it has no kernels that communicate */
	uint32_t *class_of;	   /* by kernel */
	uint32_t *kernel_of;	   /* those of each set, by set and member: members of its class */
	size_t *begin;		   /* in kernel_of, by set */
	struct launches launches;
	const struct launches *joined;
	struct cover *comm; /* by member: when it communicated */
};

static void number_members(struct maker *m, const struct rank_map *ranks)
{
	const struct comm_walk *w = &m->c->walk;
	uint32_t *order = rank_places_order(ranks, &w->places);

	m->member_of_place = mem_alloc(w->places.count, sizeof(*m->member_of_place));
	m->out->members = mem_zalloc(w->places.count, sizeof(*m->out->members));
	for (size_t i = 0; i < w->places.count; i++) {
		uint32_t place = order[i];

		m->member_of_place[place] = ID_NONE;
		if (!w->at[place].kernels)
			continue;
		m->member_of_place[place] = (uint32_t)m->out->member_count;
		m->out->members[m->out->member_count++].place = place;
	}
	free(order);
}

static uint32_t member_of(const struct maker *m, size_t kernel)
{
	return m->member_of_place[m->c->walk.kernels[kernel].place];
}

static uint32_t name_of(const struct maker *m, size_t kernel)
{
	return m->trace->events[TRACE_KERNELS].name[m->c->walk.kernels[kernel].row];
}

static uint32_t stream_of(const struct maker *m, size_t kernel)
{
	const uint32_t *streams = m->trace->events[TRACE_KERNELS].stream;

	return streams ? streams[m->c->walk.kernels[kernel].row] : ID_NONE;
}

/* How many different members each number was seen with. */
struct seen {
	struct idmap numbers, pairs;
	uint32_t *members;
	size_t cap;
};

static uint32_t see(struct seen *s, uint32_t a, uint32_t b, uint32_t member)
{
	uint32_t number = idmap_number_pair(&s->numbers, a, b);
	size_t before = s->pairs.count;
	size_t known = s->cap;

	MEM_GROW(s->members, s->cap, (size_t)number + 1);
	memset(s->members + known, 0, (s->cap - known) * sizeof(*s->members));
	idmap_number_pair(&s->pairs, number, member);
	s->members[number] += s->pairs.count > before;
	return number;
}

static void seen_free(struct seen *s)
{
	idmap_free(&s->numbers);
	idmap_free(&s->pairs);
	free(s->members);
}

/*
 * Streams have the same numbers in all ranks of a program that does the same everywhere; where one
 * rank lacks another's stream they mean nothing. Returns the names to be told apart by stream.
 */
static struct idmap find_streamed(const struct maker *m)
{
	struct seen names = {0}, streams = {0};
	struct idmap not_streamed = {0};
	const size_t n = m->c->walk.kernel_count;

	for (size_t i = 0; i < n; i++) {
		see(&names, name_of(m, i), 0, member_of(m, i));
		see(&streams, name_of(m, i), stream_of(m, i), member_of(m, i));
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t name = see(&names, name_of(m, i), 0, member_of(m, i));
		uint32_t stream = see(&streams, name_of(m, i), stream_of(m, i), member_of(m, i));

		if (names.members[name] != streams.members[stream])
			idmap_add(&not_streamed, name_of(m, i), 0);
	}
	seen_free(&names);
	seen_free(&streams);
	return not_streamed;
}

/* Numbers the classes and says how many members each has. */
static void make_classes(struct maker *m)
{
	struct idmap not_streamed = find_streamed(m), by_comm = {0}, by_name = {0};
	struct seen classes = {0};
	struct straggler_sets *out = m->out;

	m->class_of = mem_alloc(m->c->walk.kernel_count, sizeof(*m->class_of));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct collective *x = &m->c->all[i];
		bool told = x->communicator != ID_NONE;
		uint32_t name = told ? NAME_NONE : name_of(m, i);
		bool streamed = !told && idmap_get(&not_streamed, name) == IDMAP_NONE;
		uint32_t stream = streamed ? stream_of(m, i) : ID_NONE;
		uint32_t number =
			told ? idmap_number_pair(&by_comm, x->communicator, (uint32_t)x->type)
			     : idmap_number_pair(&by_name, name, stream);

		number = see(&classes, told, number, member_of(m, i));
		if (number >= out->class_count) {
			MEM_GROW(out->classes, out->class_cap, out->class_count + 1);
			out->classes[out->class_count++] =
				(struct set_class){x->type, x->communicator, name, stream, 0, 0, 0};
		}
		out->classes[number].members = classes.members[number];
		m->class_of[i] = number;
	}
	idmap_free(&not_streamed);
	idmap_free(&by_comm);
	idmap_free(&by_name);
	seen_free(&classes);
}

/* The kernels of each class on each member, counted as they are met. */
struct counter {
	struct idmap numbers; /* class, member */
	uint32_t *counts;
	size_t cap;
};

static uint32_t *counter_of(struct counter *c, uint32_t class, uint32_t member)
{
	size_t before = c->numbers.count;
	uint32_t number = idmap_number_pair(&c->numbers, class, member);

	MEM_GROW(c->counts, c->cap, c->numbers.count);
	if (c->numbers.count > before)
		c->counts[number] = 0;
	return &c->counts[number];
}

static void counter_free(struct counter *c)
{
	idmap_free(&c->numbers);
	free(c->counts);
}

/* What every member of a class has is matched, from the first on; the rest has no counterpart. */
static void count_matched(struct maker *m)
{
	struct straggler_sets *out = m->out;
	struct counter c = {0};

	for (size_t i = 0; i < m->c->walk.kernel_count; i++)
		++*counter_of(&c, m->class_of[i], member_of(m, i));
	for (size_t i = 0; i < out->class_count; i++)
		out->classes[i].matched = out->classes[i].members < 2 ? 0 : UINT64_MAX;
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		struct set_class *x = &out->classes[m->class_of[i]];
		uint32_t has = *counter_of(&c, m->class_of[i], member_of(m, i));

		x->matched = has < x->matched ? has : x->matched;
		out->alone += x->members < 2;
	}
	counter_free(&c);
}

/* Room for the matched sets of each class, one after another. */
static size_t place_sets(struct maker *m)
{
	struct straggler_sets *out = m->out;
	size_t sets = 0, kernels = 0, at = 0;

	for (size_t i = 0; i < out->class_count; i++) {
		out->classes[i].first_set = sets;
		sets += out->classes[i].matched;
		kernels += out->classes[i].matched * out->classes[i].members;
	}
	m->begin = mem_alloc(sets + 1, sizeof(*m->begin));
	m->kernel_of = mem_alloc(kernels, sizeof(*m->kernel_of));
	for (size_t i = 0; i < out->class_count; i++) {
		const struct set_class *x = &out->classes[i];

		for (size_t k = 0; k < x->matched; k++, at += x->members)
			m->begin[x->first_set + k] = at;
	}
	m->begin[sets] = at;
	return sets;
}

static size_t fill_sets(struct maker *m)
{
	size_t sets = place_sets(m);
	uint32_t *filled = mem_zalloc(sets, sizeof(*filled));
	struct counter c = {0};

	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct set_class *x = &m->out->classes[m->class_of[i]];
		uint32_t k = (*counter_of(&c, m->class_of[i], member_of(m, i)))++;
		size_t set = x->first_set + k;

		if (k < x->matched)
			m->kernel_of[m->begin[set] + filled[set]++] = (uint32_t)i;
		else
			m->out->unmatched += x->members > 1;
	}
	counter_free(&c);
	free(filled);
	return sets;
}

/* Some ranks may leave these before others come; from all others nobody does. */
static bool leaves_early(enum collective_type type)
{
	return type == COLL_BROADCAST || type == COLL_REDUCE;
}

/* What the last one did since the first one began. */
static void explain(const struct maker *m, const struct comm_kernel *last, uint32_t member,
		    struct straggler_set *s)
{
	int64_t late_ns = s->last_ns - s->first_ns;
	struct api_call call;
	int64_t from;

	if (!launches_call(m->joined, m->joined->begin[TRACE_KERNELS] + last->row, &call) ||
	    call.duration_ns == DURATION_NONE) {
		s->late_ns[LATE_UNKNOWN] = late_ns;
		return;
	}
	from = api_call_last(&call);
	from = from < s->first_ns ? s->first_ns : from > s->last_ns ? s->last_ns : from;
	s->late_ns[LATE_HOST] = from - s->first_ns;
	s->late_ns[LATE_EARLIER] = cover_between(&m->comm[member], from, s->last_ns);
	s->late_ns[LATE_COMPUTE] = late_ns - s->late_ns[LATE_HOST] - s->late_ns[LATE_EARLIER];
}

/* False: the kernels are not one collective. */
static bool measure(const struct maker *m, size_t set, struct straggler_set *s)
{
	const uint32_t *kernels = m->kernel_of + m->begin[set];
	const size_t n = m->begin[set + 1] - m->begin[set];
	const struct comm_kernel *all = m->c->walk.kernels;
	/* Kernels lie by start, so that the first of a set is the first that began; of several
	 * that began last at once the lowest rank counts. */
	const struct comm_kernel *last = &all[kernels[n - 1]];
	uint32_t member = member_of(m, kernels[n - 1]);
	int64_t first_end_ns = INT64_MAX;

	s->first_ns = all[kernels[0]].start_ns;
	s->last_ns = last->start_ns;
	for (size_t i = 0; i < n; i++) {
		const struct comm_kernel *k = &all[kernels[i]];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		first_end_ns = k->end_ns < first_end_ns ? k->end_ns : first_end_ns;
		s->wait_ns = sat_add(s->wait_ns, until - k->start_ns);
		if (k->start_ns == s->last_ns && member_of(m, kernels[i]) < member) {
			last = k;
			member = member_of(m, kernels[i]);
		}
	}
	if (first_end_ns < s->last_ns && !leaves_early(m->out->classes[s->class].type))
		return false;
	s->last = s->last_ns > s->first_ns ? member : ID_NONE;
	if (s->last != ID_NONE)
		explain(m, last, member, s);
	return true;
}

static void add_to_members(const struct maker *m, size_t set, const struct straggler_set *s)
{
	for (size_t i = m->begin[set]; i < m->begin[set + 1]; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[m->kernel_of[i]];
		struct member *x = &m->out->members[member_of(m, m->kernel_of[i])];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		x->sets++;
		x->waited_ns = sat_add(x->waited_ns, until - k->start_ns);
	}
	if (s->last != ID_NONE) {
		struct member *x = &m->out->members[s->last];
		int64_t late_ns = s->last_ns - s->first_ns;

		x->last++;
		x->imposed_ns = sat_add(x->imposed_ns, s->wait_ns);
		x->worst_ns = late_ns > x->worst_ns ? late_ns : x->worst_ns;
		for (int i = 0; i < LATES; i++)
			x->late_ns[i] = sat_add(x->late_ns[i], s->late_ns[i]);
	}
}

static bool is_wanted(const struct params *p, int64_t at_ns)
{
	return !p->has_trim || (at_ns >= p->from_ns && at_ns < p->to_ns);
}

static void measure_all(struct maker *m, size_t sets)
{
	struct straggler_sets *out = m->out;

	out->sets = mem_alloc(sets, sizeof(*out->sets));
	for (size_t class = 0; class < out->class_count; class ++) {
		const struct set_class *x = &out->classes[class];

		for (size_t k = 0; k < x->matched; k++) {
			struct straggler_set s = {.class = (uint32_t) class, .k = (uint32_t)k};
			bool together = measure(m, x->first_set + k, &s);

			if (!is_wanted(m->p, s.last_ns))
				continue;
			if (!together) {
				out->apart++;
				continue;
			}
			add_to_members(m, x->first_set + k, &s);
			out->sets[out->count++] = s;
		}
	}
}

static void cover_members(struct maker *m)
{
	m->comm = mem_zalloc(m->out->member_count, sizeof(*m->comm));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[i];

		cover_add(&m->comm[member_of(m, i)], k->start_ns, k->end_ns);
	}
}

static void maker_free(struct maker *m)
{
	for (size_t i = 0; m->comm && i < m->out->member_count; i++)
		cover_free(&m->comm[i]);
	free(m->comm);
	launches_free(&m->launches);
	free(m->member_of_place);
	free(m->class_of);
	free(m->kernel_of);
	free(m->begin);
}

int straggler_sets_make(struct trace *t, const struct params *p, const struct collectives *c,
			const struct rank_map *ranks, struct straggler_sets *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .c = c, .out = ret};
	const struct launches *known = &c->calls.at.launches;
	bool joined = known->kinds & 1u << TRACE_KERNELS;

	*ret = (struct straggler_sets){0};
	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0 ||
	    (!joined && launches_join(t, TRACE_KERNELS, &m.launches, e) < 0))
		return -1;
	m.joined = joined ? known : &m.launches;
	number_members(&m, ranks);
	cover_members(&m);
	make_classes(&m);
	count_matched(&m);
	measure_all(&m, fill_sets(&m));
	maker_free(&m);
	return 0;
}

void straggler_sets_free(struct straggler_sets *s)
{
	free(s->classes);
	free(s->sets);
	free(s->members);
	*s = (struct straggler_sets){0};
}
