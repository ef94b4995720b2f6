"""Suites of tests that a model judges, and threads that a metric judges, as the unmodified client runs them; read back."""

import json
import os

import opik
from opik import Opik, track
from opik.evaluation import evaluate_threads
from opik.evaluation.metrics.conversation.conversation_thread_metric import ConversationThreadMetric
from opik.evaluation.metrics.score_result import ScoreResult

from journey import check, finish, project, section, until
from scripted_model import answering_model


def judge(request):
    """Says of each assertion whether it holds: those hold that do not speak of money."""
    members = request["response_format"]["json_schema"]["schema"]["properties"]
    told = {name: {"score": "money" not in one["description"], "reason": "as it was asked", "confidence": 1.0} for name, one in members.items()}
    return json.dumps(told)


def suites(client):
    name, title = project("suite"), project("tested")
    suite = client.create_test_suite(name, global_assertions=["is polite"])
    suite.insert([{"data": {"q": 1}}, {"data": {"q": 2}, "assertions": ["speaks of money"]}, {"data": {"q": 3}, "assertions": ["is brief"]}])
    result = opik.run_tests(
        suite, lambda data: {"input": data, "output": "said %s" % data["q"]}, experiment_name=title, verbose=0, model="gpt-4o-mini", generate_report=False
    )
    client.flush()
    check("two of three pass", (result.items_passed, result.items_total), (2, 3))
    experiment = lambda: client.rest_client.experiments.get_experiment_by_id(result.experiment_id)
    until("an experiment tells the same", lambda: (experiment().passed_count, experiment().total_count), (2, 3))
    check("as a rate", round(experiment().pass_rate, 6), 0.666667)
    check("it has its name", experiment().name, title)
    scores = {one.name: round(one.value, 6) for one in experiment().assertion_scores or []}
    check("each assertion has its mean", scores, {"is polite": 1.0, "speaks of money": 0.0, "is brief": 1.0})
    items = {item.dataset_item_data["q"]: item for item in client.get_experiment_by_id(result.experiment_id).get_items()}
    told = {q: sorted((one["value"], one["passed"]) for one in item.assertion_results or []) for q, item in items.items()}
    check("items have what was said of them", told, {1: [("is polite", True)], 2: [("is polite", True), ("speaks of money", False)], 3: [("is brief", True), ("is polite", True)]})
    check("the suite has its experiment", [one.id for one in client.get_test_suite_experiments(name)], [result.experiment_id])


class Turns(ConversationThreadMetric):
    """How many turns a conversation has, and what it ends with."""

    def __init__(self):
        super().__init__(name="turns", track=False)

    def score(self, conversation, **ignored):
        return ScoreResult(name=self.name, value=float(len(conversation)), reason=conversation[-1]["content"])


def threads(client):
    name = project("talks")

    @track(project_name=name)
    def talk(said):
        return "heard %s" % said

    for thread, turns in (("a", 1), ("b", 3)):
        for n in range(turns):
            talk("%s%d" % (thread, n), opik_args={"trace": {"thread_id": thread}})
    opik.flush_tracker()
    for thread in ("a", "b"):
        client.get_threads_client().close_thread(thread, name)
    result = evaluate_threads(
        project_name=name, filter_string='status = "inactive"', eval_project_name=None, metrics=[Turns()], verbose=0,
        trace_input_transform=lambda data: data["said"], trace_output_transform=lambda data: data["output"],
    )
    check("every thread is judged", sorted(one.thread_id for one in result.results), ["a", "b"])
    shown = lambda: {one.id: [(score.name, score.value, score.reason) for score in one.feedback_scores or []] for one in client.search_threads(project_name=name)}
    until("and tells its scores", shown, {"a": [("turns", 2.0, "heard a0")], "b": [("turns", 6.0, "heard b2")]})


client = Opik(project_name=project("testing"))
with answering_model(judge) as address:
    os.environ.update(OPENAI_API_KEY="none", OPENAI_BASE_URL=address, OPENAI_API_BASE=address)
    section("suites", suites, client)
section("threads", threads, client)
client.end()
finish()
