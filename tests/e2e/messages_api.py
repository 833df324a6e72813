"""A Messages API on loopback that plays a script to a real client and keeps what the client sent.

The script is a list of turns; a turn is a list of content blocks, and the client gets turn N when its request already
holds N assistant messages. So retries cannot put it out of step. Requests without tools (session titles and the like) get
a word of text. Python's standard library only; binds to 127.0.0.1 only.
"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def text(words):
    return {"type": "text", "text": words}


def tool(identity, name, **arguments):
    return {"type": "tool_use", "id": "toolu_" + identity, "name": name, "input": arguments}


class MessagesApi(ThreadingHTTPServer):
    """`with MessagesApi(turns) as api:` serves until the end of the block; `api.requests` are the bodies with tools."""

    daemon_threads = True

    def __init__(self, turns):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.turns, self.requests, self.times = turns, [], []

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def answer(self, body):
        """The content blocks for a request."""
        if not body.get("tools"):
            return [text("ok")]
        self.requests.append(body)
        self.times.append(time.monotonic())
        played = sum(message["role"] == "assistant" for message in body["messages"])
        return self.turns[played] if played < len(self.turns) else [text("Done.")]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send_object(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def handle_any(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self.send_object({"input_tokens": len(raw) // 4})
        if self.command != "POST" or not path.endswith("/v1/messages"):
            return self.send_object({})
        body = json.loads(raw)
        blocks = self.server.answer(body)
        wants_tool = any(block["type"] == "tool_use" for block in blocks)
        # The client takes messages of one id for one message and would never get past the first turn.
        message = {"id": "msg_%d" % time.monotonic_ns(), "type": "message", "role": "assistant", "model": body.get("model"),
                   "content": blocks, "stop_reason": "tool_use" if wants_tool else "end_turn", "stop_sequence": None,
                   "usage": USAGE}
        if not body.get("stream"):
            return self.send_object(message)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in _events(message):
            self.wfile.write(("event: %s\ndata: %s\n\n" % (name, json.dumps(dict(data, type=name)))).encode())
            self.wfile.flush()
        self.close_connection = True

    do_GET = do_POST = do_HEAD = handle_any


def _events(message):
    """The streamed form of a finished message."""
    yield "message_start", {"message": dict(message, content=[], stop_reason=None)}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = text(""), {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = dict(block, input={}), {"type": "input_json_delta",
                                                   "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    yield "message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": USAGE}
    yield "message_stop", {}
