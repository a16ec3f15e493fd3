"""A server of `gpuwhy web` under test: begun, asked and ended as a person, a page or an attacker would.

    with Server(trace) as server:
        server.get("/session").json
        server.ask("PUT", "/tile", {"Host": "evil.example"}).status
    server.code     # of its end by Ctrl+C

All on loopback, or on a socket in a folder.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from urllib.parse import urlencode

from harness import BINARY, ENVIRONMENT

PATIENCE = 60  # seconds for what takes a moment: others use the machine, too
END_WITHIN = 2  # seconds that Ctrl+C may take; a crowded machine and a build with sanitizers have ten times that
MARGIN = 10


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Server:
    def __init__(self, *args, environment=None, program=BINARY):
        """Begins it and waits for its URL; without one it has ended, and `code` and `message` say how."""
        self.args = [str(a) for a in args]
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, "web", *self.args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.said,
                                        env=ENVIRONMENT | (environment or {}))
        self.url = self.process.stdout.readline().decode().strip()
        self.path = next((a.removeprefix("unix:") for a in self.args if a.startswith("unix:")), None)
        self.code = self.seconds = self.kept = None
        self.message = ""
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]+)(?:&.*)?", self.url)
        if not found:
            self.token = None
            self.wait()
            return
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self):
        assert self.token, self.message
        return self

    def __exit__(self, *_):
        self.stop()

    def wait(self, timeout=PATIENCE):
        """Waits for its end; one that does not end is killed and has no code."""
        if self.kept:
            self.kept.close()
        began = time.monotonic()
        try:
            self.code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.seconds = time.monotonic() - began
        self.rest = self.process.stdout.read()
        self.process.stdout.close()
        self.said.seek(0)
        self.message = self.said.read().decode("utf-8", "backslashreplace").strip()
        self.said.close()

    def stop(self, sign=signal.SIGINT):
        if self.code is None and self.process.poll() is None:
            self.process.send_signal(sign)
        if not self.process.stdout.closed:
            self.wait()

    @property
    def wrong_end(self):
        """Why this is no way to end by Ctrl+C, or None."""
        if self.code != 0:
            return f"exit code {self.code}: {self.message[-2000:]}"
        if self.seconds > END_WITHIN * MARGIN:
            return f"it took {self.seconds:.1f} s to end"
        return None

    def connect(self, timeout=PATIENCE):
        if self.path:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(timeout)
            link.connect(self.path)
            return link
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def raw(self, data, timeout=PATIENCE):
        """What comes back for some bytes until the other side has ended, or for `timeout` has said nothing."""
        with self.connect(timeout) as link:
            try:
                link.sendall(data)
                return received(link)
            except (ConnectionResetError, BrokenPipeError):
                return b""

    def ask(self, method, target, headers=None, body=None):
        """A request on a connection of its own, with these headers alone; None as a value leaves a usual one out, a list says it so often."""
        usual = {"Host": self.host, "Authorization": f"Bearer {self.token}", "Connection": "close"}
        if body is not None:
            usual["Content-Length"] = str(len(body))
        lines = [f"{method} {target} HTTP/1.1"]
        for name, value in (usual | (headers or {})).items():
            lines += [f"{name}: {one}" for one in (value if isinstance(value, list) else [value]) if one is not None]
        return parsed(self.raw("\r\n".join([*lines, "", ""]).encode() + (body or b"")), method)

    def get(self, path, _headers=None, **params):
        """As the page asks: with the token, on a connection that is kept."""
        return self._keep("GET", path + ("?" + urlencode(params) if params else ""), None, _headers or {})

    def post(self, path, asked):
        return self._keep("POST", path, json.dumps(asked).encode(), {"Content-Type": "application/json"})

    def _keep(self, method, target, body, headers):
        is_new = not self.kept or not self.kept.sock
        try:
            return self._send(method, target, body, headers)
        except ConnectionError:
            # One that nobody has used for a while is ended, as browsers know.
            if is_new:
                raise
            return self._send(method, target, body, headers)

    def _send(self, method, target, body, headers):
        if not self.kept:
            self.kept = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            self.kept.request(method, target, body, {"Authorization": f"Bearer {self.token}", **headers})
            reply = self.kept.getresponse()
            return Reply(reply.status, reply.getheaders(), reply.read())
        except (http.client.HTTPException, OSError):
            self.kept.close()  # another request is to find another connection
            raise

    def loaded(self):
        """The session when all tracks are there."""
        end = time.monotonic() + PATIENCE
        while True:
            session = self.get("/session").json
            if session["loading"] is None:
                return session
            assert time.monotonic() < end, f"still loading: {session['loading']}"
            time.sleep(0.02)

    def tracks(self):
        return self.get("/tracks").json["tracks"]

    @property
    def command_line(self):
        with open(f"/proc/{self.process.pid}/cmdline", "rb") as file:
            return file.read()

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def received(link):
    """All that comes until the other side has ended, or says nothing for as long as the socket waits."""
    data = b""
    try:
        while part := link.recv(1 << 16):
            data += part
    except (TimeoutError, ConnectionResetError):
        pass
    return data


def parsed(data, method="GET"):
    """Bytes as a reply; status 0: there is none."""
    head, end, body = data.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1\.[01] (\d{3})[^\r]*\r?\n?", head)
    if not found or not end:
        return Reply(0, [], data)
    lines = head[found.end():].decode("latin-1").split("\r\n")
    return Reply(int(found[1]), [tuple(line.split(": ", 1)) for line in lines if line], b"" if method == "HEAD" else body)
