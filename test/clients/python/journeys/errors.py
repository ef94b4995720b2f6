"""What a person meets who mistypes something: the status, the code, and what the client makes of them."""

import requests

from journey import BASE, KEY, WORKSPACE, check, finish, project, refuses, section

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.connection.connection_factory import get_rest_server_connection
from comet_ml.exceptions import CometRestApiException, ExperimentAlreadyUploaded, ExperimentNotFound, InvalidAPIKey, InvalidWorkspace, NotFound, ProjectNameIsTooLong

PROJECT = project("errors")
API_ = API(cache=False)
UNKNOWN = "0123456789abcdef" * 2
QUIET = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)


def connection(key=KEY, experiment=UNKNOWN):
    return get_rest_server_connection(api_key=key, experiment_key=experiment, server_address=BASE + "clientlib/", verify_tls=True)


def post(path, body, key=KEY):
    return requests.post(BASE + path, json=body, headers={"Authorization": key} if key else {}, timeout=30)


def get(path, key=KEY, **query):
    return requests.get(BASE + path, params=query, headers={"Authorization": key} if key else {}, timeout=30)


def wrong_key():
    refuses("a wrong key is an invalid key to the handshake", lambda: connection("wrong").add_run(PROJECT, WORKSPACE), kind=InvalidAPIKey)
    refuses("a wrong key is an invalid key to a resume", lambda: connection("wrong").get_run(UNKNOWN), kind=InvalidAPIKey)
    refuses("a wrong key is 401 to a read", lambda: API(api_key="wrong", cache=False).get_workspaces(), status=401, kind=CometRestApiException)
    reply = post("api/rest/v2/write/experiment/create", {"workspaceName": WORKSPACE, "projectName": PROJECT}, "wrong")
    check("a wrong key is 400 with its code to create", (reply.status_code, reply.json()["sdk_error_code"]), (400, 90212))
    for path in ("api/rest/v2/workspaces", "api/rest/v2/account-details", "clientlib/rest/v2/workspaces"):
        reply = get(path, key=None)
        check("no key is 401 (%s)" % path, (reply.status_code, reply.headers["Content-Type"]), (401, "application/json"))
    run = comet_ml.start(api_key="wrong", workspace=WORKSPACE, project_name=PROJECT, experiment_config=QUIET)
    run.log_metric("loss", 1)
    run.end()
    check("a refused handshake leaves the script running", True)


def handshake():
    refuses("an unknown workspace is told", lambda: connection().add_run(PROJECT, "no-such-workspace"), kind=InvalidWorkspace)
    refuses("a long project name is told", lambda: connection().add_run("p" * 5000, WORKSPACE), kind=ProjectNameIsTooLong)
    refuses("an unknown run cannot be resumed", lambda: connection().get_run(UNKNOWN), kind=ExperimentNotFound)
    made = APIExperiment(workspace=WORKSPACE, project_name=PROJECT, api=API_)
    refuses("a key in use cannot be opened as new", lambda: connection(experiment=made.id).add_run(PROJECT, WORKSPACE), kind=ExperimentAlreadyUploaded)
    check("a key in use is reopened when that is asked for", bool(connection(experiment=made.id).add_run(PROJECT, WORKSPACE, get_or_create_mode=True).run_id))


def codes():
    cases = [
        ("an unknown run is 400 and 90211", post("api/rest/v2/write/experiment/metric", {"experimentKey": UNKNOWN, "metricName": "m", "metricValue": 1}), 400, 90211),
        ("a missing run is 400 and 90998", post("api/rest/v2/write/experiment/metric", {"metricName": "m", "metricValue": 1}), 400, 90998),
        ("reading an unknown run is 400", get("api/rest/v2/experiment/metadata", experimentKey=UNKNOWN), 400, 90211),
        ("reading no run is 400", get("api/rest/v2/experiment/metadata"), 400, 90998),
        ("a key of blanks is 400", get("api/rest/v2/experiment/metadata", experimentKey="   "), 400, None),
        ("an unknown workspace is 400 to create", post("api/rest/v2/write/experiment/create", {"workspaceName": "no-such", "projectName": "p"}), 400, 90219),
        ("a long project name is 400 to create", post("api/rest/v2/write/experiment/create", {"workspaceName": WORKSPACE, "projectName": "p" * 5000}), 400, 1341241),
        ("a long project name is 400 to its making", post("api/rest/v2/write/project/create", {"workspaceName": WORKSPACE, "projectName": "p" * 5000, "isPublic": False}), 400, 1341241),
    ]
    for rule, reply, status, code in cases:
        check(rule, reply.status_code, status)
        check(rule + " (type)", reply.headers["Content-Type"], "application/json")
        body = reply.json()
        check(rule + " (body)", (isinstance(body["msg"], str), body["code"], body["data"]), (True, status, None))
        if code is not None:
            check(rule + " (code)", body["sdk_error_code"], code)
    reply = post("api/rest/v2/write/experiment/no-such-thing", {})
    check("an unknown path is 404 in JSON", (reply.status_code, reply.headers["Content-Type"]), (404, "application/json"))
    reply = requests.post(BASE + "api/rest/v2/write/experiment/metric", data="{", headers={"Authorization": KEY, "Content-Type": "application/json"}, timeout=30)
    check("a broken body is 400 in JSON", (reply.status_code, reply.headers["Content-Type"]), (400, "application/json"))


def absent():
    check("an unknown project is none", API_.get_project(WORKSPACE, "no such project"), None)
    reply = get("api/rest/v2/project", workspaceName=WORKSPACE, projectName="no such project")
    check("an unknown project is 404", reply.status_code, 404)
    refuses("an unknown run cannot be read", lambda: APIExperiment(previous_experiment=UNKNOWN, api=API_), status=400, kind=CometRestApiException)
    run = APIExperiment(workspace=WORKSPACE, project_name=PROJECT, api=API_)
    refuses("an unknown asset cannot be read", lambda: run.get_asset("no-such-asset"), kind=(CometRestApiException, NotFound))
    refuses("a link into a missing project is refused", lambda: run.create_symlink("no such project"), status=400, kind=CometRestApiException)


def batches():
    """A batch with one odd value keeps the others."""
    run = APIExperiment(workspace=WORKSPACE, project_name=PROJECT, api=API_)

    def value(name, content):
        return {"metricName": name, "metricValue": content, "step": 1, "epoch": None, "context": None, "timestamp": 1700000000000}

    values = [value("good", 1), value("text", "half way"), value("true", "True"), value("none", None), value("", 1), {"metricValue": 3}, value("last", 2)]
    reply = post("clientlib/batch/logger/experiment/metric", {"experimentKey": run.id, "values": values})
    check("a batch with odd values is accepted", reply.status_code, 200)
    names = {point["metricName"] for point in run.get_metrics()}
    check("a batch with odd values keeps the good ones", {"good", "text", "true", "last"} <= names)


def main():
    for part in (wrong_key, handshake, codes, absent, batches):
        section(part.__name__, part)
    finish()


main()
