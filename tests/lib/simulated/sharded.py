"""FSDP with hybrid shards: a node's ranks gather each layer's parameters while they compute the one before, and nodes reduce gradients."""

from .kernels import ALL_GATHER, ALL_REDUCE, ATTENTION, ATTENTION_BACKWARD, MATMUL, REDUCE_SCATTER
from .rank import COMPUTE

GATHER, SCATTER, REDUCE = 20, 21, 22  # streams
GATHER_US, SCATTER_US, REDUCE_US = 200, 250, 400
LAYER_US = 300


def sharded(wide=4, layers=8):
    def step(rank):
        first, size = rank.number // wide * wide, len(rank.job.ranks)
        shards = rank.job.communicator("tp", range(first, first + wide))
        replicas = rank.job.communicator("dp", range(rank.number % wide, size, wide))

        def gathered(after=None):
            """Each layer, while the parameters of the next are gathered."""
            ahead = gather(after)
            for layer in range(layers):
                here, ahead = ahead, gather() if layer + 1 < layers else None
                rank.wait(COMPUTE, here)
                yield layer

        def gather(after=None):
            return rank.collective("ncclAllGather", ALL_GATHER, shards, 40_000_000, GATHER_US, GATHER, after)

        with rank.range("data"):
            rank.work(400_000)
        with rank.range("forward"):
            for _ in gathered(rank.computed):
                rank.kernel(MATMUL, LAYER_US)
                rank.kernel(ATTENTION, LAYER_US / 2)
        with rank.range("backward"):
            for _ in gathered():
                rank.kernel(MATMUL, 2 * LAYER_US)
                rank.kernel(ATTENTION_BACKWARD, LAYER_US)
                shard = rank.collective("ncclReduceScatter", REDUCE_SCATTER, shards, 40_000_000, SCATTER_US, SCATTER, rank.computed)
                # NCCL launches nothing for a rank alone.
                reduced = rank.collective("ncclAllReduce", ALL_REDUCE, replicas, 10_000_000, REDUCE_US, REDUCE, shard) if size > wide else shard
        with rank.range("optimizer"):
            rank.wait(COMPUTE, reduced)
            yield rank.optimizer()
    return step
