"""Logs a point, a parameter and a line now and then for some seconds, as a training script does, and ends. Prints what it logged."""

import json
import sys
import time

import comet_ml

seconds = float(sys.argv[1])
config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging="simple")
run = comet_ml.start(project_name="steady", experiment_config=config)
count = 0
until = time.monotonic() + seconds
while time.monotonic() < until:
    run.log_metric("steady", count, step=count)
    if count % 20 == 0:
        run.log_parameter("turn_%d" % count, count)
        print("line %d" % count)
    if count % 100 == 50:
        run.log_asset_data("asset %d" % count, name="asset-%d.txt" % count)
    count += 1
    time.sleep(0.05)
key = run.get_key()
run.end()
print(json.dumps({"key": key, "count": count}))
