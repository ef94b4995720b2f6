"""Figures of projects and workspaces, and what else pages read, as the unmodified client's REST part asks for them."""

import datetime

from opik import Opik, id_helpers
from opik.rest_api.core.api_error import ApiError

from journey import check, finish, project, section

PROJECT = project("figures")
NOW = datetime.datetime.now(datetime.timezone.utc)
HOUR = datetime.timedelta(hours=1)
PERIOD = dict(interval_start=NOW - HOUR, interval_end=NOW + HOUR)


def status_of(call):
    try:
        call()
    except ApiError as refused:
        return refused.status_code
    return 200


def fill(client):
    """Three traces now, one of which failed, with a span each; two of the time before."""
    traces = []
    for n in range(5):
        before = 2 * HOUR if n > 2 else 0 * HOUR
        start = NOW - before + datetime.timedelta(seconds=n)
        end = start + datetime.timedelta(milliseconds=100 * (n + 1))
        error = {"exception_type": "E", "traceback": "t"} if n == 0 else None
        trace = client.trace(
            id=id_helpers.generate_id(start), name=f"t{n}", start_time=start, end_time=end,
            project_name=PROJECT, input={"n": n}, output={"answer": str(n)}, error_info=error,
        )
        trace.span(
            id=id_helpers.generate_id(start), name="s", type="llm", start_time=start, end_time=end,
            usage={"prompt_tokens": n, "completion_tokens": 1, "total_tokens": n + 1}, total_cost=0.5 * (n + 1),
        )
        traces.append(trace)
    client.flush()
    client.log_traces_feedback_scores(
        [{"id": trace.id, "name": "quality", "value": 0.25 * n} for n, trace in enumerate(traces)], project_name=PROJECT,
    )
    client.flush()
    return traces


def projects(rest, project_id):
    cards = rest.projects.get_project_kpi_cards(project_id, entity_type="traces", **PERIOD).stats
    shown = {card.type: (card.current_value, card.previous_value) for card in cards}
    check("cards count now and before", shown["count"], (3, 2))
    check("cards tell how many of a hundred failed", (round(shown["errors"][0], 3), shown["errors"][1]), (33.333, 0))
    check("cards tell means of durations", shown["avg_duration"], (200, 450))
    check("cards tell costs", shown["total_cost"], (3, 4.5))
    spans = rest.projects.get_project_kpi_cards(project_id, entity_type="spans", **PERIOD).stats
    check("cards of spans count spans", [card.current_value for card in spans if card.type == "count"], [3])
    names = rest.projects.find_token_usage_names(project_id).names
    check("counts of usage have names", set(names) >= {"prompt_tokens", "completion_tokens", "total_tokens"}, True)
    scores = rest.projects.find_feedback_score_names_by_project_ids(project_ids=f'["{project_id}"]').scores
    check("scores have names", [score.name for score in scores], ["quality"])
    metrics = rest.projects.get_project_metrics(
        project_id, metric_type="TRACE_COUNT", interval="TOTAL", interval_start=PERIOD["interval_start"], interval_end=PERIOD["interval_end"],
    )
    check("series count the same", [point.value for point in metrics.results[0].data], [3])
    stats = rest.traces.get_trace_stats(project_id=project_id).stats
    check("statistics count guardrails", {one.name: one.value for one in stats}["guardrails_failed_count"], 0)


def workspaces(rest, project_id):
    of = dict(project_ids=[project_id], **PERIOD)
    results = rest.workspaces.metrics_summary(**of).results
    check("means of scores, now and before", [(one.name, one.current, one.previous) for one in results], [("quality", 0.25, 0.875)])
    costs = rest.workspaces.costs_summary(**of)
    check("sums of costs, now and before", (costs.current, costs.previous), (3, 4.5))
    series = rest.workspaces.get_metric(**of).results
    check("series of scores", [one.name for one in series], ["quality"])
    check("series are of the project", [one.project_id for one in series], [project_id])
    costs = rest.workspaces.get_cost(**of).results
    check("series of costs add up", sum(point["value"] or 0 for point in costs[0].data) >= 3, True)
    spans = rest.workspaces.get_workspace_span_metric(metric_type="SPAN_COUNT", interval="TOTAL", **of).results
    check("series of spans", [point["value"] for point in spans[0].data], [3])
    names = rest.workspaces.get_workspace_token_usage_names(project_ids=[project_id]).names
    check("names of usage", "total_tokens" in names, True)
    may = rest.workspace_permissions.get_workspace_user_permissions()
    check("what the caller may do", (bool(may.user_name), {one.permission_value for one in may.permissions} <= {"true", "false"}), (True, True))


def experiments(client, rest, project_id, traces):
    name = project("dataset")
    dataset = client.create_dataset(name, project_name=PROJECT)
    dataset.insert([{"question": n} for n in range(3)])
    items = dataset.get_items()
    experiment = client.create_experiment(name=project("experiment"), dataset_name=name, project_name=PROJECT)
    from opik.api_objects.experiment.experiment_item import ExperimentItemReferences

    experiment.insert([
        ExperimentItemReferences(dataset_item_id=item["id"], trace_id=trace.id) for item, trace in zip(items, traces)
    ])
    client.flush()
    chosen = f'["{experiment.id}"]'
    stats = rest.datasets.get_dataset_experiment_items_stats(dataset.id, experiment_ids=chosen).stats
    counts = {(one.name, one.type): one.value for one in stats}
    check("runs are counted", counts[("experiment_items_count", "COUNT")], 3)
    check("costs have a mean", counts[("total_estimated_cost", "AVG")], 1)
    check("durations have percentiles", counts[("duration", "PERCENTAGE")].p50, 200)
    check("scores have a mean", counts[("feedback_scores.quality", "AVG")], 0.25)
    columns = rest.datasets.get_dataset_items_output_columns(dataset.id, experiment_ids=chosen).columns
    check("outputs have columns", [(one.name, one.types) for one in columns], [("answer", ["string"])])
    shown = rest.traces.get_trace_by_id(traces[0].id).experiment
    check("a trace says of which experiment it is a run", (shown.id, shown.dataset_id), (experiment.id, dataset.id))
    page = rest.projects.get_recent_activity(project_id)
    check("activities tell the newest first", [one.type for one in page.content], ["experiment", "dataset_version"])


def models(rest):
    check("an address that may not be called is refused", status_of(lambda: rest.ollama.list_models(base_url="http://10.0.0.1:11434")), 422)
    check("so is one that is none", status_of(lambda: rest.ollama.test_connection(base_url="nowhere")), 422)


client = Opik(project_name=PROJECT)
rest = client.rest_client
traces = fill(client)
project_id = rest.projects.retrieve_project(name=PROJECT).id
section("projects", projects, rest, project_id)
section("workspaces", workspaces, rest, project_id)
section("experiments", experiments, client, rest, project_id, traces)
section("models", models, rest)
client.end()
finish()
