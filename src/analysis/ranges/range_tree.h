/*
 * The paths of NVTX ranges ("step / forward / attn") and what each cost: time on the host, and the
 * GPU work that was launched inside. Ranges with the same names above them are one path, whatever
 * their thread.
 */
#ifndef ANALYSIS_RANGE_TREE_H
#define ANALYSIS_RANGE_TREE_H

#include "analysis/ranges/range_work.h"
#include "trace/ranges/range_paths.h"

struct path {
	uint32_t parent; /* RANGE_NONE: none; parents come before their children */
	uint32_t name;	 /* range_tree.names */
	uint32_t depth;
	uint64_t instances;   /* ranges in the window */
	int64_t wall_ns;      /* of these, summed */
	int64_t self_wall_ns; /* without the union of their direct children */
	int64_t span_ns;      /* first start to last end of the ops launched in each, summed */
	struct gpu_sum self;  /* ops launched in no inner range */
	struct gpu_sum all;   /* and those of inner ranges */
	bool repeats;	      /* a path above it ends in the same name */
};

struct range_tree {
	struct range_names range_names;
	struct folded_names folded_names;
	struct strtab names;	  /* one of the two: "domain:text", folded unless no_fold */
	struct range_paths shape; /* without ranges that are filtered out */
	struct path *paths;	  /* what each costs */
	size_t count;
	size_t range_count;
	struct range_walls walls; /* DURATION_NONE: filtered out, too */
	/* GPU work that belongs to no range. */
	struct gpu_sum *outside; /* by thread: its call was made outside every range */
	size_t thread_count;
	struct gpu_sum no_call; /* its call is not in the trace */
	struct gpu_sum gpu;	/* all of it, in ranges or not */
	uint64_t ops_in_ranges;
	int64_t kernel_ns, kernel_in_ranges_ns;
	bool has_gpu; /* GPU work and the calls that launched it are in the trace, and wanted */
};

int range_tree_make(struct trace *t, const struct scope *p, bool no_fold, struct report *r,
		    struct range_tree *ret, struct err *e);
void range_tree_free(struct range_tree *tree);

/*
 * Depth-first, siblings by GPU time. Of more than `limit` paths (0: any number) those with the most
 * GPU time stay; a path that stays never loses those above it. The caller frees the array.
 */
uint32_t *range_tree_order(const struct range_tree *tree, uint64_t limit, size_t *ret_count);

/* Whether the window holds anything of the path. */
static inline bool path_is_live(const struct path *p)
{
	return p->instances || p->all.ops;
}

/* Says why there are times on the host alone. */
void range_tree_warn_host_only(struct report *r, const struct scope *p);

/* A name for people: the default domain has none, and its colon says nothing. */
struct str range_tree_name(const struct range_tree *tree, uint32_t name);

#endif
