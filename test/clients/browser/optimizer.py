"""A search for a better prompt as the Python client stores one: a dataset, an optimization, and trials of which each tried a prompt."""

import json

from opik import Opik
from opik.evaluation.metrics import score_result

client = Opik(project_name="vision")
dataset = client.create_dataset("riddles", project_name="vision")
dataset.insert([{"question": "q%d" % n} for n in range(3)])
found = client.create_optimization(dataset_name="riddles", objective_name="accuracy", name="<img src=x onerror=\"document.title=1\">", project_name="vision")
for at, (words, score) in enumerate([("Answer.", 0.5), ("Answer briefly.", 0.75), ("Guess.", 0.25)]):
    client.create_experiment(
        dataset_name="riddles",
        name="trial-%d" % at,
        type="trial",
        optimization_id=found.id,
        project_name="vision",
        experiment_config={"prompt": words},
    ).log_experiment_scores([score_result.ScoreResult(name="accuracy", value=score)])
found.update(status="completed")
client.end()
print(json.dumps({"name": "searched", "key": found.id, "url": ""}), flush=True)
