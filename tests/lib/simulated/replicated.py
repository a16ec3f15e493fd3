"""Data parallel: gradients are reduced in buckets beside compute; after the step somebody may write a checkpoint."""

from .kernels import ALL_REDUCE, ATTENTION, ATTENTION_BACKWARD, ELEMENTWISE, MATMUL
from .rank import COMPUTE

GRADIENTS = 20  # stream
LAYER_US = 300
SAVE = "save_checkpoint"


def replicated(layers=12, bucket=3, reduce_us=900):
    def step(rank):
        world = rank.job.communicator("dp", range(len(rank.job.ranks)))
        with rank.range("data"):
            rank.work(400_000)
        with rank.range("forward"):
            for _ in range(layers):
                rank.kernel(MATMUL, LAYER_US)
                rank.kernel(ATTENTION, LAYER_US / 2)
                rank.kernel(ELEMENTWISE, LAYER_US / 10)
        with rank.range("backward"):
            for layer in range(layers):
                rank.kernel(MATMUL, 2 * LAYER_US)
                rank.kernel(ATTENTION_BACKWARD, LAYER_US)
                rank.kernel(ELEMENTWISE, LAYER_US / 10)
                if layer % bucket == bucket - 1:
                    reduced = rank.collective("ncclAllReduce", ALL_REDUCE, world, 50_000_000, reduce_us, GRADIENTS, rank.computed)
        with rank.range("optimizer"):
            rank.wait(COMPUTE, reduced)
            yield rank.optimizer(us=120)
        if rank.stall_ns(SAVE):
            with rank.range(SAVE):
                rank.work(0)
    return step
