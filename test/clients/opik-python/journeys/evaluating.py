"""Evaluations as the unmodified client makes them: a scripted task over a dataset, read back; uploaded whole; optimizations and guardrails."""

import datetime

import opik
from opik import Opik
from opik.api_objects.experiment import bulk_item
from opik.evaluation import evaluate
from opik.evaluation.metrics import Equals, base_metric, score_result

from journey import check, finish, project, section, until

PROJECT = project("evaluating")


class Length(base_metric.BaseMetric):
    def score(self, output, **ignored):
        return score_result.ScoreResult(name="length", value=len(output) / 10, reason="counted")


def evaluating(client):
    dataset = client.create_dataset(project("questions"), project_name=PROJECT)
    dataset.insert([{"question": "q%d" % n, "reference": "A" if n % 2 else "B"} for n in range(40)])
    name = project("experiment")
    asked = []

    def answer(item):
        asked.append(item["question"])
        return {"output": "A"}

    result = evaluate(
        dataset=dataset,
        task=answer,
        scoring_metrics=[Equals(name="same", track=False), Length(track=False)],
        experiment_name=name,
        experiment_config={"model": "m-1", "nested": {"z": [None, 0.1]}},
        task_threads=8,
        verbose=0,
    )
    # Not by `result.test_results`: the client returns before its last threads have added theirs.
    check("every item is evaluated once", sorted(asked), sorted("q%d" % n for n in range(40)))
    experiment = client.get_experiment_by_id(result.experiment_id)
    check("the experiment keeps its name", experiment.name, name)
    until("all of its traces are counted", lambda: experiment.get_experiment_data().trace_count, 40)
    scores = lambda: {score.name: round(score.value, 6) for score in experiment.get_experiment_data().feedback_scores or []}
    until("scores are means", scores, {"same": 0.5, "length": 0.1})
    shown = experiment.get_experiment_data()
    check("its configuration comes back", (shown.metadata["model"], shown.metadata["nested"]), ("m-1", {"z": [None, 0.1]}))
    check("it tells its dataset and version", (shown.dataset_name, shown.dataset_version_summary.version_name), (dataset.name, "v1"))
    check("it is finished", shown.status, "completed")
    items = experiment.get_items()
    check("each item comes once", sorted(item.dataset_item_data["question"] for item in items), sorted("q%d" % n for n in range(40)))
    check("items have outputs and scores", {(item.evaluation_task_output["output"], len(item.feedback_scores)) for item in items}, {("A", 2)})
    check("it is found by its name", [one.id for one in client.get_experiments_by_name(name, project_name=PROJECT)], [experiment.id])
    check("its dataset has it", [one.id for one in client.get_dataset_experiments(dataset.name, project_name=PROJECT)], [experiment.id])


def uploading(client):
    dataset = client.create_dataset(project("bulk"), project_name=PROJECT)
    dataset.insert({"n": n} for n in range(3000))
    items = dataset.get_items()
    experiment = client.create_experiment(dataset_name=dataset.name, name=project("bulk"), project_name=PROJECT)
    experiment.batch_upload_items(
        bulk_item.ExperimentItemBulkRecord(
            dataset_item_id=item["id"],
            evaluate_task_result={"answer": item["n"]},
            feedback_scores=[{"name": "exact", "value": 1.0}],
        )
        for item in items
    )
    read = experiment.get_items()
    check("every uploaded item is read once", sorted(item.evaluation_task_output["answer"] for item in read), list(range(3000)))
    shown = experiment.get_experiment_data()
    check("uploaded items are counted", (shown.trace_count, shown.feedback_scores[0].value), (3000, 1.0))


def optimizing(client):
    dataset = client.create_dataset(project("optimized"), project_name=PROJECT)
    found = client.create_optimization(dataset_name=dataset.name, objective_name="accuracy", name="search", project_name=PROJECT)
    client.create_experiment(
        dataset_name=dataset.name, name="trial", type="trial", optimization_id=found.id, project_name=PROJECT
    ).log_experiment_scores([score_result.ScoreResult(name="accuracy", value=0.25)])
    found.update(status="completed")
    shown = client.get_optimization_by_id(found.id).fetch_content()
    check("an optimization is read back", (shown.name, shown.status, shown.dataset_name), ("search", "completed", dataset.name))
    check("its trials are counted", (shown.num_trials, shown.best_objective_score), (1, 0.25))
    client.delete_optimizations([found.id])


client = Opik(project_name=PROJECT)
section("evaluating", evaluating, client)
section("uploading", uploading, client)
section("optimizing", optimizing, client)
client.end()
finish()
