"""Guards of the unmodified client: one that asks a backend of the test's own, one that has a model judge through the server; what they find is told of traces."""

import json
import os
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GUARDED = "card 4111111111111111"


class _Backend(BaseHTTPRequestHandler):
    """Finds a card number, and breaks where it is told to."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "break" in asked["text"]:
            status, body = 500, {"detail": "broken"}
        else:
            passed = GUARDED not in asked["text"]
            found = [
                {
                    "validation_passed": passed,
                    "type": one["type"],
                    "validation_config": one["config"],
                    "validation_details": {"detected_entities": {} if passed else {"CREDIT_CARD": [{"start": 5, "end": 21, "score": 0.9}]}},
                }
                for one in asked["validations"]
            ]
            status, body = 200, {"validation_passed": passed, "validations": found}
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


backend = ThreadingHTTPServer(("127.0.0.1", 0), _Backend)
threading.Thread(target=backend.serve_forever, daemon=True).start()
# Read when the client is made.
os.environ["OPIK_GUARDRAILS_URL_OVERRIDE"] = "http://127.0.0.1:%d" % backend.server_port
os.environ["OPIK_PROJECT_NAME"] = PROJECT = "guarded-" + uuid.uuid4().hex[:8]

import opik  # noqa: E402
from opik import Opik, exceptions, track  # noqa: E402
from opik.guardrails import PII, Guardrail, LLMJudge, Topic  # noqa: E402
from opik.rest_api.core.api_error import ApiError  # noqa: E402

from journey import check, finish, section, until  # noqa: E402
from scripted_model import SAID, answering_model  # noqa: E402


def judge(request):
    """Lets through what does not speak of money; says nonsense where it is told to."""
    text = request["messages"][-1]["content"]
    if "nonsense" in str(text):
        return "I would rather not say"
    return json.dumps({"passed": "money" not in str(text), "reason": "as it was asked"})


def guarded(guardrail):
    @track(name="answer")
    def answer(text):
        return guardrail.validate(text).validation_passed

    return answer


def outcome(call):
    try:
        return call()
    except exceptions.GuardrailValidationError:
        return "not judged"
    except exceptions.GuardrailValidationFailed as failed:
        return [one.type.value for one in failed.failed_validations]


def traces(client):
    opik.flush_tracker()
    return {row.input["text"]: row for row in client.search_traces(project_name=PROJECT, truncate=False) if row.name == "answer"}


def checks_of(trace):
    return sorted((check.name, check.result) for one in trace.guardrails_validations or [] for check in one.checks)


def by_backend(client):
    answer = guarded(Guardrail(guards=[PII(blocked_entities=["CREDIT_CARD"]), Topic(restricted_topics=["finance"], threshold=0.9)]))
    check("what is fine passes", outcome(lambda: answer("fine")), True)
    check("what is not fails", outcome(lambda: answer(GUARDED)), ["PII", "TOPIC"])
    check("a backend that breaks lets nothing through", outcome(lambda: answer("break")), "not judged")
    until("each is a trace", lambda: len(traces(client)), 3)
    until("results are told of what passed", lambda: checks_of(traces(client)["fine"]), [("PII", "passed"), ("TOPIC", "passed")])
    until("and of what failed", lambda: checks_of(traces(client)[GUARDED]), [("PII", "failed"), ("TOPIC", "failed")])
    check("what was not judged has none", checks_of(traces(client)["break"]), [])
    found = client.search_traces(project_name=PROJECT, filter_string='guardrails = "failed"')
    check("traces are found by what failed", [row.input["text"] for row in found], [GUARDED])
    spans = client.search_spans(project_name=PROJECT, filter_string='type = "guardrail"')
    check("guards are spans of their type", sorted(span.input["generation"] for span in spans), sorted(["break", "fine", GUARDED]))


def by_policy(client, model):
    ask = client.rest_client._client_wrapper.httpx_client.request
    path = "v1/private/guardrails/policies"
    calm, cards = ("%s-%s" % (word, uuid.uuid4().hex[:8]) for word in ("calm", "cards"))
    judging = {"type": "LLM_JUDGE", "config": {"instructions": "Nobody speaks of money.", "model": model}}
    made = ask(path, method="POST", json={"name": calm, "execution_mode": "ON_REQUEST", "guards": [judging]})
    check("a policy is stored", made.status_code, 201)
    ids = [made.headers["Location"].rsplit("/", 1)[-1]]
    check("its name is its own", ask(path, method="POST", json={"name": calm, "guards": [judging]}).status_code, 409)
    blocking = {"type": "PII", "config": {"blocked_entities": ["CREDIT_CARD"]}}
    made = ask(path, method="POST", json={"name": cards, "execution_mode": "ALWAYS", "guards": [blocking]})
    ids.append(made.headers["Location"].rsplit("/", 1)[-1])
    answer = guarded(Guardrail.from_stored_policies(names=[calm]))
    check("what all its policies let through passes", outcome(lambda: answer("a calm day")), True)
    check("the one that is asked for refuses", outcome(lambda: answer("my money again")), ["LLM_JUDGE"])
    check("one that is always applied refuses", outcome(lambda: answer("again " + GUARDED)), ["PII"])
    always = Guardrail.from_stored_policies()
    check("it is there unasked", [type(guard).__name__ for guard in always.guards], ["PII"])
    try:
        Guardrail.from_stored_policies(names=[calm, "nothing of the kind"])
    except ApiError as error:
        check("an unknown policy is no guardrail", error.status_code, 404)
    else:
        check("an unknown policy is no guardrail", "made", 404)
    two = ask("%s/%s" % (path, ids[0]), method="PUT", json={"name": calm, "guards": [judging, judging]})
    check("what clients cannot run is refused", two.status_code, 422)
    listed = {one["name"]: one for one in ask(path, method="GET").json()["policies"]}
    check("policies are listed", (listed[calm]["execution_mode"], listed[calm]["guards"]), ("ON_REQUEST", [judging]))
    check("policies go by their ids", ask(path + "/delete", method="POST", json={"ids": ids}).status_code, 204)
    check("policies are deleted", Guardrail.from_stored_policies().guards, [])


def by_model(client, model):
    answer = guarded(Guardrail(guards=[LLMJudge(name="no money", instructions="Nobody speaks of money.", model=model)]))
    check("the model lets through", outcome(lambda: answer("the weather")), True)
    check("the model refuses", outcome(lambda: answer("my money")), ["LLM_JUDGE"])
    check("nonsense lets nothing through", outcome(lambda: answer("nonsense")), "not judged")
    until("the results are told", lambda: checks_of(traces(client)["my money"]) if "my money" in traces(client) else [], [("LLM_JUDGE", "failed")])
    trace = traces(client)["my money"]
    (span,) = [one for one in client.search_spans(project_name=PROJECT, trace_id=trace.id, truncate=False) if one.name == "llm_judge"]
    check("the call is a span of the provider and model that were asked", (span.type, span.provider, span.model), ("llm", "custom-llm", "gpt-4o-mini"))
    check("with its usage", {name: span.usage[name] for name in SAID}, SAID)
    (guard,) = [one for one in client.search_spans(project_name=PROJECT, trace_id=trace.id) if one.type == "guardrail"]
    check("below the guard", span.parent_span_id, guard.id)


def main():
    client = Opik(_show_misconfiguration_message=False)
    name = "guard-" + uuid.uuid4().hex[:8]
    with answering_model(judge) as address:
        client.rest_client.llm_provider_key.store_llm_provider_api_key(
            provider="custom-llm", provider_name=name, api_key="sk-guard-0123456789", base_url=address
        )
        section("a backend", by_backend, client)
        section("a model", by_model, client, "custom-llm/%s/gpt-4o-mini" % name)
        section("policies", by_policy, client, "custom-llm/%s/gpt-4o-mini" % name)
    finish()


if __name__ == "__main__":
    main()
