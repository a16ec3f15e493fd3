/* Whose is a finding of each kind, where are its rows, and which command looks closer at it? */
#include "report/finding.h"

#include "base/mem.h"

static const struct finding_kind kinds[] = {
	{"alloc_in_steady", OWNER_LAUNCH, "gaps", "api"},
	{"blocking_d2h", OWNER_MODEL, "copies", "memory"},
	{"blocking_sync", OWNER_MODEL, "sync_calls", "sync"},
	{"clock_falls", OWNER_INFRASTRUCTURE, NULL, "metrics"},
	{"cold_steps", OWNER_LAUNCH, "iterations", "iters"},
	{"context_creation", OWNER_INFRASTRUCTURE, "api", "api"},
	{"copy_bound", OWNER_DATA, "copies", "memory"},
	{"dominant_kernel", OWNER_MODEL, "kernels", "kernels"},
	{"dram_limit", OWNER_MODEL, "kernels", "metrics"},
	{"exposed_comm", OWNER_COMM, "exposed_kernels", "overlap"},
	{"exposed_copy", OWNER_DATA, "copies", "memory"},
	{"exposed_memset", OWNER_MODEL, "memory", "memory"},
	{"few_sms", OWNER_MODEL, "kernels", "metrics"},
	{"few_threads", OWNER_MODEL, "kernels", "kernels"},
	{"gpu_bound", OWNER_MODEL, "kernels", "kernels"},
	{"graph_opaque", OWNER_INFRASTRUCTURE, "graphs", "graphs"},
	{"hang", OWNER_MODEL, "collectives", NULL},
	{"held_back", OWNER_MODEL, "gaps", "idle"},
	{"host_stall", OWNER_MODEL, "gaps", "idle"},
	{"idle_unexplained", OWNER_INFRASTRUCTURE, "gaps", NULL},
	{"launch_bound", OWNER_LAUNCH, "gaps", "launches"},
	{"launch_storm", OWNER_LAUNCH, "launch_rates", "launches"},
	{"low_nvtx_coverage", OWNER_MODEL, "nvtx", "nvtx"},
	{"managed_host", OWNER_MODEL, "gaps", "idle"},
	{"narrow_kernel", OWNER_MODEL, "kernels", "kernels"},
	{"no_gpu_work", OWNER_INFRASTRUCTURE, "problems", "doctor"},
	{"ncu_rule", OWNER_MODEL, "ncu_kernels", NULL},
	{"off_tensor_cores", OWNER_MODEL, "kernels", "kernels"},
	{"one_shot", OWNER_DATA, "gpu_partition", NULL},
	{"paced", OWNER_DATA, "gaps", "idle"},
	{"page_faults", OWNER_MODEL, "kernels", "memory"},
	{"pageable_h2d", OWNER_DATA, "copies", "memory"},
	{"phase_dominance", OWNER_MODEL, "phases", "phases"},
	{"pipeline_bubble", OWNER_MODEL, "stages", "stages"},
	{"profiler_overhead", OWNER_INFRASTRUCTURE, "problems", NULL},
	{"rank_skew", OWNER_COMM, "stragglers", "stragglers"},
	{"run_time_compilation", OWNER_LAUNCH, "gaps", "idle"},
	{"slow_calls", OWNER_LAUNCH, "gaps", "idle"},
	{"slow_launches", OWNER_LAUNCH, "launches", "launches"},
	{"small_copies", OWNER_MODEL, "copies", "memory"},
	{"stage_imbalance", OWNER_MODEL, "stages", "stages"},
	{"starving_device", OWNER_INFRASTRUCTURE, "gpu_partition", "processes"},
	{"straggler", OWNER_MODEL, "stragglers", "stragglers"},
	{"sync_each_launch", OWNER_MODEL, "sync_calls", "sync"},
	{"tiny_kernels", OWNER_LAUNCH, "tiny_kernels", "launches"},
	{"unused_prefetch", OWNER_MODEL, "copies", "memory"},
	{"warm_up_in_window", OWNER_INFRASTRUCTURE, "ranges", NULL},
	{"waiting_for_input", OWNER_DATA, "gaps", "idle"},
};

const char *finding_kind_at(size_t i)
{
	return i < ARRAY_LEN(kinds) ? kinds[i].id : NULL;
}

const struct finding_kind *finding_kind(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(id, kinds[i].id) == 0)
			return &kinds[i];
	}
	return NULL;
}

const char *owner_key(enum owner o)
{
	static const char *const keys[] = {"data", "model_code", "launch_runtime", "communication",
					   "infrastructure"};

	return keys[o];
}

const char *owner_name(enum owner o)
{
	static const char *const names[] = {"Data", "Model code", "Launch/runtime", "Communication",
					    "Infrastructure"};

	return names[o];
}
