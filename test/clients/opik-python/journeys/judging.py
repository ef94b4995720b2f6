"""Rules that score what is logged: made, found, replaced and deleted by the client, and at work on what it logs."""

import json
import sys
import time
import uuid

from opik import Opik, flush_tracker, opik_context, track
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.automation_rule_evaluator_update import AutomationRuleEvaluatorUpdate_LlmAsJudge
from opik.rest_api.types.automation_rule_evaluator_write import (
    AutomationRuleEvaluatorWrite_LlmAsJudge,
    AutomationRuleEvaluatorWrite_SpanUserDefinedMetricPython,
    AutomationRuleEvaluatorWrite_TraceThreadLlmAsJudge,
    AutomationRuleEvaluatorWrite_TraceThreadUserDefinedMetricPython,
    AutomationRuleEvaluatorWrite_UserDefinedMetricPython,
)
from opik.rest_api.types.llm_as_judge_code import LlmAsJudgeCode
from opik.rest_api.types.llm_as_judge_code_write import LlmAsJudgeCodeWrite
from opik.rest_api.types.llm_as_judge_message_write import LlmAsJudgeMessageWrite
from opik.rest_api.types.llm_as_judge_model_parameters_write import LlmAsJudgeModelParametersWrite
from opik.rest_api.types.llm_as_judge_output_schema_write import LlmAsJudgeOutputSchemaWrite
from opik.rest_api.types.span_user_defined_metric_python_code_write import SpanUserDefinedMetricPythonCodeWrite
from opik.rest_api.types.trace_filter_write import TraceFilterWrite
from opik.rest_api.types.trace_thread_llm_as_judge_code_write import TraceThreadLlmAsJudgeCodeWrite
from opik.rest_api.types.trace_thread_user_defined_metric_python_code_write import TraceThreadUserDefinedMetricPythonCodeWrite
from opik.rest_api.types.user_defined_metric_python_code_write import UserDefinedMetricPythonCodeWrite

from journey import check, finish, section
from scripted_model import answering_model


def unique(name):
    return "%s-%s" % (name, uuid.uuid4().hex[:8])


asked = []


def judge(request):
    asked.append(request)
    names = request["response_format"]["json_schema"]["schema"]["required"]
    return json.dumps({name: {"score": 0.5, "reason": "because"} for name in names})


def until(find):
    for _ in range(150):
        found = find()
        if found:
            return found
        time.sleep(0.1)
    return None


def code(model, **more):
    return dict(
        model=LlmAsJudgeModelParametersWrite(name=model, temperature=0.0),
        messages=[LlmAsJudgeMessageWrite(role="USER", content="Judge {{answer}} {{context}}")],
        schema_=[LlmAsJudgeOutputSchemaWrite(name="Quality", type="DOUBLE", description="how good")],
        **more,
    )


def find_one(client, name):
    return client.rest_client.automation_rule_evaluators.find_evaluators(name=name).content[0]


def keeping(client, project_id, model):
    rules = client.rest_client.automation_rule_evaluators
    name = unique("rule")
    judging = LlmAsJudgeCodeWrite(**code(model, variables={"answer": "output.answer"}))
    filters = [TraceFilterWrite(field="name", operator="contains", value="answer")]
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_LlmAsJudge(name=name, action="evaluator", project_ids=[project_id], sampling_rate=1.0, filters=filters, code=judging)
    )
    made = find_one(client, name)
    check("a rule is made", (made.type, made.action, made.enabled, made.sampling_rate), ("llm_as_judge", "evaluator", True, 1.0))
    check("with its project", (made.project_id, [one.project_id for one in made.projects]), (project_id, [project_id]))
    check("and its code", (made.code.model.name, made.code.variables, made.code.schema_[0].name), (model, {"answer": "output.answer"}, "Quality"))
    check("and its filters", [(one.field, one.operator, one.value) for one in made.filters], [("name", "contains", "answer")])
    python = unique("python")
    metric = SpanUserDefinedMetricPythonCodeWrite(metric="class M: pass", arguments={"output": "output"})
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_SpanUserDefinedMetricPython(name=python, action="evaluator", project_ids=[project_id], code=metric)
    )
    kept = find_one(client, python)
    check("a program is kept", (kept.type, kept.code.metric), ("span_user_defined_metric_python", "class M: pass"))
    filters = json.dumps([{"field": "type", "operator": "=", "value": "llm_as_judge"}])
    page = rules.find_evaluators(project_id=project_id, filters=filters)
    check("rules are filtered", ([one.id for one in page.content], page.total), ([made.id], 1))
    replaced = LlmAsJudgeCode(
        model={"name": model},
        messages=[{"role": "SYSTEM", "content": "Judge"}],
        variables={},
        schema_=[{"name": "Quality", "type": "INTEGER", "description": "how good"}],
    )
    rules.update_automation_rule_evaluator(
        made.id,
        request=AutomationRuleEvaluatorUpdate_LlmAsJudge(name=name + "!", action="evaluator", project_ids=[project_id], sampling_rate=0.5, enabled=False, code=replaced),
    )
    changed = rules.get_evaluator_by_id(made.id, project_id=project_id)
    check("a rule is replaced", (changed.name, changed.enabled, changed.sampling_rate, changed.filters), (name + "!", False, 0.5, []))
    rules.delete_automation_rule_evaluator_batch(ids=[made.id, kept.id], project_id=project_id)
    try:
        rules.get_evaluator_by_id(made.id)
        check("a deleted rule", "there")
    except ApiError as error:
        check("a deleted rule", error.status_code, 404)
    check("has no log", rules.get_evaluator_logs_by_id(made.id).content, [])


def judging(client, project, project_id, model):
    rules = client.rest_client.automation_rule_evaluators
    name, thread_name, thread_id = unique("rule"), unique("rule"), unique("thread")
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_LlmAsJudge(
            name=name, action="evaluator", project_ids=[project_id], code=LlmAsJudgeCodeWrite(**code(model, variables={"answer": "output.answer"}))
        )
    )
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_TraceThreadLlmAsJudge(name=thread_name, action="evaluator", project_ids=[project_id], code=TraceThreadLlmAsJudgeCodeWrite(**code(model)))
    )
    seen = []

    @track(name="answering", project_name=project)
    def answer(question):
        opik_context.update_current_trace(thread_id=thread_id)
        seen.append(opik_context.get_current_trace_data().id)
        return {"answer": "forty-two"}

    answer("six times seven")
    flush_tracker()
    scores = until(lambda: client.get_trace_content(seen[0]).feedback_scores)
    check("a trace is scored", [(one.name, one.value, one.reason, one.source) for one in scores or []], [("Quality", 0.5, "because", "online_scoring")])
    prompts = [one["messages"][0]["content"] for one in asked]
    check("by what it said", prompts[:1], ["Judge forty-two {{context}}"])
    log = until(lambda: rules.get_evaluator_logs_by_id(find_one(client, name).id, size=10).content)
    check("the log tells", [(one.level, one.markers) for one in log or []][:1], [("INFO", {"trace_id": seen[0]})])
    check("that scores were stored", "Scores" in (log or [None])[0].message)

    client.rest_client.traces.close_trace_thread(project_name=project, thread_id=thread_id)
    thread = until(lambda: client.rest_client.traces.get_trace_thread(project_name=project, thread_id=thread_id).feedback_scores)
    check("a closed thread is scored", [(one.name, one.value, one.source) for one in thread or []], [("Quality", 0.5, "online_scoring")])
    rules.delete_automation_rule_evaluator_batch(ids=[find_one(client, one).id for one in (name, thread_name)])


LENGTH = """
from typing import Any
from opik.evaluation.metrics import base_metric, score_result

class Length(base_metric.BaseMetric):
    def __init__(self, name: str = "Length"):
        super().__init__(name=name)

    def score(self, output: str, limit: int = 5, **ignored: Any):
        return [
            score_result.ScoreResult(name=self.name, value=len(output), reason="of %s" % output),
            score_result.ScoreResult(name="Fits", value=len(output) <= limit),
        ]
"""

TURNS = """
from opik.evaluation.metrics import score_result
from opik.evaluation.metrics.conversation import conversation_thread_metric, types

class Turns(conversation_thread_metric.ConversationThreadMetric):
    def score(self, conversation: types.Conversation, **ignored):
        said = [one["content"] for one in conversation if one["role"] == "assistant"]
        return score_result.ScoreResult(name=self.name, value=len(said), reason=str(said[0]))
"""

NOSY = """
from opik.evaluation.metrics import base_metric, score_result

class Nosy(base_metric.BaseMetric):
    def score(self, **ignored):
        return score_result.ScoreResult(name="Nosy", value=1, reason=open("/etc/passwd").read())
"""


def measuring(client, project, project_id):
    rules = client.rest_client.automation_rule_evaluators
    toggles = client.rest_client.service_toggles.get_service_toggles()
    on = (toggles.python_evaluator_enabled, toggles.trace_thread_python_evaluator_enabled, toggles.span_user_defined_metric_python_enabled)
    check("metrics are run where they can be shut in", on, (sys.platform == "linux",) * 3)
    if sys.platform != "linux":
        return
    of = dict(action="evaluator", project_ids=[project_id])
    name, span_name, thread_name, nosy, thread_id = [unique(one) for one in ("length", "span-length", "turns", "nosy", "thread")]
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_UserDefinedMetricPython(
            name=name, code=UserDefinedMetricPythonCodeWrite(metric=LENGTH, arguments={"output": "output.answer", "limit": "metadata.limit"}), **of
        )
    )
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_SpanUserDefinedMetricPython(
            name=span_name, code=SpanUserDefinedMetricPythonCodeWrite(metric=LENGTH, arguments={"output": "input.question"}), **of
        )
    )
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_TraceThreadUserDefinedMetricPython(
            name=thread_name, code=TraceThreadUserDefinedMetricPythonCodeWrite(metric=TURNS), **of
        )
    )
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_UserDefinedMetricPython(name=nosy, code=UserDefinedMetricPythonCodeWrite(metric=NOSY, arguments={}), **of)
    )
    trace = client.trace(name="measured", input={"question": "how"}, output={"answer": "forty-two"}, metadata={"limit": 9}, thread_id=thread_id)
    span = trace.span(name="thinking", input={"question": "how much"}, output={"thought": "much"})
    client.flush()
    shown = lambda found: sorted((one.name, one.value, one.reason, one.source) for one in found or [])
    scores = until(lambda: client.get_trace_content(trace.id).feedback_scores)
    check("a program scores a trace", shown(scores), [("Fits", 1, None, "online_scoring"), ("Length", 9, "of forty-two", "online_scoring")])
    scores = until(lambda: client.get_span_content(span.id).feedback_scores)
    check("and a span", shown(scores), [("Fits", 0, None, "online_scoring"), ("Length", 8, "of how much", "online_scoring")])
    client.rest_client.traces.close_trace_thread(project_name=project, thread_id=thread_id)
    scores = until(lambda: client.rest_client.traces.get_trace_thread(project_name=project, thread_id=thread_id).feedback_scores)
    check("and a thread", shown(scores), [("Turns", 1, "{'answer': 'forty-two'}", "online_scoring")])
    tells = lambda: [one.message for one in rules.get_evaluator_logs_by_id(find_one(client, nosy).id, size=10).content if one.level == "ERROR"]
    told = (until(tells) or [""])[0]
    check("a program reads no files", "PermissionError" in told and "in line 6" in told, True)
    check("and scores nothing then", [one.name for one in client.get_trace_content(trace.id).feedback_scores if one.name == "Nosy"], [])
    rules.delete_automation_rule_evaluator_batch(ids=[find_one(client, one).id for one in (name, span_name, thread_name, nosy)])


def asking(client, project, project_id, model):
    rules, evaluating = client.rest_client.automation_rule_evaluators, client.rest_client.manual_evaluation
    name, thread_name, thread_id = unique("rule"), unique("rule"), unique("thread")
    off = dict(action="evaluator", project_ids=[project_id], sampling_rate=0.0, enabled=False)
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_LlmAsJudge(name=name, code=LlmAsJudgeCodeWrite(**code(model, variables={"answer": "output.answer"})), **off)
    )
    rules.create_automation_rule_evaluator(
        request=AutomationRuleEvaluatorWrite_TraceThreadLlmAsJudge(name=thread_name, code=TraceThreadLlmAsJudgeCodeWrite(**code(model)), **off)
    )
    rule, thread_rule = find_one(client, name).id, find_one(client, thread_name).id
    trace = client.trace(name="asked", output={"answer": "forty-three"}, thread_id=thread_id)
    client.flush()
    of = dict(project_id=project_id, rule_ids=[rule], entity_type="trace")
    queued = evaluating.evaluate_traces(entity_ids=[trace.id], **of)
    check("an evaluation is queued", (queued.entities_queued, queued.rules_applied), (1, 1))
    scores = until(lambda: client.get_trace_content(trace.id).feedback_scores)
    check("and stored", [(one.name, one.value, one.source) for one in scores or []], [("Quality", 0.5, "online_scoring")])
    find_thread = lambda: client.rest_client.traces.get_trace_thread(project_name=project, thread_id=thread_id)
    evaluating.evaluate_threads(project_id=project_id, entity_ids=[find_thread().thread_model_id], rule_ids=[thread_rule], entity_type="thread")
    scores = until(lambda: find_thread().feedback_scores)
    check("of a thread too", [(one.name, one.value) for one in scores or []], [("Quality", 0.5)])
    for title, call, status in [
        ("a trace that is not there", lambda: evaluating.evaluate_traces(entity_ids=[str(uuid.uuid4())], **of), 404),
        ("a rule about other things", lambda: evaluating.evaluate_spans(project_id=project_id, entity_ids=[trace.id], rule_ids=[rule], entity_type="span"), 400),
    ]:
        try:
            call()
            check(title, "queued")
        except ApiError as error:
            check(title, error.status_code, status)
    rules.delete_automation_rule_evaluator_batch(ids=[rule, thread_rule])


def main():
    project, provider = unique("py-judging"), unique("own")
    client = Opik(project_name=project, _show_misconfiguration_message=False)
    client.rest_client.projects.create_project(name=project)
    project_id = client.rest_client.projects.retrieve_project(name=project).id
    with answering_model(judge) as address:
        client.rest_client.llm_provider_key.store_llm_provider_api_key(provider="custom-llm", provider_name=provider, api_key="sk-scripted-judge", base_url=address)
        model = "custom-llm/%s/judge" % provider
        section("rules", keeping, client, project_id, model)
        section("scores", judging, client, project, project_id, model)
        section("scores that are asked for", asking, client, project, project_id, model)
    section("scores of programs", measuring, client, project, project_id)
    finish()


if __name__ == "__main__":
    main()
