"""A run that logs faster than it may is told to wait, and loses nothing."""

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API
from journey import WORKSPACE, check, finish, project, section

PROJECT = project("throttled")
COUNT = 2500


def throttled():
    config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=config)
    for step in range(COUNT):
        run.log_metric("loss", step, step=step)
    run.end()
    read = APIExperiment(previous_experiment=run.get_key(), api=API(cache=False))
    check("every point is there once", sorted(point["step"] for point in read.get_metrics("loss")), list(range(COUNT)))


section("throttled", throttled)
finish()
