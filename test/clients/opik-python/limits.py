"""A run that writes more than the server takes in a minute: the client waits as it is told, and nothing is lost."""

import opik
from opik import Opik, opik_context, track

from journey import check, finish, project, section

PROJECT = project("limited")
TURNS = 90


@track(name="step", type="tool")
def step(n):
    return {"n": n}


@track(name="turn", project_name=PROJECT)
def turn(n):
    opik_context.update_current_trace(feedback_scores=[{"name": "order", "value": n}])
    step(n)
    return {"n": n}


def run(client):
    for n in range(TURNS):
        turn(n)
    opik.flush_tracker(timeout=150)
    turns = client.search_traces(project_name=PROJECT, max_results=1000, truncate=False)
    check("every trace is there once", sorted(row.input["n"] for row in turns), list(range(TURNS)))
    check("with its end and its score", [row.id for row in turns if row.end_time is None or not row.feedback_scores], [])
    steps = client.search_spans(project_name=PROJECT, filter_string='name = "step"', max_results=1000, truncate=False)
    check("every span too", sorted(row.input["n"] for row in steps), list(range(TURNS)))


section("limits", run, Opik(_show_misconfiguration_message=False))
finish()
