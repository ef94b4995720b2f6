"""Agent insights as the unmodified client asks for them: jobs, guidance, reports and issues, and what a run finds."""

import datetime as dt
import time

from opik import Opik
from opik.id_helpers import generate_id
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.error_info_write import ErrorInfoWrite
from opik.rest_api.types.reported_issue import ReportedIssue
from opik.rest_api.types.trace_write import TraceWrite

from journey import check, finish, project, section

DAY = dt.date(2026, 5, 1)


def refused(what, status, ask):
    try:
        ask()
    except ApiError as error:
        check("%s is refused" % what, error.status_code, status)
    else:
        check("%s is refused" % what, "answered", status)


def made(api):
    name = project("insights")
    api.projects.create_project(name=name)
    return name, api.projects.retrieve_project(name=name).id


def jobs(api, project_id):
    calls = api.agent_insights_jobs
    refused("a job that is not there", 404, lambda: calls.get_agent_insights_job(project_id))
    job = calls.create_agent_insights_job(project_id)
    check("a job is made disabled", (job.project_id, job.status, job.guidance_version), (project_id, "disabled", 0))
    check("and found", calls.get_agent_insights_job(project_id), job)
    refused("a second one", 409, lambda: calls.create_agent_insights_job(project_id))
    check("it is enabled", calls.update_agent_insights_job(project_id, status="enabled").status, "enabled")
    check("and disabled", calls.update_agent_insights_job(project_id, status="disabled").status, "disabled")
    told = calls.update_agent_insights_guidance(project_id, guidance="look at costs")
    check("guidance is kept", (told.guidance, told.guidance_version), ("look at costs", 1))
    check("and cleared", calls.update_agent_insights_guidance(project_id, guidance=" ").guidance, None)


def issues(api, project_id):
    calls = api.agent_insights
    issue_id = generate_id()
    for day, count in ((DAY, 2), (DAY + dt.timedelta(days=1), 5)):
        calls.report_agent_insights_issues(
            project_id=project_id,
            report_day=day,
            issues=[ReportedIssue(id=issue_id, name="Größe", severity="high", count=count, total_count=10, users_impacted=1, total_users=4, metadata={"k": [1]})],
        )
    page = calls.find_agent_insights_issues(project_id=project_id)
    found = page.content[0]
    check("an issue is listed", (page.total, found.name, found.status, found.severity), (1, "Größe", "open", "high"))
    check("with its sums", (found.total_occurrences, found.latest_count, found.total, found.days_reported), (7, 5, 20, 2))
    check("and its days", (found.first_seen, found.last_seen), (DAY, DAY + dt.timedelta(days=1)))
    check("a window narrows it", calls.find_agent_insights_issues(project_id=project_id, to_date=DAY).content[0].total_occurrences, 2)
    check("a status too", calls.find_agent_insights_issues(project_id=project_id, status="closed").total, 0)
    calls.update_agent_insights_issue(issue_id, project_id=project_id, status="closed", close_note=" no use ")
    one = calls.get_agent_insights_issue_by_id(issue_id, project_id=project_id)
    check("it is closed", (one.status, one.close_note), ("closed", "no use"))
    check("day by day", [(day.report_day, day.count, day.metadata) for day in one.details], [(DAY, 2, {"k": [1]}), (DAY + dt.timedelta(days=1), 5, {"k": [1]})])
    refused("an issue that is not there", 404, lambda: calls.get_agent_insights_issue_by_id(generate_id(), project_id=project_id))
    refused("a window that ends before it begins", 400, lambda: calls.find_agent_insights_issues(project_id=project_id, from_date=DAY, to_date=DAY - dt.timedelta(days=1)))


def runs(api, name, project_id):
    now = dt.datetime.now(dt.timezone.utc)
    error = ErrorInfoWrite(exception_type="Timeout", message="late", traceback="Traceback:\n  File \"/app/search.py\", line 3, in look_up\n")
    api.traces.create_traces(traces=[TraceWrite(project_name=name, name="ask", start_time=now, error_info=error) for _ in range(3)])
    api.agent_insights_jobs.trigger_agent_insights_job(project_id)
    title = "Timeout at look_up in search.py"
    for _ in range(300):
        found = [one for one in api.agent_insights.find_agent_insights_issues(project_id=project_id).content if one.name == title]
        if found:
            break
        time.sleep(0.1)
    check("a run finds what failed", [(one.total_occurrences, one.cause) for one in found], [(3, "late")])
    check("and says when", api.agent_insights_jobs.get_agent_insights_job(project_id).last_scan_at is not None, True)


def figures():
    inside = Opik(api_key="internal-0123456789abcdef").rest_client
    check("figures are counted", isinstance(inside.system_usage.get_spans_bi_info().bi_information, list), True)
    refused("who brings a key", 401, lambda: client.rest_client.system_usage.get_spans_bi_info())
    return inside


def enrolled(inside, api):
    _, project_id = made(api)
    unknown = generate_id()
    reply = inside.agent_insights_enrollment.enrol_projects_in_auto_first_run(enrolled=True, project_ids=[project_id, unknown])
    check("a project is enrolled", (reply.enrolled, list(reply.unknown_project_ids)), (1, [unknown]))
    check("which its job says", api.agent_insights_jobs.get_agent_insights_job(project_id).auto_first_run_enrolled, True)


client = Opik()
api = client.rest_client
name, project_id = made(api)
section("jobs", jobs, api, project_id)
section("issues", issues, api, project_id)
section("runs", runs, api, name, project_id)
section("enrolled", lambda: enrolled(figures(), api))
client.end()
finish()
