"""A server of `gpuwhy mcp` under test, asked as a client would: over its streams, or over HTTP.

    with Server("--root", folder, revision="2025-11-25") as server:
        server.ask("tools/list")["result"]
        server.call("query", trace="train.sqlite", sql="SELECT 1")["structuredContent"]

Every line that comes back is held against the protocol's published schema, where ../shared has it.
"""

import http.client
import json
import queue
import subprocess
import tempfile
import threading
import time

import jsonschema

from harness import BINARY, ENVIRONMENT, ROOT, SHARED

REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"]
STATELESS = "2026-07-28"
PATIENCE = 60  # seconds for what takes a moment: others use the machine, too
RESULTS = {"initialize": "InitializeResult", "server/discover": "DiscoverResult", "ping": "EmptyResult", "tools/list": "ListToolsResult",
           "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
           "resources/templates/list": "ListResourceTemplatesResult", "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult"}


class Protocol:
    """The published schema of a revision; without it everything is right."""

    known = {}

    def __init__(self, revision):
        path = SHARED / "schemas" / f"mcp-{revision}.json"
        self.document = json.loads(path.read_text()) if path.exists() else None
        self.validators = {}

    @classmethod
    def of(cls, revision):
        return cls.known.setdefault(revision, cls(revision))

    def wrong(self, name, value):
        """Why a value is not what the schema calls so, or None."""
        if not self.document:
            return None
        if name not in self.validators:
            key = "$defs" if "$defs" in self.document else "definitions"
            schema = {key: self.document[key], "$ref": f"#/{key}/{name}"}
            kind = jsonschema.Draft202012Validator if key == "$defs" else jsonschema.Draft7Validator
            self.validators[name] = kind(schema)
        problem = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        return problem and f"{name}: {problem.json_path}: {problem.message[:300]}"


ANSWER = jsonschema.Draft7Validator(json.loads((ROOT / "docs" / "answer.schema.json").read_text()))


def meta(revision=STATELESS, **more):
    return {"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {}, **more}


class Server:
    def __init__(self, *args, revision=STATELESS, program=BINARY, cwd=None, environment=None):
        self.revision, self.number, self.wrong, self.notes = revision, 0, [], []
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, "mcp", *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        cwd=cwd, env=ENVIRONMENT | (environment or {}))
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        if revision and revision != STATELESS:
            self.opened = self.ask("initialize", protocolVersion=revision, capabilities={}, clientInfo={"name": "test", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def line(self, timeout=PATIENCE):
        """The next message, looked at; None: there is none, or the server has ended."""
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            return None
        if line is None:
            return None
        message = json.loads(line.decode("utf-8", "strict"))
        self.look(message)
        return message

    def look(self, message):
        # Before 2025-11-25 an error has an id, also where none could be read: there is none to say.
        if "id" in message or "error" not in message or self.revision != "2025-06-18":
            self.note(Protocol.of(self.revision or STATELESS).wrong("JSONRPCMessage", message))

    def note(self, wrong):
        if wrong:
            self.wrong.append(wrong)

    def reply(self, number, timeout=PATIENCE):
        """That to a request; what else comes meanwhile is kept."""
        while (message := self.line(timeout)) is not None:
            if message.get("id") == number and "method" not in message:
                return message
            self.notes.append(message)
        return None

    def params(self, params):
        if self.revision == STATELESS:
            params = {**params, "_meta": {**meta(), **params.get("_meta", {})}}
        return params

    def begin(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": self.params(params)})
        return self.number

    def ask(self, method, **params):
        message = self.reply(self.begin(method, **params))
        assert message is not None, f"no reply to {method}"
        if "result" in message and method in RESULTS and self.revision:
            self.note(Protocol.of(self.revision).wrong(RESULTS[method], message["result"]))
        return message

    def call(self, name, **arguments):
        """The result of a tool, looked at: text and structure are one, the answer is the command's, it is not too large."""
        message = self.ask("tools/call", name=name, arguments=arguments)
        result = message["result"]
        self.note(wrong_result(name, result, len(json.dumps(result, ensure_ascii=False))))
        return result

    def answer(self, name, **arguments):
        return self.call(name, **arguments)["structuredContent"]

    def end(self):
        """Closes standard input: seconds until the end, and its exit code."""
        began = time.monotonic()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.code = self.process.wait()
        self.seconds = time.monotonic() - began
        self.said.seek(0)
        self.message = self.said.read().decode("utf-8", "backslashreplace")
        return self.code


def wrong_result(name, result, size):
    answer = result["structuredContent"]
    if json.loads(result["content"][0]["text"]) != answer or len(result["content"]) != 1:
        return f"{name}: the text is not the structure"
    if size > 45000:
        return f"{name}: {size} characters"
    if len(result["content"][0]["text"].encode()) > 20000:
        return f"{name}: the answer has {len(result['content'][0]['text'].encode())} bytes"
    if result["isError"] != ("error" in answer):
        return f"{name}: isError is {result['isError']}"
    problem = jsonschema.exceptions.best_match(ANSWER.iter_errors({k: v for k, v in answer.items() if k != "mcp"}))
    return problem and f"{name}: not as docs/answer.schema.json has it: {problem.json_path}: {problem.message[:300]}"


class HttpServer:
    """`gpuwhy mcp --http`: each request says its revision and token."""

    def __init__(self, *args, environment=None):
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([BINARY, "mcp", "--http", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.said, env=ENVIRONMENT | (environment or {}))
        self.url = self.process.stdout.readline().decode().strip()
        self.token = self.process.stdout.readline().decode().strip().removeprefix("Authorization: Bearer ")
        self.port = int(self.url.split(":")[2].split("/")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.said.seek(0)
        self.message = self.said.read().decode("utf-8", "backslashreplace")
        self.said.close()

    def post(self, message, headers=None, method="POST", path="/mcp"):
        """Status and message; None as a header's value leaves a usual one out."""
        usual = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        usual |= {k: v for k, v in (headers or {}).items()}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            link.request(method, path, body, {k: v for k, v in usual.items() if v is not None})
            reply = link.getresponse()
            text = reply.read()
        finally:
            link.close()
        try:
            return reply.status, json.loads(text) if text else None
        except ValueError:
            return reply.status, text

    def headers_of(self, message):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        link.request("POST", "/mcp", json.dumps(message).encode(), {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        headers = dict(link.getresponse().headers)
        link.close()
        return headers

    def events(self, method, revision=STATELESS, headers=None, **params):
        """Opens a stream: a generator of messages, the first of which is the answer's type. Closing it ends the connection."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            message, sent = self.request(method, revision, params)
            sent |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | (headers or {})
            link.request("POST", "/mcp", json.dumps(message).encode(), {k: v for k, v in sent.items() if v is not None})
            reply = link.getresponse()
            yield reply.headers["Content-Type"]
            for line in reply:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
                elif line.strip() not in (b"", b"event: message"):
                    yield line
        finally:
            link.close()

    def ask(self, method, revision=STATELESS, headers=None, **params):
        message, sent = self.request(method, revision, params)
        return self.post(message, sent | (headers or {}))

    def request(self, method, revision, params):
        """The message, and the headers that say what it does."""
        sent = {"MCP-Protocol-Version": revision}
        if revision == STATELESS:
            params["_meta"] = meta(**params.get("_meta", {}))
            sent |= {"Mcp-Method": method} | ({"Mcp-Name": params["name"]} if "name" in params else {})
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, sent
