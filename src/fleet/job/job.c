/* Who is who in a job of many parts, and are they one job at all? */
#include "fleet/job/world.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t lowest_rank(const struct part *p)
{
	uint32_t lowest = PART_NO_NUMBER;

	for (size_t i = 0; i < p->member_count; i++)
		lowest = p->members[i].rank < lowest ? p->members[i].rank : lowest;
	return lowest;
}

static int compare_parts(const void *a, const void *b, void *ctx)
{
	const struct part *x = ((const struct job_part *)a)->part;
	const struct part *y = ((const struct job_part *)b)->part;
	const uint32_t p = lowest_rank(x), q = lowest_rank(y);

	(void)ctx;
	return p != q ? (p > q) - (p < q) : strcmp(x->file, y->file);
}

static int compare_members(const void *a, const void *b, void *ctx)
{
	const struct job_member *x = a, *y = b;

	(void)ctx;
	if (x->is->rank != y->is->rank)
		return x->is->rank > y->is->rank ? 1 : -1;
	if (x->part != y->part)
		return x->part > y->part ? 1 : -1;
	return (x->is->device > y->is->device) - (x->is->device < y->is->device);
}

static bool any_has_rank(const struct job *j)
{
	for (size_t i = 0; i < j->part_count; i++) {
		const struct part *p = j->parts[i].part;

		for (size_t k = 0; k < p->member_count; k++) {
			if (p->members[k].rank_source != PART_RANK_ASSUMED)
				return true;
		}
	}
	return false;
}

/* Where some have a rank, processes that have none are helpers. */
static void list_members(struct job *j)
{
	const bool ranked = any_has_rank(j);
	size_t cap = 0;

	for (size_t i = 0; i < j->part_count; i++) {
		const struct part *p = j->parts[i].part;

		for (size_t k = 0; k < p->member_count; k++) {
			if (ranked && p->members[k].rank_source == PART_RANK_ASSUMED) {
				j->others++;
				continue;
			}
			MEM_GROW(j->members, cap, j->member_count + 1);
			j->members[j->member_count++] =
				(struct job_member){&p->members[k], (uint32_t)i, PART_NO_NUMBER,
						    PART_NO_NUMBER, p->members[k].gpu_id};
		}
	}
	sort_stable(j->members, j->member_count, sizeof(*j->members), compare_members, NULL);
}

/* Of a capture that was copied, or mapped before, both have one name. */
static void refuse_two(const char *what, const struct part *a, const struct part *b, struct err *e)
{
	if (strcmp(a->file, b->file) == 0)
		err_set(e, ERR_INPUT, "%s: in two files that are, or are of, a capture called '%s'",
			what, a->file);
	else
		err_set(e, ERR_INPUT, "%s: in '%s' and in '%s'", what, a->file, b->file);
}

/* A rank that is counted within a file, or within a communicator, several may have. */
static bool is_own_rank(const struct part_member *m)
{
	return m->rank_source != PART_RANK_ASSUMED && m->rank_source != PART_RANK_NCCL;
}

/* Each is taken for the first rank of its own capture. */
static int refuse_nameless(const struct job *j, const struct job_member *a,
			   const struct job_member *b, struct err *e)
{
	err_set(e, ERR_INPUT, "nothing says which rank is in which capture: '%s', '%s'%s",
		j->parts[a->part].part->file, j->parts[b->part].part->file,
		j->part_count > 2 ? ", …" : "");
	e->absent = true;
	return err_hint(e,
			"--ranks FILE says it, with a line for each such as '0 %s'; or number "
			"the files: rank_0.sqlite, rank_1.sqlite, …",
			j->parts[a->part].part->file);
}

static int check_doubles(const struct job *j, struct err *e)
{
	char what[64];

	for (size_t i = 1; i < j->member_count; i++) {
		const struct job_member *a = &j->members[i - 1], *b = &j->members[i];

		/* A rank may use several GPUs. */
		if (a->is->rank != b->is->rank ||
		    (a->part == b->part && a->is->device != b->is->device))
			continue;
		if (a->part != b->part && a->is->rank_source == PART_RANK_ASSUMED &&
		    b->is->rank_source == PART_RANK_ASSUMED)
			return refuse_nameless(j, a, b, e);
		snprintf(what, sizeof(what), "rank %u is there twice", a->is->rank);
		refuse_two(what, j->parts[a->part].part, j->parts[b->part].part, e);
		e->absent = !is_own_rank(a->is) || !is_own_rank(b->is);
		return err_hint(e, "give the captures of one job, each once; --ranks FILE says "
				   "which rank is in which file");
	}
	return 0;
}

static int check_worlds(struct job *j, struct err *e)
{
	const struct job_member *first = NULL;

	for (size_t i = 0; i < j->member_count; i++) {
		const struct job_member *m = &j->members[i];

		if (!m->is->world)
			continue;
		if (first && first->is->world != m->is->world) {
			err_set(e, ERR_INPUT,
				"these are captures of several jobs: rank %u in '%s' is of a job "
				"of %u ranks, rank %u in '%s' of one of %u",
				first->is->rank, j->parts[first->part].part->file, first->is->world,
				m->is->rank, j->parts[m->part].part->file, m->is->world);
			return err_hint(e, "give the captures of one job");
		}
		first = first ? first : m;
	}
	j->world = first ? first->is->world : 0;
	return 0;
}

static bool has_span(const struct part *p)
{
	return p->utc_ns != PART_UNKNOWN && p->captured.end_ns >= p->captured.start_ns;
}

/* The same process captured at the same moment, whatever its file is called. */
static int check_copies(const struct job *j, struct err *e)
{
	struct idmap seen = {0};
	const struct part *first = NULL, *again = NULL;

	for (uint32_t i = 0; i < j->part_count && !again; i++) {
		const struct part *p = j->parts[i].part;
		const uint64_t key = (uint64_t)p->utc_ns ^ p->node;
		uint32_t known;

		if (!has_span(p) || !p->member_count)
			continue;
		known = idmap_add(&seen, key, i);
		first = j->parts[known].part;
		if (known != i && first->node == p->node && first->utc_ns == p->utc_ns &&
		    first->members[0].pid == p->members[0].pid &&
		    first->captured.end_ns == p->captured.end_ns)
			again = p;
	}
	idmap_free(&seen);
	if (!again)
		return 0;
	refuse_two("the same process is there twice, at the same moment", first, again, e);
	return err_hint(e, "give each capture once, or its part in its place");
}

/* Nodes by the hash of their names, in order of their lowest rank; ranks in order on each. */
static void number_nodes(struct job *j)
{
	struct idmap nodes = {0};
	uint32_t *used = mem_zalloc(j->member_count, sizeof(*used));
	bool all = j->member_count > 0;

	for (size_t i = 0; i < j->member_count; i++) {
		struct job_member *m = &j->members[i];
		const uint64_t node = j->parts[m->part].part->node;

		all &= node != 0;
		if (!node)
			continue;
		m->node =
			idmap_add(&nodes, node ^ (uint64_t)m->is->host << 1, (uint32_t)nodes.count);
		m->local = m->is->local_rank != PART_NO_NUMBER ? m->is->local_rank : used[m->node];
		used[m->node]++;
	}
	j->node_count = all ? (uint32_t)nodes.count : 0;
	free(used);
	idmap_free(&nodes);
}

/* What is known of the GPUs of a node's ranks. */
struct node_gpu {
	uint64_t gpu;
	size_t ranks; /* that say theirs */
	bool differ;
};

/*
 * A capture that lacks its GPU's UUID is of a rank like the others of its node: where these, as far
 * as that is known, all share one GPU, and several do, it has the same.
 */
static void find_gpus(struct job *j)
{
	struct node_gpu *nodes = mem_zalloc(j->member_count, sizeof(*nodes));

	for (size_t i = 0; i < j->member_count; i++) {
		const struct job_member *m = &j->members[i];

		if (m->node == PART_NO_NUMBER || !m->is->gpu_id)
			continue;
		nodes[m->node].differ |=
			nodes[m->node].ranks && nodes[m->node].gpu != m->is->gpu_id;
		nodes[m->node].gpu = m->is->gpu_id;
		nodes[m->node].ranks++;
	}
	for (size_t i = 0; i < j->member_count; i++) {
		struct job_member *m = &j->members[i];

		if (!m->gpu && m->node != PART_NO_NUMBER && nodes[m->node].ranks > 1 &&
		    !nodes[m->node].differ)
			m->gpu = nodes[m->node].gpu;
	}
	free(nodes);
}

int job_make(const struct part *const *parts, size_t count, struct job *ret, struct err *e)
{
	*ret = (struct job){.part_count = count};
	ret->parts = mem_zalloc(count, sizeof(*ret->parts));
	for (size_t i = 0; i < count; i++)
		ret->parts[i].part = parts[i];
	sort_stable(ret->parts, count, sizeof(*ret->parts), compare_parts, NULL);
	list_members(ret);
	if (!ret->member_count) {
		err_set(e, ERR_INPUT, "none of the captures contains GPU work of a rank");
		e->absent = true;
		return -1;
	}
	if (check_copies(ret, e) < 0 || check_doubles(ret, e) < 0 || check_worlds(ret, e) < 0)
		return -1;
	number_nodes(ret);
	find_gpus(ret);
	world_find(ret);
	return 0;
}

void job_free(struct job *j)
{
	free(j->parts);
	free(j->members);
	*j = (struct job){0};
}
