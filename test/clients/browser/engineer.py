"""What an engineer of language models runs: traced answers of which some fail, a prompt; and, once the file that GO_ON names is there, two experiments over the dataset that was made of the failures."""

import json
import os
import time

import opik
from opik import Opik, track
from opik.evaluation import evaluate
from opik.evaluation.metrics import base_metric, score_result

PROJECT = "support"


class Polite(base_metric.BaseMetric):
    def score(self, output, **ignored):
        return score_result.ScoreResult(name="polite", value=1.0 if "please" in output else 0.0)


@track(name="look up", type="tool", project_name=PROJECT)
def look_up(question):
    time.sleep(0.6 if question.endswith("refund?") else 0.01)
    return "page 7"


@track(name="write", project_name=PROJECT)
def write(question, page):
    if question.startswith("cancel"):
        raise RuntimeError("no rule for " + question)
    return "see " + page


@track(name="answer", project_name=PROJECT)
def answer(question):
    return write(question, look_up(question))


client = Opik(project_name=PROJECT)
for question in ["open an account?", "where is my refund?", "cancel order 1", "cancel order 2", "change address?"]:
    try:
        answer(question)
    except RuntimeError:
        pass
opik.Prompt(name="helper", prompt="Answer {{question}}.")
opik.flush_tracker()
print(json.dumps({"name": "traced", "key": "", "url": ""}), flush=True)

while not os.path.exists(os.environ["GO_ON"]):
    time.sleep(0.1)
dataset = client.get_dataset("failures")
for name, words in (("curt", "no"), ("polite", "please wait")):
    evaluate(dataset=dataset, task=lambda item: {"output": words}, scoring_metrics=[Polite(track=False)], experiment_name=name, project_name=PROJECT, verbose=0)
client.end()
print(json.dumps({"name": "evaluated", "key": "", "url": ""}), flush=True)
