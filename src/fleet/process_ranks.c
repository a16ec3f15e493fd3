/* Which ranks are the GPUs of a process that is numbered itself? */
#include "fleet/process_ranks.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* A process that has a number, which is not NCCL's. */
struct process {
	struct part_member *first;
	uint32_t number, members;
	uint32_t gpus; /* 1: those it has, if more, do not communicate: they are one rank's */
};

struct processes {
	struct process *all; /* by number */
	size_t count, cap;
	uint32_t most; /* GPUs of any that communicate; 0: none has several */
	uint64_t world;
};

static bool is_same_process(const struct part_member *a, const struct part_member *b)
{
	return a->pid == b->pid && a->host == b->host && a->rank == b->rank;
}

static void spread(const struct process *p, uint64_t first)
{
	for (uint32_t i = 0; i < p->members && first + i < PART_NO_NUMBER; i++) {
		p->first[i].rank = (uint32_t)first + (p->gpus > 1 ? i : 0);
		if (p->gpus > 1)
			p->first[i].local_rank = PART_NO_NUMBER;
	}
}

static void add_processes(struct processes *x, const struct part *p)
{
	for (size_t i = 0, end; i < p->member_count; i = end) {
		struct part_member *m = &p->members[i];
		struct process own = {m, m->rank, 0, 0};

		for (end = i; end < p->member_count && is_same_process(m, &p->members[end]); end++)
			own.gpus += p->members[end].class_count > 0;
		own.members = (uint32_t)(end - i);
		own.gpus = own.gpus == own.members ? own.gpus : 1;
		/* Its number is that of its first GPU. */
		if (m->rank_source == PART_RANK_NCCL)
			spread(&own, m->rank);
		if (m->rank_source == PART_RANK_NCCL || m->rank_source == PART_RANK_ASSUMED)
			continue;
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] = own;
		if (own.gpus > 1 && own.gpus > x->most)
			x->most = own.gpus;
		x->world = m->world > x->world ? m->world : x->world;
	}
}

static int by_number(const void *a, const void *b, void *ctx)
{
	const struct process *x = a, *y = b;

	(void)ctx;
	return (x->number > y->number) - (x->number < y->number);
}

/* A number may be that of the process's first rank. */
static bool are_first_ranks(const struct processes *x)
{
	const struct process *last = &x->all[x->count - 1];

	for (size_t i = 0; i < x->count; i++) {
		if (x->all[i].number % x->most)
			return false;
	}
	if (x->world)
		return (last->number + UINT64_C(1)) * x->most > x->world;
	return x->count > 1;
}

/* Files that are numbered from 1 on are no job without its first process. */
static uint32_t first_number(const struct processes *x)
{
	for (size_t i = 0; i < x->count; i++) {
		if (x->all[i].first->rank_source != PART_RANK_FILE_NAME)
			return 0;
	}
	return x->all[0].number == 1 && x->count > 1;
}

/* Processes that are not there have as many GPUs as others; so have all, more often than not. */
static void spread_all(struct processes *x)
{
	const bool known = are_first_ranks(x);
	uint64_t next = 0;
	uint32_t number = known ? 0 : first_number(x);

	for (size_t i = 0; i < x->count; i++) {
		const struct process *p = &x->all[i];
		const bool again = i && p->number == x->all[i - 1].number;

		if (again)
			next -= x->all[i - 1].gpus;
		else if (!known)
			next += (uint64_t)(p->number - number) * x->most;
		spread(p, known ? p->number : next);
		next += p->gpus;
		number = p->number + 1;
	}
}

void process_ranks_apply(struct part *parts, size_t count)
{
	struct processes x = {0};

	for (size_t i = 0; i < count; i++)
		add_processes(&x, &parts[i]);
	if (x.most) {
		sort_stable(x.all, x.count, sizeof(*x.all), by_number, NULL);
		spread_all(&x);
	}
	free(x.all);
}
