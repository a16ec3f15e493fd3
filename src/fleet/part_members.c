/* Which processes on which GPUs are the members of a part, and which rank is each? */
#include "fleet/part_making.h"

#include "analysis/processes/rank_label.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Of a process's ops, or of another GPU's collectives: less on a second GPU is a stray, as one that
 * every rank has on GPU 0. */
static const double own_share = 0.1;

static uint64_t ops_of_process(const struct comm_walk *w, uint32_t process)
{
	uint64_t ops = 0;

	for (size_t i = 0; i < w->gpus.count; i++) {
		if (w->gpus.all[i].process == process)
			ops += w->at[i].ops;
	}
	return ops;
}

static uint32_t main_pair(const struct comm_walk *w, uint32_t process)
{
	uint32_t main = ID_NONE;

	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (w->gpus.all[i].process == process &&
		    (main == ID_NONE || w->at[i].ops > w->at[main].ops))
			main = i;
	}
	return main;
}

static bool is_rank(const struct part_making *x, uint32_t process)
{
	return x->ranks.source != RANKS_ASSUMED && rank_of_process(&x->ranks, process);
}

/* Communication kernels of the GPU of a process that has most: one that takes part does so as
 * others do, however many these are. */
static uint64_t most_kernels(const struct comm_walk *w, uint32_t process)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->gpus.count; i++) {
		if (w->gpus.all[i].process == process && w->at[i].kernels > most)
			most = w->at[i].kernels;
	}
	return most;
}

/*
 * A process that drives several GPUs is a member on each that communicates: that is a rank of its
 * own. Of one that is no rank, also on each that it uses.
 */
static bool is_member(const struct part_making *x, uint32_t pair)
{
	const struct comm_walk *w = &x->comm.walk;
	const uint32_t process = w->gpus.all[pair].process;
	const uint64_t most = most_kernels(w, process);

	if (main_pair(w, process) == pair)
		return true;
	if (most && (double)w->at[pair].kernels >= own_share * (double)most)
		return true;
	return !is_rank(x, process) &&
	       (double)w->at[pair].ops >= own_share * (double)ops_of_process(w, process);
}

static const struct iteration_lane *lane_of(const struct part_making *x, uint32_t process)
{
	for (size_t i = 0; x->has_steps && i < x->steps.lane_count; i++) {
		if (x->steps.lanes[i].process == process || x->steps.lanes[i].process == ID_NONE)
			return &x->steps.lanes[i];
	}
	return NULL;
}

static struct making_member new_member(const struct part_making *x, uint32_t pair)
{
	const struct process_gpu *where = &x->comm.walk.gpus.all[pair];
	struct making_member m = {.pair = pair,
				  .process = where->process,
				  .device = where->device,
				  .lane = lane_of(x, where->process)};

	if (m.lane && m.lane->count > x->steps_each)
		m.first_step = m.lane->count - x->steps_each;
	return m;
}

struct member_order {
	uint32_t rank, pid, device, pair;
	bool has_rank, of_device; /* of_device: the GPU has it, and not its process */
};

static uint32_t pid_of(const struct part_making *x, uint32_t process)
{
	const struct trace *t = x->trace;

	return process < t->process_keys.count ? process_pid(t->process_keys.keys[process]) : 0;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct member_order *p = a, *q = b;

	(void)ctx;
	if (p->has_rank != q->has_rank)
		return p->has_rank ? -1 : 1;
	if (p->has_rank && p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	/* Where nothing tells, devices and pids grow as launchers start ranks. */
	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	return (p->pid > q->pid) - (p->pid < q->pid);
}

/* By pair: whether it is a member, and its rank as NCCL has it; ID_NONE. */
struct member_pairs {
	bool *are;
	uint32_t *ranks;
};

/* Whether NCCL says it of all GPUs of a process that communicate, and there are several. */
static bool has_device_ranks(const struct comm_walk *w, const struct member_pairs *pairs,
			     uint32_t process)
{
	size_t members = 0, known = 0;

	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (w->gpus.all[i].process != process || !w->at[i].kernels || !pairs->are[i])
			continue;
		members++;
		known += pairs->ranks[i] != ID_NONE;
	}
	return members > 1 && known == members;
}

static void take_order(const struct part_making *x, const struct member_pairs *pairs, uint32_t pair,
		       struct member_order *ret)
{
	const struct process_gpu *where = &x->comm.walk.gpus.all[pair];

	*ret = (struct member_order){.pid = pid_of(x, where->process),
				     .device = where->device,
				     .pair = pair,
				     .has_rank = is_rank(x, where->process)};
	if (pairs->ranks[pair] != ID_NONE &&
	    has_device_ranks(&x->comm.walk, pairs, where->process)) {
		ret->has_rank = ret->of_device = true;
		ret->rank = pairs->ranks[pair];
	} else if (ret->has_rank) {
		ret->rank = rank_of_process(&x->ranks, where->process)->number;
	}
}

static size_t order_members(const struct part_making *x, struct member_order *ret)
{
	const struct comm_walk *w = &x->comm.walk;
	const struct member_pairs pairs = {mem_zalloc(w->gpus.count, sizeof(*pairs.are)),
					   part_find_device_ranks(x)};
	size_t count = 0;

	for (uint32_t i = 0; i < w->gpus.count; i++)
		pairs.are[i] = w->at[i].ops && is_member(x, i);
	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (pairs.are[i])
			take_order(x, &pairs, i, &ret[count++]);
	}
	free(pairs.ranks);
	free(pairs.are);
	sort_stable(ret, count, sizeof(*ret), by_rank, NULL);
	return count;
}

static void map_pairs(struct part_making *x)
{
	const struct comm_walk *w = &x->comm.walk;

	x->member_of_pair = new_ids(w->gpus.count);
	for (size_t i = 0; i < x->count; i++)
		x->member_of_pair[x->members[i].pair] = (uint32_t)i;
	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (x->member_of_pair[i] == ID_NONE)
			x->member_of_pair[i] =
				x->member_of_pair[main_pair(w, w->gpus.all[i].process)];
	}
}

static void set_label(struct part_making *x, struct part_member *m, const struct rank *rank)
{
	static const enum part_rank_source sources[] = {
		[RANKS_LABELLED] = PART_RANK_LABEL,
		[RANKS_OF_NCCL] = PART_RANK_NCCL,
		[RANKS_NAMED] = PART_RANK_RANGE,
		[RANKS_ASSUMED] = PART_RANK_ASSUMED,
	};

	m->rank = rank->number;
	m->rank_source = sources[x->ranks.source];
	m->label = part_text(&x->part->arena, rank->label);
}

/* A file of one process may be called after it. */
static int name_by_file(struct part_making *x, struct err *e)
{
	uint32_t rank;
	int found;

	if (!part_is_one_process(x->part) || x->part->members[0].rank_source != PART_RANK_ASSUMED)
		return 0;
	found = rank_of_name(str_of(x->part->file), &rank, e);
	for (size_t i = 0; i < x->count && found > 0; i++) {
		x->part->members[i].rank = rank;
		x->part->members[i].rank_source = PART_RANK_FILE_NAME;
	}
	return found < 0 ? -1 : 0;
}

static int name_members(struct part_making *x, const struct member_order *order, struct err *e)
{
	uint32_t assumed = 0;

	for (size_t i = 0; i < x->count; i++) {
		struct part_member *m = &x->part->members[i];

		*m = (struct part_member){.rank_source = PART_RANK_ASSUMED,
					  .local_rank = PART_NO_NUMBER,
					  .pid = order[i].pid,
					  .device = order[i].device,
					  .label = "",
					  .gpu = "",
					  .end = {.path = ""}};
		if (is_rank(x, x->members[i].process))
			set_label(x, m, rank_of_process(&x->ranks, x->members[i].process));
		else if (!order[i].of_device)
			m->rank = assumed++;
		if (order[i].of_device) {
			m->rank = order[i].rank;
			m->rank_source = PART_RANK_NCCL;
		}
	}
	return name_by_file(x, e);
}

int part_find_members(struct part_making *x, struct err *e)
{
	const struct scope asked = {.label = x->q->scope.label};
	struct member_order *order;
	int result;

	if (rank_map_read(x->trace, &asked, &x->ranks, e) < 0)
		return -1;
	x->part->file = part_text(&x->part->arena, str_of(x->q->file));
	/* Each is compared with all others. */
	if (x->comm.walk.gpus.count > PART_MEMBERS_MAX)
		return err_set(e, ERR_INPUT, "'%s' has GPU work of %zu processes: more than %d",
			       x->trace->path, x->comm.walk.gpus.count, PART_MEMBERS_MAX);
	order = mem_alloc(x->comm.walk.gpus.count, sizeof(*order));
	x->count = order_members(x, order);
	x->members = mem_alloc(x->count, sizeof(*x->members));
	x->part->members = arena_zalloc(&x->part->arena, x->count, sizeof(*x->part->members));
	x->part->member_count = x->count;
	for (size_t i = 0; i < x->count; i++)
		x->members[i] = new_member(x, order[i].pair);
	map_pairs(x);
	result = name_members(x, order, e);
	free(order);
	if (x->ranks.clash.found)
		part_note(x, "processes %u and %u both claim rank %u: names were not believed",
			  x->ranks.clash.pids[0], x->ranks.clash.pids[1], x->ranks.clash.number);
	return result;
}
