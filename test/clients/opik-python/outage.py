"""A run that goes on while the server's database is away for a while: whatever the client was told is kept, or keeps itself, is there in the end."""

import os
import time

import opik
from opik import Opik, opik_context, track

from journey import check, finish, found, project, section, until

PROJECT = project("outage")
SECONDS = float(os.environ["OUTAGE_JOURNEY_SECONDS"])


@track(name="step", type="tool")
def step(n):
    return {"n": n}


@track(name="turn", project_name=PROJECT)
def turn(n):
    opik_context.update_current_trace(tags=["turn"], feedback_scores=[{"name": "order", "value": n}])
    step(n)
    return {"n": n}


def run(client):
    done, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        turn(done)
        done += 1
        time.sleep(0.2)
    found(turns=done)
    search = lambda: client.search_traces(project_name=PROJECT, max_results=2000, truncate=False)

    def settled():
        opik.flush_tracker(timeout=30)
        try:
            return sorted(row.input["n"] for row in search() if row.end_time)
        except Exception as error:  # the server may still be on its way back
            return repr(error)

    until("every turn is there, once", settled, list(range(done)), seconds=120)
    rows = search()
    check("every turn has its output and tags", all(row.output == {"n": row.input["n"]} and row.tags == ["turn"] for row in rows))
    until(
        "every turn has its score",
        lambda: sorted(score.value for row in search() for score in row.feedback_scores or []),
        [float(n) for n in range(done)],
    )
    spans = client.search_spans(project_name=PROJECT, max_results=5000, truncate=False)
    check("every step is there, once", sorted(span.input["n"] for span in spans if span.name == "step"), list(range(done)))
    roots = {span.id: span.trace_id for span in spans if span.name == "turn"}
    check("every step lies in its turn", all(roots.get(span.parent_span_id) == span.trace_id for span in spans if span.name == "step"))


client = Opik(project_name=PROJECT)
section("a run", run, client)
client.end()
finish()
