"""A server that stands in for a model, in both wire formats: each request gets the next reply of a script.

    with ModelServer([call("skill_run", skill="kernels"), say("`gemm` takes {{E3.rows[0].total_ns}}.")], "openai") as server:
        gpuwhy("ask", trace, "…", "--llm", server.url, "--model", "m")
    server.requests     what was asked: path, headers, body

A reply is a dict: text, calls [(name, arguments as text)], and how it misbehaves: status, headers, split (bytes of a piece),
hang, hold (an event: the last third comes after it), raw (bytes of the stream), cut (without its end), repeat (for all further
requests). A function makes one of the request.
"""

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def say(text, **how):
    return {"text": text, **how}


def call(name, _raw=None, _how=None, **arguments):
    return {"calls": [(name, json.dumps(arguments) if _raw is None else _raw)], **(_how or {})}


def openai_stream(reply):
    chunk = lambda delta, finish=None: {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    yield chunk({"role": "assistant", "content": ""})
    for i in range(0, len(reply.get("text", "")), 7):
        yield chunk({"content": reply["text"][i:i + 7]})
    for i, (name, arguments) in enumerate(reply.get("calls", [])):
        yield chunk({"tool_calls": [{"index": i, "id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": ""}}]})
        for at in range(0, len(arguments), 5):
            yield chunk({"tool_calls": [{"index": i, "function": {"arguments": arguments[at:at + 5]}}]})
    yield chunk({}, "tool_calls" if reply.get("calls") else "stop")
    yield {"id": "c", "choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 50}}


def anthropic_stream(reply):
    yield {"type": "message_start", "message": {"usage": {"input_tokens": 1000, "output_tokens": 1}}}
    index = 0
    if reply.get("text"):
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        for i in range(0, len(reply["text"]), 7):
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": reply["text"][i:i + 7]}}
        yield {"type": "content_block_stop", "index": 0}
        index = 1
    for i, (name, arguments) in enumerate(reply.get("calls", [])):
        yield {"type": "content_block_start", "index": index + i, "content_block": {"type": "tool_use", "id": f"call_{i}", "name": name, "input": {}}}
        for at in range(0, len(arguments), 5):
            yield {"type": "content_block_delta", "index": index + i, "delta": {"type": "input_json_delta", "partial_json": arguments[at:at + 5]}}
        yield {"type": "content_block_stop", "index": index + i}
    yield {"type": "ping"}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if reply.get("calls") else "end_turn"}, "usage": {"output_tokens": 50}}
    yield {"type": "message_stop"}


def stream(wire, reply):
    if "raw" in reply:
        return reply["raw"]
    events = list({"openai": openai_stream, "anthropic": anthropic_stream}[wire](reply))
    if reply.get("cut"):
        events = events[:-2]
    lines = [(f"event: {e['type']}\n" if wire == "anthropic" else "") + f"data: {json.dumps(e, ensure_ascii=False)}\n\n" for e in events]
    if wire == "openai" and not reply.get("cut"):
        lines.append("data: [DONE]\n\n")
    return "".join(lines).encode()


class ModelServer:
    def __init__(self, script, wire="openai", certificate=None):
        self.script, self.wire, self.requests = list(script), wire, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:  # who asked has hung up
                    self.close_connection = True

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
                outer.reply(self, body)

            do_GET = do_POST

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.over = threading.Event()
        self.address = f"{'https' if certificate else 'http'}://127.0.0.1:{self.server.server_port}"
        self.url = self.address + ("/v1/messages" if wire == "anthropic" else "/v1")
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def next(self, body):
        reply = self.script[0] if self.script[0:1] and isinstance(self.script[0], dict) and self.script[0].get("repeat") else self.script.pop(0)
        return reply(body) if callable(reply) else reply

    def reply(self, handler, body):
        reply = self.next(body)
        if reply.get("hang"):
            self.over.wait(30)
            return
        data = reply["body"] if "body" in reply else stream(self.wire, reply)
        handler.send_response(reply.get("status", 200))
        for key, value in {"Content-Type": "text/event-stream", "Content-Length": str(len(data)), **reply.get("headers", {})}.items():
            handler.send_header(key, value)
        handler.end_headers()
        if "hold" in reply:
            first = len(data) * 2 // 3
            handler.wfile.write(data[:first])
            handler.wfile.flush()
            reply["hold"].wait(30)
            data = data[first:]
        step = reply.get("split") or len(data) or 1
        for at in range(0, len(data), step):
            handler.wfile.write(data[at:at + step])
            handler.wfile.flush()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
