"""Everything the client's APIExperiment writes, and reads back, one call at a time, on a run that was never live."""

import io
import json
import math
import os
import tempfile
import zipfile

from journey import BASE, WORKSPACE, check, finish, found, project, refuses, section

from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.exceptions import CometRestApiException

PROJECT = project("api")
FOLDER = tempfile.mkdtemp(prefix="journey-")
GPU = {"gpuIndex": 0, "name": "A100", "uuid": "GPU-1", "totalMemory": 40, "powerLimit": 300}


def write(name, content):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def start(run):
    check("a new run has its workspace", run.workspace, WORKSPACE)
    check("a new run has its project", run.project_name, PROJECT)
    check("a new run has a key of 32 characters", len(run.id), 32)
    check("a new run's link is <root>/<workspace>/<project>/<key>", run.url, "%s%s/%s/%s" % (BASE, WORKSPACE, PROJECT, run.id))
    check("a new run has no tags", run.get_tags(), [])
    check("a new run has no assets", run.get_asset_list(), [])
    check("a new run has no HTML", run.get_html() in (None, ""))
    check("a new run has no output", run.get_output(), "")
    check("a new run has no graph", run.get_model_graph() in (None, ""))
    check("a new run has no code", run.get_code() in (None, ""))
    check("a new run has no models", run.get_model_names(), [])
    check("a new run has no git patch", run.get_git_patch(), None)
    check("a new run's git metadata is empty", {value for value in run.get_git_metadata().values() if not isinstance(value, (int, bool))} <= {None, "", "Saved"})
    check("a new run has exactly the other Name", [row["name"] for row in run.get_others_summary()], ["Name"])
    check("a generated name is not empty", bool(run.get_name()))
    check("a new run has no metrics", (run.get_metrics(), run.get_metrics_summary()), ([], []))
    check("a new run has a start and an end", run.start_server_timestamp > 0 and run.end_server_timestamp >= run.start_server_timestamp)
    check("a new run is not archived", run.archived, False)


def metrics(run):
    run.log_metric("loss", 0.5, step=1, epoch=1, timestamp=1700000000.5)
    run.log_metric("loss", 0.25, step=2, epoch=1, timestamp=1700000001)
    run.log_metric("loss", 0.75, step=3, epoch=2, timestamp=1700000002)
    run.log_metrics({"a": 1, "deep": {"b": 2}}, step=4)
    run.log_metric("nan", float("nan"))
    run.log_metric("infinite", float("inf"))
    run.log_metric("huge", 2**70)
    run.log_metric("words", "half way")
    summary = run.get_metrics_summary("loss")
    check("summary: max, min, current", tuple(float(summary[key]) for key in ("valueMax", "valueMin", "valueCurrent")), (0.75, 0.25, 0.75))
    check("summary: steps", (summary["stepMax"], summary["stepMin"], summary["stepCurrent"]), (3, 2, 3))
    check("summary: times are milliseconds", (summary["timestampMax"], summary["timestampMin"]), (1700000002000, 1700000001000))
    points = sorted(run.get_metrics("loss"), key=lambda point: point["step"])
    check("points: times are kept", [point["timestamp"] for point in points], [1700000000500, 1700000001000, 1700000002000])
    check("points: epochs are kept", [point["epoch"] for point in points], [1, 1, 2])
    check("a bare NaN in a request is a value", math.isnan(float(run.get_metrics("nan")[0]["metricValue"])))
    check("a bare Infinity in a request is a value", float(run.get_metrics("infinite")[0]["metricValue"]), math.inf)
    check("a large integer keeps its digits", run.get_metrics("huge")[0]["metricValue"], str(2**70))
    check("text is kept", run.get_metrics("words")[0]["metricValue"], "half way")
    check("nested names are joined", float(run.get_metrics_summary("deep/b")["valueCurrent"]), 2.0)
    check("an unknown metric has no points", run.get_metrics("unknown"), [])
    check("no total-fidelity files are listed", run.get_asset_list("ASSET_TYPE_FULL_METRIC"), [])
    chart = API(cache=False).get_metrics_for_chart([run.id], ["loss", "unknown"], parameters=[])
    check("a chart holds the metrics that exist", [row["metricName"] for row in chart[run.id]["metrics"] if row["values"]], ["loss"])
    loss = [row for row in chart[run.id]["metrics"] if row["metricName"] == "loss"][0]
    check("a chart holds values by step", dict(zip(loss["steps"], loss["values"])), {1: 0.5, 2: 0.25, 3: 0.75})


def parameters(run):
    run.log_parameter("rate", 0.1)
    run.log_parameter("rate", 0.2, step=5)
    run.log_parameter("list", [1, None])
    run.log_parameter("object", {"a": 1})
    run.log_parameter("nan", float("nan"))
    run.log_parameters({"nested": {"x": 1}, "gone": 1, "gone too": 2, "gone three": 3})
    values = {row["name"]: row["valueCurrent"] for row in run.get_parameters_summary()}
    check("the last value of a parameter is current", values.get("rate"), "0.2")
    check("one parameter's summary", run.get_parameters_summary("rate")["valueMin"], "0.1")
    check("nested parameters are joined", values.get("nested|x"), "1")
    check("lists and objects are parameters", "list" in values and "object" in values)
    check("a NaN parameter is text", str(values.get("nan")).lower(), "nan")
    check("deleting a parameter succeeds", run.delete_parameter("gone"))
    check("deleting parameters succeeds", run.delete_parameters(["gone too", "gone three"]))
    check("deleted parameters are gone", [row["name"] for row in run.get_parameters_summary() if row["name"].startswith("gone")], [])


def others(run):
    run.set_name("named run")
    run.log_other("note", "text")
    run.log_other("number", 3)
    run.log_other("object", {"a": [1]})
    run.log_other("nothing", None)
    check("the name is set", (run.get_name(), run.get_metadata()["experimentName"]), ("named run", "named run"))
    check("one other's value", run.get_others_summary("note"), ["text"])
    run.add_tag("one")
    run.add_tags(["two", "three", "one"])
    check("tags keep their order", run.get_tags(), ["one", "two", "three"])
    run.delete_tags(["two"])
    check("a deleted tag is gone", run.get_tags(), ["one", "three"])
    run.log_html("<b>a</b>")
    run.log_html("<i>b</i>")
    check("HTML is appended with nothing between", run.get_html(), "<b>a</b><i>b</i>")
    run.log_html("<u>c</u>", clear=True)
    check("HTML is replaced when cleared", run.get_html(), "<u>c</u>")
    run.set_code("print('hello')\n")
    check("code comes back", run.get_code(), "print('hello')\n")
    run.set_model_graph("a graph")
    check("the graph comes back", run.get_model_graph(), "a graph")
    run.log_output("first\nsecond\n")
    run.log_output("third", stderr=True)
    check("output of several calls follows itself", run.get_output().split(), ["first", "second", "third"])


def system(run):
    run.set_user("me")
    run.set_python_version("3.11")
    run.set_python_version_verbose("3.11 verbose")
    run.set_pid(77)
    run.set_os_type("Linux")
    run.set_os("Linux-6")
    run.set_os_release("6.1")
    run.set_ip("10.0.0.1")
    run.set_hostname("host")
    run.set_machine("x86_64")
    run.set_processor("cpu")
    run.set_command(["train.py", "--fast"])
    run.set_executable("/usr/bin/python")
    run.set_filename("folder/train.py")
    run.set_os_packages(["a=1"])
    run.set_installed_packages(["b==2"])
    run.set_network_interface_ips(["127.0.0.1", "10.0.0.1"])
    run.set_gpu_static_info([GPU])
    run.log_additional_system_info("colour", "blue")
    run.log_additional_system_info("shape", "round")
    run.log_ram_metrics(1000, 400, step=1)
    run.log_gpu_metrics([{"gpuId": 0, "freeMemory": 1, "usedMemory": 2, "gpuUtilization": 30, "totalMemory": 3}])
    run.log_cpu_metrics([10, 20], step=1)
    run.log_load_metrics(0.7, step=1)
    expected = {
        "get_user": "me",
        "get_python_version": "3.11",
        "get_python_version_verbose": "3.11 verbose",
        "get_pid": 77,
        "get_os_type": "Linux",
        "get_os": "Linux-6",
        "get_os_release": "6.1",
        "get_ip": "10.0.0.1",
        "get_hostname": "host",
        "get_machine": "x86_64",
        "get_processor": "cpu",
        "get_command": ["train.py", "--fast"],
        "get_executable": "/usr/bin/python",
        "get_os_packages": ["a=1"],
        "get_installed_packages": ["b==2"],
        "get_network_interface_ips": ["127.0.0.1", "10.0.0.1"],
        "get_gpu_static_info": [GPU],
    }
    for method, value in expected.items():
        section(method, lambda method=method, value=value: check("%s gives what was set" % method, getattr(run, method)(), value))
    info = {row["key"]: row["value"] for row in run.get_additional_system_info()}
    check("system info accumulates by key", info, {"colour": "blue", "shape": "round"})
    run.get_max_memory(), run.get_total_memory(), run.get_environment_details()
    names = {row["name"] for row in run.get_metrics_summary()}
    for start in ("sys.ram.", "sys.gpu.0.", "sys.cpu.", "sys.load."):
        check("system metrics are metrics below %s" % start, any(name.startswith(start) for name in names))
    check("the file name is the last part of the path", run.get_metadata()["fileName"], "train.py")
    check("the file path is kept", run.get_metadata()["filePath"], "folder/train.py")
    run.set_git_metadata("me", "a" * 40, "refs/heads/main", "b" * 40, "git@host:x.git")
    git = run.get_git_metadata()
    check("git metadata comes back", tuple(git[key] for key in ("user", "root", "branch", "parent", "origin")), ("me", "a" * 40, "refs/heads/main", "b" * 40, "git@host:x.git"))
    run.set_git_patch("diff --git a/x b/x\n")
    with zipfile.ZipFile(io.BytesIO(run.get_git_patch())) as archive:
        check("a git patch comes back as a zip of one file", (archive.namelist(), archive.read("git_diff.patch")), (["git_diff.patch"], b"diff --git a/x b/x\n"))


def assets(run):
    made = run.log_asset(write("a.txt", b"bytes of a"), step=3, name="a.txt", context="train", ftype="kind", metadata={"k": [1]})
    check("an upload tells the asset's id", isinstance(made.get("assetId"), str))
    rows = {row["fileName"]: row for row in run.get_asset_list()}
    row = rows["a.txt"]
    check("an asset's facts come back", (row["assetId"], row["type"], row["step"], row["runContext"], row["fileSize"]), (made["assetId"], "kind", 3, "train", 10))
    check("metadata comes from the part, not from the query", json.loads(row["metadata"]), {"k": [1]})
    check("an asset's bytes come back", run.get_asset(row["assetId"]), b"bytes of a")
    check("an asset comes back as text", run.get_asset(row["assetId"], return_type="text"), "bytes of a")
    with run.get_asset(row["assetId"], return_type="response", stream=True) as stream:
        check("an asset can be streamed", b"".join(stream.iter_content(4)), b"bytes of a")
    run.log_asset(write("b.txt", b"other, longer"), name="a.txt", ftype="kind", overwrite=True, step=4)
    rows = [row for row in run.get_asset_list() if row["fileName"] == "a.txt"]
    check("overwriting leaves one", [(row["step"], row["fileSize"]) for row in rows], [(4, 13)])
    run.log_asset(write("c.txt", b"again"), name="a.txt", ftype="kind")
    check("without overwriting there are two", len([row for row in run.get_asset_list("kind") if row["fileName"] == "a.txt"]), 2)
    run.log_image(write("i.png", b"\x89PNG\r\n\x1a\n"), image_name="picture", step=1)
    check("an image is listed among the images", [row["fileName"] for row in run.get_asset_list("image")], ["picture"])
    run.log_video(write("v.mp4", b"film"), name="film", step=2, metadata={"fps": 3})
    film = run.get_asset_list("video")[0]
    check("a video keeps its metadata", (film["fileName"], json.loads(film["metadata"])), ("film", {"fps": 3}))
    run.log_curve("roc", [0, 1], [0, 0.5], step=6)
    curve = run.get_curves()[0]
    check("a curve comes back", (curve["name"], curve["x"], curve["y"], curve["step"]), ("roc", [0, 1], [0, 0.5], 6))
    check("a curve comes back by its id", run.get_curve(curve["assetId"])["y"], [0, 0.5])
    run.log_table("t.csv", [[1, 2]], headers=["a", "b"])
    check("a table comes back", run.get_asset_by_name("t.csv", return_type="text").split(), ["a,b", "1,2"])
    json_made = run.log_asset(write("d.json", b'{"deep": [1]}'), name="d.json")
    check("JSON comes back as JSON", run.get_asset(json_made["assetId"], return_type="json"), {"deep": [1]})
    check("several assets of one name come together", sorted(run.get_assets_by_name("a.txt")), [b"again", b"other, longer"])
    check("an unknown name has no asset", run.get_asset_by_name("unknown"), None)
    awkward = "../../etc/päss wörd?#%.txt"
    run.log_asset(write("e.txt", b"awkward"), name=awkward)
    check("any name is a name", run.get_asset_by_name(awkward), b"awkward")
    run.delete_asset(json_made["assetId"])
    check("a deleted asset is gone", "d.json" in [row["fileName"] for row in run.get_asset_list()], False)
    refuses("a deleted asset cannot be read", lambda: run.get_asset(json_made["assetId"]), kind=CometRestApiException)


def life(run):
    check("set-status names the intervals", run.update_status()["isAliveBeatDurationMillis"] > 0)
    check("a beating run is running", run.get_state(), "running")
    for state in ("finished", "crashed", "running", "finished"):
        run.set_state(state)
        check("a state can be set", run.get_state(), state)
    run.set_start_time(1700000000000)
    run.set_end_time(1700000005000)
    metadata = run.get_metadata()
    check("start, end and duration", (metadata["startTimeMillis"], metadata["endTimeMillis"], metadata["durationMillis"]), (1700000000000, 1700000005000, 5000))
    run.archive()
    api = API(cache=False)
    check("an archived run is archived", run.get_metadata()["archived"])
    check("an archived run is not among the active", run.id in [other.id for other in api.get_experiments(WORKSPACE, PROJECT)], False)
    check("an archived run is among the archived", [other.id for other in api.get_archived_experiments(WORKSPACE, PROJECT)], [run.id])
    api.restore_experiment(run.id)
    check("a restored run is active", [other.id for other in api.get_experiments(WORKSPACE, PROJECT)], [run.id])
    check("the whole run as JSON", run.to_json(full=True)["id"], run.id)


def lists(_):
    api = API(cache=False)
    name = project("listed")
    made = [APIExperiment(workspace=WORKSPACE, project_name=name, experiment_name="run %d" % index, api=api) for index in range(5)]
    for index, run in enumerate(made):
        run.set_start_time(1700000000000 + index * 1000)
    check("all runs are listed", {run.id for run in api.get_experiments(WORKSPACE, name)}, {run.id for run in made})
    check("runs match by pattern", sorted(run.name for run in api.get_experiments(WORKSPACE, name, pattern="run [12]")), ["run 1", "run 2"])
    check("a run is found by name", api.get_experiment(WORKSPACE, name, "run 3").id, made[3].id)
    check("an unknown run is none", api.get_experiment(WORKSPACE, name, "no such run"), None)

    def page(number, order):
        return [run.name for run in api.get_experiments(WORKSPACE, name, page=number, page_size=2, sort_by="startTime", sort_order=order)]

    check("pages ascending", [page(1, "asc"), page(2, "asc"), page(3, "asc"), page(4, "asc")], [["run 0", "run 1"], ["run 2", "run 3"], ["run 4"], []])
    check("pages descending", page(1, "desc"), ["run 4", "run 3"])
    api.delete_experiment(made[0].id)
    refuses("a deleted run is unknown", lambda: APIExperiment(previous_experiment=made[0].id, api=api), status=400, kind=CometRestApiException)
    api.delete_experiments([made[1].id, made[2].id])
    check("deleted runs are not listed", {run.id for run in api.get_experiments(WORKSPACE, name)}, {made[3].id, made[4].id})


def main():
    run = APIExperiment(workspace=WORKSPACE, project_name=PROJECT, api=API(cache=False))
    for part in (start, metrics, parameters, others, system, assets, life, lists):
        section(part.__name__, part, run)
    found(key=run.id)
    finish()


main()
