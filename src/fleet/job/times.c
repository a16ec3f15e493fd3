/* Were the captures of a job taken at the same time? */
#include "fleet/job/times.h"

#include "base/sets.h"
#include "base/sort.h"

#include <stdlib.h>
#include <time.h>

/* Captures of one job may end before others begin by no more than this: clocks are set apart. */
static const int64_t apart_ns = INT64_C(1000000000);

enum { SECOND_NS = 1000000000, TIME_BYTES = sizeof("2026-11-15 09:30:00") };

/* A part on the clock of UTC. */
struct taken {
	struct span span;
	uint32_t part;
};

static bool has_span(const struct part *p)
{
	return p->utc_ns != PART_UNKNOWN && p->captured.end_ns >= p->captured.start_ns;
}

static int by_start(const void *a, const void *b, void *ctx)
{
	const struct taken *x = a, *y = b;

	(void)ctx;
	if (x->span.start_ns != y->span.start_ns)
		return x->span.start_ns > y->span.start_ns ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

static struct taken *list_taken(const struct job *j, size_t *ret_count)
{
	struct taken *all = mem_alloc(j->part_count, sizeof(*all));

	*ret_count = 0;
	for (uint32_t i = 0; i < j->part_count; i++) {
		const struct part *p = j->parts[i].part;

		if (has_span(p))
			all[(*ret_count)++] = (struct taken){span_shift(p->captured, p->utc_ns), i};
	}
	sort_stable(all, *ret_count, sizeof(*all), by_start, NULL);
	return all;
}

/* By part: those that were captured at the same time, directly or by way of others. */
static uint32_t *sets_of_times(const struct job *j, const struct taken *t, size_t count)
{
	uint32_t *sets = sets_new(j->part_count);
	int64_t end_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && sat_sub(t[i].span.start_ns, end_ns) <= apart_ns)
			sets_join(sets, t[i - 1].part, t[i].part);
		if (!i || t[i].span.end_ns > end_ns)
			end_ns = t[i].span.end_ns;
	}
	return sets;
}

/* Numbers of communicators come from chance: nobody else has them. */
static void join_communicators(const struct job *j, const struct instances *x, uint32_t *sets)
{
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		const struct instance_queue *q = &x->queues[c->first_queue];
		uint32_t first = PART_NO_NUMBER;

		for (size_t k = 0; c->is->has_communicator && k < c->queue_count; k++) {
			if (!q[k].matched)
				continue;
			if (first == PART_NO_NUMBER)
				first = j->members[q[k].member].part;
			sets_join(sets, first, j->members[q[k].member].part);
		}
	}
}

/* The first of rank 0's set, and the first of another; false: there is one set. */
static bool find_apart(const struct job *j, const struct taken *t, size_t count, uint32_t *sets,
		       struct times_apart *ret)
{
	uint32_t lowest[2] = {PART_NO_NUMBER, PART_NO_NUMBER};
	struct span a, b;

	for (size_t i = 0; i < count; i++)
		lowest[0] = t[i].part < lowest[0] ? t[i].part : lowest[0];
	for (size_t i = 0; i < count; i++) {
		if (sets_first(sets, t[i].part) != sets_first(sets, lowest[0]) &&
		    t[i].part < lowest[1])
			lowest[1] = t[i].part;
	}
	if (lowest[1] == PART_NO_NUMBER)
		return false;
	ret->a = j->parts[lowest[0]].part;
	ret->b = j->parts[lowest[1]].part;
	a = span_shift(ret->a->captured, ret->a->utc_ns);
	b = span_shift(ret->b->captured, ret->b->utc_ns);
	ret->apart_ns = b.start_ns > a.start_ns ? sat_sub(b.start_ns, a.end_ns)
						: sat_sub(a.start_ns, b.end_ns);
	return true;
}

/* "2026-11-15 09:30:00" */
static void write_time(char *to, int64_t utc_ns)
{
	const time_t at = utc_ns / SECOND_NS;
	struct tm tm;

	if (!gmtime_r(&at, &tm) || !strftime(to, TIME_BYTES, "%Y-%m-%d %H:%M:%S", &tm))
		to[0] = '\0';
}

/* "'rank_0.sqlite' from 2026-11-15 09:30:00 to 2026-11-15 09:31:10" */
static void add_times(struct buf *b, const struct part *p)
{
	const struct span s = span_shift(p->captured, p->utc_ns);
	char from[TIME_BYTES], to[TIME_BYTES];

	write_time(from, s.start_ns);
	write_time(to, s.end_ns);
	buf_addf(b, "'%s' from %s to %s", p->file, from, to);
}

static int refuse(const struct times_apart *x, struct err *e)
{
	SCOPED_BUF b = {0};

	add_times(&b, x->a);
	buf_adds(&b, " UTC, ");
	add_times(&b, x->b);
	err_set(e, ERR_INPUT,
		"these are captures of several jobs: %s, %lld s apart, and no collective of both "
		"is the same by its communicator",
		b.s, (long long)(x->apart_ns / SECOND_NS));
	return err_hint(e, "give the captures of one run of one job; where a machine's clock is "
			   "wrong, exports with --include-json true, which keeps communicators, "
			   "prove that it is one");
}

int times_check(const struct job *j, const struct instances *x, struct err *e)
{
	size_t count;
	struct taken *t = list_taken(j, &count);
	uint32_t *sets = sets_of_times(j, t, count);
	struct times_apart apart;
	bool found;

	join_communicators(j, x, sets);
	found = find_apart(j, t, count, sets, &apart);
	free(sets);
	free(t);
	return found ? refuse(&apart, e) : 0;
}

bool times_are_apart(const struct job *j, struct times_apart *ret)
{
	size_t count;
	struct taken *t = list_taken(j, &count);
	uint32_t *sets = sets_of_times(j, t, count);
	const bool found = find_apart(j, t, count, sets, ret);

	free(sets);
	free(t);
	return found;
}
