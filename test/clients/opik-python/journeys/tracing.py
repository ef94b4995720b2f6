"""Traces as the unmodified client makes them: decorated functions that call each other, by hand, updated, one by one; searched and read back."""

import time

import opik
from opik import Opik, opik_context, track

from journey import check, finish, project, section, until

PROJECT = project("tracing")


@track(name="look up", type="tool", project_name=PROJECT)
def look_up(word):
    return {"meaning": word.upper()}


@track(name="ask", type="llm", project_name=PROJECT)
def ask(question):
    opik_context.update_current_span(
        model="m-1", provider="openai", usage={"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    )
    return look_up(question)["meaning"]


@track(name="answer", project_name=PROJECT, tags=["a", "b"])
def answer(question, again=1):
    opik_context.update_current_trace(thread_id="thread 1", metadata={"z": 1, "a": [None, {"k": "v"}]})
    return {"answer": [ask(question) for _ in range(again)]}


@track(name="fail", project_name=PROJECT)
def fail():
    raise ValueError("ünlucky")


def one(client, name):
    rows = [row for row in client.search_traces(project_name=PROJECT, truncate=False) if row.name == name]
    return rows[0] if len(rows) == 1 else None


def decorated(client):
    answer("why?", again=2)
    opik.flush_tracker()
    until("a decorated call is one trace", lambda: one(client, "answer") is not None)
    trace = one(client, "answer")
    check("the trace has its input", trace.input, {"question": "why?", "again": 2})
    check("the trace has its output", trace.output, {"answer": ["WHY?", "WHY?"]})
    check("the trace has its metadata in the order of keys", list(trace.metadata)[:2], ["z", "a"])
    check("the trace has its tags", sorted(trace.tags), ["a", "b"])
    check("the trace has its thread", trace.thread_id, "thread 1")
    check("the trace has ended", trace.end_time is not None and trace.duration >= 0)
    check("the trace sums the usage of its spans", [trace.usage[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")], [6, 8, 14])
    check("the trace counts its spans", (trace.span_count, trace.llm_span_count, trace.has_tool_spans), (5, 2, True))
    spans = client.search_spans(project_name=PROJECT, trace_id=trace.id, truncate=False)
    check("each call is one span", sorted(span.name for span in spans), ["answer", "ask", "ask", "look up", "look up"])
    by_id = {span.id: span for span in spans}
    parents = sorted((span.name, by_id[span.parent_span_id].name) for span in spans if span.parent_span_id)
    check("spans know their parents", parents, [("ask", "answer"), ("ask", "answer"), ("look up", "ask"), ("look up", "ask")])
    asked = next(span for span in spans if span.name == "ask")
    check("a span has its model", (asked.type, asked.model, asked.provider), ("llm", "m-1", "openai"))
    check("a span has its usage", asked.usage["total_tokens"], 7)
    check("a span is read by its id", client.get_span_content(asked.id).output, {"output": "WHY?"})
    check("a trace is read by its id", client.get_trace_content(trace.id).output, {"answer": ["WHY?", "WHY?"]})


def failing(client):
    try:
        fail()
    except ValueError:
        pass
    opik.flush_tracker()
    until("a call that fails is a trace", lambda: one(client, "fail") is not None)
    trace = one(client, "fail")
    check("the trace has its error", (trace.error_info.exception_type, trace.error_info.message), ("ValueError", "ünlucky"))
    check("the error has its traceback", "raise ValueError" in trace.error_info.traceback)


def by_hand(client):
    trace = client.trace(name="by hand", input={"n": 1}, project_name=PROJECT)
    span = trace.span(name="part", type="tool", input={"n": 2})
    child = span.span(name="part of part", input={"n": 3})
    child.end(output={"done": 3})
    span.end(output={"done": 2})
    trace.end(output={"done": 1}, tags=["late"])
    client.flush()
    until("a trace ended at once is whole", lambda: getattr(one(client, "by hand"), "output", None), {"done": 1})
    made = one(client, "by hand")
    check("nothing of it is lost", (made.input, made.tags, made.start_time.year == time.gmtime().tm_year), ({"n": 1}, ["late"], True))
    rows = client.search_spans(project_name=PROJECT, trace_id=trace.id, truncate=False)
    check("its spans are whole, each once", sorted((row.name, row.output["done"]) for row in rows), [("part", 2), ("part of part", 3)])
    trace.update(output={"done": 10}, metadata={"later": True})
    client.flush()
    until("an update after it was sent is merged", lambda: one(client, "by hand").output, {"done": 10})
    check("an update keeps the rest", (one(client, "by hand").input, one(client, "by hand").metadata["later"]), ({"n": 1}, True))


def singly(client):
    alone = Opik(project_name=PROJECT, batching=False)
    trace = alone.trace(name="singly", input={"n": 1})
    trace.span(name="only").end(output={"n": 2})
    trace.end(output={"n": 3})
    alone.flush()
    until("a trace that is sent singly is whole", lambda: getattr(one(client, "singly"), "output", None), {"n": 3})


def many(client):
    for n in range(250):
        client.trace(name="many", input={"n": n}, output={}, end_time=None, project_name=PROJECT + " many")
    client.flush()
    search = lambda: client.search_traces(project_name=PROJECT + " many", max_results=1000)
    until("a search gives every trace once", lambda: sorted(row.input["n"] for row in search()), list(range(250)))
    check("the newest come first", [row.id for row in search()] == sorted((row.id for row in search()), reverse=True))
    check("a bound is kept", len(client.search_traces(project_name=PROJECT + " many", max_results=120)), 120)
    check("an unknown project has no traces", client.search_traces(project_name=project("nothing")), [])


client = Opik(project_name=PROJECT)
section("the key", client.auth_check)
section("decorated", decorated, client)
section("failing", failing, client)
section("by hand", by_hand, client)
section("singly", singly, client)
section("many", many, client)
client.end()
finish()
