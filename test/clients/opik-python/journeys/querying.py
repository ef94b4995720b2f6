"""Analytic queries as the unmodified client runs and saves them."""

import datetime as dt

from opik import Opik
from opik.id_helpers import generate_id
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.span_write import SpanWrite
from opik.rest_api.types.trace_write import TraceWrite

from journey import check, finish, project, refuses, section

START = dt.datetime(2026, 5, 1, 10, tzinfo=dt.timezone.utc)


def logged(api):
    name = project("queries")
    trace_id = generate_id()
    api.traces.create_traces(
        traces=[
            TraceWrite(id=trace_id, project_name=name, name="asked", start_time=START, metadata={"k": "größe"}),
            TraceWrite(project_name=name, name="asked", start_time=START + dt.timedelta(days=1)),
        ]
    )
    api.spans.create_spans(
        spans=[SpanWrite(project_name=name, trace_id=trace_id, name="s", start_time=START, model="gpt", total_estimated_cost=0.5)]
    )
    return api.projects.retrieve_project(name=name).id


def asked(api, project_id):
    def run(query):
        return api.system_analytics_queries.execute_analytics_query(project_id, query=query).results

    by_day = "SELECT toJSONString(map('day', toDate(start_time), 'n', count())) AS result FROM traces FINAL GROUP BY toDate(start_time) ORDER BY result"
    check("traces by day", run(by_day), [{"day": "2026-05-01", "n": 1}, {"day": "2026-05-02", "n": 1}])
    of_key = "SELECT toJSONString(map('k', JSONExtractString(metadata, 'k'))) AS result FROM traces WHERE JSONExtractString(metadata, 'k') != ''"
    check("a key of metadata", run(of_key), [{"k": "größe"}])
    cost = "SELECT toJSONString(map('model', model, 'cost', sum(total_estimated_cost))) AS result FROM spans GROUP BY model"
    check("costs by model", run(cost), [{"model": "gpt", "cost": 0.5}])
    joined = "SELECT toJSONString(map('n', count())) AS result FROM spans s JOIN traces t ON t.id = s.trace_id"
    check("a join", run(joined), [{"n": 1}])

    for query in ("SELECT 1 AS result; SELECT 2 AS result", "SELECT '1' AS other", "SELECT 'no json' AS result", "SELECT '1' AS result SETTINGS x = 1", "SELECT '1' AS result FROM experiments"):
        refused(query, 400, lambda query=query: run(query))
    refused("a blank query", 422, lambda: run(" "))
    scoped = api.system_analytics_queries.execute_scoped_analytics_query
    check("of one project", scoped(query="SELECT toJSONString(map('n', count())) AS result FROM traces", project_id=project_id).results, [{"n": 2}])
    check("of the workspace", len(scoped(query="SELECT toJSONString(map('n', count())) AS result FROM experiments").results), 1)


def refused(what, status, ask):
    try:
        ask()
    except ApiError as error:
        check("%s is refused" % what, error.status_code, status)
    else:
        check("%s is refused" % what, "answered", status)


def saved(api, project_id):
    queries = api.dashboard_saved_queries
    made = queries.create_dashboard_saved_query(sql="SELECT '1' AS result", project_id=project_id)
    check("a query is saved", (made.sql, made.project_id), ("SELECT '1' AS result", project_id))
    check("and found", queries.get_dashboard_saved_query(made.id), made)
    refuses("one that is not there", lambda: queries.get_dashboard_saved_query(generate_id()), kind=ApiError)
    refused("a blank one", 422, lambda: queries.create_dashboard_saved_query(sql=" "))


client = Opik()
api = client.rest_client
project_id = logged(api)
section("asked", asked, api, project_id)
section("saved", saved, api, project_id)
client.end()
finish()
