"""Odd values that a user may hand to a run, read back through the client's own reading side."""

import io
import json
import os
import pathlib
import tempfile

from journey import WORKSPACE, by_name, check, finish, project, section, until

import numpy
import pandas
from PIL import Image

import comet_ml
from comet_ml.api import API

FOLDER = tempfile.mkdtemp(prefix="journey-")
TEXTS = {
    "empty": "",
    "blank": "   ",
    "lines": "one\ntwo\ttab\r\n",
    "quotes": "it's \"quoted\" \\ back",
    "letters": "🦀 é 漢字 \u202e rtl",
    "markup": "<script>alert(1)</script>",
    "имя/with.dots and|bar": "1",
    "quote'name\"": "1",
    "%s {0} $x": "1",
}
NUMBERS = {
    "half": (numpy.float16(0.5), "0.5"),
    "whole": (numpy.int64(7), "7"),
    "least": (5e-324, "5e-324"),
    "beyond 64 bits": (10**40, str(10**40)),
    "minus nothing": (-0.0, "-0.0"),
}
METRICS = {
    "np32": numpy.float32(0.1),
    "np whole": numpy.int32(-3),
    "np 0d": numpy.array(2.5),
    "np one": numpy.array([4.5]),
    "most": 1.7976931348623157e308,
    "least": 5e-324,
    "beyond 64 bits": 10**30,
    "emoji 🦀/a.b|c'd\"": 1,
}


def write(name, content):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def log_values(run):
    for name, value in TEXTS.items():
        run.log_parameter(name, value)
        run.log_other(name, value)
    for name, (value, _) in NUMBERS.items():
        run.log_parameter(name, value)
    run.log_parameters({"deep": {"a": {"b": {"c": [1]}}, "": 1}})
    for name, value in METRICS.items():
        run.log_metric(name, value, step=1)
    for value in (1, 2, 3):
        run.log_metric("same step", value, step=9)
    for step in (2**31, -(2**31) - 1, numpy.int64(3)):
        run.log_metric("far steps", 1, step=step)
    run.add_tags(["é", "a,b", " spaced ", "<b>", "🦀", "é", "UPPER", "upper"])
    run.set_name("имя 🦀 <b>")
    run.log_html("<p>é 🦀 \u2028</p>")
    run.log_system_info("k é", "first")
    run.log_system_info("k é", "again")
    run.log_code(code="x = 'é'\n", code_name="é code.py")


def log_files(run):
    run.log_asset(pathlib.Path(write("имя 🦀 #?&%20+.bin", b"odd name")), metadata={"nested": {"a": [1, None]}})
    run.log_asset(io.StringIO("as text é"), file_name="text.txt")
    run.log_asset(write("up", b"up"), file_name="a/b/../same.txt")
    run.log_asset(write("one", b"one"), file_name="same.txt", step=1)
    run.log_asset(write("two", b"two!"), file_name="same.txt", step=2)
    run.log_asset_data(b"\x00\xff", name="bytes.bin")
    run.log_asset_data([], name="empty.json")
    run.log_text("", step=2)
    run.log_text("t" * 300_000, step=3)
    for kind in ("uint8", "int32", "float64", "bool"):
        run.log_image(numpy.ones((4, 5, 3)).astype(kind), name="np %s" % kind)
    run.log_image(Image.new("RGBA", (3, 3)), name="pil é 🦀")
    run.log_image(Image.new("RGB", (3, 3)), name="twice")
    run.log_image(Image.new("RGB", (3, 3)), name="twice")
    run.log_curve("curve é", x=numpy.arange(3), y=numpy.array([0.5, numpy.nan, 1]), step=1)
    run.log_confusion_matrix(y_true=numpy.eye(3), y_predicted=numpy.eye(3)[::-1], labels=["é", "b", "c"], file_name="matrix.json")
    run.log_table("frame.csv", pandas.DataFrame({"a": [1, None], "é": ['x,"y"', None]}))
    run.log_histogram_3d([float("nan"), 1.0, float("inf")], name="hist", step=2)
    run.log_model("модель é", write("weights é.bin", b"w"), file_name="sub/é.bin")
    run.log_model("модель é", write("more.bin", b"m"))


def read_values(run):
    values = {row["name"]: row["valueCurrent"] for row in run.get_parameters_summary()}
    others = {row["name"]: row["valueCurrent"] for row in run.get_others_summary()}
    for name, value in TEXTS.items():
        check("parameter %s" % name, values.get(name), value)
        check("other %s" % name, others.get(name), value)
    for name, (_, value) in NUMBERS.items():
        check("parameter %s" % name, values.get(name), value)
    check("nested parameters, one without a name", (values.get("deep|a|b|c"), values.get("deep|")), ("[1]", "1"))
    check("a parameter that is not there", run.get_parameters_summary("nope"), [])
    summary = by_name(run.get_metrics_summary())
    for name, value in METRICS.items():
        expected = float(numpy.asarray(value, dtype=object).reshape(-1)[0])
        check("metric %s" % name, [float(point["metricValue"]) for point in run.get_metrics(name)], [expected])
        check("metric %s in the summary" % name, float(summary[name]["valueMax"]) if name in summary else sorted(summary), expected)
    check("points of one step stay, in their order", [float(point["metricValue"]) for point in run.get_metrics("same step")], [1.0, 2.0, 3.0])
    check("steps may be far", sorted(point["step"] for point in run.get_metrics("far steps")), [-(2**31) - 1, 3, 2**31])
    check("tags are as they were written", run.get_tags(), ["é", "a,b", " spaced ", "<b>", "🦀", "UPPER", "upper"])
    check("the name is as it was written", run.get_metadata()["experimentName"], "имя 🦀 <b>")
    check("HTML is as it was written", run.get_html(), "<p>é 🦀 \u2028</p>")
    check("system information is the latest", [row["value"] for row in run.get_additional_system_info() if row["key"] == "k é"], ["again"])


def read_files(run):
    assets = run.get_asset_list()
    named = {}
    for asset in assets:
        named.setdefault(asset["fileName"], []).append(asset)
        check("%s has its size" % asset["fileName"], len(run.get_asset(asset["assetId"])), asset["fileSize"])
    check("a name of any letters", run.get_asset_by_name("имя 🦀 #?&%20+.bin"), b"odd name")
    check("its metadata", json.loads(named["имя 🦀 #?&%20+.bin"][0]["metadata"]), {"nested": {"a": [1, None]}})
    check("assets of one name", sorted(run.get_assets_by_name("same.txt")), [b"one", b"two!"])
    check("a name that leads upwards is only a name", run.get_asset_by_name("a/b/../same.txt"), b"up")
    check("text from memory", run.get_asset_by_name("text.txt"), "as text é".encode())
    check("bytes as data", run.get_asset_by_name("bytes.bin"), b"\x00\xff")
    check("an empty list as data", run.get_asset_by_name("empty.json"), b"[]")
    check("code of a name", run.get_asset_by_name("é code.py"), "x = 'é'\n".encode())
    check("texts, empty and long", sorted(row["fileSize"] for row in run.get_asset_list("text-sample")), [0, 300_000])
    check("pictures", sorted(row["fileName"] for row in run.get_asset_list("image")), ["np bool", "np float64", "np int32", "np uint8", "pil é 🦀", "twice", "twice"])
    curves = by_name(run.get_curves())
    check("a curve with a gap", curves["curve é"]["y"], [0.5, None, 1.0])
    check("a matrix", json.loads(run.get_asset_by_name("matrix.json"))["labels"], ["é", "b", "c"])
    check("a table of a frame", b"\xc3\xa9" in run.get_asset_by_name("frame.csv"))
    check("a histogram of odd numbers", [row["fileName"] for row in run.get_asset_list("histogram_combined_3d")], ["hist"])
    check("models are known by name", run.get_model_names(), ["модель é"])
    check("with their files", sorted(row["fileName"] for row in run.get_model_asset_list("модель é")), ["more.bin", "sub/é.bin"])
    target = os.path.join(FOLDER, "down")
    run.download_model("модель é", target)
    found = sorted(os.path.relpath(os.path.join(at, name), target) for at, _, names in os.walk(target) for name in names)
    check("which are downloaded", found, ["more.bin", "sub/é.bin"])


def main():
    run = comet_ml.start(workspace=WORKSPACE, project_name=project("odd é"), experiment_config=comet_ml.ExperimentConfig(auto_output_logging=False, parse_args=False))
    for name, part in (("values", log_values), ("files", log_files)):
        section("logging " + name, part, run)
    check("everything is sent", run.flush())
    key = run.get_key()
    run.end()
    reader = API(cache=False).get_experiment_by_key(key)
    until("an ended run is finished", lambda: reader.get_state(), "finished")
    for name, part in (("values", read_values), ("files", read_files)):
        section("reading " + name, part, reader)
    finish()


main()
