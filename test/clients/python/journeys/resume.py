"""A run that ended is gone on with, in every way the client knows."""

from journey import WORKSPACE, check, finish, project, refuses, section

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API

PROJECT = project("resume")
CONFIG = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)


def start(**arguments):
    return comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=CONFIG, **arguments)


def reader(key):
    return APIExperiment(previous_experiment=key, api=API(cache=False))


def steps(key):
    return sorted(point["step"] for point in reader(key).get_metrics("loss"))


def get(key):
    run = start(mode="get", experiment_key=key)
    check("mode get goes on with the same run", run.get_key(), key)
    run.log_metric("loss", 2, step=2)
    run.end()
    check("a resumed run keeps its points and gets new ones", steps(key), [1, 2])


def existing(key):
    run = comet_ml.ExistingExperiment(previous_experiment=key, log_env_details=False, log_code=False, auto_output_logging=False)
    check("a resumed run goes on with the same key", run.get_key(), key)
    check("a resumed run knows its values", (run.get_parameter("rate"), run.get_metric("loss")), (0.5, 2.0))
    run.log_metric("loss", 3, step=3)
    run.log_parameter("rate", 0.25)
    run.end()
    check("points of three sittings are together", steps(key), [1, 2, 3])
    check("a parameter's later value wins", reader(key).get_parameters_summary("rate")["valueCurrent"], "0.25")


def get_or_create(key):
    run = start(mode="get_or_create", experiment_key=key)
    check("mode get_or_create opens a known key", run.get_key(), key)
    run.log_metric("loss", 4, step=4)
    run.end()
    check("a known key is gone on with", steps(key), [1, 2, 3, 4])
    fresh = "f" * 8 + key[8:]
    run = start(mode="get_or_create", experiment_key=fresh)
    check("mode get_or_create makes an unknown key", run.get_key(), fresh)
    run.log_metric("loss", 1, step=1)
    run.end()
    check("the made run has its point", steps(fresh), [1])


def create(key):
    fresh = "e" * 8 + key[8:]
    run = start(mode="create", experiment_key=fresh)
    check("mode create uses the key given", run.get_key(), fresh)
    run.end()
    check("the run exists", reader(fresh).id, fresh)
    refuses("mode create refuses a key in use", lambda: start(mode="create", experiment_key=key))
    refuses("mode get refuses an unknown key", lambda: start(mode="get", experiment_key="0" * 32))


def crash(key):
    reader(key).set_state("crashed")
    check("a run can be crashed", reader(key).get_state(), "crashed")
    run = start(mode="get", experiment_key=key)
    run.flush()
    check("a resumed run is not crashed", reader(key).get_metadata()["hasCrashed"], False)
    run.end()
    check("it ends as finished", reader(key).get_state(), "finished")


def output(key):
    config = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging="simple")
    name = "d" * 8 + key[8:]
    for words in ("first sitting", "second sitting"):
        run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_key=name, mode="get_or_create", experiment_config=config)
        print(words)
        run.end()
    text = reader(name).get_output()
    check("output of two sittings follows itself", "first sitting" in text and "second sitting" in text and text.index("first sitting") < text.index("second sitting"))


def main():
    run = start()
    key = run.get_key()
    run.log_metric("loss", 1, step=1)
    run.log_parameter("rate", 0.5)
    run.end()
    for part in (get, existing, get_or_create, create, crash, output):
        section(part.__name__, part, key)
    finish()


main()
