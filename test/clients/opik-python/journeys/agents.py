"""Agents as people build them: one over the OpenAI client, one over LangChain. Each asks a model, calls a tool, and asks again; its trace is read back."""

import asyncio
import json

import opik
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.runnables import chain
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI, BadRequestError, OpenAI
from opik import Opik, track
from opik.integrations.langchain import OpikTracer
from opik.integrations.openai import track_openai

from journey import check, finish, project, section, until
from scripted_model import ASKED, TOLD, scripted_model

QUESTION = "How is the weather in Bern?"
ANSWER = "In Bern it is sunny."
SPECIFICATION = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
TOTAL = {name: ASKED[name] + TOLD[name] for name in ASKED}
# Dollars by token of gpt-4o-mini.
COST = TOTAL["prompt_tokens"] * 0.15e-6 + TOTAL["completion_tokens"] * 0.6e-6


def close(actual, expected):
    return actual is not None and abs(actual - expected) < 1e-9


@track(name="weather", type="tool")
def look_outside(city):
    return "sunny"


def joined(stream):
    """A streamed message as one."""
    content, calls = "", []
    for chunk in stream:
        for choice in chunk.choices:
            content += choice.delta.content or ""
            calls += choice.delta.tool_calls or []
    return content, calls


def openai_agent(client, project_name):
    @track(name="agent", project_name=project_name)
    def agent(question, stream=False):
        messages = [{"role": "user", "content": question}]
        while True:
            asked = {"model": "gpt-4o-mini", "messages": messages, "tools": [SPECIFICATION], "temperature": 0.2}
            if stream:
                content, calls = joined(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
            else:
                message = client.chat.completions.create(**asked).choices[0].message
                content, calls = message.content, message.tool_calls
            if not calls:
                return content
            called = [{"id": one.id, "type": "function", "function": {"name": one.function.name, "arguments": one.function.arguments}} for one in calls]
            messages.append({"role": "assistant", "tool_calls": called})
            for one in calls:
                said = look_outside(**json.loads(one.function.arguments))
                messages.append({"role": "tool", "tool_call_id": one.id, "content": said})

    return agent


def read_back(client, project_name, name="agent"):
    """The only trace of a project, and its spans from the first to the last."""
    def found():
        return [row for row in client.search_traces(project_name=project_name, truncate=False) if row.name == name and row.end_time]

    until("the run is one trace", lambda: len(found()), 1)
    trace = found()[0]
    spans = client.search_spans(project_name=project_name, trace_id=trace.id, truncate=False)
    return trace, sorted(spans, key=lambda span: (span.start_time, span.id))


def check_models(label, trace, llm):
    check(label + ": the model is asked twice", len(llm), 2)
    for span, usage in zip(llm, (ASKED, TOLD)):
        check(label + ": a call has its model", span.model, "gpt-4o-mini-2024-07-18")
        check(label + ": a call has its provider", span.provider, "openai")
        check(label + ": a call has its usage", {name: span.usage[name] for name in usage}, usage)
        cost = usage["prompt_tokens"] * 0.15e-6 + usage["completion_tokens"] * 0.6e-6
        check(label + ": a call has its cost", close(span.total_estimated_cost, cost))
        check(label + ": a call keeps what was asked", QUESTION in json.dumps(span.input))
    check(label + ": the first call keeps which tool it asks for", "weather" in json.dumps(llm[0].output))
    check(label + ": the trace sums the usage", {name: trace.usage[name] for name in TOTAL}, TOTAL)
    check(label + ": the trace sums the cost", close(trace.total_estimated_cost, COST))
    check(label + ": the trace counts calls of models", (trace.llm_span_count, trace.has_tool_spans), (2, True))


def over_openai(client, address):
    for stream in (False, True):
        label = "streamed" if stream else "at once"
        name = project("openai")
        agent = openai_agent(track_openai(OpenAI(base_url=address, api_key="none"), provider="openai", project_name=name), name)
        check(label + ": the agent answers", agent(QUESTION, stream=stream), ANSWER)
        opik.flush_tracker()
        trace, spans = read_back(client, name)
        check(label + ": the trace has its input", trace.input["question"], QUESTION)
        check(label + ": each step is a span", [(span.name, span.type) for span in spans], [
            ("agent", "general"),
            ("chat_completion_stream" if stream else "chat_completion_create", "llm"),
            ("weather", "tool"),
            ("chat_completion_stream" if stream else "chat_completion_create", "llm"),
        ])
        root = spans[0]
        check(label + ": every step lies in the agent", {span.parent_span_id for span in spans[1:]}, {root.id})
        check(label + ": the tool has what it was given and said", (spans[2].input, spans[2].output), ({"city": "Bern"}, {"output": "sunny"}))
        check(label + ": settings of the call are metadata", spans[1].metadata.get("temperature"), 0.2)
        check_models(label, trace, [span for span in spans if span.type == "llm"])


def at_once(client, address):
    name = project("async")
    model = track_openai(AsyncOpenAI(base_url=address, api_key="none"), provider="openai", project_name=name)

    @track(name="agent", project_name=name)
    async def agent(question):
        asked = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": question}]}
        return len(await asyncio.gather(*(model.chat.completions.create(**asked) for _ in range(5))))

    check("calls at once are answered", asyncio.run(agent(QUESTION)), 5)
    opik.flush_tracker()
    _, spans = read_back(client, name)
    root = next(span for span in spans if span.name == "agent")
    check("calls at once lie beside each other", [span.parent_span_id for span in spans if span.type == "llm"], [root.id] * 5)


def refused(client, address):
    name = project("refused")
    agent = openai_agent(track_openai(OpenAI(base_url=address, api_key="none", max_retries=0), project_name=name), name)
    try:
        agent("break")
        check("a refusal of the model reaches the agent", False)
    except BadRequestError:
        pass
    opik.flush_tracker()
    trace, spans = read_back(client, name)
    check("the trace has the error of the model", trace.error_info.exception_type, "BadRequestError")
    call = next(span for span in spans if span.type == "llm")
    check("the call has the error too", "the script is broken" in call.error_info.traceback + (call.error_info.message or ""))


@tool
def weather(city: str) -> str:
    """How the weather is in a city."""
    return "sunny"


def over_langchain(client, address):
    for stream in (False, True):
        label = "LangChain, " + ("streamed" if stream else "at once")
        name = project("langchain")
        model = ChatOpenAI(model="gpt-4o-mini", base_url=address, api_key="none", stream_usage=True, streaming=stream).bind_tools([weather])

        @chain
        def agent(question):
            messages = [HumanMessage(question)]
            while True:
                said = model.invoke(messages)
                if not said.tool_calls:
                    return said.content
                messages.append(said)
                for call in said.tool_calls:
                    messages.append(ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]))

        tracer = OpikTracer(project_name=name, tags=["chain"], thread_id="talk", metadata={"k": 1})
        answer = agent.invoke(QUESTION, {"callbacks": [tracer]})
        check(label + ": the agent answers", answer, ANSWER)
        tracer.flush()
        trace, spans = read_back(client, name)
        check(label + ": the trace has its tags and thread", (trace.tags, trace.thread_id), (["chain"], "talk"))
        check(label + ": the trace has its metadata", trace.metadata["k"], 1)
        check(label + ": each step is a span", [(span.name, span.type) for span in spans if span.name != "agent"], [
            ("ChatOpenAI", "llm"),
            ("weather", "tool"),
            ("ChatOpenAI", "llm"),
        ])
        check(label + ": the tool says what it said", "sunny" in json.dumps(next(span.output for span in spans if span.type == "tool")))
        check_models(label, trace, [span for span in spans if span.type == "llm"])


def main():
    client = Opik(_show_misconfiguration_message=False)
    with scripted_model() as address:
        section("the OpenAI client", over_openai, client, address)
        section("the asynchronous OpenAI client", at_once, client, address)
        section("a model that refuses", refused, client, address)
        section("LangChain", over_langchain, client, address)
    finish()


if __name__ == "__main__":
    main()
