"""Two runs as a scientist makes them: parameters, a metric that comes point by point, a model. The first goes on until the file that GO_ON names is there."""

import json
import os
import tempfile
import time

import comet_ml

config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging="simple")


def train(name, rate, points=None):
    run = comet_ml.start(project_name="tour", experiment_config=config)
    run.set_name(name)
    run.log_parameters({"rate": rate, "layers": 3})
    print(json.dumps({"name": name, "key": run.get_key(), "url": run.url}), flush=True)
    step = 0
    while step < points if points else not os.path.exists(os.environ["GO_ON"]):
        run.log_metric("loss", max(0.3, 2.0 / (1 + rate * step)) if points is None else 2.0 / (1 + rate * step), step=step)
        step += 1
        time.sleep(0.1)
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "weights.bin"), "wb") as file:
        file.write(b"w" * 1000)
    run.log_model("net", folder)
    run.end()


train("first", 0.1)
train("second", 0.5, 20)
print(json.dumps({"ended": True}), flush=True)
