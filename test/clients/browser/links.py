"""Logs something of each kind and prints the links to it that the public clients put together."""

import json
import logging
import os

import comet_ml
import opik
from opik import Opik, track, url_helpers
from opik.evaluation import evaluate
from opik.evaluation.metrics import base_metric, score_result

comet_ml.LOGGER.setLevel("CRITICAL")
links = {}

experiment = comet_ml.start(project_name="seen", workspace=os.environ["COMET_WORKSPACE"])
experiment.log_metric("loss", 0.5, step=1)
experiment.end()
links["experiment"] = experiment.url
found = comet_ml.API().get_experiment_by_key(experiment.get_key())
links["tab"] = found._get_experiment_url(tab="system-metrics")
opened = []
comet_ml.common_experiment.display_or_open_browser = lambda url, *_: opened.append(url)
experiment.display_project()
experiment.display_project(view_id="abc")
links["project"], links["view"] = opened


class Short(base_metric.BaseMetric):
    def score(self, output, **ignored):
        return score_result.ScoreResult(name="short", value=1.0 if len(output) < 9 else 0.0)


@track(name="reply", project_name="spoken")
def reply(question):
    return "yes"


said = []


class Hear(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())


logging.getLogger("opik").addHandler(Hear(level=logging.INFO))
client = Opik(project_name="spoken")
reply("is it?")
opik.flush_tracker()
dataset = client.create_dataset("asked", project_name="spoken")
dataset.insert([{"question": "is it?"}])
result = evaluate(dataset=dataset, task=lambda item: {"output": "yes"}, scoring_metrics=[Short(track=False)], experiment_name="first", project_name="spoken", verbose=0)
base, workspace = client.config.url_override, os.environ["OPIK_WORKSPACE"]
links["evaluation"] = result.experiment_url
links["dataset"] = next(word.rstrip(".") for line in said for word in line.split() if "/datasets/" in word)
links["by name"] = client.get_project_url("spoken")
project = client.get_project(id=client.rest_client.projects.retrieve_project(name="spoken").id)
links["project of traces"] = url_helpers.get_project_url_by_id(base, project.id, workspace)
links["playground"] = url_helpers.get_agent_playground_url_by_project_id(base, project.id, workspace)
links["suite"] = url_helpers.get_test_suite_url_by_id(base, workspace, project.id, dataset.id)
client.end()
print(json.dumps({"name": "links", "key": experiment.get_key(), "url": json.dumps(links)}), flush=True)
