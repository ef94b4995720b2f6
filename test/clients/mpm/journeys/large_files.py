"""Files that the client sends in three uploads each: events, training events and late labels."""

import logging
import os
import random
import time

# As large as a test has time for; the client cuts what is above 100 MB, and here what is above two fifths.
megabytes = int(os.environ.get("ORRERY_TEST_CSV_MB", "18"))
os.environ["COMET_MPM_CSV_CHUNK_SIZE_MB"] = str(max(1, megabytes * 2 // 5))

import requests
from journey import BASE, KEY, WORKSPACE, check, finish, project, section

from comet_mpm import API, CometMPM

server = (BASE or os.environ["COMET_URL_OVERRIDE"]).rstrip("/")
features = 40
uploads = []


class Noting(logging.Handler):
    def emit(self, record):
        if "Uploading chunk" in record.getMessage():
            uploads.append(record.getMessage())


logging.getLogger("comet_mpm").addHandler(Noting(logging.INFO))
logging.getLogger("comet_mpm").setLevel(logging.INFO)


def written(path, header, row):
    """Writes rows until the file is large enough, and says how many those are."""
    rows = 0
    with open(path, "w") as file:
        file.write(header + "\n")
        size = len(header) + 1
        while size < megabytes * 1024 * 1024:
            size += file.write(row(rows) + "\n")
            rows += 1
    return rows


def seconds(title, work):
    began = time.monotonic()
    work()
    if megabytes > 100:
        print("%s: %.1f s" % (title, time.monotonic() - began), flush=True)


def large():
    name = project("large")
    chance = random.Random(7)
    # Made once: rows take values from here, so that writing them takes no time of the test.
    pool = ["%.6f" % (chance.random() * 1000) for _ in range(1009)]
    now = int(time.time() * 1000) - 60_000
    cells = lambda row: ",".join(pool[(row * 31 + at * 7) % 1009] for at in range(features))
    names = ",".join("feature_f%d" % at for at in range(features))
    events = written("events.csv", "predictionId,timestamp,feature_row,%s,prediction_value" % names, lambda row: "p%d,%d,%d,%s,yes" % (row, now, row, cells(row)))
    training = written("training.csv", "predictionId,%s,prediction_value" % names, lambda row: "same,%s,yes" % cells(row))
    comment = "c" * 400
    labels = written("labels.csv", "predictionId,label_value_value,label_value_comment", lambda row: "p%d,%s,%s" % (row, "yes" if row % 2 else "no", comment))
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1")
    for kind, path, more in (("TRAINING_EVENTS", "training.csv", {"dataset_name": "train"}), ("EVENTS", "events.csv", {}), ("LATE_LABELS", "labels.csv", {})):
        uploads.clear()
        seconds(kind, lambda: client.upload_dataset_csv(file_path=path, dataset_type=kind, **more))
        check("%s come in three uploads" % kind, len(uploads), 3)
    client.end()
    check("the client keeps no error", client.has_logging_error(), False)
    model = API().get_model_by_name(WORKSPACE, name)
    day = lambda at: time.strftime("%Y-%m-%d", time.gmtime(at / 1000))
    asked = {"start_date": day(now), "end_date": day(now), "interval_type": "DAILY"}
    total = lambda sql: int(model.get_custom_metric(sql, **asked).iloc[:, 0].fillna(0).sum())
    check("every row is an event", total("SELECT count(*) FROM model"), events)
    check("with what it holds", total("SELECT sum(feature_row) FROM model"), events * (events - 1) // 2)
    check("every label of an event is joined to it", total("SELECT count(label) FROM model WHERE feature_row >= 0"), min(events, labels))
    check("with its value", total("SELECT count(*) FROM model WHERE label = 'yes'"), min(events, labels) // 2)
    ask = lambda path: requests.get(server + path, params={"modelId": model.model_id}, headers={"Authorization": KEY}).json()
    check("every row of training is in the baseline", [(one["datasetName"], one["sampleCount"]) for one in ask("/api/mpm/v2/baselines")["baselines"]], [("train", training)])
    check("nothing is refused", ask("/api/mpm/v2/ingestion-errors")["counts"], {})


section("large", large)
finish()
