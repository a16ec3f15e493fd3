"""Tensor x data parallel, the same in two stages of a pipeline, and mixtures of experts: ranks of a group meet in each layer, and gradients go beside
compute in buckets."""

from .kernels import ALL_REDUCE, ATTENTION, ATTENTION_BACKWARD, MATMUL, SEND_RECEIVE
from .rank import COMPUTE

TENSOR, GRADIENTS, TOKENS, FORWARD, BACKWARD = 20, 21, 22, 23, 24  # streams
ACTIVATIONS_US, TOKENS_US, SEND_US = 80, 160, 60
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


def staged(batches=6, layers=4, layer_us=250, wide=2):
    """Two stages of as many groups each: each rank sends to the one at its place in the other, activations on one stream and gradients on another."""
    def step(rank):
        size = len(rank.job.ranks)
        stage, within = divmod(rank.number, size // 2)
        first = rank.number // wide * wide
        group = rank.job.communicator("tp", range(first, first + wide))
        replicas = rank.job.communicator("dp", range(rank.number - within + within % wide, (stage + 1) * size // 2, wide))

        def share():
            rank.wait(COMPUTE, rank.collective("ncclAllReduce", ALL_REDUCE, group, 8_000_000, ACTIVATIONS_US, TENSOR, rank.computed))

        def send(kind, stream):
            pair = rank.job.communicator(kind, (within, within + size // 2))
            return rank.collective("ncclSend", SEND_RECEIVE, pair, 4_000_000, SEND_US, stream, rank.computed)

        def forward():
            with rank.range("forward"):
                if stage:
                    rank.wait(COMPUTE, send("forward", FORWARD))
                for _ in range(layers):
                    rank.kernel(MATMUL, layer_us)
                    share()
                if not stage:
                    send("forward", FORWARD)

        def backward():
            with rank.range("backward"):
                if not stage:
                    rank.wait(COMPUTE, send("backward", BACKWARD))
                for _ in range(layers):
                    rank.kernel(ATTENTION_BACKWARD, 2 * layer_us)
                    share()
                if stage:
                    send("backward", BACKWARD)

        with rank.range("data"):
            rank.work(300_000)
        if not stage:
            forward()
        for left in reversed(range(batches)):
            if stage or left:
                forward()
            backward()
        with rank.range("optimizer"):
            rank.wait(COMPUTE, rank.collective("ncclAllReduce", ALL_REDUCE, replicas, 50_000_000, 600, GRADIENTS, rank.computed))
            yield rank.optimizer()
    return step


def staged_label(rank, ranks, wide=2):
    stage, within = divmod(rank, ranks // 2)
    return f"rank={rank}; pp={stage}/2 dp={within // wide}/{ranks // 2 // wide} tp={within % wide}/{wide}"


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
