"""Megatron's 1F1B: stages of a pipeline that have a forward and a backward in turn once it is full, each several ranks wide."""

from .kernels import ALL_REDUCE, ATTENTION, ATTENTION_BACKWARD, ELEMENTWISE, MATMUL, SEND_RECEIVE
from .rank import COMPUTE

GRADIENTS, WORLD, TO_UPPER, TO_LOWER, BACK = 20, 7, 30, 31, 2  # streams, and what one for gradients is after that for activations
SEND_US, SEND_BYTES = 60, 8_000_000
LAYERS, LAYER_US = 4, 150
AFTER_COMPUTE, AT_ONCE = "after compute", "at once"


class Stage:
    """One rank of a stage, in a step."""

    def __init__(self, rank, stages, wide, waits, each_way, as_one, ahead=None):
        """waits: compute does for what it sends, too; `each_way`: activations and their gradients have communicators of their own;
        `as_one`: all stages of a lane have one; `ahead`: each receive is posted before what is computed with the one before, and waits for
        what computes by then (AFTER_COMPUTE) or for nothing (AT_ONCE)."""
        self.rank, self.stages, self.wide, self.waits, self.each_way, self.as_one = rank, stages, wide, waits, each_way, as_one
        self.stage, self.lane = divmod(rank.number, wide)
        self.ahead, self.left, self.posted = ahead, {}, {}  # by direction: receives that nobody has posted, and the one that is

    def exchange(self, other, api, waits=True, back=False, after_compute=True):
        """With the rank of the same lane in a stage above or below; nothing where there is none."""
        if not 0 <= other < self.stages:
            return None
        lower, back = min(self.stage, other), back and self.each_way
        pair = self.rank.job.communicator("back" if back else "pp", [lower * self.wide + self.lane, (lower + 1) * self.wide + self.lane])
        stream = (TO_LOWER if other > self.stage else TO_UPPER) + BACK * back
        lane = self.rank.job.communicator("lane", range(self.lane, self.stages * self.wide, self.wide)) if self.as_one else None
        op = self.rank.collective(api, SEND_RECEIVE, pair, SEND_BYTES, SEND_US, stream, self.rank.computed if after_compute else None,
                                  {"Peer rank": other if lane else int(other > self.stage)}, lane)
        if waits:
            self.rank.wait(COMPUTE, op)
        return op

    def receive(self, other, back=False):
        """Compute goes on with it, once the next is posted, if that is done ahead."""
        if not self.ahead:
            self.exchange(other, "ncclRecv", back=back)
            return
        if back not in self.posted:
            self.post(other, back)
        self.rank.wait(COMPUTE, self.posted.pop(back))
        if self.left[back]:
            self.post(other, back)

    def post(self, other, back):
        self.left[back] -= 1
        self.posted[back] = self.exchange(other, "ncclRecv", False, back, self.ahead == AFTER_COMPUTE)

    def receive_forward(self):
        self.receive(self.stage - 1)

    def send_forward(self):
        self.exchange(self.stage + 1, "ncclSend", self.waits)

    def receive_backward(self):
        self.receive(self.stage + 1, back=True)

    def send_backward(self):
        self.exchange(self.stage - 1, "ncclSend", self.waits, back=True)

    def swap_below(self):
        """Sends forward and receives backward: in one, for which compute waits, unless each way has its own."""
        if self.each_way:
            self.send_forward()
            self.receive_backward()
        else:
            self.exchange(self.stage + 1, "ncclSend")

    def swap_above(self):
        if self.each_way:
            self.send_backward()
            self.receive_forward()
        else:
            self.exchange(self.stage - 1, "ncclSend")

    def forward(self):
        with self.rank.range("forward"):
            if self.stage == 0:
                with self.rank.range("data"):
                    self.rank.work(60_000)
            self.layers((MATMUL, LAYER_US), (ATTENTION, LAYER_US / 2), (ELEMENTWISE, LAYER_US / 10))

    def backward(self):
        with self.rank.range("backward"):
            self.layers((MATMUL, 2 * LAYER_US), (ATTENTION_BACKWARD, LAYER_US), (ELEMENTWISE, LAYER_US / 10))

    def layers(self, *kernels):
        for kernel, us in LAYERS * kernels:
            self.rank.kernel(kernel, us)

    def batches(self, count):
        filling = min(count, self.stages - self.stage - 1)
        self.left = {False: count, True: count}
        for _ in range(filling):
            self.receive_forward()
            self.forward()
            self.send_forward()
        if filling < count:
            self.receive_forward()
        for left in reversed(range(count - filling)):
            self.forward()
            self.swap_below()
            self.backward()
            if left:
                self.swap_above()
        if filling < count:
            self.send_backward()
        for _ in range(filling):
            self.receive_backward()
            self.backward()
            self.send_backward()

    def agree(self, everyone):
        """On the gradients of the stage, and everyone on whether they are finite."""
        rank = self.rank
        with rank.range("optimizer"):
            if self.wide > 1:
                first = self.stage * self.wide
                stage = rank.job.communicator("dp", range(first, first + self.wide))
                rank.wait(COMPUTE, rank.collective("ncclAllReduce", ALL_REDUCE, stage, 100_000_000, 500, GRADIENTS, rank.computed))
            if everyone:
                world = rank.job.communicator("world", range(self.stages * self.wide))
                rank.collective("ncclAllReduce", ALL_REDUCE, world, 4, 30, WORLD)
            yield rank.optimizer()


def pipeline(stages=4, wide=2, batches=8, waits=True, each_way=False, everyone=True, as_one=False, ahead=None):
    def step(rank):
        stage = Stage(rank, stages, wide, waits, each_way or bool(ahead), as_one, ahead)
        stage.batches(batches)
        yield from stage.agree(everyone)
    return step
