"""A newcomer's first minutes with the client: configured by its function, found again by every process, and reports of what was used by its command."""

import datetime
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

from opik import Opik, flush_tracker, opik_context, track

from journey import check, finish, project, section

COMMAND = os.path.join(os.path.dirname(sys.executable), "opik")
BASE, KEY, WORKSPACE = (os.environ[name] for name in ("OPIK_URL_OVERRIDE", "OPIK_API_KEY", "OPIK_WORKSPACE"))
ROOT = "%s://%s" % urllib.parse.urlsplit(BASE)[:2]
# Whoever begins has set nothing yet.
SETTINGS = ("OPIK_URL_OVERRIDE", "OPIK_API_KEY", "OPIK_WORKSPACE")


def run(home, code, *arguments):
    """The last line that some code prints, in a process that knows only what stands in its home."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env={**environment, "HOME": home}, cwd=home, capture_output=True, text=True, timeout=100
    )
    return (done.stdout.strip().splitlines() or [done.stderr[-800:]])[-1]


CONFIGURE = """
import json, os, sys
import opik
said = []
for arguments in json.loads(sys.argv[1]):
    try:
        opik.configure(force=True, **arguments)
        said.append("configured")
    except Exception as error:
        said.append("%s, %s kept" % (error, "something" if os.path.exists(".opik.config") else "nothing"))
print(json.dumps(said))
"""
USE = """
import sys
from opik import Opik
client = Opik()
client.auth_check()
client.trace(name="first", input={"n": 1}).end()
print(client.flush(), client.config.workspace, client.config.project_name)
"""


def configuring(home):
    name = project("first")
    given = [
        {"api_key": "no-such-key", "workspace": WORKSPACE},
        {"api_key": KEY, "workspace": "no-such-workspace"},
        {"api_key": KEY, "workspace": WORKSPACE, "project_name": name},
    ]
    said = json.loads(run(home, CONFIGURE, json.dumps([{"url_override": ROOT, **one} for one in given])))
    check("a wrong key is refused, and nothing kept of it", said[0], "API key is incorrect., nothing kept")
    check("so is a workspace of nobody", said[1], "Workspace `no-such-workspace` is incorrect for the given API key., nothing kept")
    check("a key and a workspace are kept", said[2], "configured")
    check("and used by the next process", run(home, USE), "True %s %s" % (WORKSPACE, name))
    found = Opik().search_traces(project_name=name)
    check("which logs", [row.input for row in found], [{"n": 1}])


def defaults(home):
    """What is not said is asked of the server: the workspace of the key, and the newest project."""
    newest = project("newest")
    Opik().rest_client.projects.create_project(name=newest)
    check("a key is enough", run(home, CONFIGURE, json.dumps([{"url_override": ROOT, "api_key": KEY}])), '["configured"]')
    check("for its workspace, and the newest project", run(home, USE), "True %s %s" % (WORKSPACE, newest))


def reporting(folder):
    name = project("used")

    @track(name="ask", type="llm", project_name=name)
    def ask(n):
        opik_context.update_current_span(model="gpt-4o-mini", provider="openai", usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
        return n

    for n in range(4):
        ask(n)
    flush_tracker()
    today = datetime.datetime.now(datetime.timezone.utc).date()
    done = subprocess.run(
        [COMMAND, "usage-report", WORKSPACE, "--unit", "day", "--start-date", str(today - datetime.timedelta(days=1)), "--end-date", str(today + datetime.timedelta(days=1)), "-o", "used.json"],
        cwd=folder, capture_output=True, text=True, timeout=200,
    )
    said = done.stdout + done.stderr
    # Whether it can draw a chart of it is another matter.
    failed = [line for line in said.splitlines() if "Error processing" in line or "Could not get" in line]
    check("what was used is reported", (done.returncode, failed), (0, []))
    report = json.load(open(os.path.join(folder, "used.json")))
    (used,) = [one for one in report["projects"] if one["project_name"] == name]
    days = used["metrics_by_unit"].values()
    check("with its traces and spans", (sum(one["trace_count"] for one in days), sum(one["span_count"] for one in days)), (4, 4))
    check("its tokens", sum(one["token_count"].get("total_tokens", 0) for one in days), 60)
    check("and its cost", round(sum(one["cost"] for one in days), 9), round(4 * (10 * 0.15e-6 + 5 * 0.6e-6), 9))


with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second, tempfile.TemporaryDirectory() as third:
    section("configuration", configuring, first)
    section("what is not said", defaults, second)
    section("usage", reporting, third)
finish()
