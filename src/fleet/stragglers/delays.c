/* How late is each rank by itself, step by step, and who came last? */
#include "fleet/stragglers/search.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static void find_window(struct stragglers *s)
{
	s->window = (struct span){INT64_MIN, INT64_MAX};
	for (size_t i = 0; i < s->job->member_count; i++) {
		const struct job_member *m = &s->job->members[i];
		const struct span own = {job_time(s->job, m->part, m->is->window.start_ns),
					 job_time(s->job, m->part, m->is->window.end_ns)};

		if (m->is->collective_count && s->job->parts[m->part].clock.known)
			s->window = span_common(s->window, own);
	}
}

/* The usual step of the usual rank. */
static double usual_step(const struct stragglers *s)
{
	const size_t n = s->job->member_count;
	int64_t *ns = mem_alloc(n, sizeof(*ns)), *scratch = mem_alloc(n, sizeof(*scratch));
	int64_t usual_ns;

	for (size_t i = 0; i < n; i++) {
		const struct part_member *m = s->job->members[i].is;

		ns[i] = sat_of_double((double)span_ns(m->window) / member_steps(m));
	}
	sort_i64(ns, scratch, n);
	usual_ns = ns[n / 2];
	free(scratch);
	free(ns);
	return usual_ns > 0 ? (double)usual_ns : 1;
}

/* By member and step: what it took longer than usual since its collective before. */
static void sum_delays(struct stragglers *s)
{
	const struct replay *r = &s->replay;

	s->late_ns = mem_zalloc(s->job->member_count * s->steps, sizeof(*s->late_ns));
	s->was_in = mem_zalloc(s->job->member_count * s->steps, sizeof(*s->was_in));
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count && s->step_of[i] != NOBODY;
		     k++) {
			const struct replay_stop *stop = &r->stops[k];
			const size_t at = stop->is.member * s->steps + s->step_of[i];

			s->was_in[at] = true;
			if (stop->before != REPLAY_NONE && stop->is_counted)
				s->late_ns[at] += (double)replay_late_ns(stop);
		}
	}
}

/* Who is compared with all others, in each step, is compared with these first. */
static void list_latest(struct stragglers *s)
{
	const size_t n = s->job->member_count;
	int64_t *keys = mem_alloc(n, sizeof(*keys));

	s->latest_count = n < LATEST ? (uint32_t)n : LATEST;
	s->latest = mem_alloc(s->steps * s->latest_count, sizeof(*s->latest));
	for (size_t k = 0; k < s->steps; k++) {
		uint32_t *order;

		for (size_t i = 0; i < n; i++)
			keys[i] = sort_key_of_double(-s->late_ns[i * s->steps + k]);
		order = sort_new_order(keys, n);
		memcpy(&s->latest[k * s->latest_count], order,
		       s->latest_count * sizeof(*s->latest));
		free(order);
	}
	free(keys);
}

/* Half of a member's steps are longer than that. */
static void find_usual(struct stragglers *s)
{
	int64_t *keys = mem_alloc(s->steps, sizeof(*keys));
	int64_t *scratch = mem_alloc(s->steps, sizeof(*scratch));
	const size_t members = s->job->member_count;

	s->usual_late_ns = mem_alloc(members, sizeof(*s->usual_late_ns));
	s->alone = arena_zalloc(&s->arena, members, sizeof(*s->alone));
	for (size_t i = 0; i < members; i++) {
		size_t n = 0;

		for (size_t k = 0; k < s->steps; k++) {
			if (s->was_in[i * s->steps + k])
				keys[n++] = sat_of_double(s->late_ns[i * s->steps + k]);
		}
		s->usual_late_ns[i] = replay_lower_median(keys, scratch, n);
	}
	free(scratch);
	free(keys);
}

static uint32_t last_stop(const struct replay_visit *v, const struct replay_stop *stops)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < v->count; i++)
		last = stops[i].is.enter_ns > stops[last].is.enter_ns ? i : last;
	return last;
}

/*
 * Whether a member surely came after all others: by more than the clocks may be wrong; or,
 * without any clock, as it is in it for a shorter time than these, by more than all leave it
 * apart.
 */
static bool is_last(const struct stragglers *s, const struct replay_visit *v, uint32_t last)
{
	const struct replay_stop *stops = &s->replay.stops[v->first];
	const struct replay_entry *own = &stops[last].is, *late = NULL;
	int64_t first_ns = own->leave_ns, end_ns = own->leave_ns, shortest_ns = INT64_MAX;
	int64_t end_of_others_ns = INT64_MIN;

	for (uint32_t i = 0; i < v->count; i++) {
		const struct replay_entry *x = &stops[i].is;
		const int64_t stay_ns = sat_sub(x->leave_ns, x->enter_ns);

		first_ns = x->leave_ns < first_ns ? x->leave_ns : first_ns;
		end_ns = x->leave_ns > end_ns ? x->leave_ns : end_ns;
		if (i == last)
			continue;
		late = !late || x->enter_ns > late->enter_ns ? x : late;
		end_of_others_ns = x->leave_ns > end_of_others_ns ? x->leave_ns : end_of_others_ns;
		shortest_ns = stay_ns < shortest_ns ? stay_ns : shortest_ns;
	}
	/* Where others have left before, they did not wait for it. */
	if (!late || own->enter_ns <= late->enter_ns || end_of_others_ns < own->enter_ns)
		return false;
	return (double)sat_sub(own->enter_ns, late->enter_ns) >
		       job_doubt_ns(s->job, s->job->members[own->member].part,
				    s->job->members[late->member].part) ||
	       sat_sub(shortest_ns, sat_sub(own->leave_ns, own->enter_ns)) >
		       sat_sub(end_ns, first_ns);
}

/* Who came last, if that is sure, and how long the others waited; not where kernels are lost. */
static void judge_visit(struct stragglers *s, size_t number)
{
	const struct replay_visit *v = &s->replay.visits[number];
	const struct replay_stop *stops = &s->replay.stops[v->first];
	const uint32_t last = last_stop(v, stops);

	s->last[number] = NOBODY;
	if (v->lost)
		return;
	for (uint32_t i = 0; i < v->count; i++)
		s->wait_ns[number] = sat_add(s->wait_ns[number], replay_wait_ns(v, &stops[i].is));
	if (s->wait_ns[number] > 0 && is_last(s, v, last))
		s->last[number] = stops[last].is.member;
}

static void judge_visits(struct stragglers *s)
{
	s->wait_ns = mem_zalloc(s->replay.count, sizeof(*s->wait_ns));
	s->last = mem_alloc(s->replay.count, sizeof(*s->last));
	for (size_t i = 0; i < s->replay.count; i++)
		judge_visit(s, i);
}

void delays_sum(struct stragglers *s)
{
	find_window(s);
	job_replay_make(s);
	steps_number(s);
	s->step_ns = usual_step(s);
	sum_delays(s);
	list_latest(s);
	find_usual(s);
	judge_visits(s);
}

double delays_of(const struct stragglers *s, uint32_t member)
{
	double sum = 0;

	for (size_t i = 0; i < s->steps; i++)
		sum += s->late_ns[member * s->steps + i];
	return sum;
}

void rivals_make(const struct stragglers *s, const bool *out, struct rivals *ret)
{
	*ret = (struct rivals){out, 0, mem_zalloc(s->steps, sizeof(*ret->longest_ns))};
	for (size_t i = 0; i < s->job->member_count; i++) {
		if (out && out[i])
			continue;
		ret->count++;
		for (size_t k = 0; k < s->steps; k++) {
			const int64_t ns = sat_of_double(s->late_ns[i * s->steps + k]);

			ret->longest_ns[k] = ns > ret->longest_ns[k] ? ns : ret->longest_ns[k];
		}
	}
}

void rivals_free(struct rivals *r)
{
	free(r->longest_ns);
}
