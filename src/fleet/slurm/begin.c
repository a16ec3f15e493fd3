/* Which jobs of ours are there, and which must be added? */
#include "fleet/slurm/job.h"

#include "fleet/slurm/status.h"

#include <stdio.h>
#include <stdlib.h>

/* Names of all arrays that this job may have. */
static void add_map_names(struct string_list *names, struct arena *a, const struct job *j)
{
	for (size_t first = 0; first < j->w->count; first += j->chunk)
		string_list_add(names, submit_map_name(a, j->w, first));
}

static void add_map(struct job *j, uint64_t id, size_t first)
{
	for (size_t i = 0; i < j->map_count; i++) {
		if (j->maps[i].id == id)
			return;
	}
	MEM_GROW(j->maps, j->map_cap, j->map_count + 1);
	j->maps[j->map_count++] = (struct map_job){.id = id, .first = first};
}

static void adopt_one(struct job *j, const struct cluster_job *found, struct arena *a)
{
	for (size_t first = 0; first < j->w->count; first += j->chunk) {
		if (str_eq(found->name, str_of(submit_map_name(a, j->w, first)))) {
			add_map(j, found->id, first);
			return;
		}
	}
	/* A reduce is asked for by whoever is here: he may want it otherwise. */
	cluster_cancel(j->c, found->id);
}

static int check_list(const struct job *j, const struct cluster_jobs *found, struct err *e)
{
	if (!found->count || !work_list_differs(j->w))
		return 0;
	err_set(e, ERR_USAGE, "job %llu still reads other captures for '%s'",
		(unsigned long long)found->all[0].id, j->w->folder);
	return err_hint(e, "wait for it, end it (scancel %llu), or choose another folder with --parts",
			(unsigned long long)found->all[0].id);
}

int job_adopt(struct job *j, struct err *e)
{
	struct string_list names = {0};
	struct cluster_jobs found;
	struct arena a = {0};
	int result;

	add_map_names(&names, &a, j);
	string_list_add(&names, submit_pack_name(&a, j->w));
	string_list_add(&names, submit_reduce_name(&a, j->w));
	result = cluster_find_jobs(j->c, &names, false, &found, e);
	if (result == 0)
		result = check_list(j, &found, e);
	for (size_t i = 0; result == 0 && i < found.count; i++)
		adopt_one(j, &found.all[i], &a);
	for (size_t i = 0; result == 0 && i < j->map_count; i++)
		job_tell(j, "job %llu still runs: going on with it",
			 (unsigned long long)j->maps[i].id);
	arena_free(&found.arena);
	string_list_free(&names);
	arena_free(&a);
	return result;
}

/* All arrays together run no more at once than was asked for. */
static uint64_t share_of_tasks(const struct job *j)
{
	const uint64_t arrays = (j->w->count + j->chunk - 1) / j->chunk;

	return j->q->at_once > arrays ? j->q->at_once / arrays : 1;
}

static int submit_array(struct job *j, const bool *wanted, size_t first, bool whole_memory,
			struct err *e)
{
	const struct map_choice choice = {.wanted = wanted,
					  .first = first,
					  .chunk = j->chunk,
					  .at_once = share_of_tasks(j),
					  .whole_memory = whole_memory};
	struct string_list words = {0};
	struct arena a = {0};
	uint64_t id;
	int result = 0;

	if (submit_map_words(&words, &a, j->w, j->q, &choice)) {
		result = cluster_submit(j->c, &words, &id, e);
		if (result == 0)
			add_map(j, id, first);
	}
	string_list_free(&words);
	arena_free(&a);
	return result;
}

/* Those that are open, and need that much memory; returns how many. */
static size_t choose(struct job *j, bool whole_memory, bool *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < j->w->count; i++) {
		const struct task *t = &j->tasks[i];

		wanted[i] = !t->done && !t->given_up && t->whole_memory == whole_memory;
		count += wanted[i];
	}
	return count;
}

static void begin_try(struct job *j, const bool *wanted)
{
	for (size_t i = 0; i < j->w->count; i++) {
		if (!wanted[i])
			continue;
		status_remove(j->w, i);
		j->tasks[i].tries++;
		j->tasks[i].seen = FATE_UNKNOWN;
	}
}

int job_submit_maps(struct job *j, struct err *e)
{
	SCOPED bool *wanted = mem_zalloc(j->w->count, sizeof(*wanted));
	size_t total = 0;

	j->map_count = 0;
	for (int whole_memory = 0; whole_memory < 2; whole_memory++) {
		total += choose(j, whole_memory, wanted);
		begin_try(j, wanted);
		for (size_t first = 0; first < j->w->count; first += j->chunk) {
			if (submit_array(j, wanted, first, whole_memory, e) < 0)
				return -1;
		}
	}
	if (j->map_count)
		job_tell(j, "submitted job %llu%s: %zu of %zu captures to read",
			 (unsigned long long)j->maps[0].id, j->map_count > 1 ? " and others" : "",
			 total, j->w->count);
	return 0;
}

static void cancel(const struct job *j, uint64_t *id)
{
	if (*id)
		cluster_cancel(j->c, *id);
	*id = 0;
}

static const char *after_maps(const struct job *j, struct arena *a)
{
	SCOPED_BUF b = {0};

	if (j->map_count)
		buf_adds(&b, "afterany");
	for (size_t i = 0; i < j->map_count; i++)
		buf_addf(&b, ":%llu", (unsigned long long)j->maps[i].id);
	return arena_str(a, buf_str(&b)).s;
}

int job_submit_reduce(struct job *j, struct err *e)
{
	const size_t packs = submit_packs(j->w->count);
	struct string_list words = {0}, pack_words = {0};
	struct arena a = {0};
	const char *after = after_maps(j, &a);
	int result = 0;

	cancel(j, &j->pack);
	cancel(j, &j->reduce);
	if (packs) {
		submit_pack_words(&pack_words, &a, j->w, j->q, packs, after);
		result = cluster_submit(j->c, &pack_words, &j->pack, e);
		after = arena_printf(&a, "afterany:%llu", (unsigned long long)j->pack);
	}
	if (result == 0) {
		submit_reduce_words(&words, &a, j->w, j->q, after);
		result = cluster_submit(j->c, &words, &j->reduce, e);
	}
	string_list_free(&words);
	string_list_free(&pack_words);
	arena_free(&a);
	return result;
}
