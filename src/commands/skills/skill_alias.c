/* Which analysis is meant by a name that others gave it? */
#include "commands/skills/skill.h"

#include "base/mem.h"

static const struct {
	const char *alias, *name;
} aliases[] = {
	{"top_kernels", "kernels"},	   {"memory_transfers", "memory"},
	{"nvtx_kernel_map", "nvtx"},	   {"gpu_idle_gaps", "idle"},
	{"nccl_breakdown", "nccl"},	   {"kernel_launch_overhead", "launches"},
	{"thread_utilization", "threads"}, {"schema_inspect", "schema"},
};

const struct analysis *skill_analysis(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (strcmp(aliases[i].alias, name) == 0)
			name = aliases[i].name;
	}
	return analysis_find(name, false);
}

const char *skill_alias_of(const struct analysis *a)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (strcmp(aliases[i].name, a->name) == 0)
			return aliases[i].alias;
	}
	return NULL;
}

const char *skill_alias_at(size_t i)
{
	return i < ARRAY_LEN(aliases) ? aliases[i].alias : NULL;
}
