"""A live run logs one of everything; each thing is read back through the client's own reading side."""

import ast
import io
import json
import math
import os
import struct
import sys
import tempfile
import wave
import zipfile
import zlib

from journey import BASE, KEY, WORKSPACE, by_name, check, finish, found, project, section, until

import comet_ml
from comet_ml.api import API

PROJECT = project("online")
FOLDER = tempfile.mkdtemp(prefix="journey-")
POINTS = 2500


def write(name, content):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def png(width=2, height=2):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + b"\xff\x80\x00" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav():
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 80)
    return buffer.getvalue()


IMAGE = write("pixel.png", png())
SOUND = write("beep.wav", wav())
FILM = write("film.mp4", b"\0\0\0\x18ftypmp42" + b"\0" * 64)
PLAIN = write("plain.txt", "a plain file\n")
EMPTY = write("empty.bin", b"")
BINARY = write("raw.bin", bytes(range(256)) * 8)
write("folder/one.txt", "one")
write("folder/deep/two.txt", "two")
write("model/weights.bin", b"weights" * 100)
write("model/sub/config.json", '{"a": 1}')
CODE = write("train.py", "print('train')\n")


def log_values(run):
    for step in range(POINTS):
        run.log_metric("many", step * 0.5, step=step, epoch=step // 100)
    run.log_metric("nan", float("nan"), step=1)
    run.log_metric("infinite", float("inf"), step=1)
    run.log_metric("infinite", float("-inf"), step=2)
    run.log_metric("mixed", 3, step=1)
    run.log_metric("mixed", float("nan"), step=2)
    run.log_metric("mixed", 7.25, step=3)
    run.log_metric("mixed", 5, step=4)
    run.log_metric("big", 123456789012345678, step=1)
    run.log_metric("tiny", 1e-300, step=1)
    run.log_metric("flag", True, step=1)
    run.log_metric("words", "half way", step=1)
    run.log_metric("back", 1, step=-5)
    run.log_metric("naïve ✓ ключ", 1.5, step=0)
    run.log_metrics({"loss": 0.25, "deep": {"accuracy": 0.5}}, step=3, epoch=2)
    run.log_metrics({"prefixed": 1}, prefix="pre", step=3)
    with run.train():
        run.log_metric("loss", 0.125, step=4)
        run.log_parameter("inside", "train")
    with run.context_manager("holdout"):
        run.log_metric("loss", 0.0625, step=5)


def log_parameters(run):
    run.log_parameter("text", "adam")
    run.log_parameter("integer", 42)
    run.log_parameter("float", 0.001)
    run.log_parameter("flag", True)
    run.log_parameter("none", None)
    run.log_parameter("list", [1, 2, "three"])
    run.log_parameter("later", 1, step=1)
    run.log_parameter("later", 2, step=2)
    run.log_parameters({"nested": {"a": 1, "b": {"c": "deep"}}, "flat": 7})
    run.log_parameters({"rate": 0.5}, prefix="opt")


def log_others(run):
    run.set_name("one of everything")
    run.log_other("note", "some note")
    run.log_other("count", 3)
    run.log_other("flag", False)
    run.log_other("list", [1, 2])
    run.log_others({"a": "1", "b": 2.5})
    run.add_tag("first")
    run.add_tags(["second", "third", "first"])
    run.log_html("<p>one</p>")
    run.log_html("<p>two</p>")
    run.log_html_url("http://example.org/page", text="page", label="see")
    run.log_dataset_hash([1, 2, 3])
    run.log_dataset_info(name="numbers", version="1", path="/data/numbers")
    run.set_model_graph("graph of the model")
    run.log_system_info("colour", "blue")
    run.log_dependency("imagined", "9.9.9")
    run.set_filename("other.py")
    run.log_text("a text sample", step=7, metadata={"who": "me"})
    print("printed line one")
    print("printed line two")
    print("printed to stderr", file=sys.stderr)


def log_files(run):
    run.log_image(IMAGE, name="pixel", step=3, metadata={"kind": "dot"})
    run.log_audio(SOUND, file_name="beep.wav", metadata={"loud": True}, step=2)
    run.log_video(FILM, name="film.mp4", step=1)
    run.log_asset(PLAIN, file_name="plain.txt", step=5, metadata={"lines": 1})
    run.log_asset(EMPTY, file_name="empty.bin")
    run.log_asset(BINARY, file_name="raw.bin")
    run.log_asset(io.BytesIO(b"from memory"), file_name="memory.txt")
    run.log_asset_data({"k": [1, 2]}, name="data.json", step=9)
    run.log_asset_folder(os.path.join(FOLDER, "folder"), log_file_name=True, recursive=True)
    run.log_asset(write("twice.txt", "first"), file_name="twice.txt", overwrite=True)
    run.flush()
    run.log_asset(write("twice.txt", "second!"), file_name="twice.txt", overwrite=True)
    run.log_model("net", os.path.join(FOLDER, "model"), metadata={"layers": 3})
    run.log_remote_asset("s3://bucket/far.bin", remote_file_name="far.bin", asset_type="blob", metadata={"far": 1})
    run.log_remote_model("far-net", "s3://bucket/net/weights", sync_mode=False)
    run.log_code(CODE)
    run.log_curve("roc", x=[0, 0.5, 1], y=[0, 0.8, 1], step=4)
    run.log_confusion_matrix(matrix=[[3, 1], [0, 4]], labels=["cat", "dog"], title="animals", file_name="matrix.json")
    run.log_table("table.csv", tabular_data=[[1, "a"], [2, "b"]], headers=["n", "c"])
    run.log_histogram_3d([1, 2, 2, 3, 3, 3], name="weights", step=6)
    run.log_embedding([[1, 2, 3], [4, 5, 6]], labels=["left", "right"], title="space")
    run.log_points_3d("cloud", points=[[0, 0, 0], [1, 1, 1]], step=8)
    run.log_notebook(write("book.ipynb", json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})))


def log_figure(run):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.plot([1, 2, 3])
    run.log_figure("line", pyplot.gcf(), step=2)


def read_metrics(run):
    summary = by_name(run.get_metrics_summary())
    check("the run measures its own duration", "process duration" in summary)
    check("every point of a metric is kept", len(run.get_metrics("many")), POINTS)
    points = sorted(run.get_metrics("many"), key=lambda point: point["step"])
    check("values come back as text", [float(point["metricValue"]) for point in points], [step * 0.5 for step in range(POINTS)])
    check("steps come back", [point["step"] for point in points], list(range(POINTS)))
    check("epochs come back", [point["epoch"] for point in points], [step // 100 for step in range(POINTS)])
    check("the summary keeps the largest value", float(summary["many"]["valueMax"]), (POINTS - 1) * 0.5)
    check("the summary keeps the smallest value", float(summary["many"]["valueMin"]), 0.0)
    check("the summary keeps the step of the largest value", summary["many"]["stepMax"], POINTS - 1)
    check("the summary keeps the last value", float(summary["many"]["valueCurrent"]), (POINTS - 1) * 0.5)
    check("NaN is a value", math.isnan(float(run.get_metrics("nan")[0]["metricValue"])))
    check("infinities are values", sorted(float(point["metricValue"]) for point in run.get_metrics("infinite")), [-math.inf, math.inf])
    check("NaN does not break the largest value", float(summary["mixed"]["valueMax"]), 7.25)
    check("NaN does not break the smallest value", float(summary["mixed"]["valueMin"]), 3.0)
    check("the current value is the last one logged", float(summary["mixed"]["valueCurrent"]), 5.0)
    check("64-bit integers keep every digit", run.get_metrics("big")[0]["metricValue"], "123456789012345678")
    check("tiny values stay", float(run.get_metrics("tiny")[0]["metricValue"]), 1e-300)
    check("a boolean is kept as its text", [point["metricValue"] for point in run.get_metrics("flag")], ["True"])
    check("text is kept as a metric value", [point["metricValue"] for point in run.get_metrics("words")], ["half way"])
    check("steps may be negative", run.get_metrics("back")[0]["step"], -5)
    check("names may hold any letters", run.get_metrics("naïve ✓ ключ")[0]["metricValue"], "1.5")
    check("nested metrics get joined names", float(summary["deep/accuracy"]["valueCurrent"]) if "deep/accuracy" in summary else sorted(summary), 0.5)
    check("a prefix is part of the name", "pre_prefixed" in summary)
    check("a context is a prefix of the name", float(summary["train_loss"]["valueCurrent"]), 0.125)
    check("a context of the user's is a prefix", float(summary["holdout_loss"]["valueCurrent"]), 0.0625)
    check("a point tells its context", run.get_metrics("train_loss")[0]["runContext"], "train")
    check("a point without context tells none", run.get_metrics("loss")[0]["runContext"], None)
    everything = run.get_metrics()
    check("all points come at once", sum(1 for point in everything if point["metricName"] == "many"), POINTS)
    chart = API(cache=False).get_metrics_for_chart([run.id], ["loss", "many"], parameters=["text"])
    check("a chart knows its experiment", chart[run.id]["experimentKey"], run.id)
    charted = by_name(chart[run.id]["metrics"], "metricName")
    check("chart values are numbers", charted["loss"]["values"], [0.25])
    check("a chart gives the parameters asked for", chart[run.id]["params"], {"text": "adam"})


def read_parameters(run):
    values = {row["name"]: row["valueCurrent"] for row in run.get_parameters_summary()}
    check("text parameters", values.get("text"), "adam")
    check("integer parameters", values.get("integer"), "42")
    check("float parameters", values.get("float"), "0.001")
    check("boolean parameters", str(values.get("flag")).lower(), "true")
    check("the later value of a parameter is current", values.get("later"), "2")
    check("nested parameters are joined by a bar", (values.get("nested|a"), values.get("nested|b|c")), ("1", "deep"))
    check("list parameters are the text of a list", ast.literal_eval(values.get("list", "None")), [1, 2, "three"])
    check("a parameter's prefix is part of its name", values.get("opt_rate"), "0.5")
    check("a parameter's context is a prefix", values.get("train_inside"), "train")
    others = {row["name"]: row["valueCurrent"] for row in run.get_others_summary()}
    check("nested parameters are marked", str(others.get("hasNestedParams")).lower(), "true")


def read_others(run):
    others = {row["name"]: row["valueCurrent"] for row in run.get_others_summary()}
    check("others: text", others.get("note"), "some note")
    check("others: number", others.get("count"), "3")
    check("others: boolean", str(others.get("flag")).lower(), "false")
    check("others: list as text", others.get("list"), "[1, 2]")
    check("others: several at once", (others.get("a"), others.get("b")), ("1", "2.5"))
    check("the name is an other", others.get("Name"), "one of everything")
    check("the name is in the metadata", run.get_metadata()["experimentName"], "one of everything")
    check("tags are a set in order", run.get_tags(), ["first", "second", "third"])
    html = run.get_html() or ""
    check("HTML is appended", "<p>one</p>" in html and html.index("<p>one</p>") < html.index("<p>two</p>"))
    check("a link is HTML", "http://example.org/page" in html)
    check("the graph comes back", run.get_model_graph(), "graph of the model")
    details = run.get_system_details()
    info = {row["key"]: row["value"] for row in details["logAdditionalSystemInfoList"]}
    check("system info is kept by key", info.get("colour"), "blue")
    check("the process id is a number", details["pid"], os.getpid())
    check("the python version is known", details["pythonVersion"], "%d.%d.%d" % sys.version_info[:3])
    check("the command is known", any("online.py" in part for part in details["command"]))
    check("installed packages are listed", any(name.startswith("comet") for name in details["installedPackages"]))
    check("the file name of the run is set", run.get_metadata()["fileName"], "other.py")
    output = run.get_output()
    check("printed lines come back in order", "printed line one\n" in output and output.index("line one") < output.index("line two"))
    check("stderr is part of the output", "printed to stderr" in output)


def read_files(run):
    assets = run.get_asset_list()
    named = {}
    for asset in assets:
        named.setdefault(asset["fileName"], []).append(asset)

    def content(name, kind=None):
        rows = [row for row in named.get(name, []) if kind is None or row["type"] == kind]
        return run.get_asset(rows[0]["assetId"]) if rows else "no asset %r among %r" % (name, sorted(named))

    def field(name, key):
        return named[name][0][key] if name in named else "no asset %r" % name

    def metadata(name):
        text = field(name, "metadata")
        return json.loads(text) if isinstance(text, str) else text

    def read(path):
        with open(path, "rb") as file:
            return file.read()

    check("a plain asset has type asset", field("plain.txt", "type"), "asset")
    check("a plain asset keeps its bytes", content("plain.txt"), b"a plain file\n")
    check("an asset keeps its step", field("plain.txt", "step"), 5)
    check("an asset keeps its size", field("plain.txt", "fileSize"), 13)
    check("an asset keeps its metadata", metadata("plain.txt"), {"lines": 1})
    check("an empty file is an asset", content("empty.bin"), b"")
    check("binary content is kept", content("raw.bin"), read(BINARY))
    check("any type is kept", field("far.bin", "type"), "blob")
    check("a file from memory is kept", content("memory.txt"), b"from memory")
    check("asset data is JSON", json.loads(content("data.json")), {"k": [1, 2]})
    check("a folder's files are assets", (content("folder/one.txt"), content("folder/deep/two.txt")), (b"one", b"two"))
    check("overwriting leaves one asset", len(named.get("twice.txt", [])), 1)
    check("overwriting replaces the bytes", content("twice.txt"), b"second!")
    check("an image is of type image", field("pixel", "type"), "image")
    check("an image keeps its bytes", content("pixel"), read(IMAGE))
    check("an image keeps its step", field("pixel", "step"), 3)
    check("an image is marked as one", field("pixel", "image"))
    check("the list of images holds the image", "pixel" in [row["fileName"] for row in run.get_asset_list("image")])
    check("audio keeps its bytes", content("beep.wav"), read(SOUND))
    check("the list of audio holds the sound", [row["fileName"] for row in run.get_asset_list("audio")], ["beep.wav"])
    check("the list of video holds the film", [row["fileName"] for row in run.get_asset_list("video")], ["film.mp4"])
    samples = run.get_asset_list("text-sample")
    check("a text sample keeps its step", [row["step"] for row in samples], [7])
    check("a text sample keeps its text", [run.get_asset(row["assetId"]) for row in samples], [b"a text sample"])
    check("a remote asset keeps its link", (field("far.bin", "link"), field("far.bin", "remote")), ("s3://bucket/far.bin", True))
    check("code is an asset of type source_code", any(row["fileName"].endswith("train.py") for row in run.get_asset_list("source_code")))
    curves = {curve["name"]: curve for curve in run.get_curves()}
    check("a curve comes back", (curves["roc"]["x"], curves["roc"]["y"], curves["roc"]["step"]), ([0, 0.5, 1], [0, 0.8, 1], 4))
    matrix = json.loads(content("matrix.json", "confusion-matrix"))
    check("a confusion matrix comes back", (matrix["matrix"], matrix["labels"], matrix["title"]), ([[3, 1], [0, 4]], ["cat", "dog"], "animals"))
    check("a table comes back", content("table.csv").decode().split(), ["n,c", "1,a", "2,b"])
    histograms = run.get_asset_list("histogram_combined_3d")
    check("histograms are listed by the combined type", [row["type"] for row in histograms], ["histogram3d"])
    embeddings = [json.loads(run.get_asset(row["assetId"])) for row in run.get_asset_list("embeddings")]
    check("an embedding names its tensor", [part["tensorName"] for row in embeddings for part in row["embeddings"]], ["space"])
    check("an embedding points at a vector file that the server gives", fetch(embeddings[0]["embeddings"][0]["tensorPath"]), "1\t2\t3\r\n4\t5\t6\r\n")
    check("a notebook is an asset", [row["fileName"] for row in run.get_asset_list("notebook")], ["book.ipynb"])
    check("3D points are an asset", [row["fileName"] for row in assets if row["type"] in ("3d-image", "3d-points")], ["cloud"])
    check("an asset is found by its name", run.get_asset_by_name("plain.txt"), b"a plain file\n")
    check("an asset is found by name and type", run.get_assets_by_name("raw.bin", asset_type="asset"), [read(BINARY)])
    check("an asset's link holds its key and id", "experimentKey=%s" % run.id in field("plain.txt", "link") and field("plain.txt", "assetId") in field("plain.txt", "link"))
    path = os.path.join(FOLDER, "downloaded")
    API(cache=False).download_experiment_asset(run.id, field("raw.bin", "assetId"), path)
    check("a download equals what was uploaded", read(path), read(BINARY))
    found(assets=len(assets))


def read_model(run):
    check("models are known by name", sorted(run.get_model_names()), ["far-net", "net"])
    files = {row["fileName"]: row for row in run.get_model_asset_list("net")}
    check("a model's files are listed", sorted(files), ["model/sub/config.json", "model/weights.bin"])
    check("a model's metadata is on its files", [json.loads(row["metadata"]) for row in files.values()], [{"layers": 3}] * 2)
    check("a model's files are below models", {row["dir"] for row in files.values()}, {"models/net"})
    target = os.path.join(FOLDER, "unpacked")
    run.download_model("net", output_path=target)
    names = sorted(os.path.relpath(os.path.join(at, name), target) for at, _, members in os.walk(target) for name in members)
    check("a downloaded model holds its files", [name for name in names if name.endswith("weights.bin")] != [])
    found(model_files=names)


def fetch(url):
    import requests

    return requests.get(url, headers={"Authorization": KEY}, timeout=30).text


def read_git(run):
    check("git metadata comes back", run.get_git_metadata()["branch"], "refs/heads/" + BRANCH)
    check("the commit is the parent", run.get_git_metadata()["parent"], COMMIT)
    patch = run.get_git_patch()
    with zipfile.ZipFile(io.BytesIO(patch)) as archive:
        check("the patch is a zip of one file", archive.namelist(), ["git_diff.patch"])
        check("the patch holds the change", b"changed" in archive.read("git_diff.patch"))


def read_figure(run):
    check("a figure is an image", "line" in [row["fileName"].rsplit(".", 1)[0] for row in run.get_asset_list("image")])


def make_repository():
    """A repository with one commit and one uncommitted change, as a person's folder usually is."""
    from dulwich import porcelain

    folder = os.path.join(FOLDER, "repository")
    os.makedirs(folder)
    repository = porcelain.init(folder)
    tracked = os.path.join(folder, "tracked.txt")
    write("repository/tracked.txt", "as committed\n")
    porcelain.add(repository, [tracked])
    commit = porcelain.commit(repository, message=b"first", author=b"A <a@example.org>", committer=b"A <a@example.org>")
    write("repository/tracked.txt", "changed\n")
    branch = porcelain.active_branch(repository).decode()
    os.chdir(folder)
    return branch, commit.decode()


BRANCH, COMMIT = make_repository()


def main():
    run = comet_ml.start(
        workspace=WORKSPACE,
        project_name=PROJECT,
        experiment_config=comet_ml.ExperimentConfig(auto_output_logging="simple", log_git_metadata=True, log_git_patch=True, parse_args=False),
    )
    check("the run's link is <root>/<workspace>/<project>/<key>", run.url, "%s%s/%s/%s" % (BASE, WORKSPACE, PROJECT, run.get_key()))
    for name, part in (("values", log_values), ("parameters", log_parameters), ("others", log_others), ("files", log_files)):
        section("logging " + name, part, run)
    figures = section("logging a figure", log_figure, run)
    check("everything is sent", run.flush())
    reader = API(cache=False).get_experiment_by_key(run.get_key())
    until("a live run is running", lambda: reader.get_state(), "running")
    run.end()
    until("an ended run is finished", lambda: reader.get_state(), "finished")
    for name, part in (("metrics", read_metrics), ("parameters", read_parameters), ("others", read_others), ("files", read_files), ("model", read_model), ("figure", read_figure), ("git", read_git)):
        section("reading " + name, part, reader)
    found(key=run.get_key(), project=PROJECT)
    finish()


main()
