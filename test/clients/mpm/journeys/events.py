"""Events, labels and what is asked of them, as a user of the client would."""

import asyncio
import csv
import io
import json
import logging
import subprocess
import sys
import time
import uuid
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

from journey import BASE, KEY, WORKSPACE, check, finish, project, section

import os
from concurrent.futures import ThreadPoolExecutor

import requests
from comet_mpm import API, CometMPM, cli

server = BASE or os.environ["COMET_URL_OVERRIDE"]
day = time.strftime("%Y-%m-%d", time.gmtime())
span = {"start_date": "2000-01-01", "end_date": day, "interval_type": "DAILY"}
span["start_date"] = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 10 * 86400))
api = API()


def post(path, body, **query):
    return requests.post(server.rstrip("/") + path, json=body, params=query, headers={"Authorization": KEY})


def event(model, number, **more):
    return {
        "workspaceName": WORKSPACE,
        "modelName": model,
        "modelVersion": "1",
        "predictionId": "p%d" % number,
        "timestamp": int(time.time() * 1000) - 60_000,
        "features": {"age": number % 50, "region": ["eu", "us-east", "ap"][number % 3]},
        "prediction": {"value": "yes" if number % 2 else "no", "probability": (number % 10) / 10},
        **more,
    }


def total(model, sql="SELECT count(*) FROM model", **more):
    frame = model.get_custom_metric(sql, **span, **more)
    return int(frame.iloc[:, 0].fillna(0).sum())


class Noting(logging.Handler):
    """Notes the batches that the client says it sent."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.batches = []

    def emit(self, record):
        said = record.getMessage()
        if '"POST /mpm/v2/' in said:
            self.batches.append(said.split("POST ")[1].split(" ")[0])


def methods_of(model, span, filters):
    """What each method of a model gives."""
    asked = {**span, "filters": filters}
    return {
        "predictions": model.get_nb_predictions(**asked),
        "metric": model.get_custom_metric("SELECT avg(prediction_probability) FROM model", **asked),
        "drift": model.get_feature_drift("feature_age", algorithm="PSI", **asked),
        "drift KL": model.get_feature_drift("feature_age", algorithm="KL", **asked),
        "drift of texts": model.get_feature_drift("feature_region", **asked),
        "drift of labels": model.get_feature_drift("label_value", **asked),
        "shares": model.get_feature_category_distribution("feature_region", normalize=True, **asked),
        "counts": model.get_feature_category_distribution("feature_region", normalize=False, **asked),
        "percentiles": model.get_feature_percentiles("feature_age", **asked),
        "density": model.get_feature_density("feature_age", **asked),
    }


def many():
    name = project("many")
    noting = Noting()
    logging.getLogger("urllib3.connectionpool").addHandler(noting)
    logging.getLogger("urllib3.connectionpool").setLevel(logging.DEBUG)
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1")
    start = time.time() - 3600
    for number in range(2500):
        one = event(name, number)
        client.log_event(
            prediction_id=one["predictionId"],
            input_features=one["features"],
            output_features=one["prediction"],
            labels={"value": "yes"} if number % 5 == 0 else None,
            timestamp=start + number,
        )
    client.log_label(prediction_id="p1", labels={"value": "no"})
    client.end()
    logging.getLogger("urllib3.connectionpool").removeHandler(noting)
    check("the client keeps no error", client.has_logging_error(), False)
    check("events come in three batches and labels in one", sorted(noting.batches), ["/mpm/v2/events/batch"] * 3 + ["/mpm/v2/labels/batch"])
    model = api.get_model_by_name(WORKSPACE, name)
    details = model.get_details()
    check("details name the model", details["name"], name)
    check("an unknown model is none", api.get_model_by_name(WORKSPACE, name + "x"), None)
    check("numbers are told", model._client.get_numerical_features(model.model_id), ["feature_age", "prediction_probability"])
    check("texts are told", model._client.get_categorical_features(model.model_id), ["feature_region", "prediction_value"])
    check("labels are told", model._client.get_label_names(model.model_id), ["label_value"])
    check("every event is counted", int(model.get_nb_predictions(**span)["all"].sum()), 2500)
    check("labels are joined", total(model, "SELECT count(label) FROM model"), 501)
    two = model.get_nb_predictions(**span, filters=["region=us-east", "feature_age >= 25 AND version=1"])
    check("filters are series", [int(two[name].sum()) for name in two.columns], [833, 1250])
    for filters in (None, ["region=eu", "feature_age >= 25"]):
        for method, frame in methods_of(model, span, filters).items():
            check("%s with filters %s is a data frame" % (method, filters), len(frame) > 0)
            check("%s with filters %s has values" % (method, filters), frame.select_dtypes("number").notna().any().any().item())
    shares = model.get_feature_category_distribution("feature_region", normalize=True, **span)
    last = shares[shares["all"] > 0]
    check("shares come to 100", round(float(last.groupby(level=0)["all"].sum().iloc[-1]), 6), 100.0)
    early = {"start_date": "2001-01-01", "end_date": "2001-01-02", "interval_type": "HOURLY"}
    for filters in (None, ["region=eu", "feature_age >= 25"]):
        frames = methods_of(model, early, filters)
        check("a span without data is a data frame for every method", [method for method, frame in frames.items() if type(frame).__name__ != "DataFrame"], [])
        check("a span without data has every hour", len(frames["predictions"]), 48)
        check("and so has its drift", len(frames["drift"]), 48)


def repeated():
    name = project("repeated")
    batch = {"data": [event(name, number, timestamp=1000 * int(time.time())) for number in range(20)]}
    first = post("/mpm/v2/events/batch", batch).json()
    again = post("/mpm/v2/events/batch", batch).json()
    check("a batch is accepted once", [first["accepted"], first["duplicates"]], [20, 0])
    check("and told as repeated then", [again["accepted"], again["duplicates"]], [0, 20])
    model = api.get_model_by_name(WORKSPACE, name)
    check("counts stay", total(model), 20)
    more = dict(batch["data"][0], features={**batch["data"][0]["features"], "height": 7})
    check("further fields are merged", post("/mpm/v2/events", more).json()["accepted"], 1)
    check("and are read with the event", total(model, "SELECT count(*) FROM model WHERE height = 7 AND age = 0"), 1)
    against = dict(batch["data"][0], features={"age": 99})
    check("a contradiction is none", post("/mpm/v2/events", against).json()["duplicates"], 1)
    check("and changes nothing", total(model, "SELECT count(*) FROM model WHERE age = 99"), 0)
    errors = requests.get(server.rstrip("/") + "/api/mpm/v2/ingestion-errors", params={"modelId": "$" + model.model_id}, headers={"Authorization": KEY}).json()
    check("but is told", errors["counts"], {"DUPLICATE": 1})


def at_once():
    name = project("at-once")
    batch = {"data": [event(name, number, timestamp=1000 * int(time.time())) for number in range(50)]}
    with ThreadPoolExecutor(8) as pool:
        replies = [one.json() for one in pool.map(lambda _: post("/mpm/v2/events/batch", batch), range(8))]
    check("each event is accepted by one of many at once", sum(one["accepted"] for one in replies), 50)
    check("and told as repeated by the others", sum(one["duplicates"] for one in replies), 350)
    model = api.get_model_by_name(WORKSPACE, name)
    check("and counted once", [total(model), total(model, "SELECT count(age) FROM model")], [50, 50])


def labels():
    name = project("labels")
    label = {key: value for key, value in event(name, 1).items() if key not in ("features", "prediction")}
    label["labels"] = {"value": "yes"}
    waits = post("/mpm/v2/labels/batch", {"data": [label]}).json()
    check("a label may wait for its event", waits["pendingLabels"], 1)
    past = int(time.time() * 1000) - 5 * 86_400_000
    post("/mpm/v2/events/batch", {"data": [event(name, 1, timestamp=past)]})
    model = api.get_model_by_name(WORKSPACE, name)
    frame = model.get_custom_metric("SELECT avg(prediction = label) FROM model", **span)
    told = frame["all"].dropna()
    check("its metric is in the bucket of the event", [str(told.index[0].date()), float(told.iloc[0])], [time.strftime("%Y-%m-%d", time.gmtime(past / 1000)), 1.0])
    again = post("/mpm/v2/events/batch", {"data": [dict(label, labels={"value": "no"})]}).json()
    check("the first label wins", [again["accepted"], again["duplicates"]], [0, 1])
    check("a label is no prediction", total(model), 1)
    weeks = int(time.time() * 1000) - 25 * 86_400_000
    post("/mpm/v2/events/batch", {"data": [event(name, 2, timestamp=weeks)]})
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1")
    client.log_label(prediction_id="p2", labels={"value": "no"})
    client.end()
    frame = model.get_custom_metric("SELECT count(label) FROM model", **{**span, "start_date": time.strftime("%Y-%m-%d", time.gmtime(weeks / 1000 - 86_400))})
    told = frame["all"][frame["all"] > 0]
    check("a label weeks later is in the bucket of its event", [str(told.index[0].date()), float(told.iloc[0])], [time.strftime("%Y-%m-%d", time.gmtime(weeks / 1000)), 1.0])
    check("an older form is taken", post("/mpm/v2/labels", {**label, "predictionId": "z", "labels": None, "value": {"label": 1}}).json()["pendingLabels"], 1)


def validation():
    name = project("validation")
    batch = [event(name, number) for number in range(10)]
    batch[4] = {**batch[4], "features": {"age": {"years": 4}}}
    refused = post("/mpm/v2/events/batch", {"data": batch}, enforceValidation="True")
    check("one bad item refuses all of it", [refused.status_code, refused.json()["accepted"], refused.json()["rejected"], refused.json()["sdk_error_code"]], [400, 0, 1, 0])
    check("with its reason", [refused.json()["errors"][0][key] for key in ("index", "reason", "predictionId")], [4, "NESTED_VALUE", "p4"])
    check("and stores nothing", api.get_model_by_name(WORKSPACE, name), None)
    kept = post("/mpm/v2/events/batch", batch)
    check("otherwise the others are stored", [kept.status_code, kept.json()["accepted"], kept.json()["rejected"]], [200, 9, 1])
    model = api.get_model_by_name(WORKSPACE, name)
    check("and counted", total(model), 9)
    errors = requests.get(server.rstrip("/") + "/api/mpm/v2/ingestion-errors", params={"modelId": model.model_id}, headers={"Authorization": KEY}).json()
    check("and the fault is kept", [(one["reason"], one["predictionId"]) for one in errors["errors"]], [("NESTED_VALUE", "p4")])
    alone = post("/mpm/v2/events/batch", {"data": [batch[4]]})
    check("a batch of nothing right is answered", [alone.status_code, alone.json()["accepted"], alone.json()["rejected"]], [200, 0, 1])
    errors = requests.get(server.rstrip("/") + "/api/mpm/v2/ingestion-errors", params={"modelId": model.model_id}, headers={"Authorization": KEY}).json()
    check("and its fault is kept too", errors["counts"], {"NESTED_VALUE": 2})
    check("what is no batch is refused", post("/mpm/v2/events/batch", {"items": []}).status_code, 400)
    foreign = {"data": [dict(event(name, 1), workspaceName="nobody-has-this")]}
    check("an unknown workspace is refused", post("/mpm/v2/events/batch", foreign).status_code, 403)
    check("an unknown key is refused", requests.post(server.rstrip("/") + "/mpm/v2/events/batch", json={"data": []}, headers={"Authorization": "x" * 25}).status_code, 401)


def scores():
    name = project("scores")
    batch = [event(name, number, prediction={"probability": number / 100}, labels={"value": int(number >= 50)}) for number in range(100)]
    post("/mpm/v2/events/batch", {"data": batch})
    model = api.get_model_by_name(WORKSPACE, name)
    for curve in ("ROC_AUC", "KS", "GINI"):
        frame = model.get_classification_curve("prediction_probability", "label_value", curve_type=curve, **span)
        check(curve + " of a perfect score", [float(one) for one in frame.iloc[:, 0].dropna()], [1.0])
    gains = model.get_gains_table("prediction_probability", "label_value", band_count=5, **span)
    check("bands of the score", [int(one) for one in gains["positives"]], [20, 20, 10, 0, 0])
    check("what they gain", [round(float(one), 6) for one in gains["cumulativeGain"]], [0.4, 0.8, 1.0, 1.0, 1.0])
    check("their totals", gains.attrs["totals"]["all"], {"total": 100, "total_positives": 50, "overall_rate": 0.5})
    quality = requests.get(server.rstrip("/") + "/api/mpm/v2/quality", params={"modelId": model.model_id, "name": "age"}, headers={"Authorization": KEY}).json()
    told = [point for point in quality["volume"] if point["events"]]
    check("label coverage stands beside the volume", [(one["events"], one["labelCoverage"]) for one in told], [(100, 1)])
    check("quality of a feature", [(one["events"], one["missingCount"], one["zeros"]) for one in quality["features"][0]["points"] if one["events"]], [(100, 0, 2)])


def in_asyncio():
    name = project("asyncio")

    async def log():
        client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1", asyncio=True, max_batch_time=1)
        await client.connect()
        for number in range(2500):
            one = event(name, number)
            await client.log_event(prediction_id=one["predictionId"], input_features=one["features"], output_features=one["prediction"])
        await client.log_label(prediction_id="p3", labels={"value": "yes"})
        await client.join()
        check("the client keeps no error", client.has_logging_error(), False)

    asyncio.run(log())
    model = api.get_model_by_name(WORKSPACE, name)
    check("labels of asyncio are no predictions", total(model), 2500)
    check("and are joined", total(model, "SELECT count(label) FROM model"), 1)


def files():
    name = project("files")
    with open("events.csv", "w") as file:
        file.write("predictionId,timestamp,feature_age,feature_region,prediction_value\n")
        for number in range(12_000):
            file.write('c%d,%d,%s,"re,gion %d",yes\n' % (number, int(time.time() * 1000) - 1000, "NA" if number % 10 == 0 else number % 90, number % 3))
    with open("labels.csv", "w") as file:
        file.write("predictionId,label_value_value\n")
        for number in range(500):
            file.write("c%d,no\n" % number)
    with open("training.csv", "w") as file:
        file.write("predictionId,feature_age,feature_region\n")
        for number in range(5000):
            file.write('same,%d,"re,gion %d"\n' % (number % 90, number % 3))
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1")
    client.upload_dataset_csv(file_path="events.csv", dataset_type="EVENTS")
    client.upload_dataset_csv(file_path="labels.csv", dataset_type="LATE_LABELS")
    client.upload_dataset_csv(file_path="training.csv", dataset_type="TRAINING_EVENTS", dataset_name="train")
    client.end()
    model = api.get_model_by_name(WORKSPACE, name)
    check("every row is an event", total(model), 12_000)
    check("missing cells are missing", total(model, "SELECT count(age) FROM model"), 10_800)
    check("labels are joined to theirs", total(model, "SELECT count(label) FROM model"), 500)
    check("quoted cells are whole", total(model, "SELECT count(*) FROM model WHERE region = 're,gion 1'"), 4000)
    baselines = requests.get(server.rstrip("/") + "/api/mpm/v2/baselines", params={"modelId": model.model_id}, headers={"Authorization": KEY}).json()
    check("the training set is the baseline", [(one["datasetName"], one["sampleCount"]) for one in [baselines["default"]]], [("train", 5000)])
    drift = model.get_feature_drift("feature_age", algorithm="PSI", **span)["all"].dropna()
    check("drift against it is small", [float(one) < 0.05 for one in drift], [True])


class Kept(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.said = []

    def emit(self, record):
        self.said.append((record.levelname, record.getMessage()))


def told_of_files():
    name = project("told")
    kept = Kept()
    logger = logging.getLogger("comet_mpm")
    before = logger.level
    logger.addHandler(kept)
    logger.setLevel(logging.INFO)
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1")
    for path, last in (("whole.csv", "2,z"), ("broken.csv", '2,"z"z')):
        with open(path, "w") as file:
            file.write("feature_a,feature_b\n" + "1,y\n" * 100_000 + last + "\n")
        kept.said.clear()
        client.upload_dataset_csv(file_path=path, dataset_type="TRAINING_EVENTS", dataset_name=path)
        lines = [text for level, text in kept.said if level == "INFO"]
        faults = [text for level, text in kept.said if level == "ERROR"]
        check("the client tells of 50,000 rows each of %s" % path, [text for text in lines if text.endswith(" rows")], ["50000 rows", "100000 rows"])
        if path == "whole.csv":
            check("and what became of them", [json.loads(text)["accepted"] for text in lines if text.startswith("{")], [100_001])
            check("and of no fault", faults, [])
        else:
            check("and why it broke off", [json.loads(text)["msg"] for text in lines if text.startswith("{")], ["the CSV file goes on behind the quotes of a cell, in row 100002"])
            check("as an error", len(faults), 1)
    client.end()
    logger.removeHandler(kept)
    logger.setLevel(before)


def commanded(*arguments):
    """What the client's command says to these arguments, and how it ends."""
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        try:
            code = cli.main(arguments)
        except SystemExit as ended:
            code = ended.code
    return SimpleNamespace(returncode=code, stdout=said.getvalue(), stderr=complained.getvalue())


def audited():
    name = project("audited")
    start = (int(time.time()) - 3600) * 1000
    post("/mpm/v2/events/batch", {"data": [event(name, number, timestamp=start + number) for number in range(40)]})
    post("/mpm/v2/labels", {**{key: value for key, value in event(name, 3).items() if key not in ("features", "prediction")}, "labels": {"value": "no"}})
    schema = {one["name"]: (one["type"], one["kind"]) for one in api.get_model_schema(WORKSPACE, name)["columns"]}
    check("columns are told", [schema["__time"], schema["feature_age"], schema["label_value"]], [("TIMESTAMP", "SYSTEM"), ("DOUBLE", "INPUT_FEATURE"), ("VARCHAR", "LABEL")])
    told = api.query_sql(WORKSPACE, name, "SELECT feature_region, COUNT(*) AS n FROM MODEL GROUP BY feature_region ORDER BY n DESC, feature_region LIMIT 2")
    check("statements are answered", told["rows"], [{"feature_region": "eu", "n": 14}, {"feature_region": "ap", "n": 13}])
    pages = list(api.iter_sql_pages(WORKSPACE, name, select="modelVersion, feature_age, label", where="__time >= TIMESTAMP '2020-01-01 00:00:00'", page_size=7))
    ids = [row["predictionId"] for page in pages for row in page]
    check("pages hold every event once, in their order", ids, ["p%d" % number for number in range(40)])
    check("with their values", [row["label"] for page in pages for row in page if row["label"]], ["no"])
    refused = "it was answered"
    try:
        api.query_sql(WORKSPACE, name, "DELETE FROM MODEL")
    except requests.HTTPError as error:
        refused = str(error)
    check("other statements are refused with a reason", "SELECT is expected" in refused, True)
    window = ["--workspace", WORKSPACE, "--model", name, "--from", time.strftime("%Y-%m-%dT%H:00:00Z", time.gmtime(time.time() - 7200)), "--to", time.strftime("%Y-%m-%dT%H:00:00Z", time.gmtime(time.time() + 3600))]
    ran = subprocess.run([sys.executable, "-m", "comet_mpm.cli", "audit", "rows", *window, "--source", "recent_events", "--limit", "60", "--out", "rows.csv"], capture_output=True, text=True)
    check("the command audit rows ends well", ran.returncode, 0 if ran.returncode == 0 else (ran.stdout + ran.stderr)[-800:])
    with open("rows.csv") as file:
        rows = list(csv.DictReader(file))
    check("with every event", sorted(row["predictionId"] for row in rows), sorted("p%d" % number for number in range(40)))
    # The same command within this process: half of what it takes otherwise is to begin.
    audit = lambda part, *more: commanded("audit", part, *window, *more)
    few = project("audited-few")
    known = {str(uuid.uuid4()): number for number in range(6)}
    post("/mpm/v2/events/batch", {"data": [event(few, number, predictionId=one, timestamp=start + number) for one, number in known.items()]})
    window[3] = few
    ran = audit("rows", "--out", "few.csv")
    check("rows that are put together from metrics are verified", ran.returncode, 0 if ran.returncode == 0 else (ran.stdout + ran.stderr)[-800:])
    with open("few.csv") as file:
        check("and are those that were sent", {row["predictionId"]: int(row["feature_age"]) for row in csv.DictReader(file)}, known)
    ran = audit("check")
    check("the command audit check finds the events of the window", (ran.returncode, "predictions in window: 6" in ran.stdout and ran.stdout.rstrip().endswith("OK"), ran.stderr), (0, True, ""))
    ran = audit("check", "--filter", "feature_age >= 3", "--model-version", "1")
    check("or those of a filter and a version", (ran.returncode, "predictions in window: 3" in ran.stdout, ran.stderr), (0, True, ""))
    metric = "AVG(prediction_probability)"
    with open("thresholds.json", "w") as file:
        json.dump([{"metric": metric, "threshold": 0.2, "direction": "above", "effective_from": "2020-01-01T00:00:00Z"}], file)
    ran = audit("metrics", "--metric-sql", metric, "--thresholds", "thresholds.json", "--out", "metrics.csv")
    check("the command audit metrics ends well", ran.returncode, 0 if ran.returncode == 0 else (ran.stdout + ran.stderr)[-800:])
    with open("metrics.csv") as file:
        told = [(round(float(row["metric_value"]), 6), row["threshold_breached"]) for row in csv.DictReader(file) if row["metric_value"]]
    check("with the metric of the hour beside its threshold", told, [(0.25, "True")])


for name, part in (("many", many), ("repeated", repeated), ("at once", at_once), ("labels", labels), ("validation", validation), ("scores", scores), ("asyncio", in_asyncio), ("files", files), ("told of files", told_of_files), ("audited", audited)):
    section(name, part)
finish()
