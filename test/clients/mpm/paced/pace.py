"""A workspace that sends more than it may: the client waits as long as it is told, and loses nothing."""

import os
import time

import requests
from journey import BASE, KEY, WORKSPACE, check, finish, project, section

from comet_mpm import API, CometMPM

server = (BASE or os.environ["COMET_URL_OVERRIDE"]).rstrip("/")


def event(model, number):
    return {"workspaceName": WORKSPACE, "modelName": model, "modelVersion": "1", "predictionId": "r%d" % number, "features": {"age": number}}


def paced():
    name = project("paced")
    client = CometMPM(workspace_name=WORKSPACE, model_name=name, model_version="1", max_batch_size=1000, max_batch_time=1)
    began = time.time()
    for number in range(7000):
        client.log_event(prediction_id="p%d" % number, input_features={"age": number}, timestamp=began)
    client.end(timeout=100)
    check("the client keeps no error", client.has_logging_error(), False)
    model = API().get_model_by_name(WORKSPACE, name)
    day = time.strftime("%Y-%m-%d", time.gmtime(began))
    check("every event is counted", int(model.get_nb_predictions(start_date=day, end_date=day, interval_type="DAILY")["all"].sum()), 7000)


def told():
    name = project("told")
    batch = {"data": [event(name, number) for number in range(6000)]}
    replies = [requests.post(server + "/mpm/v2/events/batch", json=batch, headers={"Authorization": KEY}) for _ in range(2)]
    refused = replies[-1]
    check("too much is refused", refused.status_code, 429)
    check("for a whole number of seconds", refused.headers["Retry-After"].isdigit() and 1 <= int(refused.headers["Retry-After"]) <= 60)
    check("with the rule", "at most 6000 events and labels a minute" in refused.json()["msg"])


section("paced", paced)
section("told", told)
finish()
