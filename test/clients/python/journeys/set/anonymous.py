"""Somebody without an account logs; the client asks for a key by itself, keeps it, and is told once it was claimed."""

import json
import os
import urllib.request

from journey import BASE, KEY, WORKSPACE, check, finish, section

# The journey's own key is the claimer's: the client must start without one.
del os.environ["COMET_API_KEY"]
del os.environ["COMET_WORKSPACE"]

import comet_ml
from comet_ml.exceptions import CometException


def ask(path, body=None, key=KEY):
    request = urllib.request.Request(BASE + path, data=None if body is None else json.dumps(body).encode(), headers={"Authorization": key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


def start():
    comet_ml.init(anonymous=True)
    kept = comet_ml.get_config()["comet.api_key"]
    check("a key was given and kept", isinstance(kept, str) and len(kept) >= 25, True)
    experiment = comet_ml.Experiment(log_code=False, log_git_metadata=False, auto_output_logging=False)
    experiment.log_metric("loss", 0.25, step=1)
    key = experiment.get_key()
    experiment.end()
    check("it is in the public project", ask(f"/api/rest/v2/experiment/metadata?experimentKey={key}")["projectName"], "general")
    check("its point is there", [point["metricValue"] for point in ask(f"/api/rest/v2/experiment/metrics/get-metric?experimentKey={key}&metricName=loss")["metrics"]], ["0.25"])


def again():
    before = comet_ml.get_config()["comet.api_key"]
    comet_ml.init(anonymous=True)
    check("the kept key is used again", comet_ml.get_config()["comet.api_key"], before)


def claimed():
    # The address of the claim comes with the key, which the client does not show; a second one is asked for in its place.
    given = ask("/api/auth/anonymous-user", {})
    os.environ["COMET_API_KEY"] = given["apiKey"]
    ask("/api/rest/v2/anonymous/claim", {"token": given["claimUrl"].rsplit("/", 1)[1], "workspaceName": WORKSPACE, "projectName": "claimed"})
    try:
        comet_ml.init(anonymous=True)
        refusal = "none"
    except CometException as error:
        refusal = type(error).__name__
    check("a claimed key is refused", refusal, "CometException")


section("start", start)
section("again", again)
section("claimed", claimed)
finish()
