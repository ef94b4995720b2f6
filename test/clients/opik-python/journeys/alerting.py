"""Alerts as the unmodified client makes them, and what arrives of a test."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from opik import Opik
from opik.id_helpers import generate_id
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.alert_trigger_config_write import AlertTriggerConfigWrite
from opik.rest_api.types.alert_trigger_write import AlertTriggerWrite
from opik.rest_api.types.webhook_write import WebhookWrite

from journey import check, finish, project, refuses, section

got = []


class Hook(BaseHTTPRequestHandler):
    """Keeps what it is sent; answers 403 at `/refuses`."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        got.append((self.path, dict(self.headers), body))
        self.send_response(403 if self.path == "/refuses" else 200)
        self.end_headers()

    def log_message(self, *_):
        pass


def kept(alerts, projects, url):
    name = project("alerts")
    projects.create_project(name=name)
    project_id = projects.find_projects(name=name).content[0].id
    alert_id = generate_id()
    threshold = AlertTriggerConfigWrite(
        type="threshold:feedback_score",
        config_value={"name": "accuracy", "threshold": "0.5", "operator": "<", "window": "300"},
        group_index=0,
    )
    webhook = WebhookWrite(url=url, secret_token="a-token-of-some-length", headers={"X-Team": "größe"})
    alerts.create_alert(
        id=alert_id,
        name=name,
        alert_type="slack",
        metadata={"base_url": "https://ui.example"},
        webhook=webhook,
        triggers=[
            AlertTriggerWrite(event_type="trace:feedback_score", trigger_configs=[threshold]),
            AlertTriggerWrite(event_type="prompt:committed"),
        ],
        project_id=project_id,
    )
    made = alerts.get_alert_by_id(alert_id)
    check("an alert is made", (made.name, made.alert_type, made.enabled, made.project_id), (name, "slack", True, project_id))
    check("with its secrets masked", (made.webhook.url, made.webhook.secret_token, made.webhook.headers), (url, "…ngth", {"X-Team": "…"}))
    score, committed = made.triggers
    check("with its triggers", (score.event_type, committed.event_type, score.alert_id), ("trace:feedback_score", "prompt:committed", alert_id))
    check("with what narrows them", [one.type for one in score.trigger_configs], ["threshold:feedback_score", "scope:project"])
    check("as it was sent", (score.trigger_configs[0].config_value, score.trigger_configs[0].group_index), (threshold.config_value, 0))
    check("in the project", json.loads(committed.trigger_configs[0].config_value["project_ids"]), [project_id])
    refuses("an id that is taken", lambda: alerts.create_alert(id=alert_id, name=name, webhook=webhook), kind=ApiError)

    filters = json.dumps([{"field": "name", "operator": "=", "key": "", "value": name, "type": "string"}])
    sorting = json.dumps([{"field": "webhook_url", "direction": "DESC"}])
    page = alerts.find_alerts(page=1, size=5, sorting=sorting, filters=filters)
    check("alerts are found", ([one.id for one in page.content], page.total, page.size), ([alert_id], 1, 1))
    check("and sorted by", "webhook_url" in page.sortable_by)
    check("those of a project", [one.id for one in projects.find_alerts_by_project(project_id).content], [alert_id])

    alerts.update_alert(alert_id, name=name + "!", enabled=False, webhook=WebhookWrite(url=url, secret_token=made.webhook.secret_token))
    changed = alerts.get_alert_by_id(alert_id)
    check("an alert is replaced", (changed.name, changed.enabled, changed.triggers, changed.project_id), (name + "!", False, [], None))
    check("with the token that was masked", changed.webhook.secret_token, made.webhook.secret_token)
    check("by who made it", (changed.created_at, changed.created_by), (made.created_at, made.created_by))

    sent = alerts.test_webhook(id=alert_id, name="tested", webhook=WebhookWrite(url=url, secret_token=made.webhook.secret_token))
    path, headers, body = got[-1]
    check("a saved alert is tested with its token", (path, headers["Authorization"]), ("/hook", "Bearer a-token-of-some-length"))
    check("and tells so", (sent.status, sent.status_code, sent.request_body), ("success", 200, body))

    alerts.delete_alert_batch(ids=[alert_id])
    refuses("a deleted alert", lambda: alerts.get_alert_by_id(alert_id), kind=ApiError)


def sent(alerts, url):
    for alert_type in ("general", "slack", "pagerduty"):
        examples = alerts.get_webhook_examples(alert_type=alert_type).response_examples
        check("examples of %s" % alert_type, len(examples), 10)
    result = alerts.test_webhook(
        name="tested",
        webhook=WebhookWrite(url=url),
        triggers=[AlertTriggerWrite(event_type="experiment:finished")],
    )
    told = json.loads(got[-1][2])
    check("a test is sent", (result.status, told["eventType"], told["alertName"]), ("success", "experiment:finished", "tested"))
    check("as its example", told["payload"].keys(), alerts.get_webhook_examples().response_examples["experiment:finished"]["payload"].keys())
    refused = alerts.test_webhook(name="refused", webhook=WebhookWrite(url=url.replace("/hook", "/refuses")))
    check("a test that fails", (refused.status, refused.status_code), ("failure", 403))


def fired(client, alerts, projects, url):
    name = project("alerts-fire")
    projects.create_project(name=name)
    project_id = projects.find_projects(name=name).content[0].id
    alert_id = generate_id()
    threshold = AlertTriggerConfigWrite(type="threshold:errors", config_value={"threshold": "0", "window": "3600"})
    alerts.create_alert(
        id=alert_id,
        name=name,
        webhook=WebhookWrite(url=url, secret_token="a-token-of-some-length", headers={"X-Team": "ours"}),
        triggers=[AlertTriggerWrite(event_type="trace:errors", trigger_configs=[threshold])],
        project_id=project_id,
    )
    client.trace(name="fails", project_name=name, error_info={"exception_type": "ValueError", "traceback": "here"})
    client.flush()

    def told():
        return [one for one in got if json.loads(one[2]).get("alertId") == alert_id]

    until = time.time() + 20
    while not told() and time.time() < until:
        time.sleep(0.1)
    check("an alert fires", len(told()) > 0)
    path, headers, body = told()[0]
    check("with its secrets", (headers["Authorization"], headers["X-Team"]), ("Bearer a-token-of-some-length", "ours"))
    metric = json.loads(body)["payload"]["metadata"][0]
    check("with what was measured", (metric["metric_value"], metric["threshold"], metric["project_ids"]), ("1", "0", project_id))
    check("in words", (metric["event_type"], metric["project_names"]), ("TRACE_ERRORS", name))
    alerts.delete_alert_batch(ids=[alert_id])


hooks = HTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=hooks.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d/hook" % hooks.server_port
client = Opik()
section("kept", kept, client.rest_client.alerts, client.rest_client.projects, address)
section("fired", fired, client, client.rest_client.alerts, client.rest_client.projects, address)
section("sent", sent, client.rest_client.alerts, address)
client.end()
hooks.shutdown()
finish()
