"""A model in production and where it came from: its registered version, run and data, and baselines of the files of both."""

import os
import tempfile
import time

import requests

from journey import BASE, KEY, WORKSPACE, check, finish, project, section

server = (BASE or os.environ["COMET_URL_OVERRIDE"]).rstrip("/")
# Runs are logged below an address of their own; where models are watched follows from it.
os.environ["COMET_URL_OVERRIDE"] = server + "/clientlib/"

import comet_ml
from comet_ml import Artifact
from comet_mpm import API, CometMPM

NAME = project("origin")
QUIET = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
folder = tempfile.mkdtemp()
headers = {"Authorization": KEY}
made = {}


def written(name, rows):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("age,region\n" + "".join("%d,%s\n" % row for row in rows))
    return path


def ask(path, **query):
    return requests.get(server + path, params=query, headers=headers, timeout=60)


def begun():
    return comet_ml.start(workspace=WORKSPACE, project_name=NAME, mode="create", experiment_config=QUIET)


def train():
    data = written("train.csv", [(n % 50, ["eu", "us"][n % 2]) for n in range(600)])
    with open(os.path.join(folder, "weights.bin"), "wb") as file:
        file.write(b"w" * 1000)
    run = begun()
    artifact = Artifact(NAME, "dataset")
    artifact.add(data, logical_path="sets/train.csv")
    run.log_artifact(artifact)
    run.end()
    run = begun()
    check("the run uses its data", str(run.get_artifact("%s/%s:latest" % (WORKSPACE, NAME)).version), "1.0.0")
    run.log_model("net", folder, prepend_folder_name=False)
    run.register_model("net", version="1.0.0", registry_name=NAME, sync=True, timeout=60)
    made["run"] = run.get_key()
    run.end()
    made["data"] = ask("/api/rest/v2/artifacts/version", workspace=WORKSPACE, artifactName=NAME, version="1.0.0").json()["artifactVersionId"]


def watch():
    client = CometMPM(workspace_name=WORKSPACE, model_name=NAME, model_version="1.0.0")
    for number in range(400):
        client.log_event(prediction_id="p%d" % number, input_features={"age": 100 + number % 50, "region": "eu"}, output_features={"value": "yes"})
    client.end()
    check("the client keeps no error", client.has_logging_error(), False)
    made["model"] = API().get_model_by_name(WORKSPACE, NAME)


def compared(told, **source):
    reply = requests.post(server + "/api/mpm/v2/baselines", json={"modelId": made["model"].model_id, "kind": "artifact", "isDefault": True, **source}, headers=headers, timeout=60)
    check("a baseline of %s is made" % told, (reply.status_code, {} if reply.status_code == 200 else reply.text), (200, {}))
    found = reply.json()
    check("of every row of %s" % told, (found["sampleCount"], found["datasetName"].rsplit("/", 1)[-1], found["isDefault"]), (600, "train.csv", True))
    day = lambda back: time.strftime("%Y-%m-%d", time.gmtime(time.time() - back * 86_400))
    drift = made["model"].get_feature_drift("feature_age", algorithm="PSI", start_date=day(2), end_date=day(0), interval_type="DAILY")["all"].dropna()
    check("and events are held against %s" % told, [float(one) > 1 for one in drift], [True])


def of_artifact():
    compared("a version of an artifact", artifactVersionId=made["data"])


def of_registered():
    compared("a registered version", registryVersion="1.0.0")
    missing = requests.post(server + "/api/mpm/v2/baselines", json={"modelId": made["model"].model_id, "kind": "artifact", "registryVersion": "7.0.0"}, headers=headers, timeout=60)
    check("a version that is not registered is told", (missing.status_code, "has no version 7.0.0" in missing.json()["msg"]), (404, True))


def led_back():
    (version,) = ask("/api/mpm/v2/lineage", modelId=made["model"].model_id).json()["versions"]
    check("events name their version", (version["version"], version["events"]), ("1.0.0", 400))
    registered = version["registered"]
    check("which is that of the registered model, from its run", registered and registered["experimentKey"], made["run"])
    check("and that from its data", sorted((one["type"], one["id"]) for one in registered["nodes"] if one["id"] in (made["run"], made["data"])), sorted([("artifactVersion", made["data"]), ("run", made["run"])]))
    back = ask("/api/mpm/v2/lineage/monitored", workspaceName=WORKSPACE, registryModelName=NAME, version="1.0.0").json()
    check("a registered version leads to where it is watched", [(one["modelName"], one["versions"][0]["events"]) for one in back["models"]], [(NAME, 400)])


for part in (train, watch, of_artifact, of_registered, led_back):
    section(part.__name__, part)
finish()
