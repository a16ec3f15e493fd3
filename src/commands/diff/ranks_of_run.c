/* Which captures are ranks of one run? */
#include "commands/diff/ranks_of_run.h"

#include "analysis/processes/rank_label.h"
#include "base/buf.h"
#include "base/mem.h"
#include "input/run_traces.h"

#include <stdlib.h>

/* The path with a sign in place of its rank; NULL: it says none. For free(). */
static int name_run(const char *path, char **ret, struct err *e)
{
	const char *last = str_last_part(path);
	struct str digits;
	const int found = rank_digits_of_name(str_of(last), &digits, e);
	struct buf b = {0};

	*ret = NULL;
	if (found <= 0)
		return found;
	buf_add(&b, path, (size_t)(digits.s - path));
	buf_addc(&b, '#');
	buf_adds(&b, digits.s + digits.len);
	*ret = b.s;
	return 0;
}

/* What a step takes beside communication: ranks that wait for the others in it do not bound them.
 */
static double own_ns(const struct account *a)
{
	int64_t waits_ns = 0;

	for (size_t i = 0; i < a->leaf_count; i++) {
		if (a->leaves[i].class == LEAF_COMM)
			waits_ns = sat_add(waits_ns, leaf_total(a, &a->leaves[i]).ns);
	}
	return (double)sat_sub(account_ns(a), waits_ns) / (double)a->step_count;
}

static size_t count_ids(const char *ids)
{
	size_t count = 0;

	for (; *ids; ids++)
		count += *ids == ' ';
	return count;
}

/* Whether a list, "GPU-1 GPU-2 ", has an id, of so many bytes with the space after it. */
static bool has_id(const char *ids, const char *id, size_t len)
{
	while (*ids) {
		const size_t one = strcspn(ids, " ") + 1;

		if (one == len && memcmp(ids, id, len) == 0)
			return true;
		ids += one;
	}
	return false;
}

/* GPUs of two ranks, which may be the same ones; where nobody says which they are, they are not. */
static uint32_t join_gpus(struct buf *ids, const struct run_facts *a, const struct run_facts *b)
{
	buf_adds(ids, a->gpu_ids);
	if (count_ids(a->gpu_ids) != a->gpus || count_ids(b->gpu_ids) != b->gpus)
		return a->gpus + b->gpus;
	for (const char *id = b->gpu_ids; *id;) {
		const size_t len = strcspn(id, " ") + 1;

		if (!ids->len || !has_id(ids->s, id, len))
			buf_add(ids, id, len);
		id += len;
	}
	return (uint32_t)count_ids(ids->s);
}

/* What all ranks have together, beside the steps of that which bounds them. */
static void join(struct account *to, struct account *by)
{
	const size_t ranks = to->ranks + by->ranks;
	SCOPED_BUF ids = {0};
	const uint32_t gpus = join_gpus(&ids, &to->facts, &by->facts);
	const uint32_t processes = to->facts.processes + by->facts.processes;
	const int64_t memory = to->facts.memory_bytes > by->facts.memory_bytes
				       ? to->facts.memory_bytes
				       : by->facts.memory_bytes;
	struct span captured = to->captured;

	span_widen(&captured, by->captured);
	if (own_ns(by) > own_ns(to)) {
		const struct account faster = *to;

		*to = *by;
		*by = faster;
	}
	account_free(by);
	to->captured = captured;
	to->ranks = ranks;
	to->facts.gpus = gpus;
	to->facts.gpu_ids = arena_str(&to->arena, buf_str(&ids)).s;
	to->facts.processes = processes;
	to->facts.memory_bytes = memory;
}

/* The first of that name, or `count`. */
static size_t find_run(char *const *names, size_t count, const char *name)
{
	for (size_t k = 0; name && k < count; k++) {
		if (names[k] && strcmp(names[k], name) == 0)
			return k;
	}
	return count;
}

/* By capture the first of its run, by their names: the run that it belongs to. */
static int find_runs(const char *const *paths, size_t count, size_t *ret, struct err *e)
{
	char **names = mem_zalloc(count, sizeof(*names));
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		result = name_run(paths[i], &names[i], e);
		ret[i] = find_run(names, i, names[i]);
	}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return result;
}

int ranks_find_named(const char *const *paths, size_t count, bool *ret, struct err *e)
{
	SCOPED size_t *first = mem_alloc(count, sizeof(*first));

	if (find_runs(paths, count, first, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (first[i] != i)
			ret[i] = ret[first[i]] = true;
	}
	return 0;
}

/* The account of a capture goes to those of its run, or is a further one. */
static void keep(struct account_list *l, size_t *kept, size_t i, size_t run)
{
	struct account a = l->all[i];

	l->all[i] = (struct account){0};
	if (run < *kept)
		join(&l->all[run], &a);
	else
		l->all[(*kept)++] = a;
}

static int join_by_name(struct account_list *l, const char *const *paths, bool separate,
			struct err *e)
{
	SCOPED size_t *first = mem_alloc(l->count, sizeof(*first));
	size_t kept = 0;

	if (find_runs(paths, l->count, first, e) < 0)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		l->run_of[i] = first[i] < i ? l->run_of[first[i]] : kept;
		l->still_ranks |= separate && first[i] < i;
		keep(l, &kept, i, l->run_of[i]);
	}
	l->count = kept;
	return 0;
}

/* Runs one after the other do not overlap, but for what clocks of two machines differ by. */
static bool is_at_same_time(const struct account *a, const struct account *b)
{
	const int64_t x = span_ns(a->captured), y = span_ns(b->captured);

	return x && y && span_overlap(a->captured, b->captured) > (x < y ? x : y) / 10;
}

/* Whether both say which GPUs they ran on, and no GPU is among both. */
static bool are_on_other_gpus(const struct account *a, const struct account *b)
{
	const char *x = a->facts.gpu_ids, *y = b->facts.gpu_ids;

	if (!*x || !*y)
		return false;
	while (*x) {
		const size_t len = strcspn(x, " ") + 1;

		if (has_id(y, x, len))
			return false;
		x += len;
	}
	return true;
}

/* What says that it is rank 0 and what says that it is rank 1 may be one run. */
static bool are_other_ranks(const struct account *a, const struct account *b)
{
	return a->rank >= 0 && b->rank >= 0 && a->rank != b->rank;
}

static bool share_folder(const struct account *a, const struct account *b)
{
	const struct str x = run_traces_folder(a->path);

	return x.len && str_eq(x, run_traces_folder(b->path));
}

enum kinship { ONE_RUN, TWO_RUNS, BESIDE_EACH_OTHER, UNCLEAR };

static enum kinship tell_kinship(const struct account *a, const struct account *b, bool separate)
{
	if (!is_at_same_time(a, b))
		return TWO_RUNS;
	if (share_folder(a, b) || (!separate && account_communicates(a) && account_communicates(b)))
		return ONE_RUN;
	if (separate)
		return TWO_RUNS;
	return are_on_other_gpus(a, b) && !are_other_ranks(a, b) ? BESIDE_EACH_OTHER : UNCLEAR;
}

static int refuse(const struct account *a, const struct account *b, struct err *e)
{
	err_set(e, ERR_INPUT,
		"'%s' and '%s' were captured at the same time, %s: whether they are two runs or "
		"ranks of one is not to be seen",
		b->name, a->name,
		are_on_other_gpus(a, b) ? "and are of different ranks"
					: "on the same GPU or on unknown ones");
	return err_hint(
		e, "name captures of one run job_rank0.sqlite, job_rank1.sqlite, …; --separate "
		   "takes them for runs of their own");
}

/* Whatever their names: what was captured at the same time is one run. */
static int join_by_time(struct account_list *l, bool separate, struct err *e)
{
	SCOPED size_t *joined = mem_alloc(l->count, sizeof(*joined));
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		size_t run = kept;

		for (size_t k = 0; k < kept && run == kept; k++) {
			const enum kinship kin = tell_kinship(&l->all[k], &l->all[i], separate);

			if (kin == UNCLEAR)
				return refuse(&l->all[k], &l->all[i], e);
			run = kin == ONE_RUN ? k : kept;
			l->beside_each_other |= kin == BESIDE_EACH_OTHER;
		}
		l->ranks_by_time |= run < kept;
		joined[i] = run;
		keep(l, &kept, i, run);
	}
	for (size_t i = 0; i < l->trace_count; i++)
		l->run_of[i] = joined[l->run_of[i]];
	l->count = kept;
	return 0;
}

/* One run after all, as `--profiler-api` records it: steps of one process, more than once. */
static int refuse_parts(const struct account_list *l, struct err *e)
{
	for (size_t i = 1; i < l->count; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct str folder = run_traces_folder(l->all[k].path);

			if (!share_folder(&l->all[k], &l->all[i]))
				continue;
			err_set(e, ERR_INPUT,
				"'%s' and '%s' are of one run, and were not captured at the same "
				"time: they count neither as two runs nor as ranks",
				l->all[k].name, l->all[i].name);
			return err_hint(e, "name one of the traces in '%.*s/nsys'",
					STR_FMT(folder));
		}
	}
	return 0;
}

int ranks_join(struct account_list *l, const char *const *paths, bool separate, struct err *e)
{
	if (join_by_name(l, paths, separate, e) < 0 || join_by_time(l, separate, e) < 0)
		return -1;
	return refuse_parts(l, e);
}
