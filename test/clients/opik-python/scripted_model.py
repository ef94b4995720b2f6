"""Servers of the chat API that many model servers have: one plays a script, in which it first asks for a tool and then tells what the tool said; one says what it is told to."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ASKED = {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99}
TOLD = {"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129}
SAID = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def _step(messages):
    """What comes next in the script, after these messages."""
    said = [one["content"] for one in messages if one["role"] == "tool"]
    if any("break" in str(one.get("content")) for one in messages):
        return None
    if said:
        return {"content": "In Bern it is %s." % said[-1]}, "stop", TOLD
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}
    return {"content": None, "tool_calls": [call]}, "tool_calls", ASKED


class _Script(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        step = _step(asked["messages"])
        if step is None:
            return self._send(400, "application/json", json.dumps({"error": {"message": "the script is broken", "type": "invalid_request_error"}}))
        message, reason, usage = step
        head = {"id": "chat-1", "created": 1, "model": asked["model"] + "-2024-07-18"}
        if not asked.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
            return self._send(200, "application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}))
        pieces = [{"role": "assistant", "content": None}]
        pieces += [{"tool_calls": [{"index": 0, **call}]} for call in message.get("tool_calls", [])]
        pieces += [{"content": word} for word in re.findall(r" ?[^ ]+", message["content"] or "")]
        chunks = [{"choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        if asked.get("stream_options", {}).get("include_usage"):
            chunks.append({"choices": [], "usage": usage})
        lines = [json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks] + ["[DONE]"]
        self._send(200, "text/event-stream", "".join("data: %s\n\n" % line for line in lines))

    def _send(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Answers(BaseHTTPRequestHandler):
    """Answers every chat with what `answer` says to its request."""

    answer = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        choice = {"index": 0, "message": {"role": "assistant", "content": type(self).answer(asked)}, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": SAID}
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def _serving(handler):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield "http://127.0.0.1:%d/v1" % server.server_port
    finally:
        server.shutdown()
        server.server_close()


def scripted_model():
    """The address of the server that plays the script, for as long as the block lasts."""
    return _serving(_Script)


def answering_model(answer):
    """The address of a server that says what `answer` gives for each request, for as long as the block lasts."""
    return _serving(type("Answers", (_Answers,), {"answer": staticmethod(answer)}))
