"""A live run is called from outside, and told to stop."""

import time

import requests

from journey import BASE, KEY, WORKSPACE, check, finish, found, project, section, until

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API

PROJECT = project("remote")
QUIET = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
CALLED = []


def set_rate(experiment, rate):
    """Sets the learning rate."""
    CALLED.append(rate)
    return "rate is %s" % rate


def fail(experiment):
    """Always fails."""
    raise ValueError("it failed")


def post(path, body):
    reply = requests.post(BASE + path, json=body, headers={"Authorization": KEY}, timeout=30)
    return reply.status_code, reply.json()


def read(key):
    return requests.get(BASE + "api/rest/v2/experiment/rpc", params={"experimentKey": key}, headers={"Authorization": KEY}, timeout=30).json()


def log_until(run, done, seconds=60):
    """Logs on as a training script does: calls are answered while it logs."""
    step, deadline = 0, time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        run.log_metric("loss", step, step=step)
        step += 1
        time.sleep(0.1)


def call(run):
    key = run.get_key()
    run.register_callback(set_rate)
    run.register_callback(fail)
    until("registered functions are listed", lambda: sorted(row["functionName"] for row in read(key)["functions"]), ["fail", "set_rate"])
    functions = {row["functionName"]: row for row in read(key)["functions"]}
    check("a function tells its arguments", (functions["set_rate"]["argumentNames"], functions["set_rate"]["functionDocumentation"]), (["rate"], "Sets the learning rate."))
    check("a function that is not registered cannot be called", post("api/rest/v2/write/experiment/rpc", {"experimentKey": key, "functionName": "unknown"})[0], 400)
    status, made = post("api/rest/v2/write/experiment/rpc", {"experimentKey": key, "functionName": "set_rate", "arguments": [{"name": "rate", "value": "0.5"}]})
    check("a call is accepted", status, 200)
    post("api/rest/v2/write/experiment/rpc", {"experimentKey": key, "functionName": "fail"})

    def results():
        return {row["functionName"]: row for row in read(key)["calls"] if row.get("endTimeMs")}

    log_until(run, lambda: len(results()) == 2)
    check("a call arrives once, with its arguments", CALLED, ["0.5"])
    check("the result comes back", results().get("set_rate", {}).get("result"), "rate is 0.5")
    check("the call has its id", results().get("set_rate", {}).get("callId"), made.get("callId"))
    check("an error comes back", results().get("fail", {}).get("errorMessage"), "it failed")


def stop(run):
    reader = APIExperiment(previous_experiment=run.get_key(), api=API(cache=False))
    reader._api.stop_experiment(run.get_key())
    stopped = False
    try:
        log_until(run, lambda: False, seconds=45)
    except (KeyboardInterrupt, Exception) as error:
        stopped = type(error).__name__
    found(stopped_by=stopped)
    check("a stopped run's script is interrupted", bool(stopped))
    run.end()
    others = {row["name"]: row["valueCurrent"] for row in reader.get_others_summary()}
    check("a stopped run says so", str(others.get("experiment_stopped_by_user")).lower(), "true")
    until("a stopped run is finished", lambda: reader.get_state(), "finished")


def main():
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=QUIET)
    section("call", call, run)
    section("stop", stop, run)
    finish()


main()
