/* Which NVTX ranges are the program's own? */
#include "analysis/suggest/user_ranges.h"

#include "base/mem.h"

#include <stdlib.h>

/* Domains in which libraries open ranges around their own work. */
static bool is_of_library(struct str name)
{
	static const char *const domains[] = {
		"CCCL:",     "NCCL:",	  "cuBLAS:",   "cuBLASLt:", "cuDNN:",  "cuFFT:",
		"cuSOLVER:", "cuSPARSE:", "cuTENSOR:", "libcudf:",  "NVSHMEM:"};

	for (size_t i = 0; i < ARRAY_LEN(domains); i++) {
		if (str_starts(name, domains[i]))
			return true;
	}
	return false;
}

/* Parents lie before their children: what a library's range lies in is known when it is met. */
static void keep_own(const struct trace *t, const struct range_forest *all, struct user_ranges *u)
{
	SCOPED bool *is_profilers = range_forest_find_profilers(t, all);
	uint32_t *around = mem_alloc(all->count, sizeof(*around)); /* it, or who is around it */

	for (size_t i = 0; i < all->count; i++) {
		struct range r = all->ranges[i];
		const uint32_t parent = r.parent == RANGE_NONE ? RANGE_NONE : around[r.parent];
		const struct str name = u->names.names.items[u->names.of_row[r.row]];

		u->of_all[i] = RANGE_NONE;
		around[i] = parent;
		if (is_of_library(name) || (is_profilers && is_profilers[i]))
			continue;
		r.parent = parent;
		around[i] = u->of_all[i] = (uint32_t)u->forest.count;
		u->forest.ranges[u->forest.count++] = r;
	}
	free(around);
}

static void find_threads(struct user_ranges *u)
{
	size_t at = 0;

	for (size_t thread = 0; thread <= u->thread_count; thread++) {
		while (at < u->forest.count && u->forest.ranges[at].thread < thread)
			at++;
		u->begin[thread] = at;
	}
}

static uint32_t folded_name(const void *ctx, const struct range *r)
{
	const struct user_ranges *u = ctx;

	return u->folded.of_name[u->names.of_row[r->row]];
}

int user_ranges_make(struct trace *t, const struct range_forest *all, struct user_ranges *ret,
		     struct err *e)
{
	*ret = (struct user_ranges){.thread_count = t->thread_keys.count};
	ret->begin = mem_zalloc(ret->thread_count + 1, sizeof(*ret->begin));
	ret->of_all = mem_alloc(all->count, sizeof(*ret->of_all));
	ret->forest.ranges = mem_alloc(all->count, sizeof(*ret->forest.ranges));
	if (all->count) {
		if (range_names_read(t, &ret->names, e) < 0)
			return -1;
		range_names_fold(t, &ret->names, &ret->folded);
	}
	keep_own(t, all, ret);
	find_threads(ret);
	range_paths_make(&ret->forest, folded_name, ret, &ret->paths);
	ret->coarse = mem_zalloc(ret->paths.count, sizeof(*ret->coarse));
	return 0;
}

void user_ranges_free(struct user_ranges *u)
{
	free(u->forest.ranges);
	free(u->of_all);
	free(u->begin);
	range_names_free(&u->names);
	folded_names_free(&u->folded);
	range_paths_free(&u->paths);
	free(u->coarse);
	*u = (struct user_ranges){0};
}

struct str user_ranges_text(const struct user_ranges *u, struct arena *a, uint32_t path)
{
	SCOPED_BUF b = {0};

	if (path != RANGE_NONE)
		range_path_add(&b, &u->paths, &u->folded.names, path);
	return arena_str(a, buf_str(&b));
}
