"""Every command of the tools over the client that lists, logs, copies, loads down or deletes, with the arguments that few give."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from journey import BASE, WORKSPACE, check, finish, project, section, until

server = (BASE or os.environ["COMET_URL_OVERRIDE"]).rstrip("/")
# The tools are told where runs are logged.
os.environ["COMET_URL_OVERRIDE"] = server + "/clientlib/"
os.environ["MPLBACKEND"] = "Agg"

import comet_ml
from comet_ml import API
from PIL import Image

SOURCE = project("tools")
COPIED = project("copied")
LINKED = project("linked")
cometx = str(Path(sys.executable).with_name("cometx"))
api = API(cache=False)
QUIET = comet_ml.ExperimentConfig(disabled=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging="simple")


def tool(*arguments, cwd=None, ends=0):
    done = subprocess.run([cometx, *arguments], capture_output=True, text=True, timeout=200, cwd=cwd)
    said = done.stdout + done.stderr
    wrong = done.returncode != ends or "ERROR" in said or "Traceback" in said
    check("cometx %s ends well" % " ".join(arguments[:3]), said[-1500:] if wrong else "", "")
    return said


def runs(project_name=SOURCE):
    return sorted(api.get_experiments(WORKSPACE, project_name), key=lambda run: run.start_server_timestamp)


def values(run, name):
    return [(point["step"], float(point["metricValue"])) for point in run.get_metrics(name)]


def others(run):
    return {row["name"]: row["valueCurrent"] for row in run.get_others_summary()}


def record():
    for number in range(3):
        run = comet_ml.start(workspace=WORKSPACE, project_name=SOURCE, experiment_config=QUIET)
        # Two of them are called the same.
        run.set_name("first" if number == 0 else "twin")
        for step in range(5):
            run.log_metric("loss", number + step / 4, step=step, epoch=step // 2)
        run.log_parameters({"rate": 0.5 * number, "é": "naïve / 50%"})
        run.log_other("note", "line\nline")
        run.log_text("a text", step=3)
        run.log_html("<b>bold</b>")
        run.set_model_graph("graph")
        run.log_asset_data({"k": number}, name="folder/data é.json", step=2)
        run.log_image(Image.new("RGB", (4, 4), (number, 0, 0)), name="dot.png", step=1)
        run.log_curve("roc", x=[0, 1], y=[0, 1])
        run.log_code(code="print(%d)" % number, code_name="script.py")
        run.log_model("net", __file__)
        print("said in run %d" % number)
        run.end()


def listed():
    keys = [run.id for run in runs()]
    check("cometx list names every run of a project", [key for key in keys if key not in tool("list", "%s/%s" % (WORKSPACE, SOURCE))], [])
    said = tool("list", "%s/%s" % (WORKSPACE, SOURCE), "--use-name")
    check("or their names", ("first" in said, "twin" in said), (True, True))
    said = tool("list", "%s/%s" % (WORKSPACE, SOURCE), "--query", "Parameter('rate') > 0.4")
    check("or those that a query finds", [key in said for key in keys], [False, True, True])
    check("cometx list names the projects of a workspace", SOURCE in tool("list", WORKSPACE))
    check("and the workspaces", WORKSPACE in tool("list"))


def counted():
    said = tool("count", "--with-experiments", "--query", "Metric('loss') >= 2.9")
    check("cometx count finds the project with the runs of a query", re.findall(r"(\d+) project\(s\)|(\d+) experiment", said) != [])
    said = tool("count", "--workspaces-only")
    check("and counts workspaces", bool(re.search(r"\d", said)))
    tool("count", "--count-all", "--include-size", "--limit", "2")


def logged():
    folder = Path("logged")
    folder.mkdir()
    (folder / "metrics.jsonl").write_text("".join(json.dumps({"metricName": "later", "metricValue": str(n), "step": n, "epoch": None}) + "\n" for n in range(4)))
    (folder / "parameters.json").write_text(json.dumps([{"name": "later", "valueCurrent": "1e-3"}]))
    (folder / "others.jsonl").write_text(json.dumps({"name": "later", "valueCurrent": "ü"}) + "\n")
    (folder / "notes.txt").write_text("text")
    (folder / "empty.bin").write_bytes(b"")
    (folder / "sound.wav").write_bytes(b"RIFF")
    (folder / "more.py").write_text("print('more')")
    first, *_ = runs()
    path = "%s/%s/%s" % (WORKSPACE, SOURCE, first.id)
    tool("log", path, "logged/metrics.jsonl", "--type", "metrics")
    tool("log", path, "logged/parameters.json", "--type", "parameters")
    tool("log", path, "logged/others.jsonl", "--type", "other")
    tool("log", path, "logged/more.py", "--type", "code")
    tool("log", path, "logged/notes.txt", "logged/*.wav", "logged/empty.bin", "--use-base-name")
    tool("log", "%s/%s" % (WORKSPACE, SOURCE), "--type", "other", "--set", "stage:a:b {count}")
    until("cometx log logs metrics", lambda: values(first, "later"), [(n, float(n)) for n in range(4)])
    until("and parameters", lambda: {row["name"]: row["valueCurrent"] for row in first.get_parameters_summary()}.get("later"), "1e-3")
    until("and others", lambda: others(first).get("later"), "ü")
    until("of every run of a project", lambda: sorted(others(run).get("stage") for run in runs()), ["a:b 1", "a:b 2", "a:b 3"])
    names = lambda kind: sorted(asset["fileName"] for asset in first.get_asset_list(kind))
    until("and texts, by what a file is called", lambda: "notes.txt" in names("text-sample"))
    until("and sounds", lambda: names("audio") != [])
    empty = [asset for asset in first.get_asset_list() if asset["fileName"] == "empty.bin"]
    check("and files without a byte", [(asset["fileSize"], first.get_asset(asset["assetId"])) for asset in empty], [(0, b"")])


def loaded():
    folder = Path("loaded")
    folder.mkdir()
    tool("download", "%s/%s" % (WORKSPACE, SOURCE), cwd=folder)
    first, *_ = runs()
    home = folder / WORKSPACE / SOURCE / first.id
    check("cometx download brings an asset by its name", json.loads((home / "assets" / "unknown" / "folder" / "data é.json").read_text()) if (home / "assets" / "unknown" / "folder" / "data é.json").exists() else sorted(str(one.relative_to(home)) for one in home.rglob("*")), {"k": 0})
    check("and the output", "said in run 0" in (home / "run" / "output.txt").read_text())
    check("and the code", "print(0)" in (home / "run" / "script.py").read_text())
    check("and the graph", (home / "run" / "graph_definition.txt").read_text() if (home / "run" / "graph_definition.txt").exists() else sorted(one.name for one in (home / "run").iterdir()), "graph")
    named = Path("named")
    named.mkdir()
    tool("download", "%s/%s" % (WORKSPACE, SOURCE), "metrics", "parameters", "--use-name", "--query", "Parameter('rate') < 0.4", cwd=named)
    check("or what is asked for of those that a query finds, by name", sorted(one.name for one in (named / WORKSPACE / SOURCE / "first").iterdir()), ["metrics.jsonl", "metrics_summary.jsonl", "parameters.json"] if (named / WORKSPACE / SOURCE / "first" / "metrics_summary.jsonl").exists() else ["metrics.jsonl", "parameters.json"])
    flat = Path("flat")
    tool("download", "%s/%s/%s" % (WORKSPACE, SOURCE, first.id), "assets", "--flat", "--asset-type", "image", "--output", str(flat))
    check("or images alone, into one folder", sorted(one.name for one in flat.rglob("*.*") if one.is_file()), ["dot.png"])


def copied():
    tool("copy", "%s/%s" % (WORKSPACE, SOURCE), "%s/%s" % (WORKSPACE, COPIED), cwd="loaded")
    until("cometx copy makes every run again", lambda: len(runs(COPIED)), 3)
    of = {run.get_name(): run for run in runs(COPIED)}
    [source] = [run for run in runs() if run.get_name() == "first"]
    until("with its metrics", lambda: values(of["first"], "loss"), values(source, "loss"))
    until("and parameters", lambda: {row["name"]: row["valueCurrent"] for row in of["first"].get_parameters_summary()}, {row["name"]: row["valueCurrent"] for row in source.get_parameters_summary()})
    until("and HTML", lambda: of["first"].get_html(), source.get_html())
    until("and files", lambda: sorted(asset["fileName"] for asset in of["first"].get_asset_list("image")), ["dot.png"])
    tool("copy", "%s/%s" % (WORKSPACE, SOURCE), "%s/%s" % (WORKSPACE, COPIED), "--sync", cwd="loaded")
    check("a copy that is in step makes none again", len(runs(COPIED)), 3)
    tool("copy", "%s/%s" % (WORKSPACE, SOURCE), "%s/%s" % (WORKSPACE, LINKED), "--symlink")
    until("runs are linked into another project", lambda: sorted(run.id for run in runs(LINKED)), sorted(run.id for run in runs()))
    tool("update", "%s/%s" % (WORKSPACE, SOURCE), "%s/%s" % (WORKSPACE, COPIED), cwd="loaded")
    times = lambda run: (run.get_metadata()["startTimeMillis"], run.get_metadata()["endTimeMillis"])
    until("cometx update gives copies the times of their sources", lambda: times(of["first"]), times(source))


def reproduced():
    first, *_ = runs()
    said = tool("reproduce", "%s/%s/%s" % (WORKSPACE, SOURCE, first.id), "again", "--run", "--executable", sys.executable)
    check("cometx reproduce brings the code of a run", "print(0)" in Path("again/script.py").read_text())
    check("and how it is run", sys.executable in Path("again/script.sh").read_text())


def renamed():
    said = tool("rename-duplicates", "%s/%s" % (WORKSPACE, SOURCE), "--dry-run")
    check("cometx rename-duplicates says what it would do", "1 experiment(s) would be renamed" in said)
    tool("rename-duplicates", "%s/%s" % (WORKSPACE, SOURCE))
    until("and gives each its own name", lambda: sorted(run.get_name() for run in runs()), ["first", "twin", "twin-1"])


def deleted():
    tool("delete-assets", "%s/%s" % (WORKSPACE, COPIED), "--type", "image", "--query", "Parameter('rate') > 0.4")
    left = lambda: {run.get_name(): len(run.get_asset_list("image")) for run in runs(COPIED)}
    until("cometx delete-assets deletes those of a type, of the runs that a query finds", lambda: sorted(left().items())[0], ("first", 1))
    check("and no others", sum(left().values()), 1)
    tool("delete-assets", "%s/%s" % (WORKSPACE, COPIED), "--type", "all")
    until("or all of them", lambda: sum(len(run.get_asset_list()) for run in runs(COPIED)), 0)


def refused():
    for arguments in (("list", "%s/no-such-project" % WORKSPACE), ("download", "%s/%s/%s" % (WORKSPACE, SOURCE, "0" * 32)), ("log", "%s/%s/%s" % (WORKSPACE, SOURCE, "0" * 32), "nothing", "--type", "asset")):
        done = subprocess.run([cometx, *arguments], capture_output=True, text=True, timeout=100)
        check("cometx %s tells what is not there without a fault of the server" % arguments[0], re.findall(r"\b50\d\b|Internal Server", done.stdout + done.stderr), [])


for part in (record, listed, counted, logged, loaded, copied, reproduced, renamed, deleted, refused):
    section(part.__name__, part)
finish()
