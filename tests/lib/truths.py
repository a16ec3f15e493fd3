"""What is known of captures and made traces with one planted cause: which finding is right, and what was lost to it."""

STEPS, DECODE_STEPS = 10, 60

# trace: (id of the first finding, words in it, measured loss in ms over the whole trace)
CAUSES = {
    "collate_stall": ("host_stall", "collate", 61.8 * STEPS),
    "pageable_batch": ("pageable_h2d", "pageable", 22.2 * STEPS),
    "narrow_kernel": ("narrow_kernel", "prefix_loop_kernel", 11.5 * STEPS),
    "grads_to_host": ("blocking_d2h", "grad stats", 182 * STEPS),
    "optimizer_loop": ("tiny_kernels", "opt", 12.1 * STEPS),
    "nocache_malloc": ("alloc_in_steady", "cudaMalloc", 76.4 * STEPS),
    "decode_eager": ("launch_bound", "CUDA graph", 3.95 * DECODE_STEPS),
}
BENIGN = ("train_healthy", "pinned_async", "log_items", "decode_graph")

# Plain CUDA programs: the word, the first finding, what its title holds, and by how many ms the repaired program was faster;
# 0: nothing is to be had, None: nobody repaired it.
PLAIN = {
    "uvm_faults": ("page_faults", "page_faults", "`add`", 1917 - 1491),
    "uvm_plain": ("page_faults", "page_faults", "`add`", 2059 - 1491),
    "uvm_prefetch": ("host_bound", "managed_host", "host code", None),
    "sync_each": ("sync_bound", "sync_each_launch", "after every launch", 40.6 - 23.1),
    "sync_once": ("launch_bound", "tiny_kernels", "launch", None),
    "narrow": ("gpu_bound", "narrow_kernel", "`one_thread`", None),
    "paced": ("paced", "paced", "25.0 times a second", 0),
    "jit": ("compilation_bound", "run_time_compilation", "compil", 124 - 28),
    "oneshot": ("one_shot", "one_shot", "host code before", 0),
}

# PyTorch, 25 steps that end with a wait and then host code: what its title holds, and ms of host code a step. A sleep of fixed
# length is no pace.
HOST = {
    "sleep": ("`poll_queue` (hostwork.py:12)", 12.13),
    "lock": ("`wait_for_loader` (hostwork.py:14)", 7.35),
    "python": ("`encode_prompts` (hostwork.py:7)", 3.29),
    "numpy": ("`rank_candidates` (hostwork.py:9)", 15.86),
    "json": ("`write_metrics` (hostwork.py:10)", 15.82),
    "tensor": ("`spin_tensor` (hostwork.py:19)", 10.60),
}
STRAGGLER_MS = 6.6  # a step of the job whose rank 2 is late

# Of scenarios.py: (id, whether the cost is estimated)
EXPECTED = {
    "host_stall": ("host_stall", True),
    "stall_after_sync": ("host_stall", True),
    "stalls_everywhere": ("host_stall", True),
    "launch_bound": ("tiny_kernels", True),
    "tiny_kernels_everywhere": ("tiny_kernels", True),
    "tiny_kernels_in_flight": ("tiny_kernels", True),
    "launch_storm": ("launch_storm", False),
    "blocking_sync": ("blocking_sync", True),
    "pageable_copy": ("pageable_h2d", True),
    "small_copies": ("small_copies", True),
    "small_copies_apart": ("small_copies", True),
    "small_copies_synced": ("small_copies", True),
    "profiler_overhead": ("profiler_overhead", False),
    "d2h_blocking": ("blocking_d2h", True),
    "alloc_in_steady": ("alloc_in_steady", True),
    "module_load": ("alloc_in_steady", True),
    "slow_calls": ("slow_calls", True),
    "slow_launches": ("slow_launches", True),
    "slow_launch": ("alloc_in_steady", True),
    "held_back": ("held_back", True),
    "held_back_briefly": ("held_back", True),
    "pauses": ("idle_unexplained", False),
    "narrow_kernel": ("narrow_kernel", True),
    "narrow_kernels": ("narrow_kernel", True),
    "narrow_freed": ("narrow_kernel", True),
    "sync_each_launch": ("sync_each_launch", True),
    "exposed_comm": ("exposed_comm", True),
    "copy_bound": ("copy_bound", True),
    "exposed_memset": ("exposed_memset", True),
    "migrations": ("exposed_copy", True),
    "dominant_kernel": ("gpu_bound", False),
    "off_tensor_core": ("off_tensor_cores", True),
    "off_tensor_core_ampere": ("off_tensor_cores", True),
    "off_tensor_core_cutlass": ("off_tensor_cores", True),
    "graph_opaque": ("gpu_bound", False),  # the verdict tells of the graphs
    "graph_partly_opaque": ("graph_opaque", False),
    "starving_process": ("starving_device", False),
    "low_coverage": ("low_nvtx_coverage", False),
}
