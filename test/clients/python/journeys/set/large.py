"""A file of 60 MiB goes straight to storage in parts, and comes back byte for byte."""

import hashlib
import os
import tempfile

import comet_ml
from comet_ml.api import API
from journey import WORKSPACE, check, finish, project, section

PROJECT = project("large")
SIZE = 60 * 1024 * 1024


def digest(data):
    return hashlib.sha256(data).hexdigest()


def direct():
    config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=config)
    content = os.urandom(SIZE)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(content)
        file.flush()
        run.log_asset(file.name, file_name="large.bin", step=3)
        run.end()
    api = API(cache=False)
    read = api.get_experiment_by_key(run.get_key())
    assets = [asset for asset in read.get_asset_list() if asset["fileName"] == "large.bin"]
    check("a large file is one asset", len(assets), 1)
    check("its size is exact", assets[0]["fileSize"], SIZE)
    check("its step is kept", assets[0]["step"], 3)
    check("its bytes are the same", digest(read.get_asset(assets[0]["assetId"], return_type="binary")), digest(content))
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "large.bin")
        api.download_experiment_asset(run.get_key(), assets[0]["assetId"], target)
        with open(target, "rb") as file:
            check("a redirected download in ranges has the same bytes", digest(file.read()), digest(content))


def model():
    config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=config)
    content = os.urandom(3 * 1024 * 1024)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(content)
        file.flush()
        run.log_model("net", file.name, file_name="weights.bin")
        run.end()
    name = "net-%d" % os.getpid()
    API(cache=False).get_experiment_by_key(run.get_key()).register_model("net", registry_name=name)
    with tempfile.TemporaryDirectory() as folder:
        API(cache=False).get_model(WORKSPACE, name).download("1.0.0", folder, expand=True)
        with open(os.path.join(folder, "weights.bin"), "rb") as file:
            check("a registered model comes back with the same bytes", digest(file.read()), digest(content))


section("direct", direct)
section("model", model)
finish()
