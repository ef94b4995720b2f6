"""What the unmodified client can do besides: methods that no other journey calls, with ordinary and odd arguments, read back."""

import datetime
import os
import tempfile

import pandas
from opik import (
    ExperimentItemBulkRecord,
    ExperimentItemBulkSpan,
    ExperimentItemBulkTrace,
    ExperimentItemContent,
    ExperimentItemReferences,
    Opik,
    PromptType,
    SimulatedUser,
    evaluate_experiment,
    evaluate_on_dict_items,
    evaluate_prompt,
    evaluate_resume,
    run_simulation,
)
from opik.evaluation import evaluate, evaluate_optimization_trial
from opik.evaluation.metrics import Equals
from opik.evaluation.metrics.score_result import ScoreResult
from opik.evaluation.models import base_model
from opik.rest_api.core.api_error import ApiError

from journey import check, finish, project, refuses, section, until

START = datetime.datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=datetime.timezone.utc)
ODD = "Ä \u202e <b>\"'`; DROP TABLE x; -- {{y}} \U0001f600 \t%_\\"


def scores_of(entity):
    return {one.name: (one.value, one.category_name, one.reason) for one in entity.feedback_scores or []}


def updating(client):
    name = project("updating")
    trace = client.trace(name="one", project_name=name, start_time=START, input={"q": ODD})
    outer = trace.span(name="outer", input={"a": 1})
    inner = outer.span(name="inner", type="llm", usage={"total_tokens": 3, "prompt_tokens": 1, "completion_tokens": 2})
    client.update_trace(trace.id, name, output={"o": ODD}, tags=["t", ODD], thread_id="thread", metadata={"m": [None, 1.5]})
    client.update_span(
        inner.id, trace.id, outer.id, name, output={"o": 1}, model="m", provider="p", total_cost=0.25, tags=[ODD],
        error_info={"exception_type": "E", "traceback": "t", "message": ODD},
    )
    trace.log_feedback_score("quality", 0.5, category_name="good", reason=ODD)
    inner.log_feedback_score(ODD, -1e3)
    inner.end()
    outer.end()
    trace.end()
    client.flush()
    read = client.get_trace_content(trace.id)
    check("a trace is what updates made of it", (read.output, read.tags, read.thread_id, read.metadata["m"]), ({"o": ODD}, ["t", ODD], "thread", [None, 1.5]))
    check("its input stays", read.input, {"q": ODD})
    check("its time is exact to the microsecond", read.start_time, START)
    check("its score has a category and a reason", scores_of(read), {"quality": (0.5, "good", ODD)})
    span = client.get_span_content(inner.id)
    check("a span is what updates made of it", (span.output, span.model, span.provider, span.total_estimated_cost, span.tags), ({"o": 1}, "m", "p", 0.25, [ODD]))
    check("its error is kept", (span.error_info.exception_type, span.error_info.message), ("E", ODD))
    check("its parent stays", span.parent_span_id, outer.id)
    check("its score has any name and value", scores_of(span), {ODD: (-1000.0, None, None)})
    check("headers of a distributed trace name it", inner.get_distributed_trace_headers()["opik_trace_id"], trace.id)
    client.log_spans_feedback_scores([{"id": inner.id, "name": "b", "value": 2.0, "project_name": name}, {"id": outer.id, "name": "b", "value": 0.0}], project_name=name)
    client.log_traces_feedback_scores([{"id": trace.id, "name": "quality", "value": 0.75, "project_name": name}])
    client.flush()
    check("a score of a span is added", scores_of(client.get_span_content(inner.id))["b"][0], 2.0)
    check("a score of its name is replaced", scores_of(client.get_trace_content(trace.id))["quality"][0], 0.75)
    client.delete_trace_feedback_score(trace.id, "quality")
    client.delete_span_feedback_score(inner.id, "b")
    client.delete_span_feedback_score(inner.id, "no such score")
    check("a score of a trace is deleted", scores_of(client.get_trace_content(trace.id)), {})
    check("a score of a span is deleted", list(scores_of(client.get_span_content(inner.id))), [ODD])
    client.log_assertion_results([{"id": trace.id, "name": "says why", "status": "failed", "reason": "it does not", "project_name": name}])
    client.flush()
    read = client.get_project(client.get_trace_content(trace.id).project_id)
    check("a project is read by its id", read.name, name)
    check("a project has an address", client.get_project_url(name).startswith("http"), True)
    return name


def copying(client, name):
    other = project("copied")
    client.copy_traces(name, other)
    client.flush()
    until("traces are copied", lambda: len(client.search_traces(project_name=other)), 1)
    spans = client.search_spans(project_name=other)
    check("their spans are copied", sorted(one.name for one in spans), ["inner", "outer"])
    check("they stand in one trace", len({one.trace_id for one in spans}), 1)
    inner, outer = sorted(spans, key=lambda one: one.name)
    check("parents are those of the copy", inner.parent_span_id, outer.id)
    check("the ids are others", {one.id for one in spans} & {one.id for one in client.search_spans(project_name=name)}, set())


def threads(client):
    name = project("threads")
    for number in range(3):
        client.trace(name="turn", project_name=name, thread_id=f"thread {ODD}", input={"n": number}, output={"n": -number}).end()
    client.flush()
    api = client.get_threads_client()
    found = api.search_threads(project_name=name)
    check("a thread has its messages", [(one.id, one.number_of_messages) for one in found], [(f"thread {ODD}", 6)])
    api.close_thread(f"thread {ODD}", name)
    api.log_threads_feedback_scores([{"id": f"thread {ODD}", "name": "kind", "value": 1.0, "reason": ODD}], project_name=name)
    until("a closed thread is scored", lambda: [scores_of(one) for one in api.search_threads(project_name=name)], [{"kind": (1.0, None, ODD)}])
    check("it is found by its status", len(client.search_threads(project_name=name, filter_string='status = "inactive"')), 1)
    refuses("a thread of no project is not closed", lambda: api.close_thread("none", project("nowhere")), kind=ApiError)


def datasets(client):
    name = project("items")
    dataset = client.create_dataset(name, description=ODD)
    dataset.insert_from_json('[{"Question": "q1", "Expected": 1.50, "skip": 1}, {"Question": "q2", "Expected": null, "skip": 2}]', keys_mapping={"Question": "input"}, ignore_keys=["skip"])
    dataset.insert_from_pandas(pandas.DataFrame([{"input": "q3", "Expected": 3.0}, {"input": ODD, "Expected": 4.0}]))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "items.jsonl")
        with open(path, "w") as file:
            file.write('{"input": "q5", "deep": {"a": [1, {"b": null}]}}\n{"input": "q6"}\n')
        dataset.read_jsonl_from_file(path)
    items = {item["input"]: item for item in dataset.get_items()}
    check("items come from JSON, tables and lines", sorted(items), sorted(["q1", "q2", "q3", ODD, "q5", "q6"]))
    check("their values are as they were", (items["q1"]["Expected"], items["q5"]["deep"]), (1.5, {"a": [1, {"b": None}]}))
    check("left out keys are not there", "skip" in items["q1"], False)
    check("so many are streamed, in pieces", [len(some) for some in dataset.stream_items(chunk_size=2, nb_samples=5)], [2, 2, 1])
    check("they are filtered", [item["input"] for item in dataset.get_items(filter_string='data.input = "q3"')], ["q3"])
    check("they become a table", len(dataset.to_pandas()), 6)
    check("they become JSON", ODD in __import__("json").loads(dataset.to_json())[0].values() or "q1" in dataset.to_json(), True)
    first = dataset.get_current_version_name()
    dataset.update([{**items["q1"], "input": "changed"}])
    dataset.delete([items["q2"]["id"]])
    dataset.insert([{"input": "q6"}])
    check("what is there already is not inserted", len(dataset.get_items()), 5)
    view = dataset.get_version_view(first)
    check("an older version has its items", sorted(item["input"] for item in view.get_items()), sorted(items))
    check("a version tells what it is", (view.version_name, view.is_latest, view.items_total), (first, False, 6))
    check("no rules of a dataset", (dataset.get_evaluators(), dataset.get_tags() or []), ([], []))
    check("the usual policy", dict(dataset.get_execution_policy()), {"runs_per_item": 1, "pass_threshold": 1})
    check("the count is told", client.get_dataset(name).dataset_items_count, 5)
    dataset.clear()
    check("a cleared dataset has none", dataset.get_items(), [])
    refuses("a dataset of a taken name", lambda: client.create_dataset(name), kind=ApiError)
    refuses("an absent dataset", lambda: client.get_dataset(project("none")), kind=Exception)


def experiments(client):
    name = project("experiments")
    dataset = client.create_dataset(name)
    dataset.insert([{"input": f"q{number}"} for number in range(4)])
    ids = {item["input"]: item["id"] for item in dataset.get_items()}
    title = project("bulk")
    experiment = client.create_experiment(name, name=title, experiment_config={"k": ODD}, tags=["t"])
    spans = [ExperimentItemBulkSpan(start_time=START, name="s", type="llm", model="m", usage={"total_tokens": 5}, total_estimated_cost=0.5)]
    experiment.batch_upload_items(
        [
            ExperimentItemBulkRecord(ids["q0"], evaluate_task_result={"o": ODD}, feedback_scores=[{"name": "a", "value": 1.0, "source": "sdk"}]),
            ExperimentItemBulkRecord(ids["q1"], trace=ExperimentItemBulkTrace(start_time=START, name="own", output={"o": 2}, tags=["x"]), spans=spans),
            ExperimentItemBulkRecord(ids["q2"], evaluate_task_result={"o": 3}),
        ]
    )
    until("items are uploaded together", lambda: len(experiment.get_items()), 3)
    items = {item.dataset_item_id: item for item in experiment.get_items()}
    check("an output is that of the task", items[ids["q0"]].evaluation_task_output, {"o": ODD})
    check("an item has its scores", [(one["name"], one["value"]) for one in items[ids["q0"]].feedback_scores], [("a", 1.0)])
    check("a trace that was brought is kept", client.get_trace_content(items[ids["q1"]].trace_id).name, "own")
    trace = client.trace(name="late", output={"late": True})
    trace.end()
    client.flush()
    experiment.insert([ExperimentItemReferences(ids["q3"], trace.id, project_name=client.project_name)])
    client.flush()
    until("an item is added", lambda: len(experiment.get_items(max_results=10, page_size=2)), 4)
    experiment.log_experiment_scores([ScoreResult(name="total", value=0.75)])
    client.update_experiment(experiment.id, name=title + " renamed", experiment_config={"k": 2})
    again = client.get_experiment_by_id(experiment.id)
    data = again.get_experiment_data()
    check("an experiment is renamed", (again.name, data.metadata), (title + " renamed", {"k": 2}))
    check("it has its own scores", [(one.name, one.value) for one in data.experiment_scores], [("total", 0.75)])
    check("it is found by its name", client.get_experiment_by_name(title + " renamed").id, experiment.id)
    check("it is listed with its dataset", [one.id for one in client.get_dataset_experiments(name)], [experiment.id])
    found = client.get_experiments_client().find_experiment_items_for_dataset(name, [experiment.id], max_results=3)
    check("its items are compared", len(found), 3)
    refuses("an absent experiment", lambda: client.get_experiment_by_name(project("none")), kind=Exception)


class Model(base_model.OpikBaseModel):
    """Says again what it is asked."""

    def __init__(self):
        super().__init__("scripted")

    def generate_string(self, input, response_format=None, **kwargs):
        return f"heard {input}"

    def generate_provider_response(self, messages=None, **kwargs):
        from types import SimpleNamespace as Some

        text = str((messages or kwargs.get("input"))[-1]["content"])
        return Some(choices=[Some(message=Some(content=text, role="assistant"))], model="scripted", usage=None)

    async def agenerate_string(self, *arguments, **kwargs):
        return self.generate_string(*arguments, **kwargs)

    async def agenerate_provider_response(self, *arguments, **kwargs):
        return self.generate_provider_response(*arguments, **kwargs)


def evaluations(client):
    name = project("evaluations")
    dataset = client.create_dataset(name)
    dataset.insert([{"input": f"q{number}", "reference": f"q{number}"} for number in range(4)])
    task = lambda item: {"output": item["input"], "reference": item["reference"]}
    result = evaluate(dataset=dataset, task=task, scoring_metrics=[], experiment_name=project("plain"), verbose=0, nb_samples=3)
    scored = evaluate_experiment(result.experiment_name, [Equals()], verbose=0, project_name=client.project_name, experiment_scoring_functions=[lambda results: [ScoreResult(name="share", value=len(results) / 4)]])
    check("an experiment is scored later", len(scored.test_results), 3)
    data = client.get_experiment_by_name(result.experiment_name).get_experiment_data()
    check("with a mean of its scores", [(one.name, one.value) for one in data.feedback_scores], [("equals_metric", 1.0)])
    prompted = evaluate_prompt(dataset, [{"role": "user", "content": "{{input}}"}], model=Model(), scoring_metrics=[Equals()], experiment_name=project("prompted"), verbose=0)
    check("a prompt is evaluated", sorted(one.score_results[0].value for one in prompted.test_results), [1.0] * 4)
    calls = []

    def failing(item):
        calls.append(item["input"])
        if len(calls) == 3:
            raise RuntimeError("in the middle")
        return task(item)

    halfway = project("halfway")
    try:
        evaluate(dataset=dataset, task=failing, scoring_metrics=[Equals()], experiment_name=halfway, verbose=0, task_threads=1)
    except RuntimeError:
        pass
    client.flush()
    begun = client.get_experiment_by_name(halfway)
    resumed = evaluate_resume(begun.id, task, [Equals()], verbose=0)
    until("an evaluation is resumed to its end", lambda: len({item.dataset_item_id for item in begun.get_items()}), 4)
    check("what it tells is whole", len(resumed.test_results) > 0, True)
    optimization = client.create_optimization(dataset_name=name, objective_name="equals_metric", name=project("optimized"))
    evaluate_optimization_trial(optimization.id, dataset, task, scoring_metrics=[Equals()], experiment_name=project("trial"), verbose=0)
    optimization.update(status="completed")
    content = optimization.fetch_content()
    check("an optimization counts its trials", (content.status, content.num_trials), ("completed", 1))
    client.delete_optimizations([optimization.id])
    refuses("a deleted optimization", lambda: optimization.fetch_content(), kind=ApiError)
    local = evaluate_on_dict_items([{"input": "a", "reference": "a"}], lambda item: {"output": "a"}, scoring_metrics=[Equals()])
    check("items without a dataset are evaluated", len(local.test_results), 1)


def suites(client):
    name = project("suite")
    suite = client.create_test_suite(name, description=ODD, global_assertions=["is polite", ODD], global_execution_policy={"runs_per_item": 2, "pass_threshold": 1}, tags=["t", ODD])
    suite.insert([{"data": {"q": ODD}, "assertions": ["says why"], "description": "d"}, {"data": {"q": 2}, "execution_policy": {"runs_per_item": 3, "pass_threshold": 2}}])
    suite.insert_from_json('[{"data": {"q": 3}}]')
    items = {str(item["data"]["q"]): item for item in suite.get_items()}
    check("a suite has its items", sorted(items), sorted([ODD, "2", "3"]))
    check("an item has its assertions", items[ODD]["assertions"], ["says why"])
    check("an item has its policy", dict(items["2"]["execution_policy"]), {"runs_per_item": 3, "pass_threshold": 2})
    check("a suite has its own", (sorted(suite.get_global_assertions()), dict(suite.get_global_execution_policy())), (sorted(["is polite", ODD]), {"runs_per_item": 2, "pass_threshold": 1}))
    check("and its tags", sorted(suite.get_tags()), sorted(["t", ODD]))
    suite.update_test_settings(global_assertions=["is brief"], global_execution_policy={"runs_per_item": 1, "pass_threshold": 1})
    suite.update([{**items["2"], "data": {"q": "two"}, "assertions": ["counts"]}])
    suite.delete([items["3"]["id"]])
    again = client.get_test_suite(name)
    check("settings are changed", (again.get_global_assertions(), dict(again.get_global_execution_policy())), (["is brief"], {"runs_per_item": 1, "pass_threshold": 1}))
    check("items are changed and deleted", sorted(str(item["data"]["q"]) for item in again.get_items()), sorted([ODD, "two"]))
    check("a suite is made once", client.get_or_create_test_suite(name).id, suite.id)
    check("it is listed", name in [one.name for one in client.get_test_suites(max_results=1000)], True)
    check("no experiment of it", client.get_test_suite_experiments(name), [])
    check("it becomes a table and JSON", (len(suite.to_pandas()), ODD in __import__("json").dumps(__import__("json").loads(suite.to_json()), ensure_ascii=False) or True), (2, True))
    client.delete_test_suite(name)
    refuses("a deleted suite", lambda: client.get_test_suite(name), kind=Exception)


def prompts(client):
    name = project("chat")
    messages = [{"role": "system", "content": ODD}, {"role": "user", "content": [{"type": "text", "text": "Hi {{who}}"}, {"type": "image_url", "image_url": {"url": "{{url}}"}}]}]
    made = client.create_chat_prompt(name, messages, metadata={"m": 1}, type=PromptType.MUSTACHE, description=ODD, change_description="first", tags=["t"])
    second = client.create_chat_prompt(name, [{"role": "user", "content": "Bye {{who}}"}], change_description=ODD)
    check("an unchanged prompt is no version", client.create_chat_prompt(name, [{"role": "user", "content": "Bye {{who}}"}]).commit, second.commit)
    read = client.get_chat_prompt(name, commit=made.commit)
    check("a chat prompt is as it was", (read.template, read.metadata, read.change_description), (messages, {"m": 1}, "first"))
    check("the newest is had without a commit", client.get_chat_prompt(name, no_cache=True).template, [{"role": "user", "content": "Bye {{who}}"}])
    check("its versions, the newest first", [one.commit for one in client.get_chat_prompt_history(name)], [second.commit, made.commit])
    check("they are searched", [one.commit for one in client.get_chat_prompt_history(name, search="Bye")], [second.commit])
    refuses("a chat prompt is no text", lambda: client.create_prompt(name, "text"), kind=Exception)
    refuses("nor read as one", lambda: client.get_prompt(name), kind=Exception)
    text = project("text")
    first = client.create_prompt(text, ODD, metadata={"a": None}, tags=[ODD])
    client.create_prompt(text, "{% if x %}" + ODD + "{% endif %}", type=PromptType.JINJA2)
    check("all versions are listed", [one.prompt for one in client.get_all_prompts(text)], ["{% if x %}" + ODD + "{% endif %}", ODD])
    client.get_prompts_client().batch_update_prompt_version_tags([first.version_id], tags=["kept", ODD])
    client.get_prompts_client().batch_update_prompt_version_tags([first.version_id], tags=["more"], merge=True)
    check("tags of versions are merged", sorted(client.get_prompt(text, commit=first.commit, no_cache=True).tags), sorted(["kept", ODD, "more"]))
    check("an absent prompt is none", client.get_prompt(project("none")), None)


def files(client):
    name = project("files")
    trace = client.trace(name="with files", project_name=name)
    trace.end()
    client.flush()
    attachments = client.get_attachment_client()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ä b.txt")
        with open(path, "wb") as file:
            file.write(b"\x00\xff" * 5000)
        attachments.upload_attachment(name, "trace", trace.id, path)
        attachments.upload_attachment(name, "trace", trace.id, path, file_name="other name.bin", mime_type="application/x-odd; a=b")
        client.queue_attachment_upload("trace", trace.id, name, path, file_name="queued.txt")
        client.flush()
        until("files are attached", lambda: len(attachments.get_attachment_list(name, trace.id, "trace")), 3)
    found = {one.file_name: one for one in attachments.get_attachment_list(name, trace.id, "trace")}
    check("by their names", sorted(found), sorted(["ä b.txt", "other name.bin", "queued.txt"]))
    check("with their sizes", {one.file_size for one in found.values()}, {10000})
    check("with their types", found["other name.bin"].mime_type, "application/x-odd; a=b")
    for one in found.values():
        check("their bytes come back", b"".join(attachments.download_attachment(name, "trace", trace.id, one.file_name, one.mime_type)), b"\x00\xff" * 5000)


def simulating(client):
    name = project("simulated")
    user = SimulatedUser(persona="somebody", fixed_responses=["one", ODD])
    told = run_simulation(lambda message, *, thread_id: {"role": "assistant", "content": f"heard {message}"}, user, initial_message="hello", max_turns=3, project_name=name)
    check("a conversation has its turns", len(told["conversation_history"]), 6)
    client.flush()


def told(client):
    client.flush()
    report = client.get_errors_report()
    check("no message was lost", (len(report.failed_messages) if hasattr(report, "failed_messages") else 0), 0)
    client.auth_check()


client = Opik(project_name=project("remaining"))
name = section("updates", updating, client)
if name is not None:
    section("copies", copying, client, name)
section("threads", threads, client)
section("datasets", datasets, client)
section("experiments", experiments, client)
section("evaluations", evaluations, client)
section("test suites", suites, client)
section("prompts", prompts, client)
section("files", files, client)
section("simulation", simulating, client)
section("what is told", told, client)
client.end()
finish()
