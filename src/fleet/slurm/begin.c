/* Which jobs of ours are there, and which must be added? */
#include "fleet/slurm/follow.h"

#include "fleet/slurm/status.h"

#include <stdio.h>
#include <stdlib.h>

/* Names of all arrays that this job may have. */
static void add_map_names(struct string_list *names, struct arena *a, const struct follow *f)
{
	for (size_t first = 0; first < f->w->count; first += f->chunk)
		string_list_add(names, submit_map_name(a, f->w, first));
}

static void add_map(struct follow *f, uint64_t id, size_t first)
{
	for (size_t i = 0; i < f->map_count; i++) {
		if (f->maps[i].id == id)
			return;
	}
	MEM_GROW(f->maps, f->map_cap, f->map_count + 1);
	f->maps[f->map_count++] = (struct map_job){.id = id, .first = first};
}

static void adopt_one(struct follow *f, const struct cluster_job *found, struct arena *a)
{
	for (size_t first = 0; first < f->w->count; first += f->chunk) {
		if (str_eq(found->name, str_of(submit_map_name(a, f->w, first)))) {
			add_map(f, found->id, first);
			return;
		}
	}
	/* A reduce is asked for by whoever is here: he may want it otherwise. */
	cluster_cancel(f->c, found->id);
}

static int check_list(const struct follow *f, const struct cluster_jobs *found, struct err *e)
{
	if (!found->count || !work_list_differs(f->w))
		return 0;
	err_set(e, ERR_USAGE, "Slurm job %llu still reads other captures for '%s'",
		(unsigned long long)found->all[0].id, f->w->folder);
	return err_hint(e,
			"wait for it, end it (scancel %llu), or choose another folder with --parts",
			(unsigned long long)found->all[0].id);
}

int follow_adopt(struct follow *f, struct err *e)
{
	struct string_list names = {0};
	struct cluster_jobs found;
	struct arena a = {0};
	int result;

	add_map_names(&names, &a, f);
	string_list_add(&names, submit_pack_name(&a, f->w));
	string_list_add(&names, submit_reduce_name(&a, f->w));
	result = cluster_find_jobs(f->c, &names, false, &found, e);
	if (result == 0)
		result = check_list(f, &found, e);
	for (size_t i = 0; result == 0 && i < found.count; i++)
		adopt_one(f, &found.all[i], &a);
	for (size_t i = 0; result == 0 && i < f->map_count; i++)
		follow_tell(f, "Slurm job %llu still runs: going on with it",
			    (unsigned long long)f->maps[i].id);
	arena_free(&found.arena);
	string_list_free(&names);
	arena_free(&a);
	return result;
}

/* All arrays together run no more at once than was asked for. */
static uint64_t share_of_tasks(const struct follow *f)
{
	const uint64_t arrays = (f->w->count + f->chunk - 1) / f->chunk;

	return f->q->at_once > arrays ? f->q->at_once / arrays : 1;
}

static int submit_array(struct follow *f, const bool *wanted, size_t first, bool whole_memory,
			struct err *e)
{
	const struct map_choice choice = {.wanted = wanted,
					  .first = first,
					  .chunk = f->chunk,
					  .at_once = share_of_tasks(f),
					  .whole_memory = whole_memory};
	struct string_list words = {0};
	struct arena a = {0};
	uint64_t id;
	int result = 0;

	if (submit_map_words(&words, &a, f->w, f->q, &choice)) {
		result = cluster_submit(f->c, &words, &id, e);
		if (result == 0)
			add_map(f, id, first);
	}
	string_list_free(&words);
	arena_free(&a);
	return result;
}

/* Those that are open, and need that much memory; returns how many. */
static size_t choose(struct follow *f, bool whole_memory, bool *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < f->w->count; i++) {
		const struct task *t = &f->tasks[i];

		wanted[i] = !t->done && !t->given_up && t->whole_memory == whole_memory;
		count += wanted[i];
	}
	return count;
}

static void begin_try(struct follow *f, const bool *wanted)
{
	for (size_t i = 0; i < f->w->count; i++) {
		if (!wanted[i])
			continue;
		status_remove(f->w, i);
		f->tasks[i].tries++;
		f->tasks[i].seen = FATE_UNKNOWN;
	}
}

int follow_submit_maps(struct follow *f, struct err *e)
{
	SCOPED bool *wanted = mem_zalloc(f->w->count, sizeof(*wanted));
	size_t total = 0;

	f->map_count = 0;
	for (int whole_memory = 0; whole_memory < 2; whole_memory++) {
		total += choose(f, whole_memory, wanted);
		begin_try(f, wanted);
		for (size_t first = 0; first < f->w->count; first += f->chunk) {
			if (submit_array(f, wanted, first, whole_memory, e) < 0)
				return -1;
		}
	}
	if (f->map_count)
		follow_tell(f, "submitted Slurm job %llu%s: %zu of %zu captures to read",
			    (unsigned long long)f->maps[0].id,
			    f->map_count > 1 ? " and others" : "", total, f->w->count);
	return 0;
}

static void cancel(const struct follow *f, uint64_t *id)
{
	if (*id)
		cluster_cancel(f->c, *id);
	*id = 0;
}

static const char *after_maps(const struct follow *f, struct arena *a)
{
	SCOPED_BUF b = {0};

	if (f->map_count)
		buf_adds(&b, "afterany");
	for (size_t i = 0; i < f->map_count; i++)
		buf_addf(&b, ":%llu", (unsigned long long)f->maps[i].id);
	return arena_str(a, buf_str(&b)).s;
}

int follow_submit_reduce(struct follow *f, struct err *e)
{
	const size_t packs = submit_packs(f->w->count);
	struct string_list words = {0}, pack_words = {0};
	struct arena a = {0};
	const char *after = after_maps(f, &a);
	int result = 0;

	cancel(f, &f->pack);
	cancel(f, &f->reduce);
	if (packs) {
		submit_pack_words(&pack_words, &a, f->w, f->q, packs, after);
		result = cluster_submit(f->c, &pack_words, &f->pack, e);
		after = arena_printf(&a, "afterany:%llu", (unsigned long long)f->pack);
	}
	if (result == 0) {
		submit_reduce_words(&words, &a, f->w, f->q, after);
		result = cluster_submit(f->c, &words, &f->reduce, e);
	}
	string_list_free(&words);
	string_list_free(&pack_words);
	arena_free(&a);
	return result;
}
