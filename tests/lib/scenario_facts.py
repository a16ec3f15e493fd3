"""Are the scenarios what they say? Each has its cause, costs what its kind promises, and is busy without it;
gpuwhy counts in the written file what the builder made."""

import json

from harness import gpuwhy, whole_capture
from scenarios import STEPS


def total_ns(trace, part):
    return sum(o.duration_ns for o in trace.on(kind="kernel") if part in o.name)


def kernel_share(trace, part):
    return total_ns(trace, part) / total_ns(trace, "")


def idle(trace, device=0):
    return 1 - trace.busy_ns(device) / trace.window_ns


def alone_ns(trace, stream):
    """Time in which only this stream is busy."""
    others = type(trace)()
    others.ops = [o for o in trace.ops if o.stream != stream]
    return trace.busy_ns() - others.busy_ns()


def calls(trace, part):
    return [c for c in trace.calls if part in c.name]


# What must be true of a planted trace, beyond what its kind promises.
FACTS = {
    "host_stall": lambda t, loss: loss > STEPS * 39e6 and idle(t) > 0.6,
    "launch_bound": lambda t, loss: len(t.on(kind="kernel")) > 30_000 and idle(t) > 0.25,
    "launch_storm": lambda t, loss: len(calls(t, "Launch")) / (t.window_ns / 1e9) > 60_000 and idle(t) < 0.1,
    "blocking_sync": lambda t, loss: STEPS * 4.9e6 < loss < STEPS * 5.2e6,
    "pageable_copy": lambda t, loss: STEPS * 14e6 < loss < STEPS * 16e6,
    "small_copies": lambda t, loss: len(t.on(kind="memcpy")) == STEPS * 500,
    "small_copies_apart": lambda t, loss: len(t.on(kind="memcpy")) == STEPS * 500 and idle(t) > 0.15,
    "small_copies_synced": lambda t, loss: len(t.on(kind="memcpy")) == STEPS * 500 and idle(t) > 0.5,
    "profiler_overhead": lambda t, loss: loss > STEPS * 9e6 and idle(t) > 0.3,
    "d2h_blocking": lambda t, loss: len(t.on(kind="memcpy")) == STEPS * 100,
    "alloc_in_steady": lambda t, loss: len(calls(t, "cudaMalloc")) == len(calls(t, "cudaFree")) == STEPS * 60,
    "module_load": lambda t, loss: 9e6 < loss < 30e6,
    "narrow_kernel": lambda t, loss: loss == STEPS * (12_000_000 - 182_000),
    "exposed_comm": lambda t, loss: loss == STEPS * 6_000_000 == alone_ns(t, 20),
    "overlapped_comm": lambda t, loss: alone_ns(t, 20) == 0 and kernel_share(t, "nccl") > 0.2,
    "copy_bound": lambda t, loss: loss / t.window_ns > 0.85,
    "dominant_kernel": lambda t, loss: kernel_share(t, "softmax") > 0.7,
    "dominant_gemm": lambda t, loss: kernel_share(t, "NNT") > 0.7,
    "off_tensor_core": lambda t, loss: 0.39 < kernel_share(t, "sgemm") < 0.41,
    "tf32_gemm": lambda t, loss: 0.39 < kernel_share(t, "tf32") < 0.41,
    "graph_opaque": lambda t, loss: t.busy_ns(kind="graph") > 0.85 * t.busy_ns(),
    "graph_tiny_kernels": lambda t, loss: len(t.on(kind="kernel")) > 1000 * STEPS,
    "starving_process": lambda t, loss: idle(t, 0) < 0.1 and 0.75 < idle(t, 1) < 0.85,
}


def wrong_kind(kind, share):
    """What is wrong with a scenario whose cause costs this share of the window."""
    if kind == "costs":
        return None if share > 0.045 else f"it costs only {share:.1%}"
    return None if abs(share) < 0.02 else f"it costs {share:.1%}, and it is {kind}"


def check_facts(suite, name, scenario, trace, loss_ns):
    suite.check(f"{name} costs", wrong_kind(scenario.kind, loss_ns / trace.window_ns))
    if name in FACTS:
        suite.check(f"{name} is as described", None if FACTS[name](trace, loss_ns) else "it is not")


def check_left_out(suite, name, without, loss_ns):
    suite.check(f"{name} left out", None if loss_ns == 0 else f"it still costs {loss_ns} ns")
    for gpu in range(without.gpus):
        suite.check(f"{name} left out, GPU {gpu}",
                    None if idle(without, gpu) < 0.1 else f"the GPU is idle {idle(without, gpu):.1%}")


def check_kernels(suite, case, trace, path):
    answer = json.loads(gpuwhy(*whole_capture("kernels", path), "--format", "json", "--limit", "0").out)
    found = sum(row["total_ns"] for row in answer["tables"][0]["rows"])
    suite.check(f"{case} kernels", None if found == total_ns(trace, "") else f"{found} ns")
