"""Tensor x data parallel, and mixtures of experts: ranks of a group meet in each layer, and gradients go beside compute in buckets."""

from .kernels import ALL_REDUCE, ATTENTION, ATTENTION_BACKWARD, MATMUL, SEND_RECEIVE
from .rank import COMPUTE

TENSOR, GRADIENTS, TOKENS = 20, 21, 22  # streams
ACTIVATIONS_US, TOKENS_US = 80, 160
UNEVEN = 0.05  # how far experts are apart by what comes to them
BUCKET = 4  # layers


def tensor(wide=4, layers=8, layer_us=150, reduce_us=500):
    """Groups of so many ranks share each layer; ranks with the same part of it, one of each group, reduce its gradients."""
    def step(rank):
        first, size = rank.number // wide * wide, len(rank.job.ranks)
        group = rank.job.communicator("tp", range(first, first + wide))
        replicas = rank.job.communicator("dp", range(rank.number % wide, size, wide))

        def share():
            rank.wait(COMPUTE, rank.collective("ncclAllReduce", ALL_REDUCE, group, 8_000_000, ACTIVATIONS_US, TENSOR, rank.computed))

        with rank.range("data"):
            rank.work(300_000)
        with rank.range("forward"):
            for _ in range(layers):
                rank.kernel(MATMUL, layer_us)
                rank.kernel(ATTENTION, layer_us / 2)
                share()
        with rank.range("backward"):
            for layer in range(layers):
                rank.kernel(MATMUL, 2 * layer_us)
                rank.kernel(ATTENTION_BACKWARD, layer_us)
                share()
                if layer % BUCKET == BUCKET - 1:
                    reduced = rank.collective("ncclAllReduce", ALL_REDUCE, replicas, 50_000_000, reduce_us, GRADIENTS, rank.computed)
        with rank.range("optimizer"):
            rank.wait(COMPUTE, reduced)
            yield rank.optimizer()
    return step


def experts(layers=8, layer_us=150):
    """Each rank has an expert: tokens go to it, and back."""
    def step(rank):
        world = rank.job.communicator("tp", range(len(rank.job.ranks)))

        def shuffle():
            rank.wait(COMPUTE, rank.collective("ncclAllToAll", SEND_RECEIVE, world, 16_000_000, TOKENS_US, TOKENS, rank.computed))

        def expert(us):
            shuffle()
            with rank.range("experts"):
                rank.kernel(MATMUL, us * rank.draw.lognormvariate(0, UNEVEN))
            shuffle()

        with rank.range("data"):
            rank.work(300_000)
        with rank.range("forward"):
            for _ in range(layers):
                rank.kernel(MATMUL, layer_us)
                rank.kernel(ATTENTION, layer_us / 2)
                expert(layer_us)
        with rank.range("backward"):
            for _ in range(layers):
                rank.kernel(MATMUL, 2 * layer_us)
                rank.kernel(ATTENTION_BACKWARD, layer_us)
                shuffle()
                rank.kernel(MATMUL, 2 * layer_us * rank.draw.lognormvariate(0, UNEVEN))
                shuffle()
        with rank.range("optimizer"):
            yield rank.optimizer()
    return step
