/* Between which two ranks of a large communicator is something sent? */
#include "fleet/peers.h"

#include "base/mem.h"
#include "base/pairs.h"
#include "base/sort.h"
#include "fleet/part_class.h"

#include <stdlib.h>

/* A member in a communicator that some send in. */
struct seat {
	struct part_member *m;
	uint64_t communicator;
	uint32_t own; /* from 1 on; 0: not known */
};

struct seats {
	struct seat *all; /* by communicator, then by rank */
	size_t count, cap;
};

static bool names_peer(const struct part_collective_class *c)
{
	return c->has_communicator && c->peer;
}

static int by_communicator(const void *a, const void *b, void *ctx)
{
	const struct seat *x = a, *y = b;

	(void)ctx;
	if (x->communicator != y->communicator)
		return x->communicator > y->communicator ? 1 : -1;
	return (x->m->rank > y->m->rank) - (x->m->rank < y->m->rank);
}

static void add_seat(struct seats *s, struct part_member *m, const struct part_collective_class *c)
{
	for (size_t i = s->count; i-- > 0 && s->all[i].m == m;) {
		if (s->all[i].communicator == c->communicator)
			return;
	}
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = (struct seat){m, c->communicator, c->own};
}

/* Who is in a communicator without sending has its place in it, too. */
static struct seats list_seats(struct part *parts, size_t count)
{
	struct seats s = {0};

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i].member_count; k++) {
			struct part_member *m = &parts[i].members[k];

			for (size_t n = 0; n < m->class_count; n++) {
				if (m->classes[n].has_communicator)
					add_seat(&s, m, &m->classes[n]);
			}
		}
	}
	sort_stable(s.all, s.count, sizeof(*s.all), by_communicator, NULL);
	return s;
}

/* Of some that are in one communicator: the highest rank of it that anybody speaks of, from 1 on.
 */
static uint32_t highest_peer(const struct seat *s, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t n = 0; n < s[i].m->class_count; n++) {
			const struct part_collective_class *c = &s[i].m->classes[n];

			if (names_peer(c) && c->communicator == s[i].communicator && c->peer > most)
				most = c->peer;
		}
	}
	return most;
}

/* Frameworks give ranks of a group their order in the job. False: who is who is not known, or there
 * are but two. */
static bool number_seats(struct seat *s, size_t count)
{
	const uint32_t most = highest_peer(s, count);
	bool known = true;

	for (size_t i = 0; i < count; i++)
		known &= s[i].own != 0;
	if (most <= 2 || (!known && most != count))
		return false;
	for (size_t i = 0; i < count && !known; i++)
		s[i].own = (uint32_t)i + 1;
	return true;
}

/* Whether all send to others, and each to one that sends to him, as far as he is there. */
static bool send_back(const struct seat *s, size_t count)
{
	struct pairs sent = {0};
	struct idmap there = {0};
	bool good = true;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			good &= pass || idmap_add(&there, s[i].own, (uint32_t)i) == i;
			for (size_t n = 0; n < s[i].m->class_count; n++) {
				const struct part_collective_class *c = &s[i].m->classes[n];

				if (!names_peer(c) || c->communicator != s[i].communicator)
					continue;
				if (!pass)
					pairs_number(&sent, s[i].own, c->peer);
				else
					good &= c->peer != s[i].own &&
						(idmap_get(&there, c->peer) == IDMAP_NONE ||
						 pairs_find(&sent, c->peer, s[i].own) !=
							 IDMAP_NONE);
			}
		}
	}
	pairs_free(&sent);
	idmap_free(&there);
	return good;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ a >> 29;
}

static uint64_t pair_of(uint64_t communicator, uint32_t a, uint32_t b)
{
	return mix(mix(communicator, a < b ? a : b), a < b ? b : a);
}

static void name_pairs(const struct seat *s)
{
	struct part_end *end = &s->m->end;

	for (size_t n = 0; n < s->m->class_count; n++) {
		struct part_collective_class *c = &s->m->classes[n];

		if (!names_peer(c) || c->communicator != s->communicator)
			continue;
		c->communicator = pair_of(s->communicator, s->own, c->peer);
		c->ranks = 2;
		c->peer = 0;
	}
	if (end->has_communicator && end->peer && end->communicator == s->communicator)
		end->communicator = pair_of(s->communicator, s->own, end->peer);
}

/* Those of one type in a communicator that differ by their peers become one: the first. */
static void forget_peers(const struct seat *s)
{
	struct part_member *m = s->m;
	uint32_t *now = mem_alloc(m->class_count, sizeof(*now));
	uint32_t kept = 0;

	for (uint32_t n = 0; n < m->class_count; n++) {
		struct part_collective_class c = m->classes[n];

		if (names_peer(&c) && c.communicator == s->communicator)
			c.peer = 0;
		for (now[n] = 0; now[n] < kept; now[n]++) {
			if (part_class_compare(&m->classes[now[n]], &c) == 0)
				break;
		}
		if (now[n] < kept)
			m->classes[now[n]].left_out += c.left_out;
		else
			m->classes[kept++] = c;
	}
	m->class_count = kept;
	for (size_t i = 0; i < m->collective_count; i++)
		m->collectives[i].class = now[m->collectives[i].class];
	free(now);
}

void peers_apply(struct part *parts, size_t count)
{
	struct seats s = list_seats(parts, count);

	for (size_t i = 0, end; i < s.count; i = end) {
		bool known;

		end = i + 1;
		while (end < s.count && s.all[end].communicator == s.all[i].communicator)
			end++;
		known = number_seats(&s.all[i], end - i) && send_back(&s.all[i], end - i);
		for (size_t k = i; k < end; k++) {
			if (known)
				name_pairs(&s.all[k]);
			else
				forget_peers(&s.all[k]);
		}
	}
	free(s.all);
}
