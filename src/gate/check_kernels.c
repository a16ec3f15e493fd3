/* Which kernels take longer than their rules allow? */
#include "base/mem.h"
#include "gate/checks.h"

#include <stdlib.h>

/* Whether the rule means what this name is an alias of: then that has the check. */
static int finds_origin(struct gating *x, const struct rule *rule, const struct kernel_part *p)
{
	const struct match *m = p->row->match;
	int found = 0;

	for (size_t i = 0; i < m->count[BEFORE] && !found; i++)
		found = name_matches_op(&rule->names,
					x->diff->sides.of[BEFORE].leaves[m->leaves[BEFORE][i]].key,
					x->e);
	return found;
}

/* Whether parts of one name are a check of the rule. */
static int finds(struct gating *x, const struct rule *rule, const struct kernel_part *p,
		 size_t count)
{
	const int meant = name_matches_op(&rule->names, p->leaf->key, x->e);

	if (meant <= 0)
		return meant;
	for (size_t i = 0; i < count; i++) {
		const int has_other = p[i].is_alias ? finds_origin(x, rule, &p[i]) : 0;

		if (has_other <= 0)
			return has_other < 0 ? -1 : 1;
	}
	return 0;
}

static void judge(struct gating *x, const struct rule *rule, const struct kernel_part *p,
		  size_t count)
{
	SCOPED_BUF brief = {0};
	SCOPED_BUF fate = {0};

	op_name_add_short(&brief, p->leaf->key);
	kernel_parts_add_fate(&fate, p, count);
	gate_judge_times(x, rule,
			 &(struct check_subject){p->leaf->key->name, brief.len ? brief.s : "",
						 fate.len ? fate.s : NULL},
			 kernel_parts_means(p, count, x->diff));
}

int gate_check_kernels(struct gating *x, const struct rule *rule)
{
	const struct kernel_parts *all = &x->kernels;
	size_t end, found = 0;

	for (size_t i = 0; i < all->count; i = end) {
		int meant;

		end = kernel_parts_end(all, i);
		meant = finds(x, rule, &all->all[i], end - i);
		if (meant < 0)
			return -1;
		if (!meant)
			continue;
		judge(x, rule, &all->all[i], end - i);
		found++;
	}
	if (!found)
		gate_add_nothing(x, rule, "no kernel");
	return 0;
}
