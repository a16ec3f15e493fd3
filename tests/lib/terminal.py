"""A program on a terminal: what it prints there, what a person types, how it ends."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from harness import ENVIRONMENT


class Terminal:
    """A program whose standard streams are a terminal of that size, but for those that options name otherwise."""

    def __init__(self, argv, rows=40, columns=80, env=(), **streams):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        streams = dict(stdin=slave, stdout=slave, stderr=slave) | streams
        environment = {k: v for k, v in (ENVIRONMENT | dict(env)).items() if v is not None}
        self.process = subprocess.Popen([str(a) for a in argv], env=environment, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0), **streams)
        os.close(slave)
        self.text = b""

    def read(self, until=None, seconds=20):
        """All that is printed until it ends, until the bytes come, or for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not (until and until in self.text):
            if not select.select([self.master], [], [], min(left, 0.1))[0]:
                continue
            try:
                piece = os.read(self.master, 1 << 16)
            except OSError:  # nobody has it open any more
                break
            if not piece:
                break
            self.text += piece
        return self.text

    def type(self, keys):
        os.write(self.master, keys)

    def close(self):
        """The exit code, once it has ended."""
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            os.close(self.master)


def on_terminal(*argv, **options):
    """What the program prints to a terminal, and its exit code."""
    terminal = Terminal(argv, **options)
    text = terminal.read().decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return text, terminal.close()
