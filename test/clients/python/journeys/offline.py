"""A run is recorded without a server and uploaded later, by the command that people use."""

import glob
import os
import subprocess
import sys
import tempfile
import time
import uuid

from journey import WORKSPACE, by_name, check, finish, found, project, section, until

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API

PROJECT = project("offline")
FOLDER = tempfile.mkdtemp(prefix="journey-")
POINTS = 300


def record(folder, **arguments):
    config = comet_ml.ExperimentConfig(offline_directory=folder, log_git_metadata=False, parse_args=False, auto_output_logging="simple", tags=["recorded"], name="recorded run")
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, online=False, experiment_config=config, **arguments)
    for step in range(POINTS):
        run.log_metric("loss", step / 4, step=step, epoch=step // 100)
    run.log_metric("nan", float("nan"), step=0)
    with run.train():
        run.log_metric("loss", 0.5, step=1)
    run.log_parameters({"rate": 0.1, "deep": {"a": "b"}})
    run.log_other("note", "from afar")
    run.log_html("<p>offline</p>")
    run.set_model_graph("offline graph")
    print("printed offline")
    path = os.path.join(FOLDER, "asset.txt")
    with open(path, "w") as file:
        file.write("offline bytes")
    run.log_asset(path, file_name="asset.txt", step=7, metadata={"k": 1})
    run.log_asset_data({"k": 1}, name="data.json")
    run.log_text("offline text")
    run.log_curve("roc", x=[0, 1], y=[0, 1])
    run.log_remote_asset("s3://bucket/x", remote_file_name="x")
    run.log_model("net", path)
    run.add_tag("later")
    run.end()
    return run.get_key()


def archives(folder):
    return sorted(glob.glob(os.path.join(folder, "*.zip")))


def upload(paths, *flags):
    """The status and the output of `comet upload`."""
    environment = {**os.environ, "COMET_LOGGING_CONSOLE": "info"}
    done = subprocess.run([sys.executable, "-m", "comet_ml.scripts.comet", "upload", *flags, *paths], env=environment, capture_output=True, text=True, timeout=180)
    return done.returncode, done.stdout + done.stderr


def reader(key):
    return APIExperiment(previous_experiment=key, api=API(cache=False))


def whole(key, before, after):
    run = reader(key)
    metadata = run.get_metadata()
    check("the start is the original one", before <= metadata["startTimeMillis"] <= after)
    check("the end is the original one", before <= metadata["endTimeMillis"] <= after)
    check("the duration is the original one", metadata["durationMillis"], metadata["endTimeMillis"] - metadata["startTimeMillis"])
    until("an uploaded run is finished", lambda: reader(key).get_state(), "finished")
    points = run.get_metrics("loss")
    check("every point is kept", sorted((point["step"], float(point["metricValue"])) for point in points), [(step, step / 4) for step in range(POINTS)])
    check("points have their original times", all(before <= point["timestamp"] <= after for point in points))
    check("a context is a prefix", float(run.get_metrics("train_loss")[0]["metricValue"]), 0.5)
    values = {row["name"]: row["valueCurrent"] for row in run.get_parameters_summary()}
    check("parameters are kept", (values.get("rate"), values.get("deep|a")), ("0.1", "b"))
    others = {row["name"]: row["valueCurrent"] for row in run.get_others_summary()}
    check("others are kept", (others.get("note"), others.get("Name")), ("from afar", "recorded run"))
    check("an offline run is marked", str(others.get("offline_experiment")).lower(), "true")
    check("tags are kept", sorted(run.get_tags()), ["later", "recorded"])
    check("HTML is kept", run.get_html(), "<p>offline</p>")
    check("the graph is kept", run.get_model_graph(), "offline graph")
    check("output is kept", "printed offline" in run.get_output())
    assets = by_name(run.get_asset_list(), "fileName")
    check("an asset is kept", run.get_asset(assets["asset.txt"]["assetId"]) if "asset.txt" in assets else sorted(assets), b"offline bytes")
    check("a remote asset is kept", assets["x"]["link"] if "x" in assets else sorted(assets), "s3://bucket/x")
    check("a curve is kept", [curve["name"] for curve in run.get_curves()], ["roc"])
    check("a model is kept", run.get_model_names(), ["net"])


def again(folder, key):
    status, text = upload(archives(folder))
    check("a second upload fails", status != 0 and "already" in text.lower())
    check("a second upload changes nothing", len(reader(key).get_metrics("loss")), POINTS)
    count = len(API(cache=False).get_experiments(WORKSPACE, PROJECT))
    status, _ = upload(archives(folder), "--force-upload")
    check("a forced upload is accepted", status, 0)
    check("a forced upload is another run", len(API(cache=False).get_experiments(WORKSPACE, PROJECT)), count + 1)


def append(key):
    folder = os.path.join(FOLDER, "append")
    before = reader(key).get_metadata()
    run = comet_ml.start(online=False, mode="get", experiment_key=key, experiment_config=comet_ml.ExperimentConfig(offline_directory=folder, auto_output_logging=False))
    run.log_metric("loss", 1000, step=POINTS)
    run.end()
    status, text = upload(archives(folder))
    check("an archive that goes on with a run is accepted", (status, text if status else ""), (0, ""))
    check("its point is added", len(reader(key).get_metrics("loss")), POINTS + 1)
    after = reader(key).get_metadata()
    check("the start stays", after["startTimeMillis"], before["startTimeMillis"])
    check("the end moves", after["endTimeMillis"] > before["endTimeMillis"])


def elsewhere():
    folder = os.path.join(FOLDER, "elsewhere")
    key = record(folder)
    target = PROJECT + "-target"
    status, _ = upload(archives(folder), "--project-name", target)
    check("an upload may name another project", (status, reader(key).project_name), (0, target))


def main():
    folder = os.path.join(FOLDER, "first")
    before = int(time.time() * 1000)
    # The client can force an upload only of a run whose key was chosen.
    key = section("recording", lambda: record(folder, mode="create", experiment_key=uuid.uuid4().hex))
    after = int(time.time() * 1000) + 1
    # The upload must be told apart from the recording by its time.
    time.sleep(2)
    status, text = upload(archives(folder))
    check("the upload succeeds", (status, text[-2000:] if status else ""), (0, ""))
    section("reading", whole, key, before, after)
    section("a second upload", again, folder, key)
    section("appending", append, key)
    section("another project", elsewhere)
    found(key=key)
    finish()


main()
