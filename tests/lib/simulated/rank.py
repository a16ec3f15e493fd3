"""What the host of a rank does: it works, opens ranges, and launches what runs on its GPU later."""

import contextlib
import random

from fleet.job import Call, Range

from .kernels import LAUNCH_NCCL_NS, LAUNCH_NS, OPTIMIZER
from .queues import Op

COMPUTE = 7  # stream
LATENCY_NS = 4000  # from the start of a launch call to the op, at least
EXIT_NS = 1500  # ranks leave a collective within so much of each other, as a rule
HOST, CALL, RUN = 0.1, 0.1, 0.01  # how far what hosts work, calls and runs of a kernel are apart


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.step = job, number, 0
        self.draw = random.Random(f"rank {number} of {job.seed}")
        self.host_ns, self.ops, self.calls, self.ranges, self.open = 1_000_000, [], [], [], []
        self.settled = 0  # ops of which start and end are known
        self.last, self.awaited, self.met = {}, {}, {}  # by stream, by stream, by kind of collective
        self.held_up_ns, self.step_ends = 0, []  # the next launch takes until then; how many ops there were after each step

    def near(self, ns, deviation):
        """About so long."""
        return int(ns * self.draw.lognormvariate(0, deviation))

    @contextlib.contextmanager
    def range(self, name):
        self.open.append(name)
        start = self.host_ns
        self.host_ns += 400
        yield
        self.host_ns += 300
        self.open.pop()
        self.ranges.append(Range(start, self.host_ns, name))

    def work(self, ns):
        """The host works, and stands still where that is planted."""
        self.host_ns += self.near(ns, HOST) + self.stall_ns(self.open[-1])

    @property
    def computed(self):
        """The last op that computes; None: nothing has been launched."""
        return self.last.get(COMPUTE)

    def optimizer(self, us=60):
        """Four kernels that change the parameters; returns the last."""
        for _ in range(4):
            self.kernel(OPTIMIZER, us)
        return self.computed

    def stall_ns(self, name):
        return self.job.fault.stall_ns(self.number, self.step, name)

    def kernel(self, kernel, us, stream=COMPUTE):
        slowness = self.job.fault.slowness(self.number, self.step, self.open[-1])
        return self.launch(kernel, stream, self.near(us * 1000 * slowness, RUN))

    def wait(self, stream, op):
        """What is launched on the stream from now on waits for an op, as cudaStreamWaitEvent has it."""
        if op:
            self.call("cudaStreamWaitEvent_v3020", self.host_ns + 800)
            self.awaited.setdefault(stream, []).append(op)

    def collective(self, api, kernel, communicator, size, us, stream, after=None, payload=None, told=None):
        """This rank's part of the next collective of a communicator, on a stream of its own; `after` an op of another one. `told`: the
        larger communicator that it is a part of."""
        self.wait(stream, after)
        start, kind = self.host_ns, (communicator.id, kernel.name)
        self.host_ns += 2000
        count = self.met[kind] = self.met.get(kind, 0) + 1
        meeting = self.job.meeting((*kind, count), communicator, us)
        op = self.launch(kernel, stream, 0, meeting, self.draw.randrange(self.job.exit_ns))
        self.host_ns += 1000
        said = {"NCCL communicator ID": (told or communicator).id, "Message size [bytes]": size} | (payload or {})
        self.ranges.append(Range(start, self.host_ns, api, said))
        return op

    def launch(self, kernel, stream, ns, meeting=None, exit_ns=0):
        began_ns = self.host_ns
        lasts_ns = self.near(LAUNCH_NCCL_NS if meeting else LAUNCH_NS, CALL)
        began_ns = max(began_ns, self.held_up_ns)
        correlation = self.call(kernel.call, began_ns + lasts_ns)
        self.host_ns += self.near(1500, 2 * CALL)
        before = [self.last[stream]] if stream in self.last else []
        op = self.last[stream] = Op(kernel, stream, correlation, began_ns + LATENCY_NS, ns, before + self.awaited.pop(stream, []), meeting, exit_ns)
        self.ops.append(op)
        return op

    def call(self, name, until_ns):
        """The host is in a call; returns its correlation id."""
        self.calls.append(Call(self.host_ns, until_ns, name, len(self.calls) + 1))
        self.host_ns = until_ns
        return len(self.calls)

    def hold_up(self, room):
        """The queue has room for so many ops: what is launched next has to wait until no more are waiting."""
        self.settled = len(self.ops)
        if len(self.ops) > room:
            self.held_up_ns = self.ops[-room].start

    def join(self, op):
        """The host waits for an op; all that it has launched by then has its times."""
        self.settled = len(self.ops)
        self.call("cudaStreamSynchronize_v3020", max(self.host_ns + 3000, op.end + 5000))
