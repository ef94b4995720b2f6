"""A client that cannot reach its server: it keeps what is logged, and sends it all once the server is there again; and one whose key is wrong."""

import datetime
import math
import os
import socket
import subprocess
import sys
import threading
import urllib.parse

# Read when the client is made: it looks often whether the server is there again.
os.environ["OPIK_CONNECTION_MONITOR_PING_INTERVAL"] = "0.5"

import opik  # noqa: E402
from opik import Opik, track  # noqa: E402

from journey import check, finish, project, section, until  # noqa: E402

ODD = "Ä \u202e <b>\"'`; DROP TABLE x; -- \U0001f600 \t%_\\"
BASE = os.environ["OPIK_URL_OVERRIDE"]


class Line:
    """A way to the server that can be cut, and be there again at the same port."""

    def __init__(self):
        there = urllib.parse.urlsplit(BASE)
        self.there = (there.hostname, there.port)
        self.open = []
        self.listener = None
        self.port = 0
        self.mend()

    def mend(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in self.open:
            for end in one:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.open.clear()

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(self.there)
            except OSError:
                return
            self.open.append((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def away(line):
    here, there = project("away"), project("away-too")
    client = Opik(project_name=here, host="http://127.0.0.1:%d%s" % (line.port, urllib.parse.urlsplit(BASE).path))
    first = client.trace(name="before", input={"n": 0})
    check("what is logged while the server is there is sent", client.flush(timeout=30))
    line.cut()

    first.update(output={"late": ODD}, tags=[ODD], metadata={"when": datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)})
    first.end()
    odd = client.trace(
        name=ODD, project_name=there, thread_id=ODD, start_time=datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc),
        input={"bytes": b"\x00\xff", "set": {1}, "nan": math.nan, "deep": {"a": [None, {"b": 1.5}]}, "path": os.sep},
    )
    span = odd.span(name="asked", type="llm", model="m", usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})
    span.end(output={"text": "x" * 300_000})
    odd.end()
    odd.log_feedback_score("kind", -0.1, reason=ODD)
    span.log_feedback_score(ODD, 1)
    for n in range(30):
        client.trace(name="many", input={"n": n}).end()
    client.flush(timeout=3)  # in which it finds out
    line.mend()

    reader = Opik(project_name=here)
    rows = lambda name: reader.search_traces(project_name=name, max_results=1000, truncate=False)
    until("all of it comes, once", lambda: (client.flush(timeout=5), sorted(row.name for row in rows(here)))[1], ["before"] + ["many"] * 30, seconds=60)
    until("in each project", lambda: [row.name for row in rows(there)], [ODD], seconds=60)
    before = next(row for row in rows(here) if row.name == "before")
    check("an update is merged with what had been sent", (before.input, before.output, before.tags), ({"n": 0}, {"late": ODD}, [ODD]))
    (row,) = rows(there)
    check("odd values are as the client writes them", (row.input["deep"], row.input["set"], row.thread_id), ({"a": [None, {"b": 1.5}]}, [1], ODD))
    check("so are times", row.start_time.year, 1970)
    until("scores come, too", lambda: [(one.name, one.value, one.reason) for one in rows(there)[0].feedback_scores or []], [("kind", -0.1, ODD)], seconds=60)
    spans = lambda: reader.search_spans(project_name=there, truncate=False)
    until("spans are whole", lambda: [(one.name, len((one.output or {}).get("text", ""))) for one in spans()], [("asked", 300_000)], seconds=60)
    until("with their scores", lambda: [one.name for one in spans()[0].feedback_scores or []], [ODD], seconds=60)
    client.end()


WRONG = """
import sys
from opik import Opik
client = Opik(project_name=sys.argv[1], _show_misconfiguration_message=False)
for n in range(5):
    client.trace(name="refused", input={"n": n}).end()
print(client.flush(timeout=20))
client.end()
"""


def refused():
    name = project("refused")
    done = subprocess.run(
        [sys.executable, "-c", WRONG, name], env={**os.environ, "OPIK_API_KEY": "no-such-key"}, capture_output=True, text=True, timeout=100
    )
    check("a client with a wrong key says that nothing was sent", done.stdout.strip().splitlines()[-1:], ["False"])
    check("and why", "401" in done.stderr, True)
    check("nothing is stored", Opik().search_traces(project_name=name), [])


section("a server that is away", away, Line())
section("a wrong key", refused)
finish()
