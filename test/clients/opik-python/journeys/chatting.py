"""Chats through the server with a model of a provider for whom the workspace has a key: by the client of LLM observability, and by OpenAI's own."""

import os
import uuid

from openai import BadRequestError, OpenAI
from opik import Opik
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.message import Message

from journey import check, finish, section
from scripted_model import ASKED, TOLD, scripted_model

QUESTION = "How is the weather in Bern?"
TOOL = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def says(text):
    """This client takes content as an object alone: one part of it."""
    return [Message(role="user", content={"type": "text", "text": text})]


def refused(call):
    try:
        call()
    except ApiError as error:
        return error.status_code, error.body["errors"][0]
    return None


def by_opik(client, model):
    answer = client.rest_client.chat_completions.create_chat_completions(
        model=model, messages=says(QUESTION), temperature=0.2
    )
    choice = answer.choices[0]
    check("the model is named", answer.model, "gpt-4o-mini-2024-07-18")
    check("it asks for the tool", (choice.finish_reason, choice.message.tool_calls[0].function.arguments), ("tool_calls", '{"city": "Bern"}'))
    check("what it took is told", (answer.usage.prompt_tokens, answer.usage.completion_tokens), (ASKED["prompt_tokens"], ASKED["completion_tokens"]))
    ask = client.rest_client.chat_completions.create_chat_completions
    broken = says("break")
    check("what the model refuses is refused", refused(lambda: ask(model=model, messages=broken)), (400, "the script is broken"))
    status, sentence = refused(lambda: ask(model="gpt-4o", messages=broken))
    check("a model without a key is refused", (status, "openai" in sentence), (400, True))
    check("no model is refused", refused(lambda: ask(messages=broken))[0], 400)


def by_openai(model):
    client = OpenAI(
        base_url=os.environ["OPIK_URL_OVERRIDE"].rstrip("/") + "/v1/private",
        api_key=os.environ["OPIK_API_KEY"],
        default_headers={"Comet-Workspace": os.environ["OPIK_WORKSPACE"]},
        max_retries=0,
    )
    messages = [{"role": "user", "content": QUESTION}]
    message = client.chat.completions.create(model=model, messages=messages, tools=[TOOL]).choices[0].message
    check("a call of a tool comes", message.tool_calls[0].function.name, "weather")
    messages.append(message.model_dump(exclude_none=True))
    messages.append({"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sunny"})
    answer = client.chat.completions.create(model=model, messages=messages, tools=[TOOL])
    check("the tool is heard", answer.choices[0].message.content, "In Bern it is sunny.")
    chunks = list(client.chat.completions.create(model=model, messages=messages, stream=True, stream_options={"include_usage": True}))
    said = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    check("the same comes in pieces", said, "In Bern it is sunny.")
    check("with an end", [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason], ["stop"])
    check("and what it took", chunks[-1].usage.total_tokens, TOLD["total_tokens"])
    calls = [call for chunk in client.chat.completions.create(model=model, messages=messages[:1], stream=True) for choice in chunk.choices for call in choice.delta.tool_calls or []]
    check("a call comes in pieces", "".join(call.function.arguments or "" for call in calls), '{"city": "Bern"}')
    for stream in (False, True):
        try:
            client.chat.completions.create(model=model, messages=[{"role": "user", "content": "break"}], stream=stream)
            check("a refusal raises", False)
        except BadRequestError as error:
            check("a refusal raises as OpenAI's does", (error.status_code, error.body["message"]), (400, "the script is broken"))


def main():
    client = Opik(_show_misconfiguration_message=False)
    name = "own-" + uuid.uuid4().hex[:8]
    with scripted_model() as address:
        client.rest_client.llm_provider_key.store_llm_provider_api_key(
            provider="custom-llm", provider_name=name, api_key="sk-scripted-model", base_url=address
        )
        model = "custom-llm/%s/gpt-4o-mini" % name
        section("the client of LLM observability", by_opik, client, model)
        section("the client of OpenAI", by_openai, model)
    finish()


if __name__ == "__main__":
    main()
