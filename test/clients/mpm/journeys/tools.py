"""The command-line tools over the clients: what they log, copy, load down and report, and what the server made of it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from journey import BASE, WORKSPACE, check, finish, project, section, until

server = (BASE or os.environ["COMET_URL_OVERRIDE"]).rstrip("/")
# The tools are told where runs are logged; where everything else is follows from it.
os.environ["COMET_URL_OVERRIDE"] = server + "/clientlib/"
os.environ["OPIK_URL_OVERRIDE"] = server + "/opik/api"
os.environ["OPIK_ANALYTICS_ENABLE"] = os.environ["OPIK_SENTRY_ENABLE"] = "false"
os.environ["MPLBACKEND"] = "Agg"

from comet_ml import API, Optimizer
from comet_mpm import API as Models
from opik import Opik

SMOKE = project("smoke")
COPIED = project("copied")
tools = str(Path(sys.executable).with_name("cometx"))
api = API(cache=False)


def tool(*arguments, cwd=None):
    done = subprocess.run([tools, *arguments], capture_output=True, text=True, timeout=200, cwd=cwd)
    said = done.stdout + done.stderr
    check("%s ends well" % " ".join(arguments[:2]), (done.returncode, said if done.returncode else ""), (0, ""))
    return said


def values(experiment, name="loss"):
    return [(point["step"], float(point["metricValue"])) for point in experiment.get_metrics(name)]


def smoke():
    # Panels are fetched from elsewhere.
    said = tool("smoke-test", "%s/%s" % (WORKSPACE, SMOKE), "--exclude", "panel")
    for sign in ("Something is wrong", "failed", "Skipping"):
        check("the smoke test does not say '%s'" % sign, sign in said, False)
    check("it ends", "All tests have completed" in said)
    runs = api.get_experiments(WORKSPACE, SMOKE)
    check("it made a run and ten trials", len(runs), 11)
    [run] = [one for one in runs if one.get_name() == "test-1"]
    check("every point is there", len(values(run)), 100)
    check("every image is there", len(run.get_asset_list("image")), 502)


def monitored():
    model = Models(api_key=os.environ["COMET_API_KEY"]).get_model_by_name(WORKSPACE, SMOKE)
    day = lambda back: time.strftime("%Y-%m-%d", time.gmtime(time.time() - back * 86_400))
    span = {"start_date": day(10), "end_date": day(0), "interval_type": "DAILY"}
    until("every event is counted", lambda: int(model.get_nb_predictions(**span)["all"].sum()), 2 * 125 + 3 * 97 + 2 * 115)
    days = model.get_nb_predictions(**span)["all"]
    check("on its day", [int(n) for n in days if n > 0], [125, 125, 97, 97, 97, 115, 115])
    check("labels are those of events, not of the training data", model._client.get_label_names(model.model_id), ["label_label"])


def traced():
    client = Opik(project_name=SMOKE, workspace=WORKSPACE, api_key=os.environ["COMET_API_KEY"])
    until("the trace is there with its input", lambda: [len(one.input or {}) for one in client.search_traces(project_name=SMOKE)], [10])
    client.end()


def copied():
    folder = Path.cwd() / "loaded"
    folder.mkdir()
    tool("download", "%s/%s" % (WORKSPACE, SMOKE), cwd=folder)
    [run] = [one for one in api.get_experiments(WORKSPACE, SMOKE) if one.get_name() == "test-1"]
    home = folder / WORKSPACE / SMOKE / run.id
    lines = [json.loads(line) for line in (home / "metrics.jsonl").read_text().splitlines()]
    kept = [(one["step"], float(one["metricValue"])) for one in lines if one["metricName"] == "loss"]
    check("metrics are loaded down", kept, values(run))
    [image] = [one for one in run.get_asset_list("image") if one["fileName"] == "smoke-test-image.png"]
    check("images are loaded down", (home / "assets" / "image" / "smoke-test-image.png").read_bytes(), run.get_asset(image["assetId"]))
    said = tool("copy", "%s/%s" % (WORKSPACE, SMOKE), "%s/%s" % (WORKSPACE, COPIED), cwd=folder)
    check("every run is copied", "11/11 successful" in said)
    [copy] = [one for one in api.get_experiments(WORKSPACE, COPIED) if one.get_name() == "test-1"]
    until("metrics are copied", lambda: values(copy), values(run))
    until("images are copied", lambda: len(copy.get_asset_list("image")), 502)


def reported():
    folder = Path.cwd() / "reports"
    folder.mkdir()
    tool("admin", "chargeback-report", cwd=folder)
    report = json.loads((folder / "comet-chargeback-report.json").read_text())
    there = sum(len(api.get_experiments(WORKSPACE, one)) for one in api.get_projects(WORKSPACE))
    check("the report counts the runs", [one["numberOfExperiments"] for one in report["workspaces"] if one["name"] == WORKSPACE], [there])
    tool("admin", "usage-report", WORKSPACE, "--no-open", cwd=folder)
    check("usage is drawn", (folder / ("usage_report_%s.pdf" % WORKSPACE)).read_bytes()[:5], b"%PDF-")


def searched():
    folder = Path.cwd() / "searches"
    folder.mkdir()
    parameters = {"rate": {"type": "discrete", "values": [1, 2, 3]}}
    search = Optimizer({"algorithm": "grid", "parameters": parameters, "spec": {"metric": "loss"}}, verbose=0)
    for given in search.get_parameters():
        search._api.optimizer_update(search.id, given["pid"], given["trial"], "completed", 0.5)
    tool("admin", "optimizer-report", search.id, cwd=folder)
    [file] = folder.glob("*.json")
    report = json.loads(file.read_text())
    check("a search is reported with its trials", sorted(one["parameters"]["rate"] for one in report["jobs"]), [1, 2, 3])
    check("and how they ended", (report["completed_count"], report["failed_count"]), (3, 0))


for part in (smoke, monitored, traced, copied, reported, searched):
    section(part.__name__, part)
finish()
